//! The stage of an attack: a host, a person at its command line, and agents in the sandbox that Postern prints for them.
//!
//! With `POSTERN_ATTACK_DATA` set to a data folder, the host that runs there is attacked instead of a new one
//! (`tests/attacks/run`); its agents get names of their own and are removed at the end.

use crate::host::{Answer, Postern};
use crate::programs::{postern, postern_run, program, start};
use crate::sandbox::bubblewrap_works;
use crate::watcher::Watcher;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The data folder of a running host to attack, and the command line of its person.
const RUNNING: &str = "POSTERN_ATTACK_DATA";

/// A host and its person.
pub struct Arena {
    /// A host of the test's own; `None` where a running one is attacked.
    own: Option<Postern>,
    data: PathBuf,
    home: PathBuf,
    folder: TempDir,
    enrolled: RefCell<Vec<String>>,
}

impl Arena {
    /// Opens a stage; `None` where bubblewrap cannot make a sandbox (the test is skipped then, and says so).
    pub fn open() -> Option<Self> {
        bubblewrap_works().then(|| {
            #[expect(clippy::disallowed_methods, reason = "a test asks its environment whom to attack")]
            let running = std::env::var_os(RUNNING);
            let folder =
                tempfile::Builder::new().prefix("pst").tempdir_in("/tmp").expect("a temporary folder");
            if let Some(data) = running {
                #[expect(clippy::disallowed_methods, reason = "the person's own home")]
                let home = std::env::var_os("HOME").expect("a person has a home").into();
                return Self { own: None, data: data.into(), home, folder, enrolled: RefCell::default() };
            }
            let own = Postern::start();
            Self { data: own.data(), home: own.home(), own: Some(own), folder, enrolled: RefCell::default() }
        })
    }

    /// A stage with a host of the test's own, for attacks that stop it or change the person's home; `None` (skipped) where
    /// a running host is attacked.
    pub fn open_own() -> Option<Self> {
        Self::open().filter(|arena| arena.own.is_some())
    }

    /// The host, where it is the test's own.
    pub fn host(&mut self) -> &mut Postern {
        self.own.as_mut().expect("a host of the test's own: open_own")
    }

    /// The host's data folder.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The person's home folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// A folder outside of everything the agents can write.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// A `postern` command line of the person.
    pub fn command(&self, args: &[&str]) -> Command {
        if let Some(own) = &self.own {
            return own.command(args);
        }
        let mut command = start(postern());
        command.args(args).env("POSTERN_DATA", &self.data).stdin(Stdio::null());
        command
    }

    /// Runs a command line of the person to its end.
    pub fn run(&self, args: &[&str]) -> Answer {
        self.command(args).output().expect("postern runs").into()
    }

    /// Runs it and expects it to work.
    pub fn ok(&self, args: &[&str]) -> String {
        self.run(args).worked(args)
    }

    /// Runs it with `--json` and reads what it printed.
    pub fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(&[args, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("postern {args:?} printed {text}: {error}"))
    }

    /// Watches the questions from now on.
    pub fn watch(&self) -> Watcher {
        Watcher::start(self.command(&["questions", "--watch", "--json"]))
    }

    /// Answers a question as a person does who has seen it: `how` is what follows the code and the digest.
    pub fn approve(&self, question: &Value, how: &[&str]) -> Answer {
        let part = |key: &str| question[key].as_str().unwrap_or_else(|| panic!("{question} has no {key}"));
        self.run(&[&["approve", part("code"), "--digest", part("digest")], how].concat())
    }

    /// Enrols an agent with these settings (`ask=on-miss`) and starts it in the sandbox that Postern prints for it, with one
    /// folder of its own to write to: [`Agent::project`].
    pub fn agent(&self, name: &str, settings: &[&str]) -> Agent {
        let id = if self.own.is_some() {
            name.to_owned()
        } else {
            format!("attack-{name}-{}", std::process::id())
        };
        self.enrolled.borrow_mut().push(id.clone());
        self.ok(&["agents", "add", &id]);
        if !settings.is_empty() {
            self.ok(&[&["agents", "set", &id], settings].concat());
        }
        let project = self.folder.path().join(format!("project-{name}"));
        std::fs::create_dir_all(&project).expect("a folder");
        let lines = self.ok(&["agents", "channel", &id, "--for", "bwrap"]);
        Agent::start(id, project, &lines)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if self.own.is_none() {
            for id in self.enrolled.borrow().iter() {
                let removed = self.run(&["agents", "remove", id]);
                if removed.code != 0 {
                    eprintln!("{id} is still enrolled: {removed:?}");
                }
            }
        }
    }
}

/// A hostile agent in its sandbox, told from outside what to do (`tests/attacker`).
pub struct Agent {
    id: String,
    project: PathBuf,
    child: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Agent {
    /// Runs the printed lines as a person pastes them, with the attacker in place of the example command.
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
        Self { id, project, child, orders, answers }
    }

    /// The agent's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The one folder that it can write to, at the same path inside and outside.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// A path in that folder, as text.
    pub fn path(&self, name: &str) -> String {
        self.project.join(name).display().to_string()
    }

    /// Carries out one order of `tests/attacker`.
    pub fn order(&mut self, order: &Value) -> Value {
        writeln!(self.orders, "{order}").expect("the attacker hears");
        let line = self.answers.next().expect("the attacker answers").expect("text");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{order}: {line}: {error}"))
    }

    /// Runs shell text inside the sandbox and expects it to work.
    pub fn sh(&mut self, text: &str) -> String {
        let done = self.order(&json!({ "do": "shell", "text": text }));
        assert_eq!(done["code"], 0, "{text}: {done}");
        done["stdout"].as_str().unwrap_or_default().to_owned()
    }

    /// Writes a file into its folder, whole at once.
    pub fn write(&mut self, name: &str, text: &str, mode: u32) {
        let path = self.path(name);
        self.order(&json!({ "do": "write", "path": path, "text": text, "mode": mode }));
    }

    /// Exchanges two names of its folder this many times.
    pub fn exchange(&mut self, a: &str, b: &str, times: u64) {
        let (a, b) = (self.path(a), self.path(b));
        self.order(&json!({ "do": "exchange", "a": a, "b": b, "times": times }));
    }

    /// Asks for a run without waiting (`params` as in `system.run`; the folder is its own where none is named) and returns
    /// the reply with its `requestId`.
    pub fn post(&mut self, params: Value) -> Value {
        let params = self.with_folder(params);
        self.order(&json!({ "do": "request", "params": params }))
    }

    /// The same, and right after the reply exchanges two names for this long, an even number of times.
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

    /// Waits for `exec.finished` or `exec.denied` of a request that was posted.
    pub fn end(&mut self, posted: &Value) -> Value {
        self.event("", posted)
    }

    /// Waits for this event of a request that was posted (`exec.started`).
    pub fn event(&mut self, method: &str, posted: &Value) -> Value {
        self.order(&json!({ "do": "event", "method": method, "requestId": posted["requestId"] }))
    }

    /// Asks for a run and waits for its end.
    pub fn request(&mut self, params: Value) -> Value {
        let posted = self.post(params);
        if posted["error"].is_string() { posted } else { self.end(&posted) }
    }

    /// Calls any other method of the channel.
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.order(&json!({ "do": "call", "method": method, "params": params }))
    }

    /// Connects again and returns how the agent is judged by now.
    pub fn policy(&mut self) -> Value {
        self.order(&json!({ "do": "connect" }))["policy"].clone()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
