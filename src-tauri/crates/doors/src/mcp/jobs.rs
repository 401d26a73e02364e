//! Runs that go on after their call was answered: a client gives up on a call sooner than a person may
//! answer.
//!
//! The same call again joins the run that was left, so that nobody is asked twice and nothing runs twice.

use parking_lot::Mutex;
use postern_protocol::{Notice, RunParams};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use uuid::Uuid;

/// Runs that a client may leave at a time, those included whose end nobody has heard.
const LEFT: usize = 32;
/// Time that an end is kept for a client that asks again.
const KEPT: Duration = Duration::from_mins(10);

#[derive(Debug, Clone)]
pub(super) enum McpRunStage {
    /// Waiting or running.
    Going {
        /// Message about it; empty at first.
        message: String,
        /// True if it was started.
        runs: bool,
    },
    /// Over, or without an end that can be learnt.
    Ended(Result<Box<Notice>, String>),
}

/// A run and its result for every caller that waits. Its worker withdraws it once no caller is left.
#[derive(Debug)]
pub(super) struct McpRunJob {
    pub(super) run: RunParams,
    pub(super) stage: watch::Receiver<McpRunStage>,
}

impl McpRunJob {
    /// Returns a run that begins; its worker tells how far it is.
    pub(super) fn begin_run(run: RunParams) -> (Self, watch::Sender<McpRunStage>) {
        let (sender, stage) = watch::channel(McpRunStage::Going { message: String::new(), runs: false });
        (Self { run, stage }, sender)
    }
}

/// The runs that were left.
#[derive(Debug, Default)]
pub(super) struct DetachedMcpRuns {
    left: Mutex<Vec<(Arc<McpRunJob>, Instant)>>,
}

impl DetachedMcpRuns {
    /// Returns the run that this call was left by, if it asks for the same; under a number of its own, only
    /// that one.
    pub(super) fn rejoin(&self, wanted: &RunParams, number: Option<Uuid>) -> Option<Arc<McpRunJob>> {
        let mut left = self.left.lock();
        left.retain(|(job, since)| {
            let over = matches!(*job.stage.borrow(), McpRunStage::Ended(_));
            !over || since.elapsed() < KEPT
        });
        let theirs = |job: &McpRunJob| {
            job.run.is_same(wanted) && number.is_none_or(|number| number == job.run.request_id)
        };
        let index = left.iter().position(|(job, _)| theirs(job))?;
        Some(left.remove(index).0)
    }

    /// Leaves a job without a listener. Returns false if there are too many of these.
    pub(super) fn detach(&self, job: &Arc<McpRunJob>) -> bool {
        let mut left = self.left.lock();
        let has_room = left.len() < LEFT;
        if has_room {
            left.push((Arc::clone(job), Instant::now()));
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::{DetachedMcpRuns, LEFT, McpRunJob};
    use postern_protocol::{RunParams, What};
    use std::sync::Arc;
    use uuid::Uuid;

    fn run(line: &str) -> RunParams {
        RunParams::new(Uuid::new_v4(), What::Shell(line.to_owned()))
    }

    #[test]
    fn the_same_joins_what_was_left_once() {
        let jobs = DetachedMcpRuns::default();
        let job = Arc::new(McpRunJob::begin_run(run("make")).0);
        assert!(jobs.rejoin(&run("make"), None).is_none(), "two at the same time are two runs");
        assert!(jobs.detach(&job));
        assert!(jobs.rejoin(&run("make all"), None).is_none());
        assert!(
            jobs.rejoin(&run("make"), Some(Uuid::new_v4())).is_none(),
            "a number of its own is another run"
        );
        let joined = jobs.rejoin(&run("make"), Some(job.run.request_id)).expect("it was left");
        assert!(jobs.rejoin(&run("make"), None).is_none(), "somebody listens to it");
        assert!(jobs.detach(&joined));
        assert!(jobs.rejoin(&run("make"), None).is_some(), "as often as it takes");
    }

    #[test]
    fn only_so_many_are_left() {
        let jobs = DetachedMcpRuns::default();
        let jobs_of: Vec<_> =
            (0..=LEFT).map(|number| Arc::new(McpRunJob::begin_run(run(&number.to_string())).0)).collect();
        let left = jobs_of.iter().filter(|job| jobs.detach(job)).count();
        assert_eq!(left, LEFT, "who is not left is waited for");
    }
}
