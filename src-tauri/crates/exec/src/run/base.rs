//! The user namespace that `project` runs live in, with the host's mounts, made once by the system's bubblewrap.
//!
//! Nothing runs in it between the runs: descriptors keep it, and it ends with this process however that ends. A run takes
//! a copy of its mounts and namespaces of its own (`namespaces`), so nothing of one run is there in another.

use super::namespace_owner::owner_of;
use crate::threads::name_limit;
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// Path of the system's bubblewrap. Where the system restricts namespaces, it allows them to this path.
const BUBBLEWRAP: &str = "/usr/bin/bwrap";
/// Program that ends when its input does: the first process in namespaces.
pub(super) const FIRST: &str = "/usr/bin/cat";
/// Everything of the host without setuid programs and device files, and a `/dev` without content. Each run makes it read-only.
const MOUNTS: &[&str] =
    &["--unshare-user", "--bind", "/", "/", "--dev", "/dev", "--cap-drop", "ALL", "--", FIRST];
/// The byte that is repeated when the mounts are made.
const READY: u8 = 0;
/// Time for the mounts.
const PATIENCE: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };
const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

static LATEST: Mutex<Option<Arc<NamespaceBase>>> = Mutex::new(None);

/// A user namespace with mounts, kept by descriptors.
#[derive(Debug)]
pub(super) struct NamespaceBase {
    /// User namespace that owns the mounts.
    pub(super) owner: OwnedFd,
    pub(super) mounts: OwnedFd,
    /// User namespace in which the user's id is the same as outside; `None` if it is `owner`.
    pub(super) inner: Option<OwnedFd>,
    /// Table of the host's mounts: the kernel reports a change since the last look.
    table: File,
}

impl NamespaceBase {
    /// Returns the latest one; makes another if the host's mounts changed since.
    pub(super) fn latest() -> Result<Arc<Self>, String> {
        let mut latest = LATEST.lock();
        if let Some(base) = latest.take().filter(|base| !base.is_old()) {
            return Ok(Arc::clone(latest.insert(base)));
        }
        Ok(Arc::clone(latest.insert(Arc::new(Self::create()?))))
    }

    /// Returns true if the host's mounts changed, or if that is unknown.
    fn is_old(&self) -> bool {
        // An unchanged table is always readable, so only a change is asked about.
        poll(&mut [PollFd::new(&self.table, PollFlags::PRI)], Some(&AT_ONCE)) != Ok(0)
    }

    fn create() -> Result<Self, String> {
        trusted()?;
        let failed = |error: std::io::Error| format!("bubblewrap: {error}");
        // Opened first: a mount that is made meanwhile counts as a change.
        let table = File::open("/proc/self/mountinfo").map_err(failed)?;
        let mut bubblewrap = Bubblewrap::start().map_err(|error| format!("{BUBBLEWRAP}: {error}"))?;
        let first = bubblewrap.wait_until_ready()?;
        let namespace = |kind: &str| File::open(format!("/proc/{first}/ns/{kind}")).map_err(failed);
        let (mounts, own) = (OwnedFd::from(namespace("mnt")?), namespace("user")?);
        let owner = owner_of(&mounts).map_err(failed)?;
        let number = |file: &File| file.metadata().map(|found| found.ino()).map_err(failed);
        let owner = File::from(owner);
        let same = number(&owner)? == number(&own)?;
        Ok(Self { owner: owner.into(), mounts, inner: (!same).then(|| own.into()), table })
    }
}

/// bubblewrap, until this is dropped.
struct Bubblewrap(Child);

impl Bubblewrap {
    #[expect(clippy::disallowed_methods, reason = "part of the room that starts processes")]
    fn start() -> std::io::Result<Self> {
        let mut command = Command::new(BUBBLEWRAP);
        command.args(MOUNTS).env_clear().current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map(Self).map_err(name_limit)
    }

    /// Waits until its mounts are made, and returns the id of the process that has them.
    fn wait_until_ready(&mut self) -> Result<i32, String> {
        let failed = |error: &dyn std::fmt::Display| format!("bubblewrap: {error}");
        let process = &mut self.0;
        let input = process.stdin.as_mut().ok_or("bubblewrap has no input")?;
        input.write_all(&[READY]).map_err(|error| failed(&error))?;
        let output = process.stdout.as_mut().ok_or("bubblewrap has no output")?;
        let mut polled = [PollFd::new(output, PollFlags::IN)];
        if poll(&mut polled, Some(&PATIENCE)).map_err(|error| failed(&error))? == 0 {
            _ = process.kill();
            return Err("bubblewrap did not make its mounts in time".to_owned());
        }
        if output.read(&mut [0]).map_err(|error| failed(&error))? == 0 {
            return Err(why_not(process));
        }
        let children = super::tree::children_of(process.id().cast_signed());
        children.first().copied().ok_or_else(|| "bubblewrap has no child".to_owned())
    }
}

impl Drop for Bubblewrap {
    fn drop(&mut self) {
        // What it started ends with the end of its input, and then bubblewrap.
        drop(self.0.stdin.take());
        _ = self.0.wait();
    }
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
