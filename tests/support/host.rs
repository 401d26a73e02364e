//! A host with its own data folder and home, driven through `postern` as a person would.

use crate::programs::{OwnedChild, postern, start};
use crate::watcher::{Watcher, answer_args};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A running `postern serve`. Ends with the test.
pub struct Postern {
    child: OwnedChild,
    folder: TempDir,
    /// Path of the data folder in the test's own.
    data: &'static str,
    variables: Vec<(String, String)>,
    /// Program that starts it, with its arguments; the host itself if it is empty.
    starter: &'static [&'static str],
    /// User of the host, if that is not the test's.
    user: Option<OrdinaryUser>,
}

/// A user, by number.
#[derive(Clone, Copy)]
struct OrdinaryUser {
    id: u32,
    group: u32,
}

impl OrdinaryUser {
    /// Reads a line of the system's list of users. `None` for root, and for one without a home folder.
    fn from_line(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split(':').collect();
        let [_, _, id, group, _, home, ..] = fields[..] else { return None };
        let user = Self { id: id.parse().ok()?, group: group.parse().ok()? };
        (user.id != 0 && Path::new(home).is_dir()).then_some(user)
    }

    /// Makes a command run as this user.
    fn start_as(self, command: &mut Command) -> &mut Command {
        command.uid(self.id).gid(self.group)
    }

    /// Returns true if this user can execute the programs that were built.
    fn can_use_programs(self) -> bool {
        let mut version = start(postern());
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        self.start_as(&mut version).status().is_ok_and(|status| status.success())
    }
}

/// Starts a host that finds no bubblewrap of the system.
const WITHOUT_BUBBLEWRAP: &[&str] = &[
    "/usr/bin/bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap", "--cap-add", "ALL",
    "--die-with-parent", "--",
];

/// Output of a command line, and its end.
#[derive(Debug)]
pub struct Answer {
    /// Exit code; -1 if a signal ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Answer {
    /// Expects success and returns the output.
    pub(crate) fn worked(self, args: &[&str]) -> String {
        assert_eq!(self.code, 0, "postern {args:?}: {}{}", self.stdout, self.stderr);
        self.stdout
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Time that a system gives the host to end, and the host itself.
const LONGEST_END: Duration = Duration::from_secs(5);

/// Asserts that a host ends within five seconds, in one of a few tries.
///
/// Programs that have nothing to do with it may take the processor from one end; what holds the host up does so each time.
#[track_caller]
pub fn ends_in_time(mut end: impl FnMut() -> Duration) {
    let mut took = Vec::new();
    while took.iter().all(|took| *took >= LONGEST_END) {
        assert!(took.len() < 5, "{took:?}");
        took.push(end());
    }
}

impl Postern {
    /// Starts a host in a new data folder and waits until it accepts connections.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a host with the agent `main`, and returns the folder of its channel, too.
    pub fn with_agent() -> (Self, PathBuf) {
        let host = Self::start();
        let channel = host.enrol("main");
        (host, channel)
    }

    /// Starts a host with the agent `main`, which may run anything, and returns the folder of its channel, too.
    pub fn with_allowed_agent() -> (Self, PathBuf) {
        let host = Self::start();
        let channel = host.enrol_allowed("main");
        (host, channel)
    }

    pub fn start_with(variables: &[(&str, &str)]) -> Self {
        Self::start_by(&[], variables)
    }

    /// Starts a host that cannot use the system's bubblewrap, so that it cannot confine code of a project.
    pub fn start_without_bubblewrap() -> Self {
        Self::start_by(WITHOUT_BUBBLEWRAP, &[])
    }

    /// Starts a host by this program with its arguments, such as one that sets limits.
    pub fn start_by(starter: &'static [&'static str], variables: &[(&str, &str)]) -> Self {
        Self::start_prepared(starter, variables, |_| {})
    }

    /// Starts a host whose data folder is where a Mac's is.
    pub fn start_as_on_a_mac() -> Self {
        Self::start_in("home/Library/Application Support/Postern", &[], None, &[], |_| {})
    }

    /// Starts a host of a user whose processes the system limits: root's it does not. `None` if there is no such user here.
    pub fn start_as_ordinary_user() -> Option<Self> {
        if !rustix::process::getuid().is_root() {
            return Some(Self::start());
        }
        let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let user = users.lines().find_map(OrdinaryUser::from_line).filter(|user| user.can_use_programs());
        if user.is_none() {
            eprintln!("skipped: no user but root has a home folder and may execute {}", postern().display());
        }
        Some(Self::start_in("data", &[], Some(user?), &[], |_| {}))
    }

    /// Starts a host once `prepare` has made what has to be there before: it gets the path of the data folder.
    pub fn start_prepared(
        starter: &'static [&'static str],
        variables: &[(&str, &str)],
        prepare: impl FnOnce(&Path),
    ) -> Self {
        Self::start_in("data", starter, None, variables, prepare)
    }

