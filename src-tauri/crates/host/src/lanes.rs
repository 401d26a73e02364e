//! Threads for what an agent makes Postern read, and for what the user has judged of it.
//!
//! Each agent has its own, so a folder that does not answer or gigabytes to hash delay no other agent, and not the gate, the
//! record or the user.

use parking_lot::{Condvar, Mutex};
use postern_exec::identity::{Allowance, FILES, Meter, Overrun};
use postern_exec::threads::start_thread;
use postern_policy::AgentId;
use postern_request::Refusal;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Longest time that a caller waits for an answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// Idle time after which a thread ends.
const IDLE: Duration = Duration::from_secs(5);
/// Largest number of look-ups per agent with open files that the gate has not taken over.
const OPEN: usize = 8;

/// Kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lane {
    /// Programs, files and folders that a request names.
    LookUps,
    /// Stored requests.
    Records,
    /// Requests of this agent that the user has judged: explained, edited, or asked what a rule would cover.
    Previews,
}

impl Lane {
    /// Returns the number of threads per agent.
    fn threads(self) -> usize {
        match self {
            Self::LookUps | Self::Previews => 2,
            Self::Records => 1,
        }
    }

    /// Returns the largest number of waiting jobs.
    fn max_waiting(self) -> usize {
        match self {
            Self::LookUps => 256,
            Self::Records => 1024,
            Self::Previews => 32,
        }
    }
}

/// Reason for a missing answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// Too many jobs of this agent wait already.
    Full,
    /// The agent has no thread, and the system gives no further one.
    NoThread,
    /// The job took longer than [`PATIENCE`].
    Late,
    /// The job panicked.
    Failed,
}

impl From<Unanswered> for Refusal {
    fn from(why: Unanswered) -> Self {
        match why {
            Unanswered::Full => Self::LookUpsFull,
            Unanswered::NoThread => Self::NoThread,
            Unanswered::Late => Self::LookUpLate { seconds: PATIENCE.as_secs() },
            Unanswered::Failed => Self::NotJudged,
        }
    }
}

/// Returns the refusal of a request whose look-up used up its allowance.
pub(crate) fn refusal_of(overrun: Overrun) -> Refusal {
    match overrun {
        Overrun::Files => Refusal::TooManyFiles { most: FILES },
        Overrun::Bytes => Refusal::TooManyBytes,
        Overrun::Stopped => Unanswered::Late.into(),
    }
}

/// The threads of all agents. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    agents: Arc<Mutex<HashMap<AgentId, Threads>>>,
    patience: Duration,
}

#[derive(Debug)]
struct Threads {
    meter: Arc<Meter>,
    look_ups: Arc<Pool>,
    records: Arc<Pool>,
    previews: Arc<Pool>,
}

impl Lanes {
    pub(crate) fn new(patience: Duration) -> Self {
        Self { agents: Arc::default(), patience }
    }

