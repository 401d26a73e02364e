//! The folder that an offer's rules hold in.

use super::Draft;
use crate::facts::Facts;
use crate::judge::is_held_in_place;
use crate::needed::folders_of;
use crate::path;
use postern_command::Dir;

/// Steps that run in folders which no rule is given for together.
pub(super) struct Apart;

/// Returns the agent's own folder that holds that of the request.
pub(super) fn own_folder(facts: &Facts<'_>) -> Option<String> {
    let cwd = path::normal(facts.cwd);
    let own = facts.folders.iter().filter(|folder| path::is_within(&cwd, folder));
    own.min_by_key(|folder| folder.len()).cloned()
}

/// Returns the folder of rules for these drafts.
///
/// That is the agent's own folder that holds the request's, or the one that all their steps move to; `None`
/// is every folder.
pub(super) fn rules_folder(drafts: &[Draft], facts: &Facts<'_>) -> Result<Option<String>, Apart> {
    let steps = drafts.iter().map(|draft| &facts.reading.steps[draft.step]);
    let cwd = path::normal(facts.cwd).into_owned();
    if steps.clone().all(|step| step.dir == Dir::Same) {
        return Ok(Some(own_folder(facts).unwrap_or(cwd)));
    }
    // Without limits a rule for a folder holds only where the line does not move, and with them only where the agent cannot
    // exchange the folder that it moves to.
    if !drafts.iter().all(Draft::holds_effects)
        || !steps.clone().all(|step| is_held_in_place(facts, &step.dir))
    {
        return Ok(None);
    }
    let mut folders: Vec<String> = Vec::new();
    for step in steps {
        folders.extend(folders_of(&cwd, &step.dir).ok_or(Apart)?);
    }
    let holds_all = |folder: &str| folders.iter().all(|other| path::is_within(other, folder));
    if holds_all(&cwd) {
        return Ok(Some(cwd));
    }
    folders.iter().find(|folder| holds_all(folder)).cloned().map(Some).ok_or(Apart)
}
