//! The only place of the benches that starts processes: the host that is measured, and the rivals.

use anyhow::{Context as _, ensure};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A `postern serve` of its own.
#[derive(Debug)]
pub(crate) struct Host {
    child: Child,
}

#[expect(clippy::disallowed_methods, reason = "a bench starts what it measures; nothing else here does")]
fn command(program: &Path) -> Command {
    Command::new(program)
}

impl Host {
    /// Starts it and waits until it says that it accepts connections.
    pub(crate) fn start(postern: &Path, data: &Path) -> anyhow::Result<Self> {
        let child = command(postern)
            .arg("serve")
            .env("POSTERN_DATA", data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", postern.display()))?;
        let mut host = Self { child };
        let stdout = host.child.stdout.take().context("no standard output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        ensure!(line.starts_with("ready "), "the host said {line:?} instead of ready");
        Ok(host)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // Ended already where `stop` was called; else a bench failed, and its host must not stay behind.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Starts a program and waits for it, as plainly as the system can (the standard library uses `posix_spawn`).
pub(crate) fn spawn_and_wait(program: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let mut child = command(program);
    child.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = child.status().with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(status.success(), "{} ended with {status}", program.display());
    Ok(())
}
