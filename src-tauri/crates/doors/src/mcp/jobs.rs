//! Runs that go on after their call was answered: a client gives up on a call sooner than a person may
//! answer.
//!
//! The same call again joins the run that was left, so that nobody is asked twice and nothing runs twice.

use postern_protocol::{Notice, RunParams};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use uuid::Uuid;

/// Runs that a client may leave at a time, those included whose end nobody has heard.
const LEFT: usize = 32;
/// Time that an end is kept for a client that asks again.
const KEPT: Duration = Duration::from_mins(10);

/// Progress of a run.
#[derive(Debug, Clone)]
pub(super) enum Stage {
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
pub(super) struct Job {
    pub(super) run: RunParams,
    pub(super) stage: watch::Receiver<Stage>,
}

impl Job {
    /// Returns a run that begins; its worker tells how far it is.
    pub(super) fn begin(run: RunParams) -> (Self, watch::Sender<Stage>) {
        let (sender, stage) = watch::channel(Stage::Going { message: String::new(), runs: false });
        (Self { run, stage }, sender)
    }
}

/// The runs that were left.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    left: Mutex<Vec<(Arc<Job>, Instant)>>,
}

impl Jobs {
    /// Returns the run that this call was left by, if it asks for the same; under a number of its own, only
    /// that one.
    pub(super) fn join(&self, wanted: &RunParams, number: Option<Uuid>) -> Option<Arc<Job>> {
        let mut left = self.lock();
        left.retain(|(job, since)| {
            let over = matches!(*job.stage.borrow(), Stage::Ended(_));
            !over || since.elapsed() < KEPT
        });
        let theirs =
            |job: &Job| job.run.is_same(wanted) && number.is_none_or(|number| number == job.run.request_id);
        let index = left.iter().position(|(job, _)| theirs(job))?;
        Some(left.remove(index).0)
    }

    /// Leaves a job without a listener. Returns false if there are too many of these.
    pub(super) fn leave(&self, job: &Arc<Job>) -> bool {
        let mut left = self.lock();
        let has_room = left.len() < LEFT;
        if has_room {
            left.push((Arc::clone(job), Instant::now()));
        }
        has_room
    }

    /// Locks the jobs. Every change is one insertion or removal: a panic elsewhere leaves the list whole.
    fn lock(&self) -> MutexGuard<'_, Vec<(Arc<Job>, Instant)>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Job, Jobs, LEFT};
    use postern_protocol::{RunParams, What};
    use std::sync::Arc;
    use uuid::Uuid;

    fn run(line: &str) -> RunParams {
        RunParams::new(Uuid::new_v4(), What::Shell(line.to_owned()))
    }

    #[test]
    fn the_same_joins_what_was_left_once() {
        let jobs = Jobs::default();
        let job = Arc::new(Job::begin(run("make")).0);
        assert!(jobs.join(&run("make"), None).is_none(), "two at the same time are two runs");
        assert!(jobs.leave(&job));
        assert!(jobs.join(&run("make all"), None).is_none());
        assert!(
            jobs.join(&run("make"), Some(Uuid::new_v4())).is_none(),
            "a number of its own is another run"
        );
        let joined = jobs.join(&run("make"), Some(job.run.request_id)).expect("it was left");
        assert!(jobs.join(&run("make"), None).is_none(), "somebody listens to it");
        assert!(jobs.leave(&joined));
        assert!(jobs.join(&run("make"), None).is_some(), "as often as it takes");
    }

    #[test]
    fn only_so_many_are_left() {
        let jobs = Jobs::default();
        let jobs_of: Vec<_> =
            (0..=LEFT).map(|number| Arc::new(Job::begin(run(&number.to_string())).0)).collect();
        let left = jobs_of.iter().filter(|job| jobs.leave(job)).count();
        assert_eq!(left, LEFT, "who is not left is waited for");
    }
}
