//! Requests that their caller left before their end, because it could not wait that long.
//!
//! The same request again joins them, so that nobody is asked twice and nothing runs twice.

use super::live::{ConnectionId, LiveRequest};
use super::task::Task;
use postern_policy::AgentId;
use postern_protocol::RunParams;
use postern_request::{DenyReason, RequestEnding};
use std::sync::Arc;
use uuid::Uuid;

impl Task {
    /// Makes a request that may join the one that it joins, where there is one: under that one's number it is no other.
    pub(super) fn joined(
        &mut self,
        connection: ConnectionId,
        agent: &AgentId,
        wanted: RunParams,
    ) -> RunParams {
        if !wanted.join {
            return wanted;
        }
        let clock = self.gate_time();
        let connections = &self.connections;
        let mut live = self.requests.values_mut().filter(|request| request.agent == *agent);
        let live = live.find(|request| {
            let left = !connections.contains_key(&request.connection);
            let theirs = left || request.run.request_id == wanted.request_id;
            theirs && request.run.join && request.run.is_same(&wanted)
        });
        let known = match live {
            Some(request) => {
                request.connection = connection;
                let run = Arc::clone(&request.run);
                self.agent_state(agent).left.forget(&run);
                Some(run)
            }
            None => self.agent_state(agent).left.take_matching(&wanted, clock),
        };
        match known {
            Some(known) => RunParams { request_id: known.request_id, reason: known.reason.clone(), ..wanted },
            None => wanted,
        }
    }

    /// Keeps a request that ends without a listener, so that it can be joined for a while.
    pub(super) fn keep_left(&mut self, id: Uuid) {
        let Some(request) = self.requests.get(&id) else { return };
        if request.run.join && !self.connections.contains_key(&request.connection) && is_news(request) {
            let (agent, run, clock) = (request.agent.clone(), Arc::clone(&request.run), self.gate_time());
            self.agent_state(&agent).left.add_run(run, clock);
        }
    }
}

/// Returns true if its end is worth hearing later. Where nobody answered, the same again is asked about
/// again.
fn is_news(request: &LiveRequest) -> bool {
    match request.ending() {
        Some(RequestEnding::Denied(denial)) => {
            !matches!(denial.reason, DenyReason::Expired | DenyReason::CannotPresent | DenyReason::Cancelled)
        }
        Some(RequestEnding::Allowed | RequestEnding::Finished { .. } | RequestEnding::Failed { .. }) => true,
        None => false,
    }
}
