//! Starts the program `postern`, as an agent starts its hook: with arguments and input of Postern's own. No text of an agent, and
//! none of a settings file, gets here.

use crate::threads::name_limit;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// End of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnEnd {
    /// True if it ended with 0.
    pub worked: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Returns the program `postern`: this one, or the one beside it.
pub fn postern() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let beside = own.with_file_name("postern");
    beside.is_file().then_some(beside)
}

/// Runs it to its end. Dropping the future does not end it.
pub async fn run_own_program(arguments: Vec<String>, input: Vec<u8>, home: String) -> io::Result<OwnEnd> {
    let run = move || {
        let program = postern().ok_or_else(|| io::Error::other("the program `postern` is missing"))?;
        #[expect(clippy::disallowed_methods, reason = "this is the room that starts processes")]
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("HOME", &home).current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn_own(&mut command)?;
        #[cfg(target_os = "linux")]
        let pid = rustix::process::Pid::from_child(&child);
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read its input says why in its answer.
            drop(stdin.write_all(&input));
        }
        let end = child.wait_with_output();
        #[cfg(target_os = "linux")]
        super::own_children::reaped(pid);
        let end = end?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(OwnEnd { worked: end.status.success(), stdout: text(&end.stdout), stderr: text(&end.stderr) })
    };
    tokio::task::spawn_blocking(run).await.map_err(io::Error::other)?
}

/// Starts a program of Postern's own, which has its own waiter.
pub(super) fn spawn_own(command: &mut Command) -> io::Result<Child> {
    #[cfg(target_os = "linux")]
    let _reaper_waits = super::own_children::starting();
    let child = command.spawn().map_err(name_limit)?;
    #[cfg(target_os = "linux")]
    super::own_children::started(child.id().cast_signed());
    Ok(child)
}
