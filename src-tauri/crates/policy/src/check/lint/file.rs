//! Lint of an agent's `permissions.jsonc`, where the last match wins.

use super::{LintProblem, RuleFinding};
use crate::permissions::{FileLayer, PermissionEntry};
use crate::rule::{Effect, RuleId};
use crate::subject::SHELL_TOOL;

/// Looks a file's lines over, in their order. A finding's rule is the line, as a negative number.
pub fn lint_file(layer: &FileLayer) -> Vec<RuleFinding> {
    let entries = layer.entries();
    let mut found = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let later = entries.get(at + 1..).unwrap_or_default().iter().find(|later| overrides(later, entry));
        if let Some(later) = later {
            let (tool, pattern) = (entry.tool.clone(), entry.written.clone());
            found.push(finding(entry, LintProblem::CoveredLine { tool, pattern, by: later.line_number() }));
        } else if entry.effect == Effect::Allow && allows_commands(entry) {
            let (tool, pattern) = (entry.tool.clone(), entry.written.clone());
            found.push(finding(entry, LintProblem::AllowsEverything { tool, pattern }));
        }
    }
    found
}

fn finding(entry: &PermissionEntry, problem: LintProblem) -> RuleFinding {
    let line = RuleId::try_from(entry.line_number()).unwrap_or(RuleId::MAX);
    RuleFinding { rule: -line, problem }
}

/// Returns true if a later line decides wherever this one would.
fn overrides(later: &PermissionEntry, entry: &PermissionEntry) -> bool {
    let same_tool = later.tool == entry.tool || later.tool == "*";
    let same_value = later.written == entry.written || later.written == "*";
    same_tool && same_value
}

fn allows_commands(entry: &PermissionEntry) -> bool {
    entry.written == "*" && (entry.tool == "*" || entry.tool == SHELL_TOOL)
}
