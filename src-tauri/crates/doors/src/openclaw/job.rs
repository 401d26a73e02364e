//! Request of OpenClaw's, from its start to its end, with any listener.
//!
//! OpenClaw gives up on a connection after twenty seconds; the job goes on, and the same request sent again
//! joins it.

use super::message::{OpenclawDecision, OpenclawRefusal, OpenclawRunResult};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use uuid::Uuid;

/// Jobs at a time, those included whose end nobody has fetched.
const JOBS: usize = 32;
/// Time that an end is kept for a client that asks again.
const KEPT: Duration = Duration::from_mins(10);

/// Progress of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OpenclawStage {
    Waiting,
    Running,
    Ended(OpenclawOutcome),
}

/// Result of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OpenclawOutcome {
    /// A run, or why it did not run.
    Exec(Result<OpenclawRunResult, OpenclawRefusal>),
    Decision {
        /// The decision; `None` if nobody decided.
        decision: Option<OpenclawDecision>,
        /// Number of the policy that it was made under.
        policy: u64,
    },
}

#[derive(Debug)]
pub(super) struct OpenclawJob {
    /// Under which number it is asked for on the agent's channel.
    pub(super) request: Uuid,
    stage: watch::Receiver<OpenclawStage>,
    listeners: AtomicUsize,
    /// Somebody was told that it goes on: nobody listening does not end it.
    bridged: AtomicBool,
    ended_at: Mutex<Option<Instant>>,
}

impl OpenclawJob {
    pub(super) fn current_stage(&self) -> OpenclawStage {
        self.stage.borrow().clone()
    }

    /// Waits for its end. `None` if the task went without one.
    pub(super) async fn wait_for_end(&self) -> Option<OpenclawOutcome> {
        let mut stage = self.stage.clone();
        let ended = stage.wait_for(|stage| matches!(stage, OpenclawStage::Ended(_))).await.ok()?;
        let OpenclawStage::Ended(ended) = &*ended else { return None };
        Some(ended.clone())
    }

    /// Lets the job go on without a listener.
    pub(super) fn bridge(&self) {
        self.bridged.store(true, Ordering::Relaxed);
    }

    fn is_stale(&self) -> bool {
        if !matches!(*self.stage.borrow(), OpenclawStage::Ended(_)) && self.stage.has_changed().is_ok() {
            return false;
        }
        let mut ended_at = self.ended_at.lock();
        ended_at.get_or_insert_with(Instant::now).elapsed() >= KEPT
    }
}

/// Listens to a job for as long as it is held.
#[derive(Debug)]
pub(super) struct OpenclawJobListener {
    pub(super) job: Arc<OpenclawJob>,
}

impl OpenclawJobListener {
    fn new(job: &Arc<OpenclawJob>) -> Self {
        job.listeners.fetch_add(1, Ordering::Relaxed);
        Self { job: Arc::clone(job) }
    }
}

