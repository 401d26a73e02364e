//! A host in a temporary folder, an agent's end of its channel, and a scripted person.

use parking_lot::Mutex;
use postern_contract::methods::Presented;
use postern_contract::{Answer, AnswerParams, Answered, ApproverNotification, ClosedBy, Question};
use postern_host::HostUser;
use postern_host::session::{ScreenPresence, ScreenSession};
use postern_host::{ApproverGuard, ConnectedApproverKind, Host, HostConfig};
use postern_protocol::{Handshake, HandshakeSide, Nonce, Socket, SocketKey};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Notify, broadcast};
use uuid::Uuid;

/// Time that anything may take before a test is given up: a guard against hanging, never an expectation.
const PATIENCE: Duration = Duration::from_mins(2);

#[derive(Debug)]
pub(crate) struct Screen {
    presence: Mutex<ScreenPresence>,
    slept: Mutex<Duration>,
    looked: Notify,
}

impl Default for Screen {
    fn default() -> Self {
        Self { presence: Mutex::new(ScreenPresence::Present), slept: Mutex::default(), looked: Notify::new() }
    }
}

impl ScreenSession for Screen {
    fn presence(&self) -> ScreenPresence {
        let presence = self.presence.lock();
        self.looked.notify_waiters();
        *presence
    }

    fn time_asleep(&self) -> Duration {
        *self.slept.lock()
    }
}

impl Screen {
    /// Makes the host see a sleep of this length, which takes no time in the test.
    pub(crate) fn sleep(&self, time: Duration) {
        *self.slept.lock() += time;
    }

    pub(crate) fn set(&self, presence: ScreenPresence) {
        *self.presence.lock() = presence;
    }

    /// Sets it, and comes back when the host has looked at it by itself.
    pub(crate) async fn seen_as(&self, presence: ScreenPresence) {
        let looked = {
            let mut now = self.presence.lock();
            *now = presence;
            self.looked.notified()
        };
        soon("a look at the screen", looked).await;
    }
}

/// A host with its folders and a person at a terminal.
pub(crate) struct Lab {
    pub(crate) folder: TempDir,
    pub(crate) host: Host,
    pub(crate) face: ApproverGuard,
    pub(crate) screen: Arc<Screen>,
    told: broadcast::Receiver<ApproverNotification>,
}

/// Waits for something that is certain to come, but not for ever.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("{what} did not come"))
}

