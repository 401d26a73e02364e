//! The only place that starts processes.
//!
//! What was approved is started held, checked before its first instruction, and let go only if it is what was
//! judged; then watched until it and everything it started are gone.

#[cfg(target_os = "linux")]
mod base;
mod capture;
mod drift;
mod exit;
mod here;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod linux_spawn;
mod login_shell;
#[cfg(target_os = "macos")]
mod macos_spawn;
#[cfg(target_os = "linux")]
mod mark;
#[cfg(target_os = "linux")]
mod mounting;
#[cfg(target_os = "linux")]
mod namespace_owner;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod orphans;
#[cfg(target_os = "linux")]
mod own_children;
mod own_program;
mod pin_watch;
mod pipes;
mod pump;
#[cfg(any(target_os = "macos", test))]
mod relaunch;
mod spawn_call;
mod start;
#[cfg(target_os = "linux")]
mod steps;
#[cfg(target_os = "linux")]
mod stopped;
mod supervise;
mod survivor;
mod tree;
#[cfg(target_os = "linux")]
mod vfork;

pub use capture::Captured;
pub use here::{ConfinedEnd, NotRun, run_here};
#[cfg(target_os = "linux")]
pub(crate) use keeper::Keeper;
#[cfg(target_os = "linux")]
pub use keeper::keep_spare_namespaces;
pub use login_shell::login_path;
#[cfg(target_os = "linux")]
pub use mark::{is_marked, own_mark};
#[cfg(target_os = "linux")]
pub(crate) use mounting::{FileSystem, Mount};
#[cfg(target_os = "linux")]
pub use orphans::{adopt_orphans, end_orphans};
pub use own_program::{OwnEnd, postern, run_own_program};
#[cfg(target_os = "macos")]
pub use relaunch::open_app_after_exit;
#[cfg(target_os = "linux")]
pub use steps::{find_own_program, run_steps};
#[cfg(target_os = "linux")]
pub(crate) use stopped::StoppedProcesses;
pub use survivor::{boot_id, end_survivor};
#[cfg(target_os = "macos")]
pub use tree::descends;

pub use crate::confine::{SetAside, UserPlaces};
use crate::resolve::{Cwd, Held};
use capture::Capture;
use parking_lot::Mutex;
use postern_contract::{pieces_to_text, render};
use postern_protocol::OutputStream;
use postern_request::{Approved, Denial, Drift, Exit, Plan, Refusal, RunEnd, Stop};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Returns why lines go to the shell as a whole, or `None` if Postern starts their steps.
pub fn lines_to_shell() -> Option<postern_contract::LinesToShell> {
    #[cfg(target_os = "linux")]
    {
        steps::own_program().err()
    }
    #[cfg(not(target_os = "linux"))]
    {
        Some(postern_contract::LinesToShell::System)
    }
}

/// Time that a process has between TERM and KILL.
pub const GRACE: Duration = Duration::from_secs(5);

/// Everything that a start needs besides permission.
#[derive(Debug)]
pub struct Prepared {
    /// Plan that was judged, shown and approved.
    pub plan: Plan,
    /// The files it names, open since then.
    pub held: Held,
    /// The working directory, open since then.
    pub cwd: Cwd,
    /// The user's folders that a confined run may not use.
    pub user: UserPlaces,
    pub input: ProcessInput,
    /// Bytes of output that are kept per stream.
    pub output_cap: u64,
    /// True if every piece of output is sent to the sink. The child waits for a sink that does not keep up.
    pub stream: bool,
    /// Time that it has between TERM and KILL: [`GRACE`].
    pub grace: Duration,
}

/// Standard input of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessInput {
    /// `/dev/null`.
    Nothing,
    /// These bytes, then the end.
    Inline(Vec<u8>),
    /// Bytes from [`Running::write_input`], until it says that this was the end.
    Stream,
}

/// Reason why nothing runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpawnError {
    /// Something is not what it was when it was judged. Nothing of it ran.
    Drifted(Drift),
    /// The last question before it was answered with a denial. Nothing of it ran.
    Refused(Box<Denial>),
    /// The system would not start it.
    Failed(String),
}

/// Last question before a process is let go, asked on a thread that may block.
pub type MayStart = Box<dyn FnOnce() -> Result<(), Denial> + Send>;

/// Returns the question of a start that nobody can stop any more.
fn may_always_start() -> MayStart {
    Box::new(|| Ok(()))
}

/// Event of a run, in order; [`RunEvent::Exited`] is the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEvent {
    /// A piece of output; only where [`Prepared::stream`] asked for it.
    Output {
        stream: OutputStream,
        /// Number of bytes of that stream before it.
        offset: u64,
        /// At most 64 KiB.
        bytes: Vec<u8>,
    },
    /// The time ran out: TERM was sent.
    TimedOut,
    /// The process ended, and so did its output.
    Exited(Box<FinishedRun>),
}

/// End of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    /// Outcome, and what the process itself did.
    pub end: RunEnd,
    /// From release to exit.
    pub duration: Duration,
    /// Standard output, as much as was kept.
    pub stdout: Captured,
    /// Standard error, as much as was kept.
    pub stderr: Captured,
    /// True if something it started still held its output when it was gone; it was cut off.
    pub leaked_pipes: bool,
    /// Number of processes of its tree that could not be ended. Only ever other users' (a setuid program's).
    pub escaped: usize,
    /// Protected places that a confined run created or changed.
    pub set_aside: Vec<SetAside>,
    /// Program that was not the judged one when its step came, which ended the run.
    pub drift: Option<Drift>,
    /// Protected place that another program replaced or removed under a confined run, which ended the run.
    pub unpinned: Option<String>,
}

