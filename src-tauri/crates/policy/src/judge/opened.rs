//! Folders that allow rules open for reading, to what looks around and runs confined.

use super::places;
use super::subject::StepSubject;
use crate::agent::AgentPolicy;
use crate::facts::Facts;
use crate::needed::folders_of;
use crate::path;
use crate::readable::why_not_readable;
use crate::rule::RuleId;

#[derive(Debug)]
pub(super) struct OpenedFolder {
    pub(super) rule: RuleId,
    pub(super) folder: String,
}

/// Returns the folders that rules open for a request, each once.
pub(super) fn folders(policy: &AgentPolicy, facts: &Facts<'_>) -> Vec<OpenedFolder> {
    let mut all: Vec<OpenedFolder> = Vec::new();
    for (rule, folder) in policy.rules.compiled_parts().flat_map(crate::ruleset::CompiledRules::opened) {
        let holds = rule.is_in_force(facts)
            && rule.holds_in(facts.cwd, facts.case_insensitive)
            && why_not_readable(folder, facts.home, Some(facts.data)).is_none();
        if holds && !all.iter().any(|other| other.folder == *folder) {
            all.push(OpenedFolder { rule: rule.rule.id, folder: folder.to_owned() });
        }
    }
    all
}

/// Returns true if a step of the request names something in a folder.
pub(crate) fn is_named(facts: &Facts<'_>, folder: &str) -> bool {
    let within = |path: &str| path::is_within(path, folder);
    facts.reading.steps.iter().zip(facts.steps).any(|(step, found)| {
        let subject = StepSubject::new(step, found);
        let places = folders_of(facts.cwd, &step.dir).unwrap_or_default();
        let named = places.iter().flat_map(|place| {
            let redirected = places::redirected(&subject, facts, place, |_| true);
            places::operands(&subject, facts, place).into_iter().chain(redirected)
        });
        found.targets.iter().any(|target| within(&target.real))
            || places.iter().any(|place| within(place))
            || named.into_iter().any(|path| within(&path))
    })
}
