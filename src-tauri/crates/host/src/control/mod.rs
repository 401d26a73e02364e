//! The approvers' side: every control method, called through the control socket or within the process, with one
//! meaning. There is no other door to policy.

/// Has the doors answer methods, which the host does not know how to.
macro_rules! hand_over {
    (|$doors:ident, $face:ident, $params:ident| $($method:ident => $call:expr;)+) => {$(
        impl Handle<$method> for HostControl {
            async fn handle(
                &self,
                $face: ApproverId,
                $params: <$method as Method>::Params,
            ) -> MethodResult<$method> {
                let $doors = self.parts.doors.get()?;
                $call.await
            }
        }
    )+};
}

mod agents;
mod audit;
mod connection;
mod data;
mod descent;
mod dispatch;
mod door;
mod doors;
mod explain;
mod feed;
mod fleet;
mod hooks;
mod insights;
mod key;
mod lines;
mod linux_run;
mod offers;
mod permissions;
mod policy;
mod questions;
mod requests;
mod rows;
mod rule_changes;
mod rules;
mod sessions;
mod settings;
mod setup;
mod skills;
mod socket;
mod staged;
mod status;
mod tools;

pub(crate) use audit::REFUSED;
pub use audit::read_audit_row;
pub(crate) use feed::Stranger;
pub(crate) use key::{door_secret, given_secret, keep_given};
pub(crate) use socket::{ControlListener, ListenError, listen};

use crate::ask::{ApproverId, Approvers};
use crate::book::PolicyStore;
use crate::clock_mark::ClockCarry;
use crate::doors::DoorSlot;
use crate::gate::{GateClosed, GateHandle, RequestJudgment, World};
use crate::lanes::{Lane, Lanes};
use crate::publish::ApproverNotifier;
use crate::socket::Channels;
use parking_lot::Mutex;
use postern_contract::ApproverNotification;
use postern_contract::methods::{ControlCode, ControlError, Method};
use postern_policy::{AgentId, Millis};
use postern_request::Refusal;
use std::sync::Arc;

/// Dependencies of the methods.
#[derive(Debug)]
pub(crate) struct ControlDeps {
    pub(crate) book: PolicyStore,
    pub(crate) gate: GateHandle,
    pub(crate) channels: Channels,
    pub(crate) faces: Approvers,
    pub(crate) told: ApproverNotifier,
    pub(crate) world: Arc<World>,
    pub(crate) lanes: Lanes,
    pub(crate) started_at: Millis,
    /// Wall clock that was set before the start.
    pub(crate) clock_carry: Option<ClockCarry>,
    pub(crate) doors: DoorSlot,
}

/// Every control method. Clones are the same.
#[derive(Debug, Clone)]
pub struct HostControl {
    parts: Arc<ControlDeps>,
    staged: Arc<staged::Staged>,
    /// Result of the last audit verification.
    audited: Arc<Mutex<Option<String>>>,
}

pub(crate) type MethodResult<M> = Result<<M as Method>::Result, ControlError>;

/// Handler of a method. [`HostControl`] has one for every method of the contract's list.
pub trait Handle<M: Method> {
    /// Does it, for the face that asked.
    fn handle(&self, face: ApproverId, params: M::Params) -> impl Future<Output = MethodResult<M>> + Send;
}

impl HostControl {
    pub(crate) fn new(parts: ControlDeps) -> Self {
        Self { parts: Arc::new(parts), staged: Arc::default(), audited: Arc::default() }
    }

    pub(crate) fn door_slot(&self) -> &DoorSlot {
        &self.parts.doors
    }

    /// Ends what expired while the machine slept.
    pub(crate) async fn wake_up(&self) {
        // A gate that is gone has nothing that waits.
        _ = self.parts.gate.wake_up().await;
    }

    fn notify_approvers(&self, told: ApproverNotification) {
        self.parts.told.send(told);
    }

    /// Notes that the policy of an agent (of every agent: `None`) has changed: what waits is judged again,
    /// and watchers are notified.
    pub(crate) async fn rules_changed(&self, agent: Option<AgentId>) -> Result<(), ControlError> {
        self.parts.gate.rejudge(agent).await?;
        self.notify_approvers(ApproverNotification::RulesChanged);
        Ok(())
    }

    /// Judges something of an agent where a folder that it names may not answer: then that is why it would be denied.
    async fn preview<T: Send + 'static>(
        &self,
        agent: &AgentId,
        judge: impl FnOnce(&World) -> (RequestJudgment, T) + Send + 'static,
    ) -> (RequestJudgment, Option<T>) {
        let world = Arc::clone(&self.parts.world);
        let judged = self.parts.lanes.run(agent, Lane::Previews, move |allowance, _| {
            let (mut judgement, more) = judge(&world.within(allowance));
            // Nothing runs: nothing is held open for that.
            judgement.close();
            (judgement, more)
        });
        match judged.await {
            Ok((judgement, more)) => (judgement, Some(more)),
            Err(unanswered) => (RequestJudgment::Refused(Refusal::from(unanswered).into()), None),
        }
    }

    pub(crate) fn policy_version(&self) -> u64 {
        self.parts.book.version()
    }

    /// Reads from the record where it may block.
    async fn read_record<T: Send + 'static>(
        &self,
        work: impl FnOnce(&postern_store::Connection) -> Result<T, postern_store::Error> + Send + 'static,
    ) -> Result<T, ControlError> {
        let store = self.parts.book.store().clone();
        blocking(move || store.read(work)).await?.map_err(record)
    }
}

/// Does what may block away from the runtime's own threads.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ControlError> {
    let interrupted = |_| ControlError::internal("the work was interrupted");
    tokio::task::spawn_blocking(work).await.map_err(interrupted)
}

/// A host that is about to end.
impl From<GateClosed> for ControlError {
    fn from(closed: GateClosed) -> Self {
        Self::new(ControlCode::ShuttingDown, closed.to_string())
    }
}

fn record(error: postern_store::Error) -> ControlError {
    crate::book::PolicyStoreError::from(error).into()
}

#[cfg(test)]
mod tests;
