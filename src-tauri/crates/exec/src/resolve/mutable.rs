//! Check of whether the person's own user could change what a path leads to: then so could anything that an
//! agent runs.

use rustix::fs::{FileType, Mode, Stat};
use std::path::Path;
use std::sync::LazyLock;

/// Returns true if the file, or any folder above its path or its real path, is owned by or writable for the
/// person's user. A read-only file of one's own counts as writable: its owner can make it so.
pub(crate) fn is_mutable(path: &Path, real_path: &Path) -> bool {
    may_change_way(std::slice::from_ref(FileUser::current()), path, real_path)
}

/// Returns true if a rule's agent could change what a path leads to.
///
/// If the person is root, who may do anything, those are the users that may connect as the agent (`uids`),
/// and everybody.
pub fn is_mutable_by_agent(path: &Path, real_path: &Path, uids: &[u32]) -> bool {
    let own = FileUser::current();
    if own.uid != 0 {
        return is_mutable(path, real_path);
    }
    // Nobody's number: what it may change, anybody may.
    let anybody = FileUser { uid: u32::MAX, groups: Vec::new() };
    let agents: Vec<FileUser> = uids
        .iter()
        .filter(|uid| **uid != 0)
        .map(|uid| FileUser { uid: *uid, groups: Vec::new() })
        .chain([anybody])
        .collect();
    may_change_way(&agents, path, real_path)
}

/// Returns true if one of these users may change the file, or a folder above its path or its real path.
fn may_change_way(users: &[FileUser], path: &Path, real_path: &Path) -> bool {
    let chain = |path: &Path| path.ancestors().any(|part| users.iter().any(|user| user.may_change(part)));
    chain(real_path) || (path != real_path && chain(path))
}

struct FileUser {
    uid: u32,
    groups: Vec<u32>,
}

impl FileUser {
    /// Returns the user of this process, who stays the same.
    fn current() -> &'static Self {
        static CURRENT: LazyLock<FileUser> = LazyLock::new(FileUser::of_process);
        &CURRENT
    }

    fn of_process() -> Self {
        let mut groups: Vec<u32> = rustix::process::getgroups()
            .unwrap_or_default()
            .into_iter()
            .map(rustix::process::Gid::as_raw)
            .collect();
        groups.push(rustix::process::getegid().as_raw());
        Self { uid: rustix::process::geteuid().as_raw(), groups }
    }

    /// Returns true if a part may be changed. A part that cannot be examined counts as changeable.
    fn may_change(&self, part: &Path) -> bool {
        rustix::fs::lstat(part).map_or(true, |stat| self.owns_or_writes(&stat))
    }

    fn owns_or_writes(&self, stat: &Stat) -> bool {
        let mode = Mode::from_raw_mode(stat.st_mode);
        // A link's own mode bits say nothing; only its owner can replace it (through the folder, which is looked at too).
        let link = FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
        self.uid == 0
            || stat.st_uid == self.uid
            || (!link
                && (mode.contains(Mode::WOTH)
                    || (mode.contains(Mode::WGRP) && self.groups.contains(&stat.st_gid))))
    }
}

#[cfg(test)]
mod tests {
    use super::{is_mutable, is_mutable_by_agent};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    #[test]
    fn what_root_may_do_is_not_what_an_agent_may() {
        let system = Path::new("/usr/bin/env");
        let real = system.canonicalize().unwrap();
        assert!(!is_mutable_by_agent(system, &real, &[1000]), "root's own, and nobody else's");
        let open = tempfile::tempdir().unwrap();
        std::fs::set_permissions(open.path(), PermissionsExt::from_mode(0o777)).unwrap();
        let program = open.path().join("program");
        assert!(is_mutable_by_agent(&program, &program, &[]), "anybody may put something there");
        assert!(is_mutable(&program, &program), "and so may the person");
    }
}