impl Lab {
    /// Returns a host with the agent `main`, and nothing else.
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        let lab = Self::in_folder(folder).await;
        lab.control("agents.add", json!({"agent": "main"})).await.unwrap();
        lab.set("main", &[("questionsPerMinute", "100")]).await;
        lab
    }

    /// Returns such a host with the agent's connection.
    pub(crate) async fn connected() -> (Self, Wire) {
        let lab = Self::start().await;
        let wire = lab.connect("main").await;
        (lab, wire)
    }

    /// Returns such a host, and the connection of an agent with these settings.
    pub(crate) async fn with(values: &[(&str, &str)]) -> (Self, Wire) {
        let lab = Self::start().await;
        lab.set("main", values).await;
        let wire = lab.connect("main").await;
        (lab, wire)
    }

    /// Returns such a host with one more approver, and the question that the agent's run opens.
    pub(crate) async fn asking(
        kind: ConnectedApproverKind,
        argv: &[&str],
    ) -> (Self, ApproverGuard, Wire, i64, Question) {
        let mut lab = Self::start().await;
        let approver = lab.host.add_approver(kind);
        let mut wire = lab.connect("main").await;
        let (call, question) = lab.ask(&mut wire, argv).await;
        (lab, approver, wire, call, question)
    }

    /// Returns such a host, and the connection of an agent that this rule lets through.
    pub(crate) async fn with_rule(text: &str) -> (Self, Wire) {
        let lab = Self::start().await;
        lab.rule("allow", Some("main"), text).await;
        let wire = lab.connect("main").await;
        (lab, wire)
    }

    /// Returns a host on a folder that one may have used before.
    pub(crate) async fn in_folder(folder: TempDir) -> Self {
        let home = folder.path().join("home").canonicalize().unwrap();
        let user =
            HostUser { home: home.to_str().unwrap().to_owned(), ..HostUser::current(Vec::new()).unwrap() };
        let screen = Arc::new(Screen::default());
        let session = Arc::<Screen>::clone(&screen);
        let config = HostConfig { data: folder.path().join("data"), user, session };
        let host = Host::start(config).await.unwrap();
        let (face, told) = (host.add_approver(ConnectedApproverKind::Terminal), host.subscribe());
        Self { folder, host, face, screen, told }
    }

    /// Ends the host; gives its folder.
    pub(crate) async fn end(self) -> TempDir {
        self.host.shutdown().await;
        let Self { folder, host, face, told, .. } = self;
        drop((host, face, told));
        folder
    }

    /// Ends the host and starts another one on the same folder.
    pub(crate) async fn restart(self) -> Self {
        Self::in_folder(self.end().await).await
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home").canonicalize().unwrap()
    }

    pub(crate) async fn control(&self, method: &str, params: Value) -> Result<Value, String> {
        let face = self.face.id();
        let called = self.host.call_by_name(&face, method, params);
        soon(method, called).await.map_err(|error| error.to_string())
    }

    /// Shows a question on a face until *Allow* would work there.
    pub(crate) async fn arm(&self, face: &ApproverGuard, question: &Question) {
        let gate = self.host.gate();
        while !gate.presented(face.id(), shown(question)).await.unwrap().armed {
            tokio::task::yield_now().await;
        }
    }

    pub(crate) async fn set(&self, agent: &str, values: &[(&str, &str)]) {
        let mut values: serde_json::Map<String, Value> =
            values.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
        values.insert("confirm".to_owned(), json!("yes"));
        self.control("agents.set", json!({"agent": agent, "values": values})).await.unwrap();
    }

    pub(crate) async fn rule(&self, effect: &str, agent: Option<&str>, text: &str) -> Value {
        let draft = json!({"effect": effect, "agent": agent, "text": text});
        self.control("rules.add", draft).await.unwrap()
    }

    pub(crate) async fn question(&mut self) -> Question {
        loop {
            if let ApproverNotification::QuestionOpened(question) =
                soon("a question", self.told.recv()).await.unwrap()
            {
                return *question;
            }
        }
    }

    pub(crate) async fn changed(&mut self, wanted: impl Fn(&Question) -> bool) -> Question {
        loop {
            if let ApproverNotification::QuestionChanged(question) =
                soon("a change", self.told.recv()).await.unwrap()
                && wanted(&question)
            {
                return *question;
            }
        }
    }

    pub(crate) async fn heard(&mut self) -> ApproverNotification {
        soon("something told", self.told.recv()).await.unwrap()
    }

    /// Asks for a run; returns the number of the call, and the question that opens.
    pub(crate) async fn ask(&mut self, wire: &mut Wire, argv: &[&str]) -> (i64, Question) {
        let (_, call) = wire.post_run(argv, json!({})).await;
        (call, self.question().await)
    }

    /// Returns how the next question closes.
    pub(crate) async fn closed(&mut self) -> ClosedBy {
        loop {
            if let ApproverNotification::QuestionClosed(closed) =
                soon("the end of a question", self.told.recv()).await.unwrap()
            {
                return closed.how;
            }
        }
    }

    /// Answers the next question; `more` is joined to the answer's params.
    pub(crate) async fn answer(&mut self, answer: &str, more: Value) -> (Question, Value) {
        let question = self.question().await;
        let answered = self.answer_to(&question, answer, more).await;
        (question, answered)
    }

    pub(crate) async fn answer_to(&self, question: &Question, answer: &str, more: Value) -> Value {
        let mut params = json!({"questionId": question.id, "digest": question.digest, "answer": answer});
        if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
            params.extend(more.clone());
        }
        self.control("questions.answer", params).await.unwrap()
    }

    /// Answers a question from this approver.
    pub(crate) async fn answer_from(
        &self,
        approver: &ApproverGuard,
        question: &Question,
        answer: Answer,
    ) -> Answered {
        let params = AnswerParams::for_question(question, answer);
        self.host.gate().answer(params, approver.id()).await.unwrap()
    }

    pub(crate) fn socket(&self, agent: &str) -> PathBuf {
        self.folder.path().join("data/agents").join(agent).join("agent.sock")
    }

    pub(crate) fn key(&self, agent: &str) -> SocketKey {
        let path = self.socket(agent).with_file_name("agent.key");
        SocketKey::from_text(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    pub(crate) async fn connect(&self, agent: &str) -> Wire {
        self.connect_after(agent, None).await
    }

    /// Returns a connection to the control socket.
    pub(crate) async fn approver(&self) -> Wire {
        let data = self.folder.path().join("data");
        let mut wire = Wire::open(&data.join("control.sock")).await;
        let key = SocketKey::from_text(&std::fs::read_to_string(data.join("control.key")).unwrap()).unwrap();
        wire.prove(Socket::Control, &key, None).await.unwrap();
        wire
    }

    pub(crate) async fn connect_after(&self, agent: &str, after: Option<u64>) -> Wire {
        let mut wire = Wire::open(&self.socket(agent)).await;
        wire.authenticate(&self.key(agent), after).await.unwrap();
        wire
    }
}

/// A record that refuses what is written to it, as a full disk does, until this is dropped.
pub(crate) struct FullDisk {
    conn: postern_store::Connection,
    tables: &'static [&'static str],
}