    /// Runs `work` on one of the agent's threads. Files that it opens belong to the [`OpenFilesPermit`] that it gets.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        agent: &AgentId,
        lane: Lane,
        work: impl FnOnce(Allowance, OpenFilesPermit) -> T + Send + 'static,
    ) -> Result<T, Unanswered> {
        let (tell, told) = oneshot::channel();
        // The caller may have gone meanwhile.
        let allowance = self.submit(agent, lane, work, |done| _ = tell.send(done))?;
        if let Ok(done) = timeout(self.patience, told).await {
            done.unwrap_or(Err(Unanswered::Failed))
        } else {
            allowance.stop();
            Err(Unanswered::Late)
        }
    }

    /// Runs `work` like [`Self::run`], and then `done` with its result on the same thread. Work whose allowance was stopped
    /// before it began is left out: the caller stops it after [`Self::patience`].
    pub(crate) fn submit<T>(
        &self,
        agent: &AgentId,
        lane: Lane,
        work: impl FnOnce(Allowance, OpenFilesPermit) -> T + Send + 'static,
        done: impl FnOnce(Result<T, Unanswered>) + Send + 'static,
    ) -> Result<Allowance, Unanswered> {
        let (pool, meter) = self.pool_and_meter(agent, lane);
        let allowance = Allowance::new(meter);
        let may_read = allowance.clone();
        pool.submit(Box::new(move |open| {
            if !may_read.is_stopped() {
                let worked = catch_unwind(AssertUnwindSafe(|| work(may_read, open)));
                done(worked.map_err(|_| Unanswered::Failed));
            }
        }))?;
        Ok(allowance)
    }

    /// Returns the longest time that a caller waits.
    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// Returns true if another job may wait.
    pub(crate) fn has_room(&self, agent: &AgentId, lane: Lane) -> bool {
        self.pool_and_meter(agent, lane).0.has_room()
    }

    fn pool_and_meter(&self, agent: &AgentId, lane: Lane) -> (Arc<Pool>, Arc<Meter>) {
        let mut agents = self.agents.lock();
        let threads = agents.entry(agent.clone()).or_insert_with(|| Threads {
            meter: Arc::default(),
            look_ups: Pool::new(Lane::LookUps),
            records: Pool::new(Lane::Records),
            previews: Pool::new(Lane::Previews),
        });
        let pool = match lane {
            Lane::LookUps => &threads.look_ups,
            Lane::Records => &threads.records,
            Lane::Previews => &threads.previews,
        };
        (Arc::clone(pool), Arc::clone(&threads.meter))
    }
}

type LaneJob = Box<dyn FnOnce(OpenFilesPermit) + Send>;

/// The threads of one agent for one kind of work.
struct Pool {
    lane: Lane,
    state: Mutex<LaneState>,
    wake: Condvar,
}

#[derive(Default)]
struct LaneState {
    jobs: VecDeque<LaneJob>,
    threads: usize,
    idle: usize,
    open: usize,
}

impl Pool {
    fn new(lane: Lane) -> Arc<Self> {
        Arc::new(Self { lane, state: Mutex::default(), wake: Condvar::new() })
    }

    fn has_room(&self) -> bool {
        self.state.lock().jobs.len() < self.lane.max_waiting()
    }

    fn submit(self: &Arc<Self>, job: LaneJob) -> Result<(), Unanswered> {
        let mut state = self.state.lock();
        if state.jobs.len() >= self.lane.max_waiting() {
            return Err(Unanswered::Full);
        }
        state.jobs.push_back(job);
        if state.jobs.len() > state.idle && state.threads < self.lane.threads() {
            let pool = Arc::clone(self);
            match start_thread("agent", move || pool.run_jobs()) {
                Ok(()) => state.threads += 1,
                // A later job starts one.
                Err(_) if state.threads > 0 => {}
                Err(error) => {
                    tracing::error!(%error, "no thread for what an agent asks");
                    state.jobs.pop_back();
                    return Err(Unanswered::NoThread);
                }
            }
        }
        drop(state);
        self.wake.notify_one();
        Ok(())
    }

    fn run_jobs(self: Arc<Self>) {
        while let Some(job) = self.next_job() {
            job(OpenFilesPermit(Arc::clone(&self)));
        }
    }

    /// Returns the next job, or `None` after an idle time.
    fn next_job(&self) -> Option<LaneJob> {
        let mut state = self.state.lock();
        loop {
            if state.open < OPEN
                && let Some(job) = state.jobs.pop_front()
            {
                state.open += 1;
                return Some(job);
            }
            state.idle += 1;
            let waited = self.wake.wait_for(&mut state, IDLE);
            state.idle -= 1;
            if waited.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return None;
            }
        }
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("lane", &self.lane).finish_non_exhaustive()
    }
}

/// Permit for the open files of one look-up; dropping it returns it.
#[derive(Debug)]
pub(crate) struct OpenFilesPermit(Arc<Pool>);

