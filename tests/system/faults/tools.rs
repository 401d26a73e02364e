//! Helpers of the stories: agents, deadlines, what `doctor` finds wrong, and mounted folders.

use postern_tests::{Answer, OwnedChild, Postern, agent_command, start};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Time limit of what has to happen: generous, because what is tested is that it happens.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);

/// Starts a command of an agent, which waits for its end.
pub(super) fn agent(channel: &Path, arguments: &[&str]) -> Child {
    agent_command(channel, arguments).spawn().unwrap()
}

/// Waits for its end; one that takes longer than `limit` fails the test.
#[track_caller]
pub(super) fn ended(child: Child, limit: Duration) -> Answer {
    let pid = rustix::process::Pid::from_child(&child);
    let (tell, told) = channel::<std::io::Result<Output>>();
    std::thread::spawn(move || tell.send(child.wait_with_output()));
    let Ok(output) = told.recv_timeout(limit) else {
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
        panic!("it did not end within {limit:?}");
    };
    output.unwrap().into()
}

/// Runs a `postern` command line that has to end within `limit`, however.
#[track_caller]
pub(super) fn within(host: &Postern, limit: Duration, arguments: &[&str]) -> Answer {
    let mut command = host.command(arguments);
    ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap(), limit)
}

/// Returns what `doctor` finds wrong.
pub(super) fn wrong(host: &Postern) -> Vec<String> {
    let said = within(host, PATIENCE, &["doctor", "--json"]);
    let findings: Value =
        serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"));
    let findings = findings.as_array().unwrap().iter();
    findings.filter(|one| one["ok"] == false).map(|one| one["what"].as_str().unwrap().to_owned()).collect()
}

/// Asserts that `doctor` names this fault.
#[track_caller]
pub(super) fn doctor_says(host: &Postern, what: &str) {
    let found = wrong(host);
    assert!(found.iter().any(|said| said.contains(what)), "doctor does not say {what:?}: {found:?}");
}

#[track_caller]
pub(super) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::yield_now();
    }
}

/// Asserts that all requests on record have an end.
#[track_caller]
pub(super) fn all_ended(host: &Postern) {
    for request in host.json(&["history"]).as_array().unwrap() {
        let state = request["state"].as_str().unwrap();
        assert!(["denied", "finished", "failed"].contains(&state), "{request}");
    }
}

/// Asserts that these command lines work within the limit.
#[track_caller]
pub(super) fn all_work(host: &Postern, limit: Duration, commands: &[&[&str]]) {
    for command in commands {
        let done = within(host, limit, command);
        assert_eq!(done.code, 0, "{command:?}: {done:?}");
    }
}

/// Asserts that all requests on record have an end, and that `doctor` finds nothing wrong.
#[track_caller]
pub(super) fn all_is_well(host: &Postern) {
    all_ended(host);
    assert_eq!(wrong(host), [] as [String; 0]);
}

/// A command that leaves a line in a file each time it runs, and then waits until somebody lets it go.
pub(super) struct Marker {
    marks: PathBuf,
    fifo: PathBuf,
}

impl Marker {
    pub(super) fn new(host: &Postern, name: &str) -> Self {
        let folder = host.scratch("marks");
        let (marks, fifo) = (folder.join(name), folder.join(format!("{name}.fifo")));
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        host.give_away(&fifo);
        Self { marks, fifo }
    }

    /// Returns the command line that an agent asks for.
    pub(super) fn line(&self) -> String {
        format!("echo ran >> '{}'; cat '{}'", self.marks.display(), self.fifo.display())
    }

    /// Returns the number of times it ran.
    pub(super) fn runs(&self) -> usize {
        fs::read_to_string(&self.marks).map_or(0, |text| text.lines().count())
    }

    pub(super) fn began(&self) {
        until("the command did not begin", || self.runs() == 1);
    }

    /// Asserts that it ends as a run does that was let go.
    #[track_caller]
    pub(super) fn ends_well(&self, running: Child) {
        let ran = ended(running, PATIENCE);
        assert_eq!((ran.code, ran.stdout.as_str(), self.runs()), (0, "out", 1), "{ran:?}");
    }

    /// Lets it end.
    pub(super) fn let_go(&self) {
        fs::write(&self.fifo, "out").unwrap();
    }
}

/// A command that leaves a line in a file each time it runs.
pub(super) struct Counter(PathBuf);

impl Counter {
    pub(super) fn new(host: &Postern) -> Self {
        Self(host.scratch("marks").join("counted"))
    }

    pub(super) fn line(&self) -> String {
        format!("echo ran >> '{}'", self.0.display())
    }

    pub(super) fn runs(&self) -> usize {
        fs::read_to_string(&self.0).map_or(0, |text| text.lines().count())
    }
}

pub(super) fn one_ended(agent: &mut Child) -> bool {
    agent.try_wait().unwrap().is_some()
}

/// Returns true if the host says that it is ready; otherwise it ends.
pub(super) fn is_ready(host: &mut Child) -> bool {
    let mut said = String::new();
    BufReader::new(host.stdout.take().unwrap()).read_line(&mut said).unwrap();
    said.starts_with("ready ")
}

/// Starts a script that says when it is ready.
pub(super) fn start_script(script: &str, arguments: &[&Path]) -> Option<OwnedChild> {
    let mut python = start("python3");
    python.args(["-c", script]).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut python = OwnedChild(python.spawn().ok()?);
    let mut said = String::new();
    BufReader::new(python.0.stdout.take()?).read_line(&mut said).ok()?;
    (said == "ready\n").then_some(python)
}

/// A mounted file system; it goes with the test.
pub(super) struct Mounted(pub(super) PathBuf);

impl Mounted {
    /// A file system in memory that holds so many MiB; `None`, and why, where this machine does not let us mount.
    #[expect(clippy::print_stderr, reason = "the output of the tests says what was not tried")]
    pub(super) fn small(folder: &Path, mebibytes: u32) -> Option<Self> {
        fs::create_dir_all(folder).unwrap();
        let options = format!("size={mebibytes}m,mode=700");
        let mut mount = start("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder).stderr(Stdio::null());
        let mounted = mount.status().is_ok_and(|status| status.success());
        if !mounted {
            eprintln!("skipped: only root, with the right to mount, can make a small disk");
        }
        mounted.then(|| Self(folder.to_owned()))
    }

    /// Mounts it again with this option.
    pub(super) fn again(&self, option: &str) {
        let remounted =
            start("mount").args(["-o", &format!("remount,{option}")]).arg(&self.0).status().unwrap();
        assert!(remounted.success(), "{option}");
    }

    /// Takes every byte that is left; what it gives back gives them back.
    pub(super) fn fill(&self) -> Filler {
        let path = self.0.join("filler");
        let mut file = fs::File::create(&path).unwrap();
        let mut block = vec![0x5a; 64 * 1024];
        while !block.is_empty() {
            if std::io::Write::write_all(&mut file, &block).is_err() {
                block.truncate(block.len() / 2);
            }
        }
        Filler(path)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Whatever still uses it goes on to, and nobody else finds it.
        start("umount").arg("-l").arg(&self.0).status().ok();
    }
}

/// File that fills a disk, deleted when this is dropped.
pub(super) struct Filler(PathBuf);

impl Drop for Filler {
    fn drop(&mut self) {
        fs::remove_file(&self.0).ok();
    }
}
