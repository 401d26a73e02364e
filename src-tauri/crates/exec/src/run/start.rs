//! From an approved plan to a released process. Blocks: files are hashed and the system is waited for.

use super::drift::{find_drift, find_other_content, mismatch};
use super::exit::{exit_descriptor, reap_child};
use super::pipes::{self, Ours, Theirs};
use super::spawn_call::SpawnCall;
use super::tree::{self, Tree};
use super::{MayStart, Prepared, ProcessInput, SpawnError};
use crate::confine::{self, Fence, Lasting};
use crate::resolve::{HeldFile, shell_argv};
use postern_request::{Drift, Exit, Launch};
use rustix::process::Pid;
use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::time::Instant;

#[cfg(target_os = "linux")]
use super::linux_spawn as system;
#[cfg(target_os = "macos")]
use super::macos_spawn as system;
#[cfg(target_os = "linux")]
use super::steps::runner;

/// A process that was let go.
#[derive(Debug)]
pub(super) struct StartedProcess {
    pub(super) child: Unwatched,
    /// Descriptor of its exit, made before its release; `None` if it had already exited.
    pub(super) exit: Option<OwnedFd>,
    pub(super) start_time: u64,
    pub(super) at: Instant,
    /// Resources that its confinement keeps until it ended.
    pub(super) lasting: Option<Lasting>,
    /// Orders of its steps, with a report at their end.
    pub(super) orders: Option<OwnedFd>,
}

/// A process that was let go, and our ends of its streams.
#[derive(Debug)]
pub(super) struct Piped {
    pub(super) started: StartedProcess,
    pub(super) ours: Ours,
    pub(super) input: ProcessInput,
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail where there is one")]
fn runner(_: &Prepared) -> Result<Option<super::spawn_call::Runner>, SpawnError> {
    Ok(None)
}

/// A child that nobody watches yet. Dropping it ends it: nothing runs unwatched.
#[derive(Debug)]
pub(super) struct Unwatched(Pid);

impl Unwatched {
    pub(super) fn pid(&self) -> Pid {
        self.0
    }

