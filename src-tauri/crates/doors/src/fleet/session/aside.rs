//! Work of a connected host that waits for the broker's disk: the host answers others meanwhile.

use super::super::FleetError;
use super::FleetHostSession;
use super::audit::{AuditContext, AuditSender};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use parking_lot::Mutex;
use postern_fleet::{FleetId, MemberRole};
use std::pin::Pin;

/// Work that is under way, polled by its session alone.
///
/// Nobody waits for the lock: it lets a session be shared between threads.
#[derive(Default)]
pub(super) struct AsideTasks(Mutex<FuturesUnordered<Pin<Box<dyn Future<Output = Aside> + Send>>>>);

impl AsideTasks {
    pub(super) fn push(&mut self, work: impl Future<Output = Aside> + Send + 'static) {
        self.0.get_mut().push(Box::pin(work));
    }

    /// Waits for the next that ends; `None` if there is none.
    pub(super) async fn next(&mut self) -> Option<Aside> {
        self.0.get_mut().next().await
    }
}

/// Work that ended.
pub(super) enum Aside {
    /// The end of a question reached the broker, or did not.
    Closed(FleetId, Result<(), FleetError>),
    /// The audit left this host, as far as the broker took it.
    Audited(Box<AuditSender>),
}

impl FleetHostSession {
    pub(super) fn finish_aside(&mut self, ended: Aside) -> Result<(), FleetError> {
        match ended {
            Aside::Closed(question, confirmed) => {
                confirmed?;
                self.shown.remove(&question);
                self.folder.keep_shown(&self.shown)
            }
            Aside::Audited(sender) => {
                self.audit = Some(*sender);
                Ok(())
            }
        }
    }

    /// Sends what of the audit left this host not yet, unless that is under way.
    pub(super) fn send_audit(&mut self) {
        let Some(sender) = self.audit.take() else { return };
        let roster = &self.fleet.pinned.roster;
        let context = AuditContext {
            policy: self.policy.in_force(),
            roster: self.fleet.roster(),
            auditors: roster.members_with(MemberRole::Auditor).map(|member| member.seal).collect(),
        };
        self.aside.push(async move { Aside::Audited(Box::new(sender.send(context).await)) });
    }
}
