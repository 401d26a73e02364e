//! `shell_exec` at the tool gate: every command of the line by itself, the strictest wins.

use super::SHELL_TOOL;
use super::layer::Entry;
use super::tool::{Layers, ToolVerdict, decision, sentence};
use crate::generous::{self, Match};
use crate::pattern::by_arity;
use crate::rule::Effect;
use crate::verdict::Decision;
use postern_command::{Dialect, Reading, Role, Step, escape, read_shell};
use serde_json::Value;

/// Judges `{"command": TEXT}`.
pub(super) fn check(layers: &Layers<'_>, arguments: &Value) -> ToolVerdict {
    let Some(text) = arguments.get("command").and_then(Value::as_str) else {
        return ask(
            "shell_exec names no command: it cannot be compared with the rules.".to_owned(),
            Vec::new(),
        );
    };
    let reading = read_shell(text, Dialect::Bash);
    if let Some(invalid) = &reading.invalid {
        let message = invalid.message.clone();
        return ToolVerdict { decision: Decision::Deny, ..ask(message, Vec::new()) };
    }
    let steps: Vec<&Step> =
        reading.steps.iter().filter(|step| !matches!(step.role, Role::Function | Role::Nothing)).collect();
    let values: Vec<String> = steps.iter().map(|step| line(step)).collect();
    let judged: Vec<_> = steps.iter().map(|step| step_entry(layers, step)).collect();
    let gate_is_off = layers
        .all
        .iter()
        .flat_map(|layer| layer.entries())
        .all(|entry| !entry.is_for(SHELL_TOOL) || entry.is_catch_all());
    let worst = (0..steps.len()).max_by_key(|&index| step_decision(steps[index], judged[index], gate_is_off));
    let Some(worst) = worst else { return ask("No command could be read in this line.".to_owned(), values) };
    let mut verdict = step_decision(steps[worst], judged[worst], gate_is_off);
    let mut message = sentence(SHELL_TOOL, &format!(" for {}", escape::text(&values[worst])), judged[worst]);
    if verdict == Decision::Allow && !reading.is_clear() && !gate_is_off {
        verdict = Decision::Ask;
        "A part of the line could not be read: no rule can allow it.".clone_into(&mut message);
    }
    ToolVerdict {
        decision: verdict,
        message,
        entry: judged[worst].map(|entry| (entry.written.clone(), entry.line)),
        always: if reading.is_clear() { always(&reading, layers) } else { Vec::new() },
        values,
    }
}

fn ask(message: String, values: Vec<String>) -> ToolVerdict {
    ToolVerdict { decision: Decision::Ask, message, entry: None, values, always: Vec::new() }
}

fn line(step: &Step) -> String {
    step.argv.iter().map(|word| word.value.as_deref().unwrap_or(&word.raw)).collect::<Vec<_>>().join(" ")
}

fn step_entry<'a>(layers: &Layers<'a>, step: &Step) -> Option<&'a Entry> {
    let words: Vec<Option<&str>> = step.argv.iter().map(|word| word.value.as_deref()).collect();
    let names: Vec<&str> = words.first().copied().flatten().into_iter().collect();
    layers.decide(SHELL_TOOL, |entry| matches(entry, &names, &words) != Match::No)
}

/// Whether an entry is about a command: strictly where it allows, generously where it denies or asks.
pub(crate) fn matches(entry: &Entry, names: &[&str], words: &[Option<&str>]) -> Match {
    if entry.is_catch_all() {
        return Match::Yes;
    }
    let Some((_, pattern)) = entry.command() else { return Match::No };
    match entry.effect {
        Effect::Allow if pattern.matches(words) => Match::Yes,
        Effect::Allow => Match::No,
        Effect::Deny | Effect::Ask => {
            let text = words.iter().map(|word| word.unwrap_or("?")).collect::<Vec<_>>().join(" ");
            if entry.matches_value(&text) {
                return Match::Yes;
            }
            generous::compare(&pattern.words, pattern.more, names, words.get(1..).unwrap_or_default())
        }
    }
}

fn step_decision(step: &Step, entry: Option<&Entry>, gate_is_off: bool) -> Decision {
    let own = decision(entry);
    let harmless = step.role == Role::HarmlessBuiltin && own == Decision::Ask && !writes(step);
    let unread = step.opaque.is_some() || !step.ways_out.is_empty() || writes(step);
    match own {
        Decision::Ask if harmless => Decision::Allow,
        Decision::Allow if unread && !gate_is_off => Decision::Ask,
        Decision::Allow | Decision::Ask | Decision::Deny => own,
    }
}

fn writes(step: &Step) -> bool {
    step.redirections.iter().any(postern_command::Redirection::writes)
}

/// A pattern by arity prefix for every command that is not allowed yet.
fn always(reading: &Reading, layers: &Layers<'_>) -> Vec<String> {
    let mut patterns = Vec::new();
    for step in reading.steps.iter().filter(|step| step.role == Role::Program) {
        if decision(step_entry(layers, step)) == Decision::Allow {
            continue;
        }
        let Some(argv) = step.literal_argv() else { return Vec::new() };
        match by_arity(&argv) {
            Some(pattern) if step.ways_out.is_empty() => patterns.push(pattern),
            Some(_) | None => return Vec::new(),
        }
    }
    patterns.dedup();
    patterns
}
