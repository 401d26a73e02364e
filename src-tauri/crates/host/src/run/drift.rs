//! Is everything still what was judged? Asked while the new process is held before its first instruction.

use super::Prepared;
use crate::identity::{FileState, sha256};
use crate::resolve::HeldFile;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// A program of this size or more is not hashed a second time on a system that keeps running programs from being
/// written to.
const REHASH_BYTES: u64 = 64 * 1024 * 1024;

/// The first difference, as a sentence; none where there is none.
pub(super) fn drift(prepared: &Prepared) -> Option<String> {
    if !prepared.cwd.is_current() {
        return Some(format!(
            "the working directory {} is no longer the same folder",
            prepared.cwd.bound.path
        ));
    }
    let programs = prepared.held.started.iter().chain(&prepared.held.programs);
    programs
        .map(|file| changed(file, Kind::Program))
        .chain(prepared.held.scripts.iter().map(|file| changed(file, Kind::Script)))
        .find_map(|found| found)
}

/// Whether the plan and what is held open are about the same things. They are, unless a caller mixed two up.
pub(super) fn mismatch(prepared: &Prepared) -> Option<&'static str> {
    let plan = &prepared.plan;
    if plan.programs != prepared.held.bound_programs() || plan.scripts != prepared.held.bound_scripts() {
        return Some("the plan names other files than those that were opened");
    }
    (plan.cwd != prepared.cwd.bound).then_some("the plan names another folder than the one that was opened")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Program,
    Script,
}

fn changed(file: &HeldFile, kind: Kind) -> Option<String> {
    let what = |how: &str| Some(format!("{} {how} after it was judged", file.bound.path));
    if !leads_to(&file.path, file) {
        return what("became another file");
    }
    if FileState::of(file.file()).ok() != Some(file.state) {
        return what("was changed");
    }
    if must_hash(file, kind) && !same_content(file) {
        return what("was changed");
    }
    let shadow = file.earlier.iter().find(|path| is_executable(path))?;
    Some(format!("{} appeared before {} on the search path", shadow.display(), file.bound.path))
}

/// Whether the times of a file may hide a change: it was changed right before it was judged, or it is open for writing
/// through a mapping, which only touches the times now and then. Linux keeps what runs from being open for writing;
/// a script is only read.
fn must_hash(file: &HeldFile, kind: Kind) -> bool {
    let only_read = kind == Kind::Script || file.shebang.is_some();
    let unprotected = only_read || (cfg!(target_os = "macos") && file.state.size < REHASH_BYTES);
    !file.settled || (file.mutable && unprotected)
}

fn same_content(file: &HeldFile) -> bool {
    sha256(file.file(), file.state.size).is_ok_and(|now| now == file.identity().sha256)
}

fn leads_to(path: &Path, file: &HeldFile) -> bool {
    std::fs::metadata(path)
        .is_ok_and(|meta| (meta.dev(), meta.ino()) == (file.state.device, file.state.inode))
}

fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
