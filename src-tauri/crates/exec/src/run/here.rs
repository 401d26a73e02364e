//! A confined command of the caller's own, with the caller's standard streams (`postern confine`).
//!
//! It needs no approval: the caller could start it anyway, with more rights. That is why it must be confined.

use super::exit::reap_child;
use super::pin_watch::hold_until_exit;
use super::pipes::Theirs;
use super::start::start_with;
use super::{GRACE, Prepared, ProcessInput, SetAside, SpawnError, UserPlaces, may_always_start};
use crate::confine::{self, own_plan};
use crate::resolve::{Cwd, Resolver, real_path};
use postern_command::read_argv;
use postern_policy::{Confinement, Lookup};
use postern_request::Exit;
use rustix::fs::FileType;
use std::os::fd::{AsFd as _, BorrowedFd};

/// End of a confined command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfinedEnd {
    /// Exit code or signal.
    pub exit: Exit,
    /// Protected places that it created or changed.
    pub set_aside: Vec<SetAside>,
    /// Protected place that another program replaced or removed meanwhile, which ended the command.
    pub unpinned: Option<String>,
}

impl ConfinedEnd {
    /// Returns the code that a shell gives it: 128 and the number of the signal that ended it.
    pub fn exit_code(&self) -> u8 {
        let code = match self.exit {
            Exit::Code(code) => code,
            Exit::Signal(signal) => 128 + signal,
        };
        u8::try_from(code).unwrap_or(u8::MAX)
    }
}

/// Reason why a command did not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotRun {
    /// There is no such program, or it cannot be started.
    NotFound(String),
    /// The system could not confine it.
    NotConfined(String),
}

impl From<String> for NotRun {
    fn from(message: String) -> Self {
        Self::NotConfined(message)
    }
}

/// Runs a command of the caller confined, and waits for its end. It gets the caller's standard streams and terminal.
///
/// On Linux everything that it started ends with it. Call it once in a process, which becomes the parent of orphans.
///
/// # Errors
/// Returns what is missing; then nothing ran.
pub fn run_here(
    argv: &[String],
    confinement: Confinement,
    user: UserPlaces,
    cwd: &str,
    search: &[String],
    env: Vec<(String, String)>,
) -> Result<ConfinedEnd, NotRun> {
    if confinement.is_none() {
        return Err("a command of one's own is always confined here".to_owned().into());
    }
    let cwd = Cwd::open(cwd).map_err(|problem| format!("{cwd} {problem}"))?;
    let resolved = Resolver::at_home(&user.home).resolve_command(&read_argv(argv), &cwd, search);
    let name = argv.first().map_or("", String::as_str);
    if resolved.held.started.is_none() {
        let why = resolved.steps.first().map(|step| &step.program);
        return Err(NotRun::NotFound(match why {
            Some(Lookup::Unusable { what, .. }) => format!("{name}: {what}"),
            _ => format!("{name}: command not found"),
        }));
    }
    let plan = own_plan(resolved.launch, &resolved.held, &cwd, confinement, env)?;
    let (held, input, output_cap, stream) = (resolved.held, ProcessInput::Nothing, 0, false);
    let prepared = Prepared { plan, held, cwd, user, input, output_cap, stream, grace: GRACE };
    let streams = own_streams(&prepared)?;
    // What it leaves in the background could take the caller's terminal over, and read what is typed at the shell.
    #[cfg(target_os = "linux")]
    super::adopt_orphans().map_err(|error| format!("what it leaves could not be ended: {error}"))?;
    let mut started =
        start_with(&prepared, streams, false, may_always_start()).map_err(SpawnError::into_text)?;
    let held = hold_until_exit(started.exit.as_ref(), started.lasting.as_ref());
    let unpinned = held.map_err(|error| format!("its pins could not be watched: {error}"))?;
    let exit = reap_child(started.child.pid());
    started.child.watched();
    #[cfg(target_os = "linux")]
    super::end_orphans();
    let set_aside = started.lasting.take().map(crate::confine::Lasting::finish).unwrap_or_default();
    Ok(ConfinedEnd { exit, set_aside, unpinned })
}

/// Returns copies of the caller's streams. A folder among them would lead out of the confinement.
///
/// So would a protected file, also one opened for reading: the command could open it again for writing, without the mount that pins it.
fn own_streams(prepared: &Prepared) -> Result<Theirs, String> {
    let copy_stream = |stream: BorrowedFd<'_>, name: &str| {
        let told = |error: rustix::io::Errno| format!("its {name}: {error}");
        let found = rustix::fs::fstat(stream).map_err(told)?;
        if FileType::from_raw_mode(found.st_mode) == FileType::Directory {
            return Err(format!("its {name} is a folder"));
        }
        // A file without a path, as a here-document of the shell may be, is no place.
        if let Ok(file) = real_path(stream)
            && confine::is_kept_from(&prepared.plan.confinement, &prepared.user, &file)
        {
            return Err(format!("its {name} is {}, which it may not change; use a pipe", file.display()));
        }
        rustix::io::fcntl_dupfd_cloexec(stream, 3).map_err(told)
    };
    Ok(Theirs {
        stdin: copy_stream(std::io::stdin().as_fd(), "standard input")?,
        stdout: copy_stream(std::io::stdout().as_fd(), "standard output")?,
        stderr: copy_stream(std::io::stderr().as_fd(), "standard error")?,
    })
}
