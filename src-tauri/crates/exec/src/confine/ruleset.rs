//! Landlock rules of a confined run: what it may read, write and start.

use super::hidden::{HiddenPlace, HiddenPlaces};
use super::{RealPaths, UserPlaces};
use crate::resolve::{HeldFile, real_path};
use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope, make_bitflags,
};
use postern_policy::{DEVICES, INSTALLED, SYSTEM_PLACES, protected_places};
use rustix::fs::{FileType, Mode, OFlags};
use std::collections::BTreeSet;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Oldest Landlock version that is enough: it also keeps signals inside the run (Linux 6.12).
const ENOUGH: ABI = ABI::V6;

/// Returns the ruleset of a `look` run of these programs: it writes nothing.
pub(super) fn of_look(
    user: &UserPlaces,
    folders: &[String],
    reads: &[String],
    hidden: BTreeSet<PathBuf>,
    programs: &[&HeldFile],
) -> Result<OwnedFd, String> {
    let mut grants = Grants::of_system(user, folders, hidden, programs)?;
    for device in DEVICES.iter().filter(|device| !device.ends_with("/fd")) {
        grants.add_path(Path::new(device), READ)?;
    }
    grants.add_path(Path::new("/dev/null"), AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate)?;
    for folder in folders {
        grants.add_folder(Path::new(folder), READ)?;
    }
    grants.add_reads(reads)?;
    grants.finish()
}

/// Returns the rules of a `project` run for the files outside of its folders that are the same inside its mounts as here.
/// `readable` are places below the home folder.
pub(super) fn of_project(
    user: &UserPlaces,
    folders: &[String],
    readable: impl Iterator<Item = impl AsRef<Path>>,
    hidden: BTreeSet<PathBuf>,
    programs: &[&HeldFile],
) -> Result<Grants, String> {
    let mut grants = Grants::of_system(user, folders, hidden, programs)?;
    for place in readable {
        grants.add_at_home(&user.home, place.as_ref(), folders)?;
    }
    Ok(grants)
}

/// Adds the rules for the folders that it may write, and for its own file systems, seen through the root of its mounts.
/// Returns the ruleset.
pub(super) fn inside<'a>(
    mut grants: Grants,
    writable: impl Iterator<Item = &'a Path>,
    root: &OwnedFd,
) -> Result<OwnedFd, String> {
    let all = AccessFs::from_all(ENOUGH);
    for folder in writable {
        grants.add_folder(folder, all)?;
    }
    for (own, access) in [("tmp", all), ("dev", all), ("proc", READ), ("run", READ)] {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(root, own, flags, Mode::empty());
        let opened = opened.map_err(|error| format!("its own /{own}: {error}"))?;
        grants.grant_access(&opened, access)?;
    }
    grants.finish()
}

const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir});

fn create() -> Result<RulesetCreated, landlock::RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ENOUGH))?
        .scope(Scope::from_all(ENOUGH))?
        .create()
}

fn landlock_error(error: &landlock::RulesetError) -> String {
    format!("the kernel's Landlock is missing or too old (Linux 6.12 is needed): {error}")
}

/// Returns the protected places by their own and by their real paths.
fn hidden(user: &UserPlaces) -> Vec<PathBuf> {
    let real = RealPaths::new(&user.home);
    let places = protected_places(&user.home, &user.data).map(PathBuf::from);
    places.flat_map(|place| real.of(&place).into_iter().chain([place])).collect()
}

/// Rules that are being collected.
pub(super) struct Grants {
    ruleset: RulesetCreated,
    hidden: HiddenPlaces,
}

impl Grants {
    /// Allows a run in these folders to read and start what is installed, and to start these programs.
    fn of_system(
        user: &UserPlaces,
        folders: &[String],
        kept: BTreeSet<PathBuf>,
        programs: &[&HeldFile],
    ) -> Result<Self, String> {
        let hidden = HiddenPlaces::new(hidden(user).into_iter().chain(kept));
        let mut grants = Self { ruleset: create().map_err(|error| landlock_error(&error))?, hidden };
        for place in SYSTEM_PLACES {
            grants.add_path(Path::new(place), READ | AccessFs::Execute)?;
        }
        for place in INSTALLED {
            grants.add_at_home(&user.home, Path::new(place), folders)?;
        }
        for program in programs {
            grants.add_program(program)?;
        }
        Ok(grants)
    }

    fn finish(self) -> Result<OwnedFd, String> {
        let ruleset: Option<OwnedFd> = self.ruleset.into();
        ruleset.ok_or_else(|| "this kernel has no Landlock".to_owned())
    }