impl FullDisk {
    const TABLES: &[&str] = &["requests", "events", "questions", "settings", "rules"];
    const WORDS: [&str; 3] = ["INSERT", "UPDATE", "DELETE"];

    fn each(&self, sql: impl Fn(&str, &str) -> String) {
        let all = self.tables.iter().flat_map(|table| Self::WORDS.map(|word| sql(table, word)));
        let sql: String = all.collect();
        self.conn.execute_batch(&format!("BEGIN IMMEDIATE; {sql} COMMIT;")).unwrap();
    }
}

impl Drop for FullDisk {
    fn drop(&mut self) {
        self.each(|table, word| format!("DROP TRIGGER full_{table}_{word};"));
    }
}

impl Lab {
    /// Fails every write to the record from now on.
    pub(crate) fn full_disk(&self) -> FullDisk {
        self.full_tables(FullDisk::TABLES)
    }

    /// Fails every write to these tables from now on.
    pub(crate) fn full_tables(&self, tables: &'static [&'static str]) -> FullDisk {
        let conn = postern_store::Connection::open(self.folder.path().join("data/postern.db")).unwrap();
        let full = FullDisk { conn, tables };
        full.each(|table, word| {
            format!(
                "CREATE TRIGGER full_{table}_{word} BEFORE {word} ON {table}
                 BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END;"
            )
        });
        full
    }

    /// Returns the next status that says what is wanted.
    pub(crate) async fn status(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let status = self.control("status", json!({})).await.unwrap();
            if wanted(&status) {
                return status;
            }
            self.heard().await;
        }
    }
}

/// Returns the report of a window that shows the whole question.
pub(crate) fn shown(question: &Question) -> Presented {
    Presented {
        question_id: question.id.clone(),
        digest: question.digest.clone(),
        visible: true,
        end_seen: true,
        change: 0,
    }
}

fn outcome(message: &Value) -> Result<Value, Value> {
    match message.get("error") {
        Some(error) => Err(error.clone()),
        None => Ok(message["result"].clone()),
    }
}

/// An agent's end of a channel.
pub(crate) struct Wire {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    next: i64,
    pub(crate) notices: VecDeque<Value>,
    answers: Vec<Value>,
    pub(crate) welcome: Value,
}

