//! Bundles and stages that came: those that count are put in force.

use super::super::policy::name_of;
use super::super::store::StoredFleetEntry;
use super::FleetHostSession;
use super::refused::sender;
use postern_fleet::AdmittedMessage;

impl FleetHostSession {
    /// Takes a bundle or a stage that counts. One that this host cannot read is refused and reported, and nothing changes.
    ///
    /// Returns false for one that does not count, and may later.
    pub(super) async fn take_policy(&mut self, stored: &StoredFleetEntry) -> bool {
        let StoredFleetEntry::Policy(bytes) = stored else { return true };
        let now = self.current_time();
        let admitted = match postern_fleet::admit_message(&self.fleet, bytes, now) {
            Ok(admitted) => admitted,
            // What came before comes again with each connection.
            Err(postern_fleet::FleetRefusal::Older) => return true,
            Err(refusal) => {
                let sender = sender(bytes).map(|(from, _)| from);
                self.note_refusal(("policy", "policy"), sender.as_ref(), &refusal).await;
                return false;
            }
        };
        if let AdmittedMessage::Bundle { bundle, hash } = &admitted
            && let Err(why) = self.policy.take_bundle(&self.host, bytes, (bundle, *hash))
        {
            let name = name_of(bundle, hash);
            self.host.call_attention(format!(
                "the fleet’s policy {name} was refused, the one before stays: {why}"
            ));
        } else {
            self.fleet.apply_admitted(&admitted, now);
        }
        match self.policy.keep_state(&self.folder, &self.fleet) {
            Ok(true) => self.policy.put_in_force(&self.host).await,
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "the fleet's policy could not be kept"),
        }
        true
    }
}