    /// Allows this access to a place and everything in it, except hidden places. Skips a place that does not exist.
    fn add_path(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), String> {
        match open_path(path, OFlags::empty()) {
            Some(file) => self.add_open(&file, access),
            None => Ok(()),
        }
    }

    /// Allows reading and starting a place below the home folder. A link in a folder of the run that leads out of it counts for
    /// nothing: its agent could have made it.
    fn add_at_home(&mut self, home: &str, place: &Path, folders: &[String]) -> Result<(), String> {
        let path = Path::new(home).join(place);
        let Some(file) = open_path(&path, OFlags::empty()) else { return Ok(()) };
        let real = real_path(&file).map_err(|error| error.to_string())?;
        let is_own = |path: &Path| folders.iter().any(|folder| path.starts_with(folder));
        if real != path && !is_own(&real) && ways_to(home, place).any(|way| is_own(&way)) {
            return Ok(());
        }
        self.add_open(&file, READ | AccessFs::Execute)
    }

    /// Allows reading and starting the file that was opened when it was judged. By its path, an agent could lead to other files.
    fn add_program(&mut self, program: &HeldFile) -> Result<(), String> {
        match self.hidden.place_of(Path::new(&program.bound.real_path)) {
            HiddenPlace::Inside => Ok(()),
            HiddenPlace::Above | HiddenPlace::Apart => {
                self.grant_access(program.file(), AccessFs::ReadFile | AccessFs::Execute)
            }
        }
    }

    /// Allows this access to a folder of the request, whose path must still lead to it.
    fn add_folder(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), String> {
        let file = open_path(path, OFlags::NOFOLLOW | OFlags::DIRECTORY);
        let file = file.filter(|file| real_path(file).is_ok_and(|real| real == path));
        match file {
            Some(file) => self.add_open(&file, access),
            None => Err(format!("{} is no longer the same folder", path.display())),
        }
    }

    /// Allows reading what rules open. Skips what is no longer there, or behind a link by now: nobody approved what that leads to.
    pub(super) fn add_reads(&mut self, reads: &[String]) -> Result<(), String> {
        for file in reads.iter().filter_map(|path| open_where_it_is(Path::new(path))) {
            self.add_open(&file, READ)?;
        }
        Ok(())
    }

    fn add_open(&mut self, file: &OwnedFd, access: BitFlags<AccessFs>) -> Result<(), String> {
        let real = real_path(file).map_err(|error| error.to_string())?;
        let is_parent = match self.hidden.place_of(&real) {
            HiddenPlace::Inside => return Ok(()),
            HiddenPlace::Above => true,
            HiddenPlace::Apart => false,
        };
        let stat = rustix::fs::fstat(file).map_err(|error| error.to_string())?;
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        if !is_folder {
            return self.grant_access(file, access & AccessFs::from_file(ENOUGH));
        }
        if !is_parent {
            return self.grant_access(file, access);
        }
        // Landlock rules only add rights, so every sibling of a hidden place is named. Their names may be
        // listed.
        self.grant_access(file, access & AccessFs::ReadDir)?;
        for entry in std::fs::read_dir(&real).into_iter().flatten().flatten() {
            if let Some(child) = open_where_it_is(&real.join(entry.file_name())) {
                self.add_child(&child, access)?;
            }
        }
        Ok(())
    }

    /// Adds a rule for a child. A link gets no rule; its target is decided at its own path.
    fn add_child(&mut self, child: &OwnedFd, access: BitFlags<AccessFs>) -> Result<(), String> {
        let stat = rustix::fs::fstat(child).map_err(|error| error.to_string())?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => Ok(()),
            _ => self.add_open(child, access),
        }
    }

    fn grant_access(&mut self, file: impl AsFd, access: BitFlags<AccessFs>) -> Result<(), String> {
        if access.is_empty() {
            return Ok(());
        }
        let rule = PathBeneath::new(file, access);
        (&mut self.ruleset).add_rule(rule).map(drop).map_err(|error| landlock_error(&error))
    }
}

/// Returns the path of each step from the home folder to a place in it, with the links before that step followed.
fn ways_to(home: &str, place: &Path) -> impl Iterator<Item = PathBuf> {
    place.iter().scan(PathBuf::from(home), |at, name| {
        *at = std::fs::canonicalize(at.as_path()).ok()?.join(name);
        Some(at.clone())
    })
}

/// Opens what lies at a real path; `None` if a link leads elsewhere by now, also one that took the place of a folder above.
fn open_where_it_is(path: &Path) -> Option<OwnedFd> {
    open_path(path, OFlags::NOFOLLOW).filter(|file| real_path(file).is_ok_and(|real| real == path))
}

fn open_path(path: &Path, flags: OFlags) -> Option<OwnedFd> {
    rustix::fs::open(path, flags | OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()
}