    fn start_in(
        data: &'static str,
        starter: &'static [&'static str],
        user: Option<OrdinaryUser>,
        variables: &[(&str, &str)],
        prepare: impl FnOnce(&Path),
    ) -> Self {
        // Short, because a socket path has to stay under 104 bytes.
        let folder = tempfile::Builder::new().prefix("pst").tempdir_in("/tmp").expect("a temporary folder");
        let home = folder.path().join("home");
        std::fs::create_dir(&home).expect("a home");
        for own in [folder.path(), &home] {
            hand_over(user, own);
        }
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let variables: Vec<(String, String)> = variables.iter().map(own).collect();
        prepare(&folder.path().join(data));
        let child = serve(starter, user, folder.path(), data, &variables);
        Self { child, folder, data, variables, starter, user }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join(self.data)
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Returns a folder for whatever a test needs.
    pub fn scratch(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        self.give_away(&path);
        path
    }

    /// Gives a file of the test's to the host's user.
    pub fn give_away(&self, path: &Path) {
        hand_over(self.user, path);
    }

    /// Makes a command run as the host's user.
    pub fn start_as_its_user<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        match self.user {
            Some(user) => user.start_as(command),
            None => command,
        }
    }

    /// Process id of the host.
    pub fn pid(&self) -> u32 {
        self.child.0.id()
    }

    /// Ends the host at once, as a crash does.
    pub fn crash(&mut self) {
        self.child.0.kill().expect("kill");
        self.child.0.wait().expect("wait");
    }

    /// Ends the host as a person or the system does, with SIGTERM, and waits for it.
    pub fn end(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child.0);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
        self.child.0.wait().expect("wait");
    }

    /// Ends it, and returns how long that took.
    pub fn time_to_end(&mut self) -> Duration {
        let began = Instant::now();
        self.end();
        began.elapsed()
    }

    /// Starts it again on the same data folder.
    pub fn start_again(&mut self) {
        self.child = serve(self.starter, self.user, self.folder.path(), self.data, &self.variables);
    }

    /// Returns a `postern` command line on this host.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = start(postern());
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home())
            .env("POSTERN_DATA", self.data())
            .stdin(Stdio::null());
        self.start_as_its_user(&mut command);
        command
    }

    /// Starts `postern hook` with these arguments, as a coding agent does, and gives it the event.
    pub fn hook(&self, arguments: &[&str], event: &Value) -> Child {
        let mut command = self.command(&["hook"]);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("postern starts");
        let mut stdin = child.stdin.take().expect("piped");
        stdin.write_all(event.to_string().as_bytes()).expect("the hook reads its event");
        child
    }

    /// Runs a `postern` command line to its end.
    pub fn run(&self, args: &[&str]) -> Answer {
        self.command(args).output().expect("postern runs").into()
    }

    /// Runs it and expects it to work.
    pub fn ok(&self, args: &[&str]) -> String {
        self.run(args).worked(args)
    }

    /// Runs it and expects it to fail with this on standard error.
    pub fn refuses(&self, args: &[&str], part: &str) {
        let answer = self.run(args);
        assert!(answer.code != 0 && answer.stderr.contains(part), "postern {args:?}: {answer:?}");
    }

    /// Runs it and expects this exit code, with this on standard error.
    pub fn fails(&self, args: &[&str], code: i32, part: &str) {
        let answer = self.run(args);
        assert!(answer.code == code && answer.stderr.contains(part), "postern {args:?}: {answer:?}");
    }

    /// Returns the row of a door, as `postern doors list` has it.
    pub fn door(&self, name: &str) -> Value {
        let doors = self.json(&["doors", "list"]);
        let row = doors.as_array().expect("a list").iter().find(|row| row["door"] == name);
        row.unwrap_or_else(|| panic!("no door {name}: {doors}")).clone()
    }

    /// Runs it with `--json` and reads what it printed.
    pub fn json(&self, args: &[&str]) -> Value {
        let mut all = vec!["--json"];
        all.splice(0..0, args.iter().copied());
        let text = self.ok(&all);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("postern {args:?} printed {text}: {error}"))
    }

    /// Asks again and again until the answer holds this. What the host reads from disk it reads when it is told of it.
    pub fn until(&self, args: &[&str], part: &str) {
        self.wait(args, |said| said.contains(part));
    }

    /// Waits until the answer holds this no more.
    pub fn until_not(&self, args: &[&str], part: &str) {
        self.wait(args, |said| !said.contains(part));
    }

    fn wait(&self, args: &[&str], holds: impl Fn(&str) -> bool) {
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let said = self.ok(args);
            if holds(&said) {
                return;
            }
            assert!(Instant::now() < end, "postern {args:?} still says {said}");
        }
    }

    pub fn enrol(&self, agent: &str) -> PathBuf {
        let row = self.json(&["agents", "add", agent]);
        let socket = Path::new(row["socket"].as_str().expect("an agent has a socket"));
        socket.parent().expect("in a folder of its own").to_owned()
    }

    /// Enrols an agent that may run anything, and returns its channel's folder.
    pub fn enrol_allowed(&self, agent: &str) -> PathBuf {
        let channel = self.enrol(agent);
        self.ok(&["agents", "set", agent, "preset=allow", "--yes"]);
        channel
    }

    /// Allows a question once, as a person does who has seen it.
    pub fn approve(&self, question: &Value) {
        self.ok(&answer_args("approve", question, &[]));
    }

    /// Returns the texts of the rules that *Always* saved.
    pub fn saved_rules(&self) -> Vec<String> {
        let rules = self.json(&["rules", "list"]);
        let saved = rules.as_array().expect("a list").iter().filter(|row| row["from"] == "always");
        saved.map(|row| row["text"].as_str().expect("a rule has a text").to_owned()).collect()
    }

    pub fn watch(&self) -> Watcher {
        Watcher::start(self.command(&["questions", "--watch", "--json"]))
    }
}

