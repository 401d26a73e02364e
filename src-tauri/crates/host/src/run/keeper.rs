//! The process that keeps the namespaces of a `project` run, started by the system's bubblewrap.
//!
//! bubblewrap makes the namespaces and mounts, and executes `cat` in them as their first process. The run itself is
//! no child of it: it joins the namespaces right before it executes (`linux_spawn`). So it is held, looked at and
//! waited for as every run is, and no helper program has to be inside. When the first process ends, the system
//! ends everything in its namespace: that is how nothing outlives the run, or the host.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, Signal};
use rustix::time::Timespec;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

/// Path of the system's bubblewrap. Where the system restricts namespaces, it allows them to this path.
const BUBBLEWRAP: &str = "/usr/bin/bwrap";
/// Program that ends when its input does, and repeats one byte to say that it runs.
const FIRST: &str = "/usr/bin/cat";
/// The byte.
const READY: u8 = 0;
/// Time for the mounts.
const PATIENCE: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };

/// Namespaces that are kept until this is dropped; everything in them ends then.
#[derive(Debug)]
pub(crate) struct Keeper {
    process: Child,
    pidfd: OwnedFd,
    /// Root of its mounts.
    root: OwnedFd,
    network: bool,
}

impl Keeper {
    /// Makes namespaces with these mounts, in bubblewrap's words. With `network` it stays in the host's network.
    /// They are ready when [`Starting::ready`] says so.
    #[expect(clippy::disallowed_methods, reason = "part of the room that starts processes")]
    pub(crate) fn start(mounts: Vec<OsString>, network: bool) -> Result<Starting, String> {
        trusted()?;
        let mut command = Command::new(BUBBLEWRAP);
        command.args(["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]);
        command.args((!network).then_some("--unshare-net")).args(mounts);
        command.args(["--cap-drop", "ALL", "--as-pid-1", "--", FIRST]);
        command.env_clear().current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let process = command.spawn().map_err(|error| format!("{BUBBLEWRAP}: {error}"))?;
        Ok(Starting { process: Some(process), network })
    }

    /// Returns the root of its mounts.
    pub(crate) fn root(&self) -> &OwnedFd {
        &self.root
    }

    /// Returns the descriptor of the process whose namespaces are joined.
    pub(super) fn descriptor(&self) -> &OwnedFd {
        &self.pidfd
    }

    /// Returns the kinds of namespaces to join.
    pub(super) fn namespaces(&self) -> i32 {
        let own = libc::CLONE_NEWUSER
            | libc::CLONE_NEWNS
            | libc::CLONE_NEWPID
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS;
        if self.network { own } else { own | libc::CLONE_NEWNET }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        _ = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
        end(&mut self.process);
    }
}

/// bubblewrap before its namespaces are ready. Ended if they never are.
#[derive(Debug)]
pub(crate) struct Starting {
    process: Option<Child>,
    network: bool,
}

impl Starting {
    /// Waits until its mounts are made.
    pub(crate) fn ready(mut self) -> Result<Keeper, String> {
        let (pidfd, root) = self.wait_until_ready()?;
        let process = self.process.take().ok_or("bubblewrap is gone")?;
        Ok(Keeper { process, pidfd, root, network: self.network })
    }

    fn wait_until_ready(&mut self) -> Result<(OwnedFd, OwnedFd), String> {
        let process = self.process.as_mut().ok_or("bubblewrap is gone")?;
        let failed = |error: &dyn std::fmt::Display| format!("bubblewrap: {error}");
        let input = process.stdin.as_mut().ok_or("bubblewrap has no input")?;
        input.write_all(&[READY]).map_err(|error| failed(&error))?;
        let output = process.stdout.as_mut().ok_or("bubblewrap has no output")?;
        let mut polled = [PollFd::new(output, PollFlags::IN)];
        if poll(&mut polled, Some(&PATIENCE)).map_err(|error| failed(&error))? == 0 {
            return Err("bubblewrap did not make its mounts in time".to_owned());
        }
        if output.read(&mut [0]).map_err(|error| failed(&error))? == 0 {
            return Err(why_not(process));
        }
        let children = super::tree::children_of(process.id().cast_signed());
        let first = *children.first().ok_or("bubblewrap has no child")?;
        let pid = Pid::from_raw(first).ok_or("bubblewrap has no child")?;
        let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty()).map_err(|error| failed(&error))?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(format!("/proc/{first}/root"), flags, Mode::empty());
        Ok((pidfd, root.map_err(|error| failed(&error))?))
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            end(process);
        }
    }
}

/// Ends bubblewrap, and with the end of its input the first process.
fn end(process: &mut Child) {
    drop(process.stdin.take());
    _ = process.kill();
    _ = process.wait();
}

/// Refuses a bubblewrap that is missing, setuid, or not the system's.
fn trusted() -> Result<(), String> {
    let found = std::fs::metadata(BUBBLEWRAP)
        .map_err(|_| format!("{BUBBLEWRAP} is missing: install the package bubblewrap"))?;
    if found.mode() & 0o6000 != 0 {
        return Err(format!(
            "{BUBBLEWRAP} is setuid, and such versions can be misused: chmod u-s {BUBBLEWRAP}"
        ));
    }
    if found.uid() != 0 || found.mode() & 0o022 != 0 {
        return Err(format!("{BUBBLEWRAP} can be changed by others than root"));
    }
    Ok(())
}

/// Returns why bubblewrap ended: a setting of the system where one forbids namespaces, or its own words.
fn why_not(process: &mut Child) -> String {
    let setting = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    for (path, forbids, advice) in [
        ("/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"),
        ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
    ] {
        if setting(path).as_deref() == Some(forbids) {
            return format!("this system has no user namespaces: {advice}");
        }
    }
    let mut words = String::new();
    if let Some(errors) = &mut process.stderr {
        _ = errors.take(1000).read_to_string(&mut words);
    }
    let restricts = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
    if setting(restricts).as_deref() == Some("1") {
        return format!(
            "AppArmor lets {BUBBLEWRAP} make no user namespace; its profile is missing: {}",
            words.trim()
        );
    }
    words.trim().to_owned()
}
