//! Landlock: which files a confined run may read. It writes nothing, and starts nothing that an agent could have written.

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

/// The oldest Landlock that is enough: it also keeps signals inside (Linux 6.12).
const ENOUGH: ABI = ABI::V6;

/// What is installed for the person, and how the programs that only read are set up. Seen from the home folder.
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

/// The ruleset for a run of these programs.
pub(super) fn of<'a>(look: &Look, programs: impl Iterator<Item = &'a str>) -> Result<OwnedFd, String> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let run = read | AccessFs::Execute;
    let mut grants = Grants { ruleset: create().map_err(told)?, hidden: hidden(look) };
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

fn told(error: landlock::RulesetError) -> String {
    format!("the kernel's Landlock is missing or too old (Linux 6.12 is needed): {error}")
}

/// The protected places by their own and by their real paths.
fn hidden(look: &Look) -> Vec<PathBuf> {
    let places = protected_places(&look.home, &look.data).map(PathBuf::from);
    places.flat_map(|place| std::fs::canonicalize(&place).ok().into_iter().chain([place])).collect()
}

struct Grants {
    ruleset: RulesetCreated,
    hidden: Vec<PathBuf>,
}

impl Grants {
    /// Lets a place be read with all that is in it, but for what is hidden there. One that is not there is passed over.
    fn add(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), String> {
        match open(path, OFlags::empty()) {
            Some(file) => self.add_open(&file, access),
            None => Ok(()),
        }
    }

    /// The same for a folder that was judged: its path must still lead to it.
    fn add_folder(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), String> {
        let file = open(path, OFlags::NOFOLLOW | OFlags::DIRECTORY);
        let file = file.filter(|file| real_path(file).is_ok_and(|real| real == path));
        match file {
            Some(file) => self.add_open(&file, access),
            None => Err(format!("{} is not the folder any more that it was", path.display())),
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
        // Rules only add rights: what is beside the hidden places is named one by one. Names may be listed here.
        self.grant(file, access & AccessFs::ReadDir)?;
        for entry in std::fs::read_dir(&real).into_iter().flatten().flatten() {
            if let Some(child) = open(&real.join(entry.file_name()), OFlags::NOFOLLOW) {
                self.add_child(&child, access)?;
            }
        }
        Ok(())
    }

    /// A link grants nothing: what it leads to is judged where it lies.
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
        (&mut self.ruleset).add_rule(rule).map(drop).map_err(told)
    }
}

fn open(path: &Path, flags: OFlags) -> Option<OwnedFd> {
    rustix::fs::open(path, flags | OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()
}
