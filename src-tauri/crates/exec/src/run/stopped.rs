//! Stops every process of a namespace for a moment, and looks at what they have open.

use super::tree::stat_fields;
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time in which all must have stopped. Only one that waits for the system takes any.
const PATIENCE: Duration = Duration::from_millis(500);
/// The first process of a namespace, which runs nothing of an agent's.
const FIRST: &str = "1";

/// Processes that are stopped until this is dropped.
#[derive(Debug)]
pub(crate) struct StoppedProcesses {
    /// Process file system of their namespace.
    table: PathBuf,
    /// Each process by its folder in it, whose descriptor names that process always.
    all: BTreeMap<PathBuf, File>,
}

impl StoppedProcesses {
    /// Stops every process of a namespace except its first, by the process file system in these mounts.
    ///
    /// # Errors
    /// Returns an error if one does not stop in half a second; those that were stopped go on then.
    pub(crate) fn stop_all(root: &OwnedFd) -> io::Result<Self> {
        let until = Instant::now() + PATIENCE;
        let table = PathBuf::from(format!("/proc/self/fd/{}/proc", root.as_raw_fd()));
        let mut stopped = Self { table, all: BTreeMap::new() };
        // One that was started while the table was read is in the next reading: two without any say that all have stopped.
        let mut quiet = 0;
        while quiet < 2 {
            quiet = if stopped.stop_running()? { 0 } else { quiet + 1 };
            if Instant::now() > until {
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::thread::yield_now();
        }
        Ok(stopped)
    }

    /// Stops what runs; returns true if anything did.
    fn stop_running(&mut self) -> io::Result<bool> {
        let mut any = false;
        for process in self.list()?.into_iter().filter(|process| !has_stopped(process)) {
            any = true;
            let Ok(folder) = File::open(&process) else { continue };
            _ = rustix::process::pidfd_send_signal(&folder, Signal::STOP);
            self.all.insert(process, folder);
        }
        Ok(any)
    }

    /// Returns true if one of them has a file open or mapped, has sent a descriptor that nobody took yet, or cannot be looked at.
    pub(crate) fn may_hold(&self, file: &Metadata) -> bool {
        let may_hold = |all: Vec<PathBuf>| all.iter().any(|process| holds(process, file).unwrap_or(true));
        self.list().map_or(true, may_hold)
    }

    /// Returns the folder of each process but the first.
    fn list(&self) -> io::Result<Vec<PathBuf>> {
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.table)? {
            let entry = entry?;
            let name = entry.file_name();
            if name.to_str().is_some_and(|name| name != FIRST && name.parse::<u32>().is_ok()) {
                all.push(entry.path());
            }
        }
        Ok(all)
    }
}

impl Drop for StoppedProcesses {
    fn drop(&mut self) {
        for process in self.all.values() {
            _ = rustix::process::pidfd_send_signal(process, Signal::CONT);
        }
    }
}

/// Returns true if every thread of a process has stopped or exited.
fn has_stopped(process: &Path) -> bool {
    tasks(process)
        .is_ok_and(|tasks| tasks.iter().all(|task| matches!(state(task), None | Some('T' | 't' | 'Z' | 'X'))))
}

fn tasks(process: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(process.join("task")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        tasks => tasks?.map(|task| Ok(task?.path())).collect(),
    }
}

/// Returns the state of a thread; `None` if it is gone.
fn state(task: &Path) -> Option<char> {
    let stat = fs::read(task.join("stat")).ok()?;
    stat_fields(&String::from_utf8_lossy(&stat))?.next()?.chars().next()
}

fn holds(process: &Path, file: &Metadata) -> io::Result<bool> {
    for task in tasks(process)? {
        if matches!(state(&task), None | Some('Z' | 'X')) {
            continue;
        }
        for opened in fs::read_dir(task.join("fd"))? {
            let opened = opened?;
            // Closed since its folder was read: only a process that is not stopped does so.
            let found = match fs::metadata(opened.path()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found?,
            };
            let is_same = (found.dev(), found.ino()) == (file.dev(), file.ino());
            if is_same || has_unread_descriptors(&task.join("fdinfo").join(opened.file_name()))? {
                return Ok(true);
            }
        }
        let maps = fs::read(task.join("maps"))?;
        let number = file.ino().to_string();
        if String::from_utf8_lossy(&maps).lines().any(|line| line.split_whitespace().nth(4) == Some(&number))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns true for a socket in which descriptors lie that nobody took yet.
fn has_unread_descriptors(info: &Path) -> io::Result<bool> {
    let info = fs::read(info)?;
    let count = String::from_utf8_lossy(&info)
        .lines()
        .find_map(|line| Some(line.strip_prefix("scm_fds:")?.trim() != "0"));
    Ok(count == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
    use std::io::IoSlice;
    use std::os::fd::AsFd as _;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test has children")]
    fn what_a_process_has_open_is_found() {
        let place = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| {
            let path = place.path().join(name);
            fs::write(&path, "x").unwrap();
            path
        });
        let (input, _end) = io::pipe().unwrap();
        let mut child = std::process::Command::new("/usr/bin/cat")
            .stdin(input)
            .stderr(File::open(&one).unwrap())
            .spawn()
            .unwrap();
        let process = PathBuf::from(format!("/proc/{}", child.id()));
        let found = [&one, &other].map(|path| holds(&process, &path.metadata().unwrap()).unwrap());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found, [true, false]);
    }

    #[test]
    fn a_descriptor_that_nobody_took_yet_may_be_any_file() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        fs::write(&path, "x").unwrap();
        let (from, _to) = std::os::unix::net::UnixStream::pair().unwrap();
        let null = File::open("/dev/null").unwrap();
        let sent = [null.as_fd()];
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut message = SendAncillaryBuffer::new(&mut space);
        assert!(message.push(SendAncillaryMessage::ScmRights(&sent)));
        rustix::net::sendmsg(&from, &[IoSlice::new(b"x")], &mut message, SendFlags::empty()).unwrap();
        let own = PathBuf::from(format!("/proc/{}", std::process::id()));
        assert!(holds(&own, &path.metadata().unwrap()).unwrap());
    }

    #[test]
    fn what_cannot_be_looked_at_may_hold_it() {
        let stopped = StoppedProcesses { table: PathBuf::from("/missing"), all: BTreeMap::new() };
        assert!(stopped.may_hold(&fs::metadata("/").unwrap()));
    }
}
