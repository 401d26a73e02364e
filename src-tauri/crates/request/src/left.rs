//! Ends of runs that their callers left, because they could not wait that long: the same again is told them. Times are counted from
//! any fixed moment.

use postern_protocol::RunParams;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Time that an undelivered end is kept for a client that asks again.
const KEPT: Duration = Duration::from_mins(10);
/// Ends of one agent that are there.
const MOST: usize = 32;

/// Requests that ended while their agent was not connected, oldest first. The end itself is in the record.
#[derive(Debug, Default)]
pub struct AbandonedRuns(VecDeque<(Arc<RunParams>, Duration)>);

impl AbandonedRuns {
    /// Keeps the end of a run that nobody hears.
    pub fn add_run(&mut self, run: Arc<RunParams>, now: Duration) {
        self.forget(&run);
        self.0.push_back((run, now));
        let excess = self.0.len().saturating_sub(MOST);
        self.0.drain(..excess);
    }

    /// Takes the run that the same request joins.
    pub fn take_matching(&mut self, wanted: &RunParams, now: Duration) -> Option<Arc<RunParams>> {
        self.0.retain(|(_, ended)| now.saturating_sub(*ended) < KEPT);
        let index = self.0.iter().position(|(run, _)| run.is_same(wanted))?;
        self.0.remove(index).map(|(run, _)| run)
    }

    /// Forgets a request whose end was delivered by its number.
    pub fn forget(&mut self, heard: &RunParams) {
        self.0.retain(|(run, _)| run.request_id != heard.request_id);
    }
}

#[cfg(test)]
mod tests {
    use super::{AbandonedRuns, KEPT, MOST};
    use postern_protocol::{RunParams, What};
    use std::sync::Arc;
    use std::time::Duration;
    use uuid::Uuid;

    fn run(line: &str) -> Arc<RunParams> {
        Arc::new(RunParams { join: true, ..RunParams::new(Uuid::new_v4(), What::Shell(line.to_owned())) })
    }

    #[test]
    fn an_end_is_there_once_for_a_while_and_for_the_same_alone() {
        let (mut left, now) = (AbandonedRuns::default(), Duration::from_secs(5));
        let make = run("make");
        left.add_run(Arc::clone(&make), now);
        assert_eq!(left.take_matching(&run("make all"), now), None, "another command is another request");
        let other_folder = RunParams { cwd: Some("/x".to_owned()), ..(*run("make")).clone() };
        assert_eq!(left.take_matching(&other_folder, now), None, "and so is the same elsewhere");
        let again = RunParams { reason: Some("once more".to_owned()), ..(*run("make")).clone() };
        assert_eq!(left.take_matching(&again, now), Some(make), "in whatever words it is asked for");
        assert_eq!(left.take_matching(&again, now), None, "it was heard");
        left.add_run(run("make"), now);
        assert_eq!(left.take_matching(&again, now + KEPT), None, "what was long ago is asked for anew");
    }

    #[test]
    fn there_are_only_so_many() {
        let (mut left, now) = (AbandonedRuns::default(), Duration::from_secs(5));
        for number in 0..=MOST {
            left.add_run(run(&number.to_string()), now);
        }
        assert_eq!(left.take_matching(&run("0"), now), None, "the oldest goes");
        let newest = run(&MOST.to_string());
        left.forget(&newest);
        assert!(
            left.take_matching(&newest, now + Duration::from_secs(1)).is_some(),
            "another number is another request"
        );
    }
}
