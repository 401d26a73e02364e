//! The setting of an attack: a host, a user at its command line, and agents in the sandbox that Postern prints
//! for them.
//!
//! With `POSTERN_ATTACK_DATA` set to a data folder, tests attack the host that runs there instead of a new one
//! (`tests/attacks/run`); their agents get unique names and are removed at the end.

use crate::host::{Answer, Postern};
use crate::programs::{OwnedChild, postern, postern_run, program, start};
use crate::sandbox::bubblewrap_works;
use crate::watcher::{Watcher, answer_args};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Data folder of a running host to attack, and its user's command line.
const RUNNING: &str = "POSTERN_ATTACK_DATA";

/// A host and its user.
pub struct Arena {
    /// The test's own host; `None` if a running one is attacked.
    own: Option<Postern>,
    data: PathBuf,
    home: PathBuf,
    folder: TempDir,
    enrolled: RefCell<Vec<String>>,
    /// Rules for every agent, by number.
    rules: RefCell<Vec<String>>,
}

impl Arena {
    /// Opens an arena, or skips the test with `None` if bubblewrap cannot make a sandbox.
    pub fn open() -> Option<Self> {
        bubblewrap_works().then(|| {
            #[expect(clippy::disallowed_methods, reason = "a test asks its environment whom to attack")]
            let running = std::env::var_os(RUNNING);
            let folder =
                tempfile::Builder::new().prefix("pst").tempdir_in("/tmp").expect("a temporary folder");
            if let Some(data) = running {
                #[expect(clippy::disallowed_methods, reason = "the person's own home")]
                let home = std::env::var_os("HOME").expect("a person has a home").into();
                return Self::new(None, data.into(), home, folder);
            }
            Self::with(Postern::start(), folder)
        })
    }

    /// Opens an arena with an agent of these settings, or skips the test with `None` where [`Arena::open`] does.
    pub fn with_agent(name: &str, settings: &[&str]) -> Option<(Self, Agent)> {
        let arena = Self::open()?;
        let agent = arena.agent(name, settings);
        Some((arena, agent))
    }

    /// Opens an arena with this host. Skips the test with `None` where [`Arena::open_own`] does.
    pub fn open_with(start: impl FnOnce() -> Postern) -> Option<Self> {
        #[expect(clippy::disallowed_methods, reason = "a test asks its environment whom to attack")]
        let running = std::env::var_os(RUNNING);
        (running.is_none() && bubblewrap_works()).then(|| {
            let folder =
                tempfile::Builder::new().prefix("pst").tempdir_in("/tmp").expect("a temporary folder");
            Self::with(start(), folder)
        })
    }

    fn with(own: Postern, folder: TempDir) -> Self {
        let (data, home) = (own.data(), own.home());
        Self::new(Some(own), data, home, folder)
    }

    fn new(own: Option<Postern>, data: PathBuf, home: PathBuf, folder: TempDir) -> Self {
        Self { own, data, home, folder, enrolled: RefCell::default(), rules: RefCell::default() }
    }

    /// Opens an arena with its own host, for attacks that stop it or change the user's home. Skips the test
    /// with `None` if a running host is attacked.
    pub fn open_own() -> Option<Self> {
        Self::open().filter(|arena| arena.own.is_some())
    }

    pub fn host(&mut self) -> &mut Postern {
        self.own.as_mut().expect("a host of the test's own: open_own")
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns a folder that no agent can write.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        if let Some(own) = &self.own {
            return own.command(args);
        }
        let mut command = start(postern());
        command.args(args).env("POSTERN_DATA", &self.data).stdin(Stdio::null());
        command
    }

    /// Runs a command of the user to its end.
    pub fn run(&self, args: &[&str]) -> Answer {
        self.command(args).output().expect("postern runs").into()
    }

    /// Runs a command and expects success.
    pub fn ok(&self, args: &[&str]) -> String {
        self.run(args).worked(args)
    }

    /// Runs a command with `--json` and parses its output.
    pub fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(&[args, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("postern {args:?} printed {text}: {error}"))
    }

    /// Adds an allow rule for every agent; removed again at the end.
    pub fn allow_everyone(&self, rule: &[&str]) {
        let row = self.json(&[&["rules", "allow"], rule, &["--everyone"]].concat());
        self.rules.borrow_mut().push(row["rule"]["id"].to_string());
    }

    pub fn watch(&self) -> Watcher {
        Watcher::start(self.command(&["questions", "--watch", "--json"]))
    }

    /// Answers a question that the user has seen; `how` follows the code and the digest.
    pub fn approve(&self, question: &Value, how: &[&str]) -> Answer {
        self.run(&answer_args("approve", question, how))
    }

