//! The folder that an offer's rules hold in.

use super::Draft;
use crate::facts::Facts;
use crate::needed::folders_of;
use crate::path;
use postern_command::Dir;

/// Returns the folder of rules for these drafts: that of the request, or the one that all their steps move to. `Some(None)` is
/// every folder; `None` means that they hold in no folder together.
pub(super) fn of(drafts: &[Draft], facts: &Facts<'_>) -> Option<Option<String>> {
    let steps = drafts.iter().map(|draft| &facts.reading.steps[draft.step]);
    let cwd = path::normal(facts.cwd).into_owned();
    if steps.clone().all(|step| step.dir == Dir::Same) {
        return Some(Some(cwd));
    }
    // Without limits a rule for a folder holds only where the line does not move.
    if drafts.iter().any(|draft| draft.limits.is_none()) {
        return Some(None);
    }
    let mut folders: Vec<String> = Vec::new();
    for step in steps {
        folders.extend(folders_of(&cwd, &step.dir)?);
    }
    let holds_all = |folder: &str| folders.iter().all(|other| path::is_within(other, folder));
    if holds_all(&cwd) {
        return Some(Some(cwd));
    }
    folders.iter().find(|folder| holds_all(folder)).cloned().map(Some)
}
