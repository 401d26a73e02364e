//! Places that an agent can change: its folders, temporary folders, and every place that others than the user
//! and the system can write. The agent can replace what runs from there at any time.

use postern_policy::expand_home;
use rustix::fs::{FileType, Mode, Stat};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

/// Number of links that are followed, as the system does.
const LINKS: usize = 40;

/// Folders that every process can write to, besides the one that the environment names.
#[cfg(target_os = "macos")]
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];
#[cfg(not(target_os = "macos"))]
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Temporary folders, as they are when the first request is looked up: only the system can replace them.
static TEMPORARY_PLACES: LazyLock<Vec<WritablePlace>> = LazyLock::new(|| {
    let all = TEMPORARY.iter().map(PathBuf::from).chain([std::env::temp_dir()]);
    let mut places: Vec<WritablePlace> =
        all.filter(|path| path.is_absolute()).map(|path| place(&path)).collect();
    places.dedup();
    places
});

/// Places of the system alone. A request that runs above them, as in `/`, does not make them changeable.
const SYSTEM: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/System", "/nix/store"];

/// Groups that contain only the system and the user: the system's own; `wheel` and `admin` on macOS.
#[cfg(target_os = "macos")]
const GROUPS: [u32; 2] = [0, 80];
#[cfg(not(target_os = "macos"))]
const GROUPS: std::ops::Range<u32> = 0..100;

/// A real path, with its device and inode if it exists.
type WritablePlace = (PathBuf, Option<(u64, u64)>);

fn place(path: &Path) -> WritablePlace {
    let path = path.canonicalize().unwrap_or_else(|_| path.components().collect());
    let id = rustix::fs::stat(&path).ok().map(|stat| device_inode(&stat));
    (path, id)
}

/// Places that one agent can write.
#[derive(Debug, Clone, Default)]
pub struct AgentReach {
    places: Vec<WritablePlace>,
    /// A folder above places of the system, which is reachable except for those.
    above: Option<PathBuf>,
    /// False if nothing is reachable.
    is_some: bool,
}

impl AgentReach {
    /// Returns what an agent with these folders can change. An agent without folders is assumed to write in
    /// `home` and in the folder of the request.
    pub fn of_agent(folders: &[String], home: &str, cwd: &str) -> Self {
        let mut all: Vec<PathBuf> = Vec::new();
        all.extend(folders.iter().map(|folder| expand_home(folder, home).as_ref().into()));
        let above: PathBuf = Path::new(cwd).components().collect();
        let above = Some(above).filter(|cwd| folders.is_empty() && is_above_system(cwd));
        if folders.is_empty() {
            all.push(home.into());
            all.extend(above.is_none().then(|| cwd.into()));
        }
        let places = all.into_iter().filter(|path| path.is_absolute()).map(|path| place(&path));
        let places = TEMPORARY_PLACES.iter().cloned().chain(places).collect();
        Self { places, above, is_some: true }
    }

    /// Returns true if the agent can change where an absolute path leads, or the file's content.
    ///
    /// That is so if the file, or a folder or link on the way, is reachable or writable by others than the
    /// user and the system.
    pub(super) fn can_change(&self, path: &Path) -> bool {
        if !self.is_some {
            return false;
        }
        let owners = &*OWNERS;
        let mut todo: Vec<OsString> = Vec::new();
        push_components(&mut todo, path);
        let mut here = PathBuf::from("/");
        let mut links = 0;
        while let Some(part) = todo.pop() {
            if part == ".." {
                here.pop();
                continue;
            }
            let next = here.join(&part);
            // Compared as text before the disk is read, because the agent could create what is missing there.
            if self.places.iter().any(|(place, _)| lies_in(&next, place)) || self.is_beside_system(&next) {
                return true;
            }
            let stat = match rustix::fs::lstat(&next) {
                Ok(stat) => stat,
                // The path ends here; only the user and the system could put something there.
                Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => return false,
                Err(_) => return true,
            };
            if self.places.iter().any(|(_, place)| *place == Some(device_inode(&stat)))
                || owners.is_others(&stat)
            {
                return true;
            }
            if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
                here = next;
                continue;
            }
            links += 1;
            let Some(target) = std::fs::read_link(&next).ok().filter(|_| links <= LINKS) else { return true };
            if target.is_absolute() {
                here = PathBuf::from("/");
            }
            push_components(&mut todo, &target);
        }
        false
    }

    /// Returns true if a path lies below the folder that is reachable except for the system's places.
    fn is_beside_system(&self, path: &Path) -> bool {
        let theirs = |place: &&str| lies_in(path, Path::new(place)) || lies_in(Path::new(place), path);
        self.above.as_ref().is_some_and(|above| lies_in(path, above)) && !SYSTEM.iter().any(theirs)
    }
}

/// Returns true if a path is a folder or lies in it. Both are absolute, without doubled or trailing slashes.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let folder = folder.as_os_str().as_bytes();
    let rest = path.as_os_str().as_bytes().strip_prefix(folder);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || folder == b"/")
}

/// Returns true if a folder holds places of the system.
fn is_above_system(folder: &Path) -> bool {
    SYSTEM.iter().map(Path::new).any(|place| place != folder && place.starts_with(folder))
}

