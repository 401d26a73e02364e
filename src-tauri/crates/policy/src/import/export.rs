//! Exporter of rules to the formats of other programs.
//!
//! These compare the beginning of a line and look at nothing that an argument does. A rule that would allow
//! more there is left out, unless the person confirmed that.

use crate::rule::{Effect, FileAccess, Lifetime, Pattern, Rule, RuleInput};
use postern_command::{quote_argv, words_of};
use serde_json::json;

/// A format that rules are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportTarget {
    /// `permissions` of `settings.json`.
    ClaudeCode,
    /// `prefix_rule(…)` of a `.rules` file.
    Codex,
}

/// A rule that is left out, with the reason.
pub type NotSaid = (Rule, &'static str);

/// A rule as the other program says it.
enum ExportedLine {
    /// Words, and whether any others may follow.
    Command { effect: Effect, words: Vec<String>, more: bool },
    /// Files that no tool may touch, as an entry.
    Files(String),
}

/// Writes rules in a format. With `broad`, also those that allow more there.
pub fn export(target: ExportTarget, rules: &[Rule], broad: bool) -> (String, Vec<NotSaid>) {
    let (mut said, mut left_out) = (Vec::new(), Vec::new());
    for rule in rules {
        match export_rule(target, rule, broad) {
            Ok(one) => said.push(one),
            Err(why) => left_out.push((rule.clone(), why)),
        }
    }
    let text = match target {
        ExportTarget::ClaudeCode => claude_code(&said),
        ExportTarget::Codex => said.iter().map(codex_line).collect(),
    };
    (text, left_out)
}

fn export_rule(target: ExportTarget, rule: &Rule, broad: bool) -> Result<ExportedLine, &'static str> {
    let allows = rule.effect == Effect::Allow;
    if let (ExportTarget::ClaudeCode, false, Some((access, text))) =
        (target, allows, rule.pattern.file_access())
    {
        return files_entry(access, text).map(ExportedLine::Files);
    }
    if allows && (rule.pin.is_some() || rule.lifetime != Lifetime::Forever) {
        return Err("it is bound to a program or a time, which that format can't express");
    }
    if rule.confine.is_some() {
        return Err("it runs confined, which that format can't express");
    }
    if allows && rule.limits.is_some() {
        return Err("the effects that it is for cannot be said there");
    }
    if allows && (rule.folder.is_some() || rule.input != RuleInput::Nothing || rule.args.is_some()) {
        return Err("the folder, the input or the arguments that it is for cannot be said there");
    }
    let (words, more) = match &rule.pattern {
        Pattern::Exact(argv) => (argv.clone(), false),
        Pattern::Command(text) => {
            let mut words = words_of(text).map_err(|_| "its words cannot be read")?;
            let more = words.last().is_some_and(|last| matches!(last.as_str(), "*" | "**"));
            words.truncate(words.len() - usize::from(more));
            (words, more)
        }
        Pattern::Path(_) | Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_) => {
            return Err("it is about more than words of commands, which that format can't express");
        }
    };
    if words.iter().any(|word| word.contains(['*', '?'])) {
        return Err("its wildcards stand for other text there");
    }
    // A prefix covers whatever an argument makes the program do; Codex has nothing but prefixes.
    let more = more || target == ExportTarget::Codex || !allows;
    if allows && more && !(rule.broad || broad) {
        return Err("it would allow more there: add --broad to export it");
    }
    Ok(ExportedLine::Command { effect: rule.effect, words, more })
}

/// Returns the entry for files that no tool may touch. A path is that of `.gitignore`, whose `*` stays in its folder.
fn files_entry(access: FileAccess, text: &str) -> Result<String, &'static str> {
    let path = match text.strip_prefix("$HOME/").or_else(|| text.strip_prefix("~/")) {
        Some(rest) => format!("~/{rest}"),
        None if text.starts_with('/') => format!("/{text}"),
        None => text.to_owned(),
    };
    let own = path.strip_prefix("**/").filter(|own| !own.contains('/'));
    let stays = path.split('/').all(|part| part == "**" || !part.contains('*'));
    if own.is_none() && !stays {
        return Err("its `*` crosses folders, which that format can't express");
    }
    let tool = if access == FileAccess::Read { "Read" } else { "Edit" };
    Ok(format!("{tool}({path})"))
}

fn claude_code(said: &[ExportedLine]) -> String {
    let of = |wanted: Effect| -> Vec<String> {
        let entry = |one: &ExportedLine| match one {
            ExportedLine::Command { effect, words, more } => (*effect == wanted)
                .then(|| format!("Bash({}{})", quote_argv(words), if *more { ":*" } else { "" })),
            ExportedLine::Files(entry) => (wanted == Effect::Deny).then(|| entry.clone()),
        };
        said.iter().filter_map(entry).collect()
    };
    let permissions = json!({ "allow": of(Effect::Allow), "deny": of(Effect::Deny) });
    let document = json!({ "permissions": permissions });
    format!("{document:#}\n")
}

fn codex_line(said: &ExportedLine) -> String {
    let ExportedLine::Command { effect, words, .. } = said else { return String::new() };
    let decision = if *effect == Effect::Deny { "forbidden" } else { "allow" };
    format!("prefix_rule(pattern={}, decision=\"{decision}\")\n", json!(words))
}
