//! Interface of every open door.

use async_trait::async_trait;
use postern_contract::Question;
use postern_contract::methods::{
    ControlError, DoorSetup, FleetHostState, ListQuestions, Nothing, PairedClient,
};
#[cfg(feature = "fleet")]
use postern_contract::methods::{FleetWorkCounts, ProposedChange};
use postern_host::{ApproverId, ConnectedApproverKind, Host};
use std::collections::BTreeMap;

/// Approver id for reading from the host without being shown anything: no window has it.
pub(crate) const READER: ApproverId = ApproverId { kind: ConnectedApproverKind::Window, number: 0 };

/// Returns what waits on this Mac. It counts as shown to nobody: silence about what no person saw allows nothing.
///
/// What waits on another Mac leaves through no door.
pub(crate) async fn waiting_here(host: &Host) -> Result<Vec<Question>, ControlError> {
    let mut questions = host.call_method::<ListQuestions>(READER, &Nothing {}).await?.questions;
    questions.retain(|question| question.host.is_none());
    Ok(questions)
}

/// State of other hosts, by their ids in the fleet, as far as they said it in the last 90 seconds.
pub(crate) type HostStates = BTreeMap<String, FleetHostState>;

/// Changes of the fleet that wait for signatures, as they were shown.
#[cfg(feature = "fleet")]
#[async_trait]
pub(crate) trait Proposals: std::fmt::Debug + Send + Sync {
    /// Returns everything that waits.
    fn list_changes(&self) -> Vec<ProposedChange>;
    /// Reads what waits from the broker.
    async fn read_changes(&self) -> Result<(), ControlError>;
    /// Judges the history of a group's hosts by a policy that waits. Returns the result of each, line by line.
    async fn replay_change(&self, id: String) -> Result<Vec<String>, ControlError>;
    async fn sign_change(&self, id: String) -> Result<(), ControlError>;
    async fn withdraw_change(&self, id: String) -> Result<(), ControlError>;
}

#[async_trait]
pub(crate) trait Door: std::fmt::Debug + Send + Sync {
    fn clients(&self) -> Vec<PairedClient> {
        Vec::new()
    }

    /// Returns the notes for the person, newest first.
    fn user_notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the reason why no client can come in now, though it is open.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// Returns the time of the last contact with the other side, if it was reached since this opened.
    fn last_contact(&self) -> Option<i64> {
        None
    }

    fn host_states(&self) -> HostStates {
        HostStates::new()
    }

    /// Returns the counts of what this Mac works for other members of the fleet.
    #[cfg(feature = "fleet")]
    fn fleet_work(&self) -> FleetWorkCounts {
        FleetWorkCounts::default()
    }

    /// Returns the changes of the fleet that wait for signatures.
    #[cfg(feature = "fleet")]
    fn proposals(&self) -> Option<std::sync::Arc<dyn Proposals>> {
        None
    }

    /// Waits until it is known whether it works, for a while. An error is one that waiting does not solve.
    async fn settle(&self) -> Result<(), ControlError> {
        Ok(())
    }

    /// Returns the settings for the other side, with a new pairing code where the door has one.
    fn set_up(&self) -> Result<DoorSetup, ControlError>;

    /// Forgets a client and cuts it off.
    async fn revoke(&self, client: &str) -> Result<(), ControlError>;

    /// Accepts nobody any more and cuts everybody off.
    async fn close(self: Box<Self>);
}
