//! Landlock rules of a confined run. It writes nothing, and starts no program that an agent could have written.

use super::Look;
use crate::resolve::real_path;
use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope,
};
use postern_policy::{DEVICES, SYSTEM_PLACES, protected_places};
use rustix::fs::{FileType, Mode, OFlags};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Oldest Landlock version that is enough: it also keeps signals inside the run (Linux 6.12).
const ENOUGH: ABI = ABI::V6;

/// Installed programs and their configuration, relative to the home folder.
const INSTALLED: &[&str] = &[
    ".asdf/installs",
    ".bun/bin",
    ".cargo/bin",
    ".config/bat",
    ".config/fd",
    ".config/git/attributes",
    ".config/git/config",
    ".config/git/ignore",
    ".config/go",
    ".deno/bin",
    ".gitattributes",
    ".gitconfig",
    ".gitignore",
    ".gitignore_global",
    ".ignore",
    ".local/bin",
    ".local/lib",
    ".local/share/mise/installs",
    ".local/share/uv/python",
    ".nvm/versions",
    ".pyenv/versions",
    ".rbenv/versions",
    ".ripgreprc",
    ".rustup/settings.toml",
    ".rustup/toolchains",
    ".sdkman/candidates",
    ".volta/tools",
    "go/bin",
];

/// Returns the ruleset for a run of these programs.
pub(super) fn of<'a>(look: &Look, programs: impl Iterator<Item = &'a str>) -> Result<OwnedFd, String> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let run = read | AccessFs::Execute;
    let mut grants = Grants { ruleset: create().map_err(|error| told(&error))?, hidden: hidden(look) };
    for place in SYSTEM_PLACES {
        grants.add(Path::new(place), run)?;
    }
    for place in INSTALLED {
        grants.add(&Path::new(&look.home).join(place), run)?;
    }
    for program in programs {
        grants.add(Path::new(program), AccessFs::ReadFile | AccessFs::Execute)?;
    }
    for device in DEVICES.iter().filter(|device| !device.ends_with("/fd")) {
        grants.add(Path::new(device), read)?;
    }
    grants.add(Path::new("/dev/null"), AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate)?;
    for folder in &look.folders {
        grants.add_folder(Path::new(folder), read)?;
    }
    let ruleset: Option<OwnedFd> = grants.ruleset.into();
    ruleset.ok_or_else(|| "this kernel has no Landlock".to_owned())
}

fn create() -> Result<RulesetCreated, landlock::RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ENOUGH))?
        .scope(Scope::from_all(ENOUGH))?
        .create()
}

fn told(error: &landlock::RulesetError) -> String {
    format!("the kernel's Landlock is missing or too old (Linux 6.12 is needed): {error}")
}

/// Returns the protected places by their own and by their real paths.
fn hidden(look: &Look) -> Vec<PathBuf> {
    let places = protected_places(&look.home, &look.data).map(PathBuf::from);
    places.flat_map(|place| std::fs::canonicalize(&place).ok().into_iter().chain([place])).collect()
}

struct Grants {
    ruleset: RulesetCreated,
    hidden: Vec<PathBuf>,
}

impl Grants {
    /// Allows reading a place and everything in it, except hidden places. Skips a place that does not exist.
    fn add(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), String> {
        match open(path, OFlags::empty()) {
            Some(file) => self.add_open(&file, access),
            None => Ok(()),
        }
    }

    /// Does the same for a folder of the request, whose path must still lead to it.
    fn add_folder(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), String> {
        let file = open(path, OFlags::NOFOLLOW | OFlags::DIRECTORY);
        let file = file.filter(|file| real_path(file).is_ok_and(|real| real == path));
        match file {
            Some(file) => self.add_open(&file, access),
            None => Err(format!("{} is no longer the same folder", path.display())),
        }
    }

    fn add_open(&mut self, file: &OwnedFd, access: BitFlags<AccessFs>) -> Result<(), String> {
        let real = real_path(file).map_err(|error| error.to_string())?;
        if self.hidden.iter().any(|hidden| real.starts_with(hidden)) {
            return Ok(());
        }
        let stat = rustix::fs::fstat(file).map_err(|error| error.to_string())?;
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        if !is_folder {
            return self.grant(file, access & AccessFs::from_file(ENOUGH));
        }
        if !self.hidden.iter().any(|hidden| hidden.starts_with(&real)) {
            return self.grant(file, access);
        }
        // Landlock rules only add rights, so every sibling of a hidden place is named. Their names may be
        // listed.
        self.grant(file, access & AccessFs::ReadDir)?;
        for entry in std::fs::read_dir(&real).into_iter().flatten().flatten() {
            if let Some(child) = open(&real.join(entry.file_name()), OFlags::NOFOLLOW) {
                self.add_child(&child, access)?;
            }
        }
        Ok(())
    }

    /// A link gets no rule; its target is decided at its own place.
    fn add_child(&mut self, child: &OwnedFd, access: BitFlags<AccessFs>) -> Result<(), String> {
        let stat = rustix::fs::fstat(child).map_err(|error| error.to_string())?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => Ok(()),
            _ => self.add_open(child, access),
        }
    }

    fn grant(&mut self, file: &OwnedFd, access: BitFlags<AccessFs>) -> Result<(), String> {
        if access.is_empty() {
            return Ok(());
        }
        let rule = PathBeneath::new(file, access);
        (&mut self.ruleset).add_rule(rule).map(drop).map_err(|error| told(&error))
    }
}

fn open(path: &Path, flags: OFlags) -> Option<OwnedFd> {
    rustix::fs::open(path, flags | OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()
}
