//! The only place of the benches that starts processes: the host that is measured, and the rivals.

use anyhow::{Context as _, ensure};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Bytes of a relayed piece.
const PIECE: usize = 64 * 1024;

/// A `postern serve` of its own.
#[derive(Debug)]
pub(crate) struct Host {
    child: MeasuredChild,
}

/// A program that ends with this: a bench that failed leaves none behind.
#[derive(Debug)]
struct MeasuredChild(Child);

impl Drop for MeasuredChild {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.0.kill();
        _ = self.0.wait();
    }
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
        let mut host = Self { child: MeasuredChild(child) };
        let stdout = host.child.0.stdout.take().context("no standard output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        ensure!(line.starts_with("ready "), "the host said {line:?} instead of ready");
        Ok(host)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.0.id()
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.child.0), Signal::TERM)?;
        self.child.0.wait()?;
        Ok(())
    }
}

/// A nats-server of its own.
#[derive(Debug)]
pub(crate) struct BrokerProcess {
    child: MeasuredChild,
}

impl BrokerProcess {
    /// Starts it. Who connects waits until it listens.
    pub(crate) fn start(server: &Path, config: &Path) -> anyhow::Result<Self> {
        let mut child = command(server);
        child.arg("-c").arg(config).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = child.spawn().with_context(|| format!("cannot start {}", server.display()))?;
        Ok(Self { child: MeasuredChild(child) })
    }

    /// Stops it as it is: connections stay, and nothing answers.
    pub(crate) fn freeze(&self) -> anyhow::Result<()> {
        Ok(kill_process(Pid::from_child(&self.child.0), Signal::STOP)?)
    }

    /// Lets it go on.
    pub(crate) fn thaw(&self) -> anyhow::Result<()> {
        Ok(kill_process(Pid::from_child(&self.child.0), Signal::CONT)?)
    }
}

/// Returns a program of the search path.
#[expect(clippy::disallowed_methods, reason = "a bench looks where its person's shell does")]
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let places = std::env::var_os("PATH")?;
    std::env::split_paths(&places).map(|place| place.join(name)).find(|file| file.is_file())
}

/// A program that forwards a command over this channel: `postern-run`.
#[derive(Debug)]
pub(crate) struct Forwarder<'a> {
    pub(crate) program: &'a Path,
    /// The agent's socket; the key lies beside it.
    pub(crate) socket: &'a Path,
}

impl Forwarder<'_> {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.program);
        command.args(["--cwd", "/", "--"]).args(arguments).env("POSTERN_SOCKET", self.socket);
        command.env("POSTERN_KEY_FILE", self.socket.with_file_name("agent.key"));
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> anyhow::Result<()> {
        let mut child = self.command(arguments);
        child.stdin(Stdio::null()).stdout(Stdio::null());
        let status = child.status().with_context(|| format!("cannot start {}", self.program.display()))?;
        ensure!(status.success(), "{} ended with {status}", self.program.display());
        Ok(())
    }

    /// Looks at the process while it forwards `cat` to and fro, when both directions were used.
    pub(crate) fn while_forwarding<T>(
        &self,
        look: impl FnOnce(u32) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let mut child = self.command(&["/bin/cat"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (mut stdin, stdout) = stdin.zip(stdout).context("no pipes")?;
        stdin.write_all(b"there and back\n")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        ensure!(line == "there and back\n", "it forwarded {line:?}");
        let seen = look(child.id());
        drop(stdin);
        child.wait()?;
        seen
    }
}

/// Relays the output of a program from a pipe to a unix socket that discards it. Returns the number of bytes.
pub(crate) fn relay_all(program: &str, arguments: &[&str]) -> anyhow::Result<u64> {
    let mut child = command(Path::new(program)).args(arguments).stdout(Stdio::piped()).spawn()?;
    let mut stdout = child.stdout.take().context("no standard output")?;
    let (mut here, mut there) = UnixStream::pair()?;
    let relay = std::thread::spawn(move || -> std::io::Result<()> {
        let mut piece = vec![0; PIECE];
        loop {
            match stdout.read(&mut piece)? {
                0 => return Ok(()),
                read => there.write_all(&piece[..read])?,
            }
        }
    });
    let (mut bytes, mut piece) = (0, vec![0; PIECE]);
    loop {
        match here.read(&mut piece)? {
            0 => break,
            read => bytes += read as u64,
        }
    }
    relay.join().map_err(|_| anyhow::anyhow!("the relay panicked"))??;
    let status = child.wait()?;
    ensure!(status.success(), "{program} ended with {status}");
    Ok(bytes)
}

/// Runs a command line of `postern` on a data folder, or of a rival, to its end, as a person does who types it.
pub(crate) fn run_command_line(program: &Path, data: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let mut child = command(program);
    // What it writes to a home folder goes with the data.
    child.args(arguments).env("POSTERN_DATA", data).env("HOME", data);
    child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = child.status().with_context(|| format!("cannot start {}", program.display()))?;
    let ended = status.code().is_some_and(|code| code < 2);
    ensure!(ended, "{} {arguments:?} ended with {status}", program.display());
    Ok(())
}

/// Starts a program and waits for it, as plainly as the system can (the standard library uses `posix_spawn`).
pub(crate) fn spawn_and_wait(program: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let mut child = command(program);
    child.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = child.status().with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(status.success(), "{} ended with {status}", program.display());
    Ok(())
}
