//! Changes that wait for signatures, as the window shows them. What it showed is signed: it is not read again.

use super::change_words::change_lines;
use super::proposals::{ShownProposal, SignaturesNeeded, WaitingProposal};
use super::store::{PROPOSAL, PersonConnection, ROSTER};
use super::{
    FleetError, Folder, PRESENT, list_proposals, replay_change, reply_lines, sign_proposal, withdraw_proposal,
};
use crate::door::Proposals;
use async_trait::async_trait;
use futures_util::stream::select;
use futures_util::{FutureExt as _, StreamExt as _};
use parking_lot::Mutex;
use postern_command::escape::visible_text;
use postern_contract::methods::{ControlError, FleetRole, FleetSignatures, ProposedChange};
use postern_fleet::{MemberRole, Subjects};
use postern_host::Host;
use postern_host::doors::UNSIGNED_CHANGE;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Days of history that a policy is judged on before it is signed in the window.
const REPLAYED_DAYS: u16 = 7;

/// Pause before it is looked again over a new connection.
const LOST: Duration = Duration::from_millis(200);

/// Changes that wait, while the door is open.
#[derive(Debug)]
pub(super) struct UnsignedChanges {
    host: Host,
    folder: Folder,
    shown: Mutex<Vec<Arc<WaitingProposal>>>,
    /// Changes that the person was notified of.
    notified: Mutex<BTreeSet<String>>,
    /// Lock that keeps an earlier look from replacing what a later one found.
    looking: tokio::sync::Mutex<()>,
}

impl UnsignedChanges {
    pub(super) fn new(host: &Host, folder: &Folder) -> Self {
        let (host, folder) = (host.clone(), folder.clone());
        let (shown, notified) = (Mutex::default(), Mutex::default());
        Self { host, folder, shown, notified, looking: tokio::sync::Mutex::default() }
    }

    /// Reads what waits from the broker, and notifies the person of what waits for their signature.
    async fn read_proposals(&self) -> Result<(), FleetError> {
        let _turn = self.looking.lock().await;
        let all = if self.needs_signatures() { list_proposals(&self.folder).await? } else { Vec::new() };
        let own: BTreeSet<String> =
            all.iter().filter(|one| waits_for_own(one)).map(|one| one.id.clone()).collect();
        *self.shown.lock() = all.into_iter().map(Arc::new).collect();
        let waiting = own.len();
        if self.are_new(own) {
            self.host.call_attention(UNSIGNED_CHANGE.to_owned());
        }
        self.host.note_unsigned(waiting).await;
        Ok(())
    }

    /// Returns true if the person was not notified of one of these changes yet.
    fn are_new(&self, own: BTreeSet<String>) -> bool {
        let mut notified = self.notified.lock();
        let is_new = own.iter().any(|id| !notified.contains(id));
        *notified = own;
        is_new
    }

    /// Returns a change as it was shown.
    fn find_change(&self, id: &str) -> Result<Arc<WaitingProposal>, ControlError> {
        let shown = self.shown.lock();
        let gone = || ControlError::not_found("no such change waits any more: look again");
        shown.iter().find(|one| one.id == id).cloned().ok_or_else(gone)
    }

    /// Reads what waits after a change, which is done or waits for further people.
    async fn look_after(&self, done: Result<(), FleetError>) -> Result<(), ControlError> {
        match done {
            Ok(()) | Err(FleetError::Proposed(_)) => Ok(self.read_proposals().await?),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns true if this Mac's person may sign what several people have to sign.
    fn needs_signatures(&self) -> bool {
        let (Ok(membership), Ok(pinned)) = (self.folder.membership(), self.folder.pinned()) else {
            return false;
        };
        let person = membership.own_member_id(false).and_then(|id| pinned.roster.member(id));
        let roles = [MemberRole::Owner, MemberRole::Publisher];
        person
            .is_some_and(|me| roles.iter().any(|role| me.has_role(*role) && pinned.roster.needed(*role) > 1))
    }

    /// Looks whenever something changes at the broker, until the door closes.
    pub(super) async fn watch_broker(&self, closed: &CancellationToken) {
        let work = async {
            let mut rest = LOST;
            loop {
                let mut pause = PRESENT;
                if self.needs_signatures() {
                    rest = match self.look_until_lost().await {
                        // A broker that reads its configuration again cuts connections, and is there at once.
                        Ok(()) => LOST,
                        Err(error) => {
                            tracing::warn!(%error, "changes of the fleet that wait for signatures could not be read");
                            (rest * 2).min(PRESENT)
                        }
                    };
                    pause = rest;
                }
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = self.folder.roster_noted() => {}
                }
            }
        };
        closed.run_until_cancelled(Box::pin(work)).await;
        self.host.note_unsigned(0).await;
    }

    async fn look_until_lost(&self) -> Result<(), FleetError> {
        let PersonConnection { link, fleet, .. } = PersonConnection::open(&self.folder).await?;
        let names = Subjects::for_fleet(&fleet);
        // Before it looks, so that nothing is missed between.
        let proposals = link.subscribe(names.stored(&format!("{PROPOSAL}.>"))).await?;
        let mut changes = select(proposals, link.subscribe(names.stored(ROSTER)).await?);
        link.client.flush().await.map_err(FleetError::broker)?;
        self.read_proposals().await?;
        loop {
            tokio::select! {
                Some(_) = changes.next() => {
                    // All that came meanwhile is read at once: a publisher's flood opens no connection each.
                    while changes.next().now_or_never().flatten().is_some() {}
                    self.read_proposals().await?;
                }
                () = link.wait_until_lost() => return Ok(()),
            }
        }
    }
}

#[async_trait]
impl Proposals for UnsignedChanges {
    fn list_changes(&self) -> Vec<ProposedChange> {
        let shown = self.shown.lock();
        shown.iter().map(|one| shown_change(&self.folder, one)).collect()
    }