impl Wire {
    pub(crate) async fn open(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).await.unwrap();
        let (reader, writer) = stream.into_split();
        Self {
            reader: BufReader::new(reader),
            writer,
            next: 0,
            notices: VecDeque::new(),
            answers: Vec::new(),
            welcome: Value::Null,
        }
    }

    /// Answers the hello of an agent's channel, and checks the host's own proof.
    pub(crate) async fn authenticate(&mut self, key: &SocketKey, after: Option<u64>) -> Result<(), Value> {
        self.prove(Socket::Channel, key, after).await
    }

    async fn prove(&mut self, socket: Socket, key: &SocketKey, after: Option<u64>) -> Result<(), Value> {
        let hello = self.read().await.unwrap();
        assert_eq!(hello["method"], "hello", "the host speaks first");
        let server = Nonce::try_from(hello["params"]["nonce"].as_str().unwrap().to_owned()).unwrap();
        let client = Nonce::from_bytes(*Uuid::new_v4().as_bytes());
        let both = Handshake { socket, server_nonce: server, client_nonce: client.clone() };
        let mut params = json!({
            "protocol": 1, "nonce": client.as_str(), "proof": both.make_proof(key, HandshakeSide::Client),
            "client": {"name": "test", "version": "1"},
        });
        if let Some(after) = after {
            params["after"] = after.into();
        }
        self.welcome = self.call("authenticate", params).await?;
        let proof = self.welcome["proof"].as_str().unwrap();
        assert!(both.verify_proof(key, HandshakeSide::Server, proof), "the host proves itself as well");
        Ok(())
    }

    pub(crate) async fn send(&mut self, line: &[u8]) {
        soon("writing", self.writer.write_all(line)).await.unwrap();
    }

    /// Returns the next message; none at the end.
    pub(crate) async fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = soon("a message", self.reader.read_line(&mut line)).await;
        match read {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(serde_json::from_str(&line).unwrap()),
        }
    }

    /// Sends a call without waiting for its answer; gives its id.
    pub(crate) async fn post(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let call = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.send(format!("{call}\n").as_bytes()).await;
        self.next
    }

    /// Returns the answer to a call that was sent; events that come before it are kept.
    pub(crate) async fn answer(&mut self, id: i64) -> Result<Value, Value> {
        if let Some(kept) = self.answers.iter().position(|message| message["id"] == id) {
            return outcome(&self.answers.remove(kept));
        }
        loop {
            let message = self.read().await.unwrap_or_else(|| panic!("the host hung up before answer {id}"));
            if message.get("method").is_some() {
                self.notices.push_back(message);
            } else if message["id"] == id || message["id"].is_null() {
                return outcome(&message);
            } else {
                self.answers.push(message);
            }
        }
    }

    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.post(method, params).await;
        self.answer(id).await
    }

    /// Returns the params of the next event of this name; those before it are passed over.
    pub(crate) async fn event(&mut self, method: &str) -> Value {
        loop {
            let message = match self.notices.pop_front() {
                Some(kept) => kept,
                None => self.read().await.unwrap_or_else(|| panic!("the host hung up before {method}")),
            };
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }

    /// Runs a command and waits for its end: the members of its last event.
    pub(crate) async fn run(&mut self, argv: &[&str]) -> Value {
        self.run_with(argv, json!({})).await
    }

    /// Runs a command with more params, and gives how it ended.
    pub(crate) async fn run_with(&mut self, argv: &[&str], more: Value) -> Value {
        let id = self.post_run(argv, more).await.1;
        self.answer(id).await.unwrap()
    }

    /// Sends `system.run` with `wait: finished`; gives the request's id and the call's.
    pub(crate) async fn post_run(&mut self, argv: &[&str], more: Value) -> (String, i64) {
        let request_id = Uuid::new_v4().to_string();
        let mut params = json!({"requestId": request_id, "command": argv, "wait": "finished"});
        if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
            params.extend(more.clone());
        }
        let id = self.post("system.run", params).await;
        (request_id, id)
    }
}