fn hand_over(user: Option<OrdinaryUser>, path: &Path) {
    if let Some(OrdinaryUser { id, group }) = user {
        std::os::unix::fs::chown(path, Some(id), Some(group)).expect("root gives it away");
    }
}

fn serve(
    starter: &[&str],
    user: Option<OrdinaryUser>,
    folder: &Path,
    data: &str,
    variables: &[(String, String)],
) -> OwnedChild {
    let mut command = match starter {
        [] => start(postern()),
        [program, arguments @ ..] => {
            let mut command = start(program);
            command.args(arguments).arg(postern());
            command
        }
    };
    if let Some(user) = user {
        user.start_as(&mut command);
    }
    let mut child = command
        .arg("serve")
        .env_clear()
        .env("HOME", folder.join("home"))
        .env("POSTERN_DATA", folder.join(data))
        .env("POSTERN_LOG", "warn")
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("postern serve starts");
    let mut ready = String::new();
    let stdout = child.stdout.take().expect("piped");
    BufReader::new(stdout).read_line(&mut ready).expect("a line");
    if !ready.starts_with("ready ") {
        let mut said = String::new();
        drop(child.kill());
        drop(child.stderr.take().expect("piped").read_to_string(&mut said));
        panic!("postern serve is not ready: {ready}{said}");
    }
    // Drained for as long as it runs, so that it never waits for a reader; shown with a failing test.
    let stderr = child.stderr.take().expect("piped");
    std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            eprintln!("host: {line}");
        }
    });
    OwnedChild(child)
}