    async fn read_changes(&self) -> Result<(), ControlError> {
        Ok(self.read_proposals().await?)
    }

    async fn replay_change(&self, id: String) -> Result<Vec<String>, ControlError> {
        let change = self.find_change(&id)?;
        let shown = change.shown.as_ref().map_err(|why| ControlError::refused(visible_text(why)))?;
        let replies = replay_change(&self.folder, shown, REPLAYED_DAYS).await?;
        Ok(replies.iter().flat_map(reply_lines).collect())
    }

    async fn sign_change(&self, id: String) -> Result<(), ControlError> {
        let change = self.find_change(&id)?;
        self.look_after(sign_proposal(&self.folder, &change).await).await
    }

    async fn withdraw_change(&self, id: String) -> Result<(), ControlError> {
        let change = self.find_change(&id)?;
        self.look_after(withdraw_proposal(&self.folder, &change).await).await
    }
}

/// Checks that the signature of the person at this Mac is missing: what all signed already is about to be stored.
fn waits_for_own(one: &WaitingProposal) -> bool {
    one.shown.as_ref().is_ok_and(|shown| shown.own && shown.needed.missing > 0)
}

fn shown_change(folder: &Folder, one: &WaitingProposal) -> ProposedChange {
    let shown = one.shown.as_ref();
    let lines = shown.map(|shown: &ShownProposal| change_lines(folder, shown)).unwrap_or_default();
    ProposedChange {
        id: one.id.clone(),
        group: one.group.as_ref().map(ToString::to_string),
        lines,
        needs: shown.ok().filter(|shown| shown.needed.missing > 0).map(|shown| shown_needs(&shown.needed)),
        problem: shown.err().map(|why| visible_text(why)),
        own: shown.is_ok_and(|shown| shown.own),
    }
}

/// Shows which signatures a change waits for.
pub(super) fn shown_needs(needed: &SignaturesNeeded) -> FleetSignatures {
    FleetSignatures {
        role: if needed.role == MemberRole::Owner { FleetRole::Owner } else { FleetRole::Publisher },
        missing: u32::try_from(needed.missing).unwrap_or(u32::MAX),
        people: needed.people.iter().map(|person| visible_text(person)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::Folder;
    use crate::fleet::{BrokerChoice, HostConsent, NewFleetChoices, prepare_fleet};
    use futures_util::FutureExt as _;

    #[test]
    fn a_roster_that_is_pinned_wakes_once_who_waits_for_another() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::from_data_folder(place.path());
        let listen = ([127, 0, 0, 1], 7720).into();
        let wanted = NewFleetChoices {
            broker: BrokerChoice::Own { listen, before_2_10: false, in_container: false },
            name: "MacBook".to_owned(),
            person: "Mara".to_owned(),
            group: "all".parse().unwrap(),
            consent: HostConsent::default(),
        };
        let watched = folder.clone();
        assert_eq!(watched.roster_noted().now_or_never(), None);
        prepare_fleet(&folder, &wanted).unwrap().save_files(&folder).unwrap();
        assert_eq!(watched.roster_noted().now_or_never(), Some(()));
        assert_eq!(watched.roster_noted().now_or_never(), None);
    }
}
