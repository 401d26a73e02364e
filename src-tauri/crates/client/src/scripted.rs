//! A host that says what a test tells it to: for tests of everything that speaks to one.

use postern_protocol::{
    AgentCall, AuthenticateParams, CallId, ControlWelcome, DenyReason, Encoding, ExecDenied, ExecFinished,
    Frame, Handshake, HandshakeSide, Hello, LineBuffer, Nonce, Notice, Outcome, PROTOCOL, PolicyNote,
    Request, Socket, SocketKey, Welcome, WireLimits, decode, limits, notification_line, result_line,
};
use serde::Serialize;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// A socket with its key file beside it, as the real host lays them out.
#[derive(Debug)]
pub struct ScriptedHost {
    listener: UnixListener,
    kind: Socket,
    key: SocketKey,
    pub socket: PathBuf,
    pub key_file: PathBuf,
    /// The agent's newest event, as `authenticate` tells it.
    pub sequence: u64,
}

impl ScriptedHost {
    /// Listens in `folder`: `agent.sock` and `agent.key`, or `control.sock` and `control.key`.
    pub fn listen(folder: &Path, kind: Socket) -> io::Result<Self> {
        let name = match kind {
            Socket::Channel => "agent",
            Socket::Control => "control",
        };
        let (socket, key_file) = (folder.join(format!("{name}.sock")), folder.join(format!("{name}.key")));
        let key = SocketKey::from_bytes([42; 32]);
        std::fs::write(&key_file, key.to_text())?;
        if socket.exists() {
            std::fs::remove_file(&socket)?;
        }
        Ok(Self { listener: UnixListener::bind(&socket)?, kind, key, socket, key_file, sequence: 0 })
    }

    /// Waits for a client and goes through the opening with it, right or wrong proof.
    pub fn accept(&self) -> io::Result<Visit> {
        let (stream, _) = self.listener.accept()?;
        let mut visit = Visit::from_stream(stream);
        let server_nonce = Nonce::from_bytes([9; 16]);
        let hello =
            Hello { protocol: PROTOCOL, server: "postern/test".to_owned(), nonce: server_nonce.clone() };
        visit.send(&notification_line("hello", &hello))?;
        let request = visit.request()?;
        let id = request.id.clone();
        let opening = AuthenticateParams::of_request(request).map_err(io::Error::other)?;
        let handshake = Handshake { socket: self.kind, server_nonce, client_nonce: opening.nonce.clone() };
        if !handshake.verify_proof(&self.key, HandshakeSide::Client, &opening.proof) {
            return Err(io::Error::other("the client's proof is wrong"));
        }
        visit.opening = Some(opening);
        let proof = handshake.make_proof(&self.key, HandshakeSide::Server);
        match self.kind {
            Socket::Channel => visit.answer(&id, &self.welcome(proof))?,
            Socket::Control => visit.answer(&id, &ControlWelcome { proof })?,
        }
        Ok(visit)
    }

    fn welcome(&self, proof: String) -> Welcome {
        Welcome {
            agent: "main".to_owned(),
            proof,
            limits: WireLimits::of_agent(Some(300_000)),
            policy: PolicyNote { security: "allowlist".to_owned(), ask: "on-miss".to_owned() },
            sequence: self.sequence,
        }
    }
}

/// A client's connection.
#[derive(Debug)]
pub struct Visit {
    stream: UnixStream,
    lines: LineBuffer,
    /// Parameters that the client opened the connection with.
    pub opening: Option<AuthenticateParams>,
}

impl Visit {
    /// Returns a connection on which nothing was said yet.
    pub fn from_stream(stream: UnixStream) -> Self {
        Self { stream, lines: LineBuffer::new(limits::FRAME_IN), opening: None }
    }

    /// Returns the next call; an error where the client went away or said something else.
    pub fn request(&mut self) -> io::Result<Request> {
        let mut chunk = [0; 4096];
        loop {
            if let Some(line) = self.lines.next_line() {
                let frame = line.and_then(|line| decode(line, limits::FRAME_IN));
                return frame.and_then(Frame::into_request).map_err(io::Error::other);
            }
            match self.stream.read(&mut chunk)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                bytes => self.lines.push(&chunk[..bytes]),
            }
        }
    }

    /// Returns the next call on an agent's channel.
    pub fn next_call(&mut self) -> io::Result<(CallId, AgentCall)> {
        AgentCall::of_request(self.request()?).map_err(io::Error::other)
    }

    /// Sends a line as it is.
    pub fn send(&mut self, line: &[u8]) -> io::Result<()> {
        self.stream.write_all(line)
    }

    /// Answers a call.
    pub fn answer<R: Serialize>(&mut self, id: &CallId, result: &R) -> io::Result<()> {
        self.send(&result_line(id, result))
    }

    /// Tells an event.
    pub fn send_notice(&mut self, notice: &Notice) -> io::Result<()> {
        self.send(&notice.to_line())
    }
}

/// Returns the end of a run that wrote nothing.
pub fn finished(outcome: Outcome) -> ExecFinished {
    ExecFinished {
        outcome,
        exit_code: None,
        signal: None,
        timed_out: false,
        duration_ms: 1_250,
        stdout: String::new(),
        stdout_encoding: Encoding::Utf8,
        stderr: String::new(),
        stderr_encoding: Encoding::Utf8,
        truncated: false,
        bytes: 0,
        edited: None,
        timeout_ms: None,
        message: None,
    }
}

/// Returns a denial that says little.
pub fn denied(reason: DenyReason) -> ExecDenied {
    let message = "no".to_owned();
    ExecDenied { reason, message, advice: None, feedback: None, rule: None, retry_after_ms: None }
}
