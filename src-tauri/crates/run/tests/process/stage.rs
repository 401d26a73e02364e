//! A stage for plays with two parts: `postern-run` as a process, and a host in a thread.
#![expect(clippy::unwrap_used, reason = "what goes wrong on the stage fails the test")]

use postern_client::scripted::{ScriptedHost, Visit, finished};
use postern_protocol::{
    Accepted, AgentCall, AllowedBy, Decision, ExecFinished, ExecOutput, ExecStarted, Notice, NoticeEvent,
    Outcome, OutputStream, Pending, RunParams, RunState, Signal, Socket,
};
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use tempfile::TempDir;

/// Returns the program under test.
pub(crate) fn program() -> &'static str {
    env!("CARGO_BIN_EXE_postern-run")
}

/// Returns the command without arguments and surroundings.
pub(crate) fn bare() -> Command {
    at(Path::new(program()))
}

#[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
fn at(path: &Path) -> Command {
    let mut command = Command::new(path);
    command.env_clear().stdin(Stdio::null());
    command
}

/// A folder with a host that listens, and the thread that plays the host's part: it has to go through to its end.
pub(crate) struct Play {
    folder: TempDir,
    host: Option<JoinHandle<()>>,
}

impl Play {
    pub(crate) fn new(script: impl FnOnce(ScriptedHost) + Send + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let host = ScriptedHost::listen(folder.path(), Socket::Channel).unwrap();
        Self { folder, host: Some(thread::spawn(move || script(host))) }
    }

    /// Plays a host that accepts one run.
    pub(crate) fn scene(script: impl FnOnce(Scene) + Send + 'static) -> Self {
        Self::new(move |host| script(Scene::open(&host)))
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns `postern-run` on this stage.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_at(Path::new(program()), arguments)
    }

    /// Returns `postern-run` on this stage, called by this path.
    pub(crate) fn command_at(&self, path: &Path, arguments: &[&str]) -> Command {
        let mut command = at(path);
        command.env("POSTERN_SOCKET", self.folder().join("agent.sock")).args(arguments);
        command
    }

    /// Returns `postern-run` with SIGINT as given (`DEFAULT`, `IGNORE`).
    ///
    /// A shell starts what goes into the background with SIGINT ignored, and the tests may be started so.
    pub(crate) fn command_with(&self, interrupt: &str, arguments: &[&str]) -> Command {
        let mut command = at(Path::new("/usr/bin/perl"));
        command.args(["-e", "$SIG{INT} = shift; exec @ARGV or die", interrupt, program()]).args(arguments);
        command.env("POSTERN_SOCKET", self.folder().join("agent.sock"));
        command
    }
}

impl Drop for Play {
    fn drop(&mut self) {
        // Where the test failed already, the host may wait for what does not come.
        if let Some(host) = self.host.take().filter(|_| !thread::panicking()) {
            assert!(host.join().is_ok(), "the host's part failed");
        }
    }
}

/// A connection on which a run was asked for and accepted.
pub(crate) struct Scene {
    pub(crate) visit: Visit,
    pub(crate) run: RunParams,
    pub(crate) sequence: u64,
    /// Start of the next piece of standard output.
    pub(crate) offset: u64,
}

impl Scene {
    pub(crate) fn open(host: &ScriptedHost) -> Self {
        let mut visit = host.accept().unwrap();
        let (run_id, call) = visit.next_call().unwrap();
        let AgentCall::Run(run) = call else { unreachable!("a run is asked for first, not {call:?}") };
        let (request_id, state) = (run.request_id, RunState::Received);
        let accepted = Accepted { request_id, state, verdict: None, timeout_ms: None, pending: None };
        visit.answer(&run_id, &accepted).unwrap();
        Self { visit, run: *run, sequence: 0, offset: 0 }
    }

    pub(crate) fn tell(&mut self, event: NoticeEvent) {
        self.sequence += 1;
        let at = "2026-01-01T00:00:00.000Z".to_owned();
        let (sequence, request_id) = (self.sequence, self.run.request_id);
        self.visit.send_notice(&Notice { sequence, at, request_id, session: None, event }).unwrap();
    }

    pub(crate) fn pending(&mut self) {
        self.tell(NoticeEvent::Pending(pending()));
    }

    pub(crate) fn start(&mut self) {
        self.tell(NoticeEvent::Started(ExecStarted {
            pid: 1,
            path: "/bin/x".to_owned(),
            argv: vec!["x".to_owned()],
            cwd: "/".to_owned(),
            by: AllowedBy::Person,
            edited: None,
            profile: None,
        }));
    }

    /// Starts the run, which writes that it is ready.
    pub(crate) fn ready(&mut self) {
        self.start();
        self.output(OutputStream::Stdout, b"ready\n");
    }

    /// Sends output. Standard error always begins at 0: tests write one piece of it at most.
    pub(crate) fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        let offset = match stream {
            OutputStream::Stdout => self.offset,
            OutputStream::Stderr => 0,
        };
        if stream == OutputStream::Stdout {
            self.offset += bytes.len() as u64;
        }
        self.tell(NoticeEvent::Output(ExecOutput::new(stream, offset, bytes.to_vec())));
    }

    pub(crate) fn finish(&mut self, exit_code: i32) {
        self.tell(NoticeEvent::Finished(exited(exit_code)));
    }

    pub(crate) fn ended_by_signal(&mut self, name: &str) {
        let signal = Signal::from_name(name);
        self.tell(NoticeEvent::Finished(ExecFinished { signal, ..finished(Outcome::Killed) }));
    }
}

pub(crate) fn exited(exit_code: i32) -> ExecFinished {
    ExecFinished { exit_code: Some(exit_code), ..finished(Outcome::Exited) }
}

/// Returns an open question, as the host tells of it.
pub(crate) fn pending() -> Pending {
    Pending {
        expires_at: "2026-01-01T00:02:00.000Z".to_owned(),
        position: 1,
        question: Some("caa2".to_owned()),
        at_expiry: Some(Decision::Deny),
    }
}

/// Waits until the command has written a line.
pub(crate) fn until_ready(child: &mut Child) {
    let mut line = [0; 6];
    child.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
    assert_eq!(&line, b"ready\n");
}