/// A run under way. Dropping it changes nothing: the run goes on and ends as it would have.
#[derive(Debug, Clone)]
pub struct Running {
    pid: u32,
    start_time: u64,
    orders: mpsc::UnboundedSender<Order>,
    input: mpsc::Sender<InputChunk>,
    stdout: Arc<Mutex<Capture>>,
    stderr: Arc<Mutex<Capture>>,
}

#[derive(Debug, Clone, Copy)]
enum Order {
    /// TERM, grace, KILL for the whole tree.
    Stop(Stop),
    /// This signal to its process group.
    Signal(i32),
}

/// More standard input.
#[derive(Debug)]
struct InputChunk {
    data: Vec<u8>,
    eof: bool,
    written: oneshot::Sender<Result<(), InputError>>,
}

/// Reason why input was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The run did not ask for a stream, its input has ended, or the process no longer reads.
    #[error("its standard input is closed")]
    Closed,
}

/// Starts what was approved.
///
/// The process leads its own session; it inherits no descriptor but 0, 1 and 2, no signal disposition, and exactly
/// the plan's environment. The plan is the one that was approved, by its digest. Before its first instruction the program, every bound file, every script and the working
/// directory are compared with what was judged. `may_start` is asked when everything that may take long is done.
///
/// # Errors
/// [`SpawnError::Drifted`] where something changed, [`SpawnError::Refused`] where `may_start` denies, [`SpawnError::Failed`]
/// where the system refuses.
pub async fn spawn_approved(
    approved: Approved,
    prepared: Prepared,
    may_start: MayStart,
    sink: mpsc::Sender<RunEvent>,
) -> Result<Running, SpawnError> {
    // Permission is for one run of one plan: it ends here.
    if *approved.digest() != prepared.plan.digest() {
        return Err(SpawnError::Drifted(Drift::OtherPlan));
    }
    drop(approved);
    spawn_prepared(prepared, may_start, sink).await
}

async fn spawn_prepared(
    prepared: Prepared,
    may_start: MayStart,
    sink: mpsc::Sender<RunEvent>,
) -> Result<Running, SpawnError> {
    let terms = supervise::SupervisionTerms {
        timeout: prepared.plan.timeout_ms.map(Duration::from_millis),
        grace: prepared.grace,
        stream: prepared.stream,
        output_cap: prepared.output_cap,
    };
    let started = tokio::task::spawn_blocking(move || start::start_piped(prepared, may_start))
        .await
        .map_err(|_| SpawnError::Failed("the start was interrupted".to_owned()))??;
    supervise::supervise(started, &terms, sink).map_err(|error| SpawnError::Failed(error.to_string()))
}

/// Runs a confined program without output to its end. Blocks.
pub fn try_out(plan: Plan, held: Held, cwd: Cwd, user: UserPlaces) -> Result<Exit, String> {
    let (input, output_cap, stream, grace) = (ProcessInput::Nothing, 0, false, GRACE);
    let prepared = Prepared { plan, held, cwd, user, input, output_cap, stream, grace };
    let started = start::start_piped(prepared, may_always_start()).map_err(SpawnError::into_text)?;
    Ok(start::wait_for_end(started))
}

impl SpawnError {
    /// Returns what went wrong, for people.
    fn into_text(self) -> String {
        match self {
            Self::Failed(message) => message,
            Self::Drifted(drift) => pieces_to_text(&render::refusal(&Refusal::Drifted(drift))),
            Self::Refused(denial) => pieces_to_text(&render::refusal(&denial.cause)),
        }
    }
}

/// Returns the parent of any process, as the system tells it; `None` if there is no such process.
pub fn parent_of(pid: u32) -> Option<u32> {
    let parent = tree::parent_of(i32::try_from(pid).ok()?)?;
    u32::try_from(parent).ok()
}

impl Running {
    /// Returns the process id, which is also its group's and session's.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns the start time, in the system's own count (Linux: clock ticks since boot; macOS: microseconds
    /// since 1970).
    ///
    /// Together with the process id it names the process uniquely.
    pub fn start_time(&self) -> u64 {
        self.start_time
    }

    /// Sends TERM to the whole tree, and KILL to the rest after the grace. A second order changes nothing.
    pub fn stop(&self, stop: Stop) {
        // The run has ended where nobody listens any more.
        _ = self.orders.send(Order::Stop(stop));
    }

    /// Sends a signal to its process group, and nothing after it.
    pub fn signal(&self, signal: i32) {
        _ = self.orders.send(Order::Signal(signal));
    }

    /// Writes to its standard input; returns when the process has room for it.
    ///
    /// # Errors
    /// [`InputError::Closed`].
    pub async fn write_input(&self, data: Vec<u8>, eof: bool) -> Result<(), InputError> {
        let (written, answer) = oneshot::channel();
        self.input.send(InputChunk { data, eof, written }).await.map_err(|_| InputError::Closed)?;
        answer.await.map_err(|_| InputError::Closed)?
    }

    /// Returns the output so far, as much as is kept.
    pub fn output(&self, stream: OutputStream) -> Captured {
        let capture = match stream {
            OutputStream::Stdout => &self.stdout,
            OutputStream::Stderr => &self.stderr,
        };
        capture.lock().so_far()
    }
}

#[cfg(test)]
mod tests;
