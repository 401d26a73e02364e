//! Requests that their caller left before their end, because it could not wait that long: the same again joins them, so
//! that nobody is asked twice and nothing runs twice.

use super::live::{ConnectionId, Request};
use super::task::Task;
use postern_policy::AgentId;
use postern_protocol::RunParams;
use postern_request::{DenyReason, Ending};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use uuid::Uuid;

/// How long an end that nobody heard is there for who asks again.
const KEPT: Duration = Duration::from_mins(10);
/// Ends of one agent that are there.
const MOST: usize = 32;

/// What ended while nobody of its agent listened, oldest first. Its end itself is in the record.
#[derive(Debug, Default)]
pub(crate) struct Left(VecDeque<(Arc<RunParams>, Instant)>);

impl Left {
    fn keep(&mut self, run: Arc<RunParams>, now: Instant) {
        self.forget(&run);
        self.0.push_back((run, now));
        let excess = self.0.len().saturating_sub(MOST);
        self.0.drain(..excess);
    }

    fn take(&mut self, wanted: &RunParams, now: Instant) -> Option<Arc<RunParams>> {
        self.0.retain(|(_, ended)| now.duration_since(*ended) < KEPT);
        let index = self.0.iter().position(|(run, _)| run.is_same(wanted))?;
        self.0.remove(index).map(|(run, _)| run)
    }

    /// Somebody hears of it by its number.
    fn forget(&mut self, heard: &RunParams) {
        self.0.retain(|(run, _)| run.request_id != heard.request_id);
    }
}

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
                self.agent(agent).left.forget(&run);
                Some(run)
            }
            None => self.agent(agent).left.take(&wanted, Instant::now()),
        };
        match known {
            Some(known) => RunParams { request_id: known.request_id, reason: known.reason.clone(), ..wanted },
            None => wanted,
        }
    }

    /// A request is about to be told of as ended: where nobody listens any more it can be joined for a while.
    pub(super) fn keep_left(&mut self, id: Uuid) {
        let Some(request) = self.requests.get(&id) else { return };
        if request.run.join && !self.connections.contains_key(&request.connection) && is_news(request) {
            let (agent, run) = (request.agent.clone(), Arc::clone(&request.run));
            self.agent(&agent).left.keep(run, Instant::now());
        }
    }
}

/// Whether its end is worth hearing later. Where nobody answered, the same again is asked about again.
fn is_news(request: &Request) -> bool {
    match request.ending() {
        Some(Ending::Denied(denial)) => {
            !matches!(denial.reason, DenyReason::Expired | DenyReason::CannotPresent | DenyReason::Cancelled)
        }
        Some(Ending::Allowed | Ending::Finished { .. } | Ending::Failed { .. }) => true,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Left, MOST};
    use postern_protocol::{RunParams, What};
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::time::Instant;
    use uuid::Uuid;

    fn run(line: &str) -> Arc<RunParams> {
        Arc::new(RunParams { join: true, ..RunParams::new(Uuid::new_v4(), What::Shell(line.to_owned())) })
    }

    #[test]
    fn an_end_is_there_once_for_a_while_and_for_the_same_alone() {
        let (mut left, now) = (Left::default(), Instant::now());
        let make = run("make");
        left.keep(Arc::clone(&make), now);
        assert_eq!(left.take(&run("make all"), now), None, "another command is another request");
        let other_folder = RunParams { cwd: Some("/x".to_owned()), ..(*run("make")).clone() };
        assert_eq!(left.take(&other_folder, now), None, "and so is the same elsewhere");
        let again = RunParams { reason: Some("once more".to_owned()), ..(*run("make")).clone() };
        assert_eq!(left.take(&again, now), Some(make), "in whatever words it is asked for");
        assert_eq!(left.take(&again, now), None, "it was heard");
        left.keep(run("make"), now);
        assert_eq!(left.take(&again, now + KEPT), None, "what was long ago is asked for anew");
    }

    #[test]
    fn there_are_only_so_many() {
        let (mut left, now) = (Left::default(), Instant::now());
        for number in 0..=MOST {
            left.keep(run(&number.to_string()), now);
        }
        assert_eq!(left.take(&run("0"), now), None, "the oldest goes");
        let newest = run(&MOST.to_string());
        left.forget(&newest);
        assert!(
            left.take(&newest, now + Duration::from_secs(1)).is_some(),
            "another number is another request"
        );
    }
}
