//! Request of OpenClaw's, from its start to its end, with any listener.
//!
//! OpenClaw gives up on a connection after twenty seconds; the job goes on, and the same request sent again
//! joins it.

use super::message::{Decision, Ran, Refusal};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use uuid::Uuid;

/// Jobs at a time, those included whose end nobody has fetched.
const JOBS: usize = 32;
/// Time that an end is kept for a client that asks again.
const KEPT: Duration = Duration::from_mins(10);

/// Progress of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    Waiting,
    Running,
    Ended(Ended),
}

/// Result of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// A run, or why it did not run.
    Exec(Result<Ran, Refusal>),
    /// A decision; `None` if nobody decided.
    Decision(Option<Decision>),
}

/// A job.
#[derive(Debug)]
pub(super) struct Job {
    /// Under which number it is asked for on the agent's channel.
    pub(super) request: Uuid,
    stage: watch::Receiver<Stage>,
    listeners: AtomicUsize,
    /// Somebody was told that it goes on: nobody listening does not end it.
    bridged: AtomicBool,
    ended_at: Mutex<Option<Instant>>,
}

impl Job {
    /// Returns the progress.
    pub(super) fn stage(&self) -> Stage {
        self.stage.borrow().clone()
    }

    /// Waits for its end. `None` if the task went without one.
    pub(super) async fn ended(&self) -> Option<Ended> {
        let mut stage = self.stage.clone();
        let ended = stage.wait_for(|stage| matches!(stage, Stage::Ended(_))).await.ok()?;
        let Stage::Ended(ended) = &*ended else { return None };
        Some(ended.clone())
    }

    /// Lets the job go on without a listener.
    pub(super) fn bridge(&self) {
        self.bridged.store(true, Ordering::Relaxed);
    }

    fn is_stale(&self) -> bool {
        if !matches!(*self.stage.borrow(), Stage::Ended(_)) && self.stage.has_changed().is_ok() {
            return false;
        }
        let mut ended_at = self.ended_at.lock().unwrap_or_else(PoisonError::into_inner);
        ended_at.get_or_insert_with(Instant::now).elapsed() >= KEPT
    }
}

/// Listens to a job for as long as it is held.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) job: Arc<Job>,
}

impl Listener {
    fn new(job: &Arc<Job>) -> Self {
        job.listeners.fetch_add(1, Ordering::Relaxed);
        Self { job: Arc::clone(job) }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.job.listeners.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The jobs, by what they are about.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    all: Mutex<HashMap<String, Arc<Job>>>,
}

impl Jobs {
    /// Joins the job about `key`, or begins one: then the sender is given to who works on it. `None` if there are too many.
    pub(super) fn join(&self, key: &str) -> Option<(Listener, Option<watch::Sender<Stage>>)> {
        let mut all = self.lock();
        all.retain(|_, job| !job.is_stale());
        if let Some(job) = all.get(key) {
            return Some((Listener::new(job), None));
        }
        if all.len() >= JOBS {
            return None;
        }
        let (sender, stage) = watch::channel(Stage::Waiting);
        let (request, listeners, bridged) = (Uuid::new_v4(), 0.into(), false.into());
        let job = Job { request, stage, listeners, bridged, ended_at: Mutex::default() };
        let job = Arc::new(job);
        all.insert(key.to_owned(), Arc::clone(&job));
        Some((Listener::new(&job), Some(sender)))
    }

    /// Forgets a job whose end was delivered: the same request is a new one from now on. One that began since
    /// stays.
    pub(super) fn forget(&self, key: &str, told: &Listener) {
        let mut all = self.lock();
        if all.get(key).is_some_and(|job| Arc::ptr_eq(job, &told.job)) {
            all.remove(key);
        }
    }

    /// Removes a listener, and returns true if the job is to end with it.
    ///
    /// Then nobody else listens, nobody was told that it goes on, and nobody joins it any more. Of several
    /// who go at the same moment it is the last one.
    pub(super) fn leave(&self, key: &str, gone: Listener) -> bool {
        let mut all = self.lock();
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

    /// Locks the jobs. Every change is one insertion or removal: a panic elsewhere leaves the map whole.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Job>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Decision, Ended, JOBS, Jobs, Stage};

    #[tokio::test]
    async fn the_same_request_joins_until_its_end_was_told() {
        let jobs = Jobs::default();
        let (first, sender) = jobs.join("a").unwrap();
        let sender = sender.expect("it begins");
        let (second, none) = jobs.join("a").unwrap();
        assert!(none.is_none(), "it is one job with two listeners");
        assert_eq!(first.job.request, second.job.request, "asked for under one number");
        let end = Ended::Decision(Some(Decision::Deny));
        sender.send(Stage::Ended(end.clone())).unwrap();
        drop(sender);
        assert_eq!((first.job.ended().await, second.job.ended().await), (Some(end.clone()), Some(end)));
        jobs.forget("a", &first);
        let (third, begins) = jobs.join("a").unwrap();
        assert!(begins.is_some(), "what was told is over");
        jobs.forget("a", &second);
        assert!(
            jobs.join("a").unwrap().1.is_none(),
            "and who is told late ends nothing of the one that began since"
        );
        drop(third);
    }

    #[test]
    fn who_goes_last_ends_it() {
        let jobs = Jobs::default();
        let (first, _sender) = jobs.join("a").unwrap();
        let (second, _) = jobs.join("a").unwrap();
        assert!(!jobs.leave("a", first), "another listens");
        let (third, begins) = jobs.join("a").unwrap();
        assert!(begins.is_none() && !jobs.leave("a", second));
        assert!(jobs.leave("a", third), "nobody listens");
        assert!(jobs.join("a").unwrap().1.is_some(), "nobody joins what ends");
    }

    #[tokio::test]
    async fn a_job_whose_worker_is_gone_has_no_end() {
        let jobs = Jobs::default();
        let (listener, sender) = jobs.join("a").unwrap();
        drop(sender);
        assert_eq!(listener.job.ended().await, None, "nobody waits for good");
    }

    #[test]
    fn there_are_only_so_many() {
        let jobs = Jobs::default();
        let held: Vec<_> = (0..JOBS).map(|number| jobs.join(&number.to_string()).unwrap()).collect();
        assert!(jobs.join("one more").is_none());
        assert!(jobs.join("0").is_some(), "who joins takes no place");
        drop(held);
    }

    #[test]
    fn a_bridged_job_is_not_ended_by_who_leaves() {
        let jobs = Jobs::default();
        let (listener, _sender) = jobs.join("a").unwrap();
        listener.job.bridge();
        assert!(!jobs.leave("a", listener));
        assert!(jobs.join("a").unwrap().1.is_none(), "it can be joined");
    }
}