/// Pushes the components of a path onto those still to be walked, its first one last.
fn push_components(todo: &mut Vec<OsString>, path: &Path) {
    let parts = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    todo.extend(parts);
}

#[cfg(target_os = "linux")]
fn device_inode(stat: &Stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}

#[cfg(target_os = "macos")]
fn device_inode(stat: &Stat) -> (u64, u64) {
    (i64::from(stat.st_dev).cast_unsigned(), stat.st_ino)
}

/// The user and the system: an agent cannot write what only they can write.
struct Owners {
    person: u32,
    /// The user's group, if nobody else is in it.
    group: Option<u32>,
    /// Owner of `/`: root, or its stand-in in a container.
    system: u32,
}

/// Owners as they are when the first request is looked up: this process keeps its user.
static OWNERS: LazyLock<Owners> = LazyLock::new(Owners::of_process);

impl Owners {
    fn of_process() -> Self {
        let person = rustix::process::geteuid().as_raw();
        let group = Some(rustix::process::getegid().as_raw()).filter(|group| *group == person);
        let system = rustix::fs::lstat("/").map_or(0, |stat| stat.st_uid);
        Self { person, group, system }
    }

    /// Returns true if another user owns it or can write to it. The mode of a link has no meaning.
    fn is_others(&self, stat: &Stat) -> bool {
        let owned = [0, self.person, self.system].contains(&stat.st_uid);
        let link = FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
        let mode = Mode::from_raw_mode(stat.st_mode);
        let own_group = GROUPS.contains(&stat.st_gid) || self.group == Some(stat.st_gid);
        !owned || (!link && (mode.contains(Mode::WOTH) || (mode.contains(Mode::WGRP) && !own_group)))
    }
}

#[cfg(test)]
mod tests {
    use super::AgentReach;
    use std::fs::{Permissions, create_dir_all, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::{Path, PathBuf};

    /// A folder for tests outside of the temporary folders.
    struct Disk {
        root: PathBuf,
        _folder: tempfile::TempDir,
    }

    impl Disk {
        fn new() -> Self {
            // Not in /tmp, which every user can write.
            let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
            let root = folder.path().canonicalize().unwrap();
            for name in ["project/sub", "opt/bin", "home/bin"] {
                create_dir_all(root.join(name)).unwrap();
            }
            write(root.join("opt/bin/tool"), "x").unwrap();
            Self { root, _folder: folder }
        }

        fn at(&self, name: &str) -> PathBuf {
            self.root.join(name)
        }

        fn text(&self, name: &str) -> String {
            self.at(name).display().to_string()
        }

        fn reach(&self) -> AgentReach {
            AgentReach::of_agent(&[self.text("project")], &self.text("home"), &self.text("project"))
        }
    }

    #[test]
    fn an_agent_changes_what_lies_in_its_folders_and_what_leads_through_them() {
        let disk = Disk::new();
        let reach = disk.reach();
        symlink(disk.at("opt/bin"), disk.at("project/link")).unwrap();
        symlink(disk.at("project/link"), disk.at("opt/through")).unwrap();
        symlink("bin/tool", disk.at("opt/straight")).unwrap();
        for (name, expected) in [
            ("project/sub/tool", true),
            ("project/link/tool", true),
            ("opt/through/tool", true),
            ("opt/bin/tool", false),
            ("opt/straight", false),
            ("opt/bin/../../project/x", true),
            ("opt/missing/tool", false),
            ("home/bin/tool", false),
        ] {
            assert_eq!(reach.can_change(&disk.at(name)), expected, "{name}");
        }
        assert!(reach.can_change(Path::new("/tmp/x")), "everybody's folder");
        assert!(!reach.can_change(Path::new("/usr/bin/env")), "the system's");
    }

    #[test]
    fn an_agent_without_folders_changes_what_the_person_keeps_at_home() {
        let disk = Disk::new();
        let reach = AgentReach::of_agent(&[], &disk.text("home"), &disk.text("project"));
        for (name, expected) in [("home/bin/tool", true), ("project/x", true), ("opt/bin/tool", false)] {
            assert_eq!(reach.can_change(&disk.at(name)), expected, "{name}");
        }
    }

    #[test]
    fn what_others_can_write_an_agent_can() {
        let disk = Disk::new();
        let reach = disk.reach();
        for (mode, expected) in [(0o755, false), (0o777, true), (0o1777, true)] {
            set_permissions(disk.at("opt/bin"), Permissions::from_mode(mode)).unwrap();
            assert_eq!(reach.can_change(&disk.at("opt/bin/tool")), expected, "{mode:o}");
        }
        set_permissions(disk.at("opt/bin"), Permissions::from_mode(0o755)).unwrap();
        set_permissions(disk.at("opt/bin/tool"), Permissions::from_mode(0o666)).unwrap();
        assert!(reach.can_change(&disk.at("opt/bin/tool")), "the file itself");
    }

    #[test]
    fn a_circle_of_links_and_a_look_up_for_nobody() {
        let disk = Disk::new();
        symlink("b", disk.at("opt/a")).unwrap();
        symlink("a", disk.at("opt/b")).unwrap();
        assert!(disk.reach().can_change(&disk.at("opt/a")), "where it leads is not known");
        assert!(!AgentReach::default().can_change(&disk.at("project/x")), "no agent asks");
    }
}