    /// Enrolls an agent with these settings (`ask=on-miss`) and starts it in the sandbox that Postern prints
    /// for it, with one writable folder: [`Agent::project`].
    pub fn agent(&self, name: &str, settings: &[&str]) -> Agent {
        let id = if self.own.is_some() {
            name.to_owned()
        } else {
            format!("attack-{name}-{}", std::process::id())
        };
        self.enrolled.borrow_mut().push(id.clone());
        self.ok(&["agents", "add", &id]);
        let project = self.folder.path().join(format!("project-{name}"));
        std::fs::create_dir_all(&project).expect("a folder");
        if !settings.is_empty() {
            self.ok(&[&["agents", "set", &id, "--yes"], settings].concat());
        }
        let lines = self.ok(&["agents", "channel", &id, "--for", "bwrap"]);
        Agent::start(id, project, &lines)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if self.own.is_none() {
            for id in self.rules.borrow().iter() {
                let removed = self.run(&["rules", "remove", id]);
                if removed.code != 0 {
                    eprintln!("rule {id} is still there: {removed:?}");
                }
            }
            for id in self.enrolled.borrow().iter() {
                let removed = self.run(&["agents", "remove", id, "--yes"]);
                if removed.code != 0 {
                    eprintln!("{id} is still enrolled: {removed:?}");
                }
            }
        }
    }
}

/// A hostile agent in its sandbox, controlled by the test (`tests/attacker`).
pub struct Agent {
    id: String,
    project: PathBuf,
    _child: OwnedChild,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Agent {
    /// Runs the printed lines as a user pastes them, with the attacker in place of the example command.
    fn start(id: String, project: PathBuf, lines: &str) -> Self {
        static ATTACKER: OnceLock<PathBuf> = OnceLock::new();
        let attacker = ATTACKER.get_or_init(|| program("postern-attacker"));
        let (sandbox, _example) = lines.split_once("-- /bin/sh -c").expect("the lines end with an example");
        let text = format!("{sandbox} --ro-bind '{}' /opt/attacker -- /opt/attacker", attacker.display());
        let programs = postern_run().parent().expect("in a folder").display().to_string();
        let mut child = start("/bin/sh")
            .args(["-c", &text])
            .current_dir(&project)
            .env("PATH", format!("{programs}:/usr/local/bin:/usr/bin:/bin"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the sandbox starts");
        let orders = child.stdin.take().expect("piped");
        let answers = BufReader::new(child.stdout.take().expect("piped")).lines();
        Self { id, project, _child: OwnedChild(child), orders, answers }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the only folder that it can write, at the same path inside and outside.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Returns a path in that folder, as text.
    pub fn path(&self, name: &str) -> String {
        self.project.join(name).display().to_string()
    }

    /// Executes one order of `tests/attacker`.
    pub fn order(&mut self, order: &Value) -> Value {
        writeln!(self.orders, "{order}").expect("the attacker hears");
        let line = self.answers.next().expect("the attacker answers").expect("text");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{order}: {line}: {error}"))
    }

    /// Runs shell text inside the sandbox and expects success.
    pub fn sh(&mut self, text: &str) -> String {
        let done = self.order(&json!({ "do": "shell", "text": text }));
        assert_eq!(done["code"], 0, "{text}: {done}");
        done["stdout"].as_str().unwrap_or_default().to_owned()
    }

    /// Writes a file into its folder atomically.
    pub fn write(&mut self, name: &str, text: &str, mode: u32) {
        let path = self.path(name);
        self.order(&json!({ "do": "write", "path": path, "text": text, "mode": mode }));
    }

    /// Exchanges two names in its folder this many times.
    pub fn exchange(&mut self, a: &str, b: &str, times: u64) {
        let (a, b) = (self.path(a), self.path(b));
        self.order(&json!({ "do": "exchange", "a": a, "b": b, "times": times }));
    }

    /// Posts a run without waiting (`params` as in `system.run`, by default in its own folder) and returns the
    /// reply with its `requestId`.
    pub fn post(&mut self, params: Value) -> Value {
        let params = self.with_folder(params);
        self.order(&json!({ "do": "request", "params": params }))
    }

    /// Posts a run, and right after the reply exchanges two names for this long, an even number of times.
    pub fn race(&mut self, params: Value, (a, b): (&str, &str), microseconds: u64) -> Value {
        let (params, a, b) = (self.with_folder(params), self.path(a), self.path(b));
        self.order(&json!({ "do": "race", "params": params, "a": a, "b": b, "microseconds": microseconds }))
    }

    fn with_folder(&self, mut params: Value) -> Value {
        if params["cwd"].is_null() {
            params["cwd"] = json!(self.project);
        }
        params
    }

    /// Waits for `exec.finished` or `exec.denied` of a posted request.
    pub fn end(&mut self, posted: &Value) -> Value {
        self.event(&["exec.finished", "exec.denied"], posted)
    }

    /// Waits for one of these events of a posted request.
    pub fn event(&mut self, methods: &[&str], posted: &Value) -> Value {
        self.order(&json!({ "do": "event", "methods": methods, "requestId": posted["requestId"] }))
    }

    /// Waits until a posted request is part of an open question.
    pub fn asked(&mut self, posted: &Value) {
        let event = self.event(&["exec.pending"], posted);
        assert_eq!(event["method"], "exec.pending", "{event}");
    }

    /// Posts a run and waits for its end.
    pub fn request(&mut self, params: Value) -> Value {
        let posted = self.post(params);
        if posted["error"].is_string() { posted } else { self.end(&posted) }
    }

    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.order(&json!({ "do": "call", "method": method, "params": params }))
    }

    /// Connects again and returns how Postern judges the agent now.
    pub fn policy(&mut self) -> Value {
        self.order(&json!({ "do": "connect" }))["policy"].clone()
    }
}
