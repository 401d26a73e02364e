//! Profiles on Linux. `look` is Landlock and seccomp.
//!
//! `project` needs mounts as well, because Landlock only adds rights down a tree: "writable except
//! `.git/config`" has no form in it.

use super::denied::WithheldFiles;
use super::filter::{self, Sockets};
use super::mounts::{HidingPlaceholders, MountAccess, Mounts, mount_onto};
use super::ruleset::Grants;
use super::stand_ins::{self, StandIns};
use super::{Aftermath, UserPlaces, lost_pins, make_private_cache, ruleset, temporary};
use crate::resolve::HeldFile;
use crate::run::{FileSystem, Keeper, Mount};
use crate::threads::name_limit;
use postern_policy::{Confinement, tool_caches};
use std::ffi::CStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// File systems of its own, which hide those of the host and what is in them: processes, terminals, shared memory, sockets.
static SYSTEM: [FileSystem; 4] = [
    FileSystem { target: c"/proc", kind: c"proc", options: &[], read_only: true, executable: false },
    FileSystem {
        target: c"/dev/pts",
        kind: c"devpts",
        options: TERMINALS,
        read_only: false,
        executable: false,
    },
    FileSystem {
        target: c"/dev/shm",
        kind: c"tmpfs",
        options: &[(c"mode", c"1777")],
        read_only: false,
        executable: true,
    },
    FileSystem {
        target: c"/run",
        kind: c"tmpfs",
        options: &[(c"mode", c"0755")],
        read_only: false,
        executable: true,
    },
];
const TERMINALS: &[(&CStr, &CStr)] = &[(c"mode", c"0620"), (c"ptmxmode", c"0666")];
/// Programs that some systems keep in `/run`.
const IN_RUN: &str = "/run/current-system";
/// Configuration of the resolver; a link into `/run` on many systems.
const RESOLVER: &str = "/etc/resolv.conf";

/// A profile, ready for the kernel.
#[derive(Debug)]
pub struct Fence {
    /// File access rules.
    pub(crate) ruleset: OwnedFd,
    pub(crate) filter: Vec<libc::sock_filter>,
    lasting: Option<Lasting>,
}

/// Namespaces and stand-ins of a run, until it ended.
#[derive(Debug)]
pub struct Lasting {
    // Dropped in this order: nothing of the run is left when its stand-ins go.
    keeper: Keeper,
    stand_ins: Vec<StandIns>,
    aftermath: Aftermath,
    pins: Mounts,
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
    /// Returns the table of its mounts, on which the system reports as urgent what changed since they were put in place.
    pub(crate) fn mount_table(&self) -> std::io::Result<OwnedFd> {
        self.keeper.mount_table()
    }

    /// Puts back the pins that another program took away. Blocks for some milliseconds.
    ///
    /// # Errors
    /// Returns the place of one that cannot be put back; everything of the run has been ended then.
    pub(crate) fn hold_pins(&self) -> Result<(), String> {
        lost_pins::put_back(&self.keeper, &self.pins, &self.aftermath.originals)
    }

    /// Ends everything of the run, and sets aside what it left in protected places. Blocks.
    pub(crate) fn finish(self) -> Vec<super::SetAside> {
        let Self { keeper, stand_ins, aftermath, .. } = self;
        drop(keeper);
        drop(stand_ins);
        aftermath.set_aside()
    }
}

/// Prepares a run of these programs. The error says what is missing, and then nothing is started.
pub(crate) fn prepare(
    confinement: &Confinement,
    user: &UserPlaces,
    programs: &[&HeldFile],
) -> Result<Fence, String> {
    match confinement {
        Confinement::None => Err("it has no profile".to_owned()),
        Confinement::Look { folders, reads, .. } => {
            let hidden = super::withheld_files(confinement, user)?.hidden;
            Ok(Fence {
                ruleset: ruleset::of_look(user, folders, reads, hidden, programs)?,
                filter: filter::of_look()?,
                lasting: None,
            })
        }
        Confinement::Project { network, loopback, .. } => {
            let sockets = if *network || *loopback { Sockets::Internet } else { Sockets::None };
            project(confinement, sockets, user, programs)
        }
    }
}

