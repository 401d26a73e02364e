//! Is everything still what was judged? Asked while the new process is held before its first instruction.

use super::Prepared;
use crate::identity::{FileState, sha256};
use crate::resolve::{HeldFile, is_executable_file};
use postern_request::Drift;

/// A program of this size or more is not hashed a second time on a system that keeps running programs from being
/// written to.
const REHASH_BYTES: u64 = 64 * 1024 * 1024;

/// Returns the first difference that shows without reading a file.
pub(super) fn find_drift(prepared: &Prepared) -> Option<Drift> {
    if !prepared.cwd.is_current() {
        return Some(Drift::Folder { path: prepared.cwd.bound.path.clone() });
    }
    if prepared.plan.confinement.is_none() && !prepared.held.obeyed.is_current() {
        return Some(Drift::Facts);
    }
    held_files(prepared).find_map(|(file, _)| changed(file))
}

/// Returns the first file with other content, of those whose times may hide a change. Reading them may take seconds.
pub(super) fn find_other_content(prepared: &Prepared) -> Option<Drift> {
    let mut read = held_files(prepared).filter(|(file, kind)| must_hash(file, *kind));
    let (file, _) = read.find(|(file, _)| !same_content(file))?;
    Some(Drift::Changed { path: file.bound.path.clone() })
}

fn held_files(prepared: &Prepared) -> impl Iterator<Item = (&HeldFile, HeldFileKind)> {
    let held = &prepared.held;
    let programs = held.started.iter().chain(&held.programs);
    let programs = programs.map(|file| (&**file, HeldFileKind::Program));
    programs.chain(held.scripts.iter().map(|file| (&**file, HeldFileKind::Script)))
}

/// Returns whether the plan and what is held open are about the same things. They are, unless a caller mixed
/// two up.
pub(super) fn mismatch(prepared: &Prepared) -> Option<Drift> {
    let plan = &prepared.plan;
    if plan.programs != prepared.held.bound_programs() || plan.scripts != prepared.held.bound_scripts() {
        return Some(Drift::OtherFiles);
    }
    (plan.cwd != prepared.cwd.bound).then_some(Drift::OtherFolder)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeldFileKind {
    Program,
    Script,
}

fn changed(file: &HeldFile) -> Option<Drift> {
    let path = || file.bound.path.clone();
    if !file.is_at(&file.path) {
        return Some(Drift::Replaced { path: path() });
    }
    if FileState::from_file(file.file()).ok() != Some(file.state) {
        return Some(Drift::Changed { path: path() });
    }
    let shadow = file.earlier.iter().find(|path| is_executable_file(path))?;
    Some(Drift::Shadowed { path: path(), by: shadow.to_string_lossy().into_owned() })
}

/// Returns true if the times of a file may hide a change.
///
/// It was changed right before it was judged, or through a mapping, which only touches the times now and then. Linux keeps what
/// runs from being open for writing, but not from having been written before its start; a script is only read.
pub(super) fn must_hash(file: &HeldFile, kind: HeldFileKind) -> bool {
    let only_read = kind == HeldFileKind::Script || file.shebang.is_some();
    let unprotected = only_read || (cfg!(target_os = "macos") && file.state.size < REHASH_BYTES);
    !file.settled || file.agent_can_change || (file.mutable && unprotected)
}

fn same_content(file: &HeldFile) -> bool {
    sha256(file.file(), file.state.size).is_ok_and(|now| now == file.identity().sha256)
}
