//! A device that joins again because no owner confirmed that it joined.

use super::FleetError;
use super::connect::{BrokerAddress, BrokerLink};
use super::keep::{Folder, UNCONFIRMED};
use super::store::{self, Bucket};
use postern_fleet::{Hash, InvitationCode};

/// Returns true if a device need not join again: nobody confirmed that it did, and the newest roster of the fleet names it.
///
/// An owner who makes a code puts out before whom they let in and who did not confirm it.
pub async fn has_joined(
    folder: &Folder,
    code: &InvitationCode,
    credentials: Option<&str>,
) -> Result<bool, FleetError> {
    folder.require_joinable(code)?;
    let Some(known) = folder.pinned_as_member() else { return Ok(false) };
    let own = folder.membership()?.members;
    let keys = own.iter().map(|member| folder.read_keys(&member.id)).collect::<Result<Vec<_>, _>>()?;
    let (Some(first), Some(key)) = (own.first(), keys.first()) else { return Ok(false) };
    let kept = folder.credentials()?;
    let credentials = credentials.map(str::to_owned).or(kept);
    let address = BrokerAddress { server: &code.server, certificate: code.certificate, credentials };
    // A broker lets nobody in who is out of the roster. One that is not there lets nobody join either.
    let Ok(link) = BrokerLink::open(&address, &key.nkey, first.id.as_str()).await else { return Ok(false) };
    let at = Bucket { client: &link.client, fleet: &code.fleet, open: &key.open };
    let (_, newest) = store::newest_entry(at, store::ROSTER).await?;
    // The roster that names it no more is not sealed for it.
    let newest = newest.and_then(|newest| {
        let is_known = Hash::of_bytes(&newest.payload) == known.hash;
        if is_known { Some(known.clone()) } else { known.verify_later(&newest, &code.fleet).ok() }
    });
    let is_member = newest.is_some_and(|newest| {
        own.iter().zip(&keys).all(|(own, keys)| {
            newest.roster.member(&own.id).is_some_and(|member| member.sign == keys.sign.verifier())
        })
    });
    if is_member {
        // The owner's command that made the code would have put it out.
        folder.remove(UNCONFIRMED)?;
    }
    Ok(is_member)
}
