//! Profiles on Linux. `look` is Landlock and seccomp. `project` needs mounts as well, because Landlock only adds
//! rights down a tree: "writable except `.git/config`" has no form in it.

use super::filter::{self, Sockets};
use super::mounts::{Access, Mounts};
use super::stand_ins::StandIns;
use super::{Aftermath, Enforcer, UserPlaces, make_private_cache, ruleset, temporary};
use crate::run::Keeper;
use postern_policy::{Confinement, tool_caches};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, StatxAttributes, StatxFlags};
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Mounts below the agent's folders: the system read-only, and devices without content. They hide `/run` of the host, and
/// the sockets in it.
const SYSTEM: &[&str] = &[
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/run",
    "--ro-bind-try",
    "/run/current-system",
    "/run/current-system",
];

/// Landlock, seccomp and bubblewrap.
#[derive(Debug)]
pub(crate) struct Linux;

/// A profile, ready for the kernel.
#[derive(Debug)]
pub(crate) struct Fence {
    /// File access rules.
    pub(crate) ruleset: OwnedFd,
    /// System call filter.
    pub(crate) filter: Vec<libc::sock_filter>,
    lasting: Option<Lasting>,
}

/// Namespaces and stand-ins of a run, until it ended.
#[derive(Debug)]
pub(crate) struct Lasting {
    // Dropped in this order: nothing of the run is left when its stand-ins go.
    keeper: Keeper,
    stand_ins: Vec<StandIns>,
    aftermath: Aftermath,
}

impl Fence {
    /// Returns the process whose namespaces the run joins.
    pub(crate) fn keeper(&self) -> Option<&Keeper> {
        self.lasting.as_ref().map(|lasting| &lasting.keeper)
    }

    /// Returns what lasts until the run ended.
    pub(crate) fn lasting(self) -> Option<Lasting> {
        self.lasting
    }
}

impl Lasting {
    /// Ends everything of the run, and sets aside what it left in protected places. Blocks.
    pub(crate) fn end(self) -> Vec<super::SetAside> {
        let Self { keeper, stand_ins, aftermath } = self;
        drop(keeper);
        drop(stand_ins);
        aftermath.set_aside()
    }
}

impl Enforcer for Linux {
    fn prepare(
        &self,
        confinement: &Confinement,
        user: &UserPlaces,
        programs: &[&str],
    ) -> Result<Fence, String> {
        match confinement {
            Confinement::None => Err("it has no profile".to_owned()),
            Confinement::Look { folders } => Ok(Fence {
                ruleset: ruleset::of_look(user, folders, programs.iter().copied())?,
                filter: filter::of_look()?,
                lasting: None,
            }),
            Confinement::Project { folders, network, loopback, caches } => {
                let sockets = if *network || *loopback { Sockets::Internet } else { Sockets::None };
                project(folders, *network, caches, sockets, user, programs)
            }
        }
    }
}

/// Prepares the profile `project`. Its rules are collected while bubblewrap makes the mounts.
fn project(
    folders: &[String],
    network: bool,
    caches: &[String],
    sockets: Sockets,
    user: &UserPlaces,
    programs: &[&str],
) -> Result<Fence, String> {
    let aftermath = Aftermath::before(folders, user)?;
    let stand_ins = folders.iter().map(|folder| StandIns::in_folder(Path::new(folder), &aftermath.before));
    let stand_ins: Vec<StandIns> = stand_ins.collect::<Result<_, _>>()?;
    let pins = Mounts::new(folders, &aftermath.before, stand_ins.iter().flat_map(StandIns::paths))?;
    let cache = make_private_cache(folders, user)?;
    let keeper = Keeper::start(arguments(&pins, &cache, network), network)?;
    let writable = [folders, std::slice::from_ref(&cache)].concat();
    let home = Path::new(&user.home);
    let readable = tool_caches(caches).flat_map(|cache| cache.reads).map(|place| home.join(place));
    let readable: Vec<PathBuf> = readable.collect();
    let rules = ruleset::of_project(user, &writable, &readable, programs.iter().copied())?;
    let filter = filter::of_project(sockets)?;
    let keeper = keeper.ready()?;
    verify(&keeper, &pins)?;
    let ruleset = ruleset::inside(rules, keeper.root())?;
    Ok(Fence { ruleset, filter, lasting: Some(Lasting { keeper, stand_ins, aftermath }) })
}

/// Returns all mounts of a run in bubblewrap's words.
fn arguments(pins: &Mounts, cache: &str, network: bool) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = SYSTEM.iter().map(OsString::from).collect();
    if network && let Ok(resolver) = std::fs::canonicalize("/etc/resolv.conf") {
        arguments.extend(["--ro-bind-try".into(), resolver.clone().into(), resolver.into()]);
    }
    // Hides the host's `/tmp`, and the sockets in it.
    arguments.extend(["--bind", &temporary(cache), "/tmp"].map(OsString::from));
    arguments.extend(["--bind", cache, cache].map(OsString::from));
    arguments.extend(pins.arguments());
    arguments
}

/// Checks from outside that every mount lies where it should: an agent may have put a link there meanwhile.
fn verify(keeper: &Keeper, pins: &Mounts) -> Result<(), String> {
    for (path, access) in &pins.0 {
        let moved = || format!("{} changed while it was confined", path.display());
        let below = path.strip_prefix("/").map_err(|_| moved())?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::IN_ROOT;
        let opened = rustix::fs::openat2(keeper.root(), below, flags, Mode::empty(), resolve);
        let opened = opened.map_err(|_| moved())?;
        let found =
            rustix::fs::statx(&opened, "", AtFlags::EMPTY_PATH, StatxFlags::TYPE).map_err(|_| moved())?;
        let read_only = rustix::fs::fstatvfs(&opened).map_err(|_| moved())?;
        let read_only = read_only.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY);
        let right = *access == Access::Empty || read_only == (*access == Access::ReadOnly);
        if !found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT) || !right {
            return Err(moved());
        }
    }
    Ok(())
}