    /// Marks that something else sees to its end from now on.
    pub(super) fn watched(self) {
        std::mem::forget(self);
    }
}

impl Drop for Unwatched {
    fn drop(&mut self) {
        // It is our child and was not reaped: its id is its own.
        let mut tree = Tree::from_leader(self.0);
        tree.kill_descendants();
        tree.kill_leader();
        reap_child(self.0);
    }
}

pub(super) fn start_piped(prepared: Prepared, may_start: MayStart) -> Result<Piped, SpawnError> {
    let failed = |error: &dyn std::fmt::Display| SpawnError::Failed(format!("could not be started: {error}"));
    let (theirs, ours) = pipes::open_pipes(&prepared.input).map_err(|error| failed(&error))?;
    let started = start_with(&prepared, theirs, true, may_start)?;
    Ok(Piped { started, ours, input: prepared.input })
}

/// Starts it with these streams.
pub(super) fn start_with(
    prepared: &Prepared,
    theirs: Theirs,
    session: bool,
    may_start: MayStart,
) -> Result<StartedProcess, SpawnError> {
    check_drift(mismatch(prepared))?;
    let call = build_call(prepared, theirs, session)?;
    let (child, exit, start_time) = held_and_released(&call, may_start)?;
    let at = Instant::now();
    let (lasting, orders) = (call.fence.and_then(Fence::lasting), call.orders);
    Ok(StartedProcess { child, exit, start_time, at, lasting, orders })
}

/// Checks the process while it is held. Returns its exit descriptor and start time, taken before it can be
/// gone.
///
/// `may_start` is asked when everything that may take seconds is done: looking through folders, reading files. If it cannot be
/// held, checks everything before, and executes machine code through the judged file's own descriptor.
fn held_and_released(
    call: &SpawnCall<'_>,
    may_start: MayStart,
) -> Result<(Unwatched, Option<OwnedFd>, u64), SpawnError> {
    let ask = || may_start().map_err(|denial| SpawnError::Refused(Box::new(denial)));
    if let Some(pid) = system::spawn_held(call)? {
        let child = Unwatched(pid);
        check_drift(system::imposter(pid, call).or_else(|| find_other_content(call.prepared)))?;
        let seen = observe_child(pid)?;
        ask()?;
        check_drift(find_drift(call.prepared))?;
        system::release(pid)?;
        return Ok((child, seen.0, seen.1));
    }
    check_drift(find_other_content(call.prepared))?;
    ask()?;
    check_drift(find_drift(call.prepared))?;
    let child = Unwatched(system::spawn_free(call)?);
    let (exit, start_time) = observe_child(child.pid())?;
    // It runs already: a difference is at least not left running.
    check_drift(find_drift(call.prepared).or_else(|| find_other_content(call.prepared)))?;
    Ok((child, exit, start_time))
}

/// Returns the exit descriptor and the start time of a child.
fn observe_child(pid: Pid) -> Result<(Option<OwnedFd>, u64), SpawnError> {
    let exit = exit_descriptor(pid)
        .map_err(|error| SpawnError::Failed(format!("its end could not be watched: {error}")))?;
    Ok((exit, tree::start_time(pid).unwrap_or(0)))
}

/// Waits for the end of a process whose output nobody reads.
pub(super) fn wait_for_end(piped: Piped) -> Exit {
    drop(piped.ours);
    let exit = reap_child(piped.started.child.pid());
    piped.started.child.watched();
    exit
}

fn check_drift(difference: Option<Drift>) -> Result<(), SpawnError> {
    difference.map_or(Ok(()), |drift| Err(SpawnError::Drifted(drift)))
}

fn build_call(prepared: &Prepared, theirs: Theirs, session: bool) -> Result<SpawnCall<'_>, SpawnError> {
    let invalid = |_| SpawnError::Failed("an argument or variable holds NUL".to_owned());
    let texts =
        |words: Vec<String>| words.into_iter().map(CString::new).collect::<Result<_, _>>().map_err(invalid);
    let (program, argv, orders) = if let Some(runner) = runner(prepared)? {
        (runner.program, runner.argv, Some(runner.orders))
    } else {
        let Some(program) = prepared.held.started.clone() else {
            return Err(SpawnError::Failed("its program was not found".to_owned()));
        };
        let words = match &prepared.plan.launch {
            Launch::Argv { argv } => with_own_name(argv, &program),
            Launch::Shell { text } => shell_argv(text),
            Launch::Nothing => return Err(SpawnError::Failed("there is nothing to start".to_owned())),
        };
        (program, texts(words)?, None)
    };
    let variable = |(name, value): &(String, String)| format!("{name}={value}");
    let env = texts(prepared.plan.environment().iter().map(variable).collect())?;
    let path = CString::new(program.path.as_os_str().as_bytes()).map_err(invalid)?;
    let fence = prepare_fence(prepared, &program)?;
    Ok(SpawnCall { path, argv, env, theirs, prepared, program, session, fence, orders })
}

/// Prepares the confinement, if the plan has one.
fn prepare_fence(prepared: &Prepared, program: &HeldFile) -> Result<Option<Fence>, SpawnError> {
    let confinement = &prepared.plan.confinement;
    if confinement.is_none() {
        return Ok(None);
    }
    let programs: Vec<&HeldFile> = prepared.held.all_files().map(|file| &**file).chain([program]).collect();
    let fence = confine::prepare(confinement, &prepared.user, &programs);
    fence.map(Some).map_err(|what| SpawnError::Failed(format!("could not be confined: {what}")))
}

/// Returns the words with the program's own name first: the bare name that was asked for, or its path.
///
/// A request cannot make one up. A tool behind a stand-in has its path, by which it finds what belongs to it.
fn with_own_name(argv: &[String], program: &HeldFile) -> Vec<String> {
    let mut words = argv.to_vec();
    let behind = program.path.as_os_str() != program.bound.path.as_str();
    if let Some(name) = words.first_mut().filter(|name| behind || name.contains('/')) {
        *name = program.path.to_string_lossy().into_owned();
    }
    words
}
