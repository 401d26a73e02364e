//! The same for an agent's `permissions.jsonc`, where the last match wins.

use super::{Finding, FindingKind};
use crate::permissions::{Entry, FileLayer, SHELL_TOOL};
use crate::rule::{Effect, RuleId};
use postern_command::escape;

/// Looks a file's lines over, in their order. A finding's rule is the line, as a negative number.
pub fn lint_file(layer: &FileLayer) -> Vec<Finding> {
    let entries = layer.entries();
    let mut found = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let later = entries.get(at + 1..).unwrap_or_default().iter().find(|later| overrides(later, entry));
        if let Some(later) = later {
            found.push(finding(
                entry,
                FindingKind::Covered,
                format!(
                    "{} never decides: line {}, further down, matches all that it does.",
                    said(entry),
                    later.line()
                ),
                "Move it behind that line: the last match wins.",
            ));
        } else if entry.effect == Effect::Allow && allows_commands(entry) {
            found.push(finding(
                entry,
                FindingKind::TooBroad,
                format!("{} allows every command that no other line and no deny rule names.", said(entry)),
                "Name the commands that are meant (\"git status\": \"allow\").",
            ));
        }
    }
    found
}

fn finding(entry: &Entry, kind: FindingKind, message: String, mend: &str) -> Finding {
    let line = RuleId::try_from(entry.line()).unwrap_or(RuleId::MAX);
    Finding { rule: -line, kind, message, cause: None, mend: mend.to_owned() }
}

fn said(entry: &Entry) -> String {
    format!("{}: {}", escape::text(&entry.tool), escape::text(&entry.written))
}

/// Whether a later line decides wherever this one would.
fn overrides(later: &Entry, entry: &Entry) -> bool {
    let same_tool = later.tool == entry.tool || later.tool == "*";
    let same_value = later.written == entry.written || later.written == "*";
    same_tool && same_value
}

fn allows_commands(entry: &Entry) -> bool {
    entry.written == "*" && (entry.tool == "*" || entry.tool == SHELL_TOOL)
}