fn project(
    confinement: &Confinement,
    sockets: Sockets,
    user: &UserPlaces,
    programs: &[&HeldFile],
) -> Result<Fence, String> {
    let Confinement::Project { folders, network, .. } = confinement else {
        return Err("it is another profile".to_owned());
    };
    let network = *network;
    // The rules for the system need nothing of what the folders hold, and take as long to find.
    let (rules, found) = std::thread::scope(|scope| {
        let rules = std::thread::Builder::new()
            .spawn_scoped(scope, || SystemRules::find_rules(confinement, user, programs))
            .map_err(|error| name_limit(error).to_string())?;
        let found = Found::look_through(folders, user);
        let rules = rules.join().map_err(|_| "its rules could not be made".to_owned())?;
        Ok::<_, String>((rules?, found?))
    })?;
    let SystemRules { grants, kept } = rules;
    let Found { aftermath, cache, stand_ins } = found;
    let pins =
        Mounts::new(folders, &aftermath.before, &kept, stand_ins.iter().flat_map(StandIns::stand_in_paths))?;
    let filter = filter::of_project(sockets)?;
    let keeper = Keeper::start(&SYSTEM, &mounts(&pins, &cache, network)?, network)?;
    if let Some(path) = lost_pins::find_lost(&keeper, &pins).next() {
        return Err(format!("{} changed while it was confined", path.display()));
    }
    let writable = folders.iter().chain([&cache]);
    let ruleset = ruleset::inside(grants, writable.map(Path::new), keeper.root())?;
    Ok(Fence { ruleset, filter, lasting: Some(Lasting { keeper, stand_ins, aftermath, pins }) })
}

/// State of the folders of a run, with stand-ins in them.
struct Found {
    // Dropped in this order: the state is compared when the stand-ins are gone.
    stand_ins: Vec<StandIns>,
    aftermath: Aftermath,
    cache: String,
}

impl Found {
    fn look_through(folders: &[String], user: &UserPlaces) -> Result<Self, String> {
        let aftermath = Aftermath::before(folders, user)?;
        let cache = make_private_cache(folders, user)?;
        let store = stand_ins::open_store(&cache)?;
        let numbered = folders.iter().zip(0..);
        let stand_ins = numbered.map(|(folder, number)| {
            StandIns::in_folder(Path::new(folder), &aftermath.before, (&store, number), &user.home)
        });
        let stand_ins = stand_ins.collect::<Result<_, _>>()?;
        Ok(Self { stand_ins, aftermath, cache })
    }
}

/// Rules of a `project` run for what lies outside of its folders, and the files that deny rules keep from it.
struct SystemRules {
    grants: Grants,
    kept: WithheldFiles,
}

impl SystemRules {
    fn find_rules(
        confinement: &Confinement,
        user: &UserPlaces,
        programs: &[&HeldFile],
    ) -> Result<Self, String> {
        let Confinement::Project { folders, caches, reads, .. } = confinement else {
            return Err("it is another profile".to_owned());
        };
        let mut kept = super::withheld_files(confinement, user)?;
        let elsewhere = kept.take_elsewhere(folders);
        let readable = tool_caches(caches).flat_map(|cache| cache.reads);
        let mut grants = ruleset::of_project(user, folders, readable, elsewhere, programs)?;
        grants.add_reads(reads)?;
        Ok(Self { grants, kept })
    }
}

/// Returns the mounts of a run besides its own file systems, parents first.
fn mounts(pins: &Mounts, cache: &str, network: bool) -> Result<Vec<Mount>, String> {
    // A link into another part of the system needs nothing: it is there.
    let resolver = std::fs::canonicalize(RESOLVER).ok().filter(|path| network && path.starts_with("/run"));
    let resolver = resolver.map(|path| mount_onto(&path, &path, MountAccess::ReadOnly));
    let installed = std::fs::canonicalize(IN_RUN).ok();
    let installed = installed.map(|path| mount_onto(&path, Path::new(IN_RUN), MountAccess::ReadOnly));
    let own = [
        // Hides the host's `/tmp`, and the sockets in it.
        mount_onto(Path::new(&temporary(cache)), Path::new("/tmp"), MountAccess::Writable),
        mount_onto(Path::new(cache), Path::new(cache), MountAccess::Writable),
    ];
    let nothing = nothing(cache)?;
    let pins = pins.of_themselves(&nothing);
    installed.into_iter().chain(resolver).chain(own).chain(pins).collect()
}

/// Makes a file and a folder that nobody can read, and returns their paths: they are mounted on what is hidden.
fn nothing(cache: &str) -> Result<HidingPlaceholders, String> {
    use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
    let kept = PathBuf::from(super::kept_for(cache));
    let nothing = HidingPlaceholders { file: kept.join("nothing"), folder: kept.join("nothing.d") };
    let file = std::fs::File::options().write(true).create_new(true).mode(0o0).open(&nothing.file).map(drop);
    let folder = std::fs::DirBuilder::new().mode(0o0).create(&nothing.folder);
    for (made, path) in [(file, &nothing.file), (folder, &nothing.folder)] {
        match made {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(format!("{}: {error}", path.display()));
            }
            _ => {}
        }
    }
    Ok(nothing)
}