impl Drop for OpenFilesPermit {
    fn drop(&mut self) {
        self.0.state.lock().open -= 1;
        self.0.wake.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::{Lane, Lanes, OPEN, PATIENCE, Unanswered};
    use postern_policy::AgentId;
    use std::sync::mpsc;
    use std::time::Duration;

    fn agent(name: &str) -> AgentId {
        AgentId::new(name).unwrap()
    }

    #[tokio::test]
    async fn one_agent_that_hangs_keeps_no_other_waiting_and_is_told_in_time() {
        let lanes = Lanes::new(Duration::from_millis(200));
        let mut stuck = Vec::new();
        let mut releases = Vec::new();
        for _ in 0..20 {
            let (release, released) = mpsc::channel::<()>();
            releases.push(release);
            let lanes = lanes.clone();
            stuck.push(tokio::spawn(async move {
                lanes.run(&agent("bad"), Lane::LookUps, move |_, _| _ = released.recv()).await
            }));
        }
        for number in 0..100 {
            let found = lanes.run(&agent("good"), Lane::LookUps, move |_, _| number).await;
            assert_eq!(found, Ok(number), "another agent's are answered");
        }
        let own = lanes.run(&agent("bad"), Lane::Records, |_, _| 1).await;
        assert_eq!(own, Ok(1), "and so is what the same agent asks about its past");
        let previewed = lanes.run(&agent("bad"), Lane::Previews, |_, _| 1).await;
        assert_eq!(previewed, Ok(1), "and what the user wants to know of it");
        for stuck in stuck {
            assert_eq!(stuck.await.unwrap(), Err(Unanswered::Late));
        }
        drop(releases);
        let late = lanes.run(&agent("bad"), Lane::LookUps, |_, _| 2).await;
        assert_eq!(late, Ok(2), "what came back works again");
    }

    #[tokio::test]
    async fn what_waits_is_bounded_and_so_are_threads() {
        let lanes = Lanes::new(PATIENCE);
        let (release, released) = mpsc::channel::<()>();
        let released = std::sync::Arc::new(parking_lot::Mutex::new(released));
        let mut waiting = Vec::new();
        while lanes.has_room(&agent("bad"), Lane::LookUps) {
            let (lanes, released) = (lanes.clone(), released.clone());
            let run = async move {
                let hang = move |_, _| _ = released.lock().recv();
                lanes.run(&agent("bad"), Lane::LookUps, hang).await
            };
            waiting.push(tokio::spawn(run));
            tokio::task::yield_now().await;
        }
        assert!((Lane::LookUps.max_waiting()..=Lane::LookUps.max_waiting() + 2).contains(&waiting.len()));
        let full = lanes.run(&agent("bad"), Lane::LookUps, |_, _| ()).await;
        assert_eq!(full, Err(Unanswered::Full));
        drop(release);
        for waiting in waiting {
            assert_eq!(waiting.await.unwrap(), Ok(()));
        }
    }

    #[tokio::test]
    async fn files_that_nobody_took_over_yet_hold_the_next_look_back() {
        let lanes = Lanes::new(Duration::from_millis(200));
        let mut open = Vec::new();
        for _ in 0..OPEN {
            open.push(lanes.run(&agent("main"), Lane::LookUps, |_, open| open).await.unwrap());
        }
        let next = lanes.run(&agent("main"), Lane::LookUps, |_, open| open).await;
        assert_eq!(next.map(drop), Err(Unanswered::Late), "there is room for so many");
        open.pop();
        let next = lanes.run(&agent("main"), Lane::LookUps, |_, open| open).await;
        assert_eq!(next.map(drop), Ok(()), "and then for the next one");
    }

    #[tokio::test]
    async fn what_panics_is_told_and_takes_no_thread() {
        let lanes = Lanes::new(PATIENCE);
        for _ in 0..10 {
            let failed = lanes.run(&agent("main"), Lane::LookUps, |_, _| panic!("on purpose")).await;
            assert_eq!(failed, Err::<(), _>(Unanswered::Failed));
        }
        assert_eq!(lanes.run(&agent("main"), Lane::LookUps, |_, _| 1).await, Ok(1));
    }
}
