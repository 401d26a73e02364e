//! Configuration of the broker, on the Mac that keeps it: rewritten with each roster.

use super::super::keep::{CONFIGURATION, Folder, Membership};
use super::super::{FleetError, service};
use postern_fleet::{Broker, FleetId, PinnedRoster, Roster, VerifyKey};

/// Returns the broker's configuration; `None` if another Mac or an administrator keeps it.
pub(super) fn configuration(
    folder: &Folder,
    membership: &Membership,
    roster: &Roster,
    invited: &[(FleetId, VerifyKey)],
) -> Option<String> {
    let broker = membership.broker.as_ref()?;
    let place = folder.broker();
    let configured = Broker {
        fleet: &membership.fleet,
        roster,
        invited,
        listen: &broker.listen,
        folder: &place.to_string_lossy(),
        before_2_10: broker.before_2_10,
        in_container: broker.in_container,
    };
    Some(configured.configuration())
}

/// Writes the broker's configuration. Returns false if this Mac does not keep it.
pub(super) fn write_configuration(
    folder: &Folder,
    membership: &Membership,
    roster: &Roster,
    invited: &[(FleetId, VerifyKey)],
) -> Result<bool, FleetError> {
    let Some(text) = configuration(folder, membership, roster, invited) else { return Ok(false) };
    folder.write_text(CONFIGURATION, text.as_bytes()).map(|()| true)
}

/// Configures the broker by a roster that another owner signed, if this Mac keeps its configuration.
pub(in super::super) fn configure_by_roster(
    folder: &Folder,
    pinned: &PinnedRoster,
) -> Result<(), FleetError> {
    if write_configuration(folder, &folder.membership()?, &pinned.roster, &folder.invited()?)? {
        service::reload(folder);
    }
    Ok(())
}
