//! From an approved plan to a released process. Blocks: files are hashed and the system is waited for.

use super::drift::{drift, mismatch};
use super::exit::reap;
use super::pipes::{self, Ours, Theirs};
use super::tree::{self, Tree};
use super::{Input, Prepared, SpawnError};
#[cfg(target_os = "linux")]
use crate::confine::Fence;
use crate::resolve::{HeldFile, SHELL};
#[cfg(target_os = "linux")]
use postern_policy::Confinement;
use postern_request::{Drift, Launch};
use rustix::process::{Pid, WaitOptions};
use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Instant;

#[cfg(target_os = "linux")]
use super::linux_spawn as system;
#[cfg(target_os = "macos")]
use super::macos_spawn as system;

/// A process that was let go.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) child: Unwatched,
    /// Descriptor of its exit, made before its release; `None` if it had already exited.
    pub(super) exit: Option<OwnedFd>,
    pub(super) start_time: u64,
    pub(super) ours: Ours,
    pub(super) input: Input,
    pub(super) at: Instant,
}

/// A child that nobody watches yet. Dropping it ends it: nothing runs unwatched.
#[derive(Debug)]
pub(super) struct Unwatched(Pid);

impl Unwatched {
    pub(super) fn pid(&self) -> Pid {
        self.0
    }

    /// Somebody else sees to its end from now on.
    pub(super) fn watched(self) {
        std::mem::forget(self);
    }
}

impl Drop for Unwatched {
    fn drop(&mut self) {
        // It is our child and was not reaped: its id is its own.
        let mut tree = Tree::of(self.0);
        tree.kill_descendants();
        tree.kill_leader();
        reap(self.0);
    }
}

/// What the system is told: everything as it wants it, so that nothing is left to do between fork and exec.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) path: CString,
    pub(super) argv: Vec<CString>,
    pub(super) env: Vec<CString>,
    pub(super) theirs: Theirs,
    pub(super) prepared: &'a Prepared,
    pub(super) program: Arc<HeldFile>,
    /// Confinement of the child.
    #[cfg(target_os = "linux")]
    pub(super) fence: Option<Fence>,
}

pub(super) fn start(prepared: Prepared) -> Result<Started, SpawnError> {
    check(mismatch(&prepared))?;
    let failed = |error: &dyn std::fmt::Display| SpawnError::Failed(format!("could not be started: {error}"));
    let (theirs, ours) = pipes::open(&prepared.input).map_err(|error| failed(&error))?;
    let call = call(&prepared, theirs)?;
    let (child, exit, start_time) = held_and_released(&call)?;
    let at = Instant::now();
    drop(call);
    Ok(Started { child, exit, start_time, ours, input: prepared.input, at })
}

/// Checks the process while it is held. If it cannot be held, checks everything before, and executes machine code through
/// the judged file's own descriptor. Returns its exit descriptor and start time, taken before it can be gone.
fn held_and_released(call: &Call<'_>) -> Result<(Unwatched, Option<OwnedFd>, u64), SpawnError> {
    if let Some(pid) = system::spawn_held(call)? {
        let child = Unwatched(pid);
        check(system::imposter(pid, call).or_else(|| drift(call.prepared)))?;
        let seen = seen(pid)?;
        system::release(pid)?;
        return Ok((child, seen.0, seen.1));
    }
    check(drift(call.prepared))?;
    let child = Unwatched(system::spawn_free(call)?);
    let (exit, start_time) = seen(child.pid())?;
    // It runs already: a difference is at least not left running.
    check(drift(call.prepared))?;
    Ok((child, exit, start_time))
}

/// Returns the exit descriptor and the start time of a child.
fn seen(pid: Pid) -> Result<(Option<OwnedFd>, u64), SpawnError> {
    let exit = system::exit_descriptor(pid)
        .map_err(|error| SpawnError::Failed(format!("its end could not be watched: {error}")))?;
    Ok((exit, tree::start_time(pid).unwrap_or(0)))
}

/// Waits for a test process, and returns its error.
pub(super) fn ended_well(started: Started) -> Result<(), String> {
    let pid = started.child.pid();
    drop(started.ours);
    let ended = loop {
        match rustix::process::waitpid(Some(pid), WaitOptions::empty()) {
            Ok(ended) => break ended,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.to_string()),
        }
    };
    started.child.watched();
    let code = ended.and_then(|(_, status)| status.exit_status());
    if code == Some(0) { Ok(()) } else { Err(format!("a program that does nothing ended with {code:?}")) }
}

fn check(difference: Option<Drift>) -> Result<(), SpawnError> {
    difference.map_or(Ok(()), |drift| Err(SpawnError::Drifted(drift)))
}

fn call(prepared: &Prepared, theirs: Theirs) -> Result<Call<'_>, SpawnError> {
    let invalid = |_| SpawnError::Failed("an argument or variable holds NUL".to_owned());
    let Some(program) = prepared.held.started.clone() else {
        return Err(SpawnError::Failed("its program was not found".to_owned()));
    };
    let path = program.bound.path.clone();
    let words = match &prepared.plan.launch {
        Launch::Argv { argv } => with_own_name(argv, &path),
        Launch::Shell { text } => [SHELL, "--noprofile", "--norc", "-c", text].map(str::to_owned).to_vec(),
        Launch::Nothing => return Err(SpawnError::Failed("there is nothing to start".to_owned())),
    };
    let argv = words.into_iter().map(CString::new).collect::<Result<_, _>>().map_err(invalid)?;
    let variable = |(name, value): &(String, String)| CString::new(format!("{name}={value}"));
    let env = prepared.plan.env.iter().map(variable).collect::<Result<_, _>>().map_err(invalid)?;
    let path = CString::new(path).map_err(invalid)?;
    #[cfg(target_os = "linux")]
    let fence = fence(prepared)?;
    #[cfg(not(target_os = "linux"))]
    if !prepared.plan.confinement.is_none() {
        return Err(SpawnError::Failed("this system cannot confine it".to_owned()));
    }
    Ok(Call {
        path,
        argv,
        env,
        theirs,
        prepared,
        program,
        #[cfg(target_os = "linux")]
        fence,
    })
}

/// Returns the confinement, if the plan has one.
#[cfg(target_os = "linux")]
fn fence(prepared: &Prepared) -> Result<Option<Fence>, SpawnError> {
    let failed = |what: String| SpawnError::Failed(format!("could not be confined: {what}"));
    match (&prepared.plan.confinement, &prepared.look) {
        (Confinement::None, None) => Ok(None),
        (Confinement::Look { folders }, Some(look)) if *folders == look.folders => {
            let programs = prepared.held.files().map(|file| file.bound.real_path.as_str());
            Fence::new(look, programs).map(Some).map_err(failed)
        }
        (Confinement::None | Confinement::Look { .. }, _) => {
            Err(failed("its profile is not the one that was judged".to_owned()))
        }
    }
}

/// The program's own name is the bare name it was asked for by, or its path: never what a request makes up.
fn with_own_name(argv: &[String], path: &str) -> Vec<String> {
    let mut words = argv.to_vec();
    if let Some(name) = words.first_mut().filter(|name| name.contains('/')) {
        path.clone_into(name);
    }
    words
}
