//! Changes of `permissions.jsonc`, which count from the next call on: the file is read before every call that
//! is judged by it.
//!
//! `crate::watch` notices changes between calls, for what waits.

use super::live::ConnectionId;
use super::message::GateMessage;
use super::task::Task;
use crate::socket::Reply;
use postern_contract::ApproverNotification;
use postern_policy::AgentId;
use postern_protocol::AgentCall;

impl Task {
    pub(super) fn receive_call(
        &mut self,
        connection: ConnectionId,
        agent: AgentId,
        call: AgentCall,
        reply: Reply,
    ) {
        if self.is_current(&agent, &call) {
            self.handle_call(connection, &agent, call, reply);
        } else {
            self.reread(connection, agent, call, reply);
        }
    }

    /// Returns true if a call may be judged by what was read of the agent's file before.
    fn is_current(&self, agent: &AgentId, call: &AgentCall) -> bool {
        match call {
            AgentCall::Run(_) | AgentCall::ToolCheck(_) | AgentCall::Which(_) => {
                self.parts.book.is_current(agent)
            }
            AgentCall::Status(_)
            | AgentCall::Output(_)
            | AgentCall::Input(_)
            | AgentCall::Kill(_)
            | AgentCall::SessionOpen(_)
            | AgentCall::SessionClose(_)
            | AgentCall::EventsAfter(_) => true,
        }
    }

    /// Reads the file again, away from the gate's own task, and then takes the call.
    fn reread(&self, connection: ConnectionId, agent: AgentId, call: AgentCall, reply: Reply) {
        let (book, told, messages) =
            (self.parts.book.clone(), self.parts.told.clone(), self.messages.clone());
        tokio::spawn(async move {
            let changed = book.reread_permissions_of(&agent).await.unwrap_or_else(|error| {
                // It is judged by what was read before; a file that is broken is not an error but a policy that denies.
                tracing::error!(%error, %agent, "permissions.jsonc could not be read again");
                false
            });
            let Some(messages) = messages.upgrade() else { return };
            if changed {
                told.send(ApproverNotification::RulesChanged);
                // A gate that is gone has nothing to judge again.
                _ = messages.send(GateMessage::Rejudge { agent: Some(agent.clone()) }).await;
            }
            // A gate that is gone takes no calls.
            _ = messages.send(GateMessage::Fresh { connection, agent, call, reply }).await;
        });
    }
}