impl Drop for OpenclawJobListener {
    fn drop(&mut self) {
        self.job.listeners.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
pub(super) struct OpenclawJobs {
    all: Mutex<HashMap<String, Arc<OpenclawJob>>>,
    /// Decisions that nobody listens to: the next one who asks the same takes one of them.
    left: Mutex<Vec<(String, Arc<OpenclawJob>)>>,
}

fn begin_job() -> (OpenclawJobListener, watch::Sender<OpenclawStage>) {
    let (sender, stage) = watch::channel(OpenclawStage::Waiting);
    let (request, listeners, bridged) = (Uuid::new_v4(), 0.into(), false.into());
    let job = Arc::new(OpenclawJob { request, stage, listeners, bridged, ended_at: Mutex::default() });
    (OpenclawJobListener::new(&job), sender)
}

impl OpenclawJobs {
    /// Takes a decision about `key` that was left, or begins one: then the sender is given to who works on it.
    ///
    /// A client runs what is allowed, so clients that ask at the same time each get a decision of their own.
    pub(super) fn take_or_begin(
        &self,
        key: &str,
    ) -> (OpenclawJobListener, Option<watch::Sender<OpenclawStage>>) {
        let mut left = self.left.lock();
        left.retain(|(_, job)| !job.is_stale());
        if let Some(at) = left.iter().position(|(other, _)| other == key) {
            return (OpenclawJobListener::new(&left.remove(at).1), None);
        }
        drop(left);
        let (listener, sender) = begin_job();
        (listener, Some(sender))
    }

    /// Leaves a decision for who asks the same again. Where too many are left it ends.
    pub(super) fn leave_decision(&self, key: String, listener: &OpenclawJobListener) {
        let mut left = self.left.lock();
        if left.len() < JOBS {
            left.push((key, Arc::clone(&listener.job)));
        }
    }

    /// Joins the job about `key`, or begins one: then the sender is given to who works on it. `None` if there are too many.
    pub(super) fn join_or_begin(
        &self,
        key: &str,
    ) -> Option<(OpenclawJobListener, Option<watch::Sender<OpenclawStage>>)> {
        let mut all = self.all.lock();
        all.retain(|_, job| !job.is_stale());
        if let Some(job) = all.get(key) {
            return Some((OpenclawJobListener::new(job), None));
        }
        if all.len() >= JOBS {
            return None;
        }
        let (listener, sender) = begin_job();
        all.insert(key.to_owned(), Arc::clone(&listener.job));
        Some((listener, Some(sender)))
    }

    /// Forgets a job whose end was delivered: the same request is a new one from now on. One that began since
    /// stays.
    pub(super) fn forget(&self, key: &str, told: &OpenclawJobListener) {
        let mut all = self.all.lock();
        if all.get(key).is_some_and(|job| Arc::ptr_eq(job, &told.job)) {
            all.remove(key);
        }
    }

    /// Removes a listener, and returns true if the job is to end with it.
    ///
    /// Then nobody else listens, nobody was told that it goes on, and nobody joins it any more. Of several
    /// who go at the same moment it is the last one.
    pub(super) fn leave_job(&self, key: &str, gone: OpenclawJobListener) -> bool {
        let mut all = self.all.lock();
        let job = Arc::clone(&gone.job);
        drop(gone);
        if job.bridged.load(Ordering::Relaxed) || job.listeners.load(Ordering::Relaxed) > 0 {
            return false;
        }
        if all.get(key).is_some_and(|other| Arc::ptr_eq(other, &job)) {
            all.remove(key);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{JOBS, OpenclawDecision, OpenclawJobs, OpenclawOutcome, OpenclawStage};

    #[tokio::test]
    async fn the_same_request_joins_until_its_end_was_told() {
        let jobs = OpenclawJobs::default();
        let (first, sender) = jobs.join_or_begin("a").unwrap();
        let sender = sender.expect("it begins");
        let (second, none) = jobs.join_or_begin("a").unwrap();
        assert!(none.is_none(), "it is one job with two listeners");
        assert_eq!(first.job.request, second.job.request, "asked for under one number");
        let end = OpenclawOutcome::Decision { decision: Some(OpenclawDecision::Deny), policy: 1 };
        sender.send(OpenclawStage::Ended(end.clone())).unwrap();
        drop(sender);
        assert_eq!(
            (first.job.wait_for_end().await, second.job.wait_for_end().await),
            (Some(end.clone()), Some(end))
        );
        jobs.forget("a", &first);
        let (third, begins) = jobs.join_or_begin("a").unwrap();
        assert!(begins.is_some(), "what was told is over");
        jobs.forget("a", &second);
        assert!(
            jobs.join_or_begin("a").unwrap().1.is_none(),
            "and who is told late ends nothing of the one that began since"
        );
        drop(third);
    }

    #[test]
    fn a_decision_is_told_to_one_who_asks() {
        let jobs = OpenclawJobs::default();
        let (first, begun) = jobs.take_or_begin("a");
        let begun = begun.expect("it begins");
        assert!(jobs.take_or_begin("a").1.is_some(), "another one at the same time has its own");
        jobs.leave_decision("a".to_owned(), &first);
        drop(first);
        assert!(!begun.is_closed(), "it waits for who asks again");
        let (again, none) = jobs.take_or_begin("a");
        assert!(none.is_none() && jobs.take_or_begin("a").1.is_some(), "it is taken once");
        drop(again);
        assert!(begun.is_closed(), "nobody waits for it any more");
    }

    #[test]
    fn who_goes_last_ends_it() {
        let jobs = OpenclawJobs::default();
        let (first, _sender) = jobs.join_or_begin("a").unwrap();
        let (second, _) = jobs.join_or_begin("a").unwrap();
        assert!(!jobs.leave_job("a", first), "another listens");
        let (third, begins) = jobs.join_or_begin("a").unwrap();
        assert!(begins.is_none() && !jobs.leave_job("a", second));
        assert!(jobs.leave_job("a", third), "nobody listens");
        assert!(jobs.join_or_begin("a").unwrap().1.is_some(), "nobody joins what ends");
    }

    #[tokio::test]
    async fn a_job_whose_worker_is_gone_has_no_end() {
        let jobs = OpenclawJobs::default();
        let (listener, sender) = jobs.join_or_begin("a").unwrap();
        drop(sender);
        assert_eq!(listener.job.wait_for_end().await, None, "nobody waits forever");
    }

    #[test]
    fn there_are_only_so_many() {
        let jobs = OpenclawJobs::default();
        let held: Vec<_> = (0..JOBS).map(|number| jobs.join_or_begin(&number.to_string()).unwrap()).collect();
        assert!(jobs.join_or_begin("one more").is_none());
        assert!(jobs.join_or_begin("0").is_some(), "who joins takes no place");
        drop(held);
    }

    #[test]
    fn a_bridged_job_is_not_ended_by_who_leaves() {
        let jobs = OpenclawJobs::default();
        let (listener, _sender) = jobs.join_or_begin("a").unwrap();
        listener.job.bridge();
        assert!(!jobs.leave_job("a", listener));
        assert!(jobs.join_or_begin("a").unwrap().1.is_none(), "it can be joined");
    }
}
