//! `shell_exec` at the tool gate: every command of the line by itself, the strictest wins.

use super::verdict::{ToolVerdict, decision, entry_location, is_default, line_cause};
use crate::agent::Layers;
use crate::cause::{Cause, ToolCause, ToolUse};
use crate::decision::Decision;
use crate::generous::MatchCertainty;
use crate::judge::is_harmless;
use crate::pattern::by_arity;
use crate::permissions::{EntryOrigin, PermissionEntry};
use crate::rule::Effect;
use crate::settings::Settings;
use crate::subject::SHELL_TOOL;
use postern_command::{
    Dialect, MOST_GUESSES, ParsedCommand, Power, ProgramClass, Role, Step, Word, class_of, escape,
    quote_argv, read_shell,
};
use serde_json::Value;

/// Judges `{"command": TEXT}`.
pub(super) fn check_command(layers: &Layers<'_>, settings: &Settings, arguments: &Value) -> ToolVerdict {
    let Some(text) = arguments.get("command").and_then(Value::as_str) else {
        let (tool, argument) = (SHELL_TOOL.to_owned(), "command".to_owned());
        return ToolVerdict::without_entry(Decision::Ask, ToolCause::Missing { tool, argument }.into());
    };
    let reading = read_shell(text, Dialect::Bash);
    if let Some(invalid) = &reading.invalid {
        return ToolVerdict::without_entry(Decision::Deny, Cause::Invalid(invalid.message.into()));
    }
    let gate = CommandGate { layers, settings, is_off: layers.leave_out_shell() };
    let steps: Vec<&Step> =
        reading.steps.iter().filter(|step| !matches!(step.role, Role::Function | Role::Nothing)).collect();
    let values: Vec<String> = steps.iter().map(|step| step_line(step)).collect();
    let judged: Vec<_> = steps.iter().map(|step| gate.step_entry(step)).collect();
    let worst = (0..steps.len()).max_by_key(|&index| gate.decision(steps[index], judged[index]));
    let Some(worst) = worst else {
        let mut verdict = gate.without_commands(text);
        gate.look_into(&reading, &mut verdict);
        return verdict;
    };
    let cause = line_cause(SHELL_TOOL, ToolUse::Value(values[worst].clone()), judged[worst]);
    let decided = gate.decision(steps[worst], judged[worst]);
    let mut same = (0..steps.len()).filter(|&at| gate.decision(steps[at], judged[at]) == decided);
    let by_nobody = |at: usize| is_default(judged[at]) || decided != decision(judged[at]);
    let mut verdict = ToolVerdict {
        entry: judged[worst].map(entry_location),
        always: if reading.is_clear() { gate.always(&reading) } else { Vec::new() },
        by_default: match decided {
            Decision::Allow => same.any(by_nobody),
            Decision::Ask | Decision::Deny => same.all(|at| is_default(judged[at])),
        },
        values,
        ..ToolVerdict::without_entry(decided, cause)
    };
    if verdict.decision == Decision::Ask && decision(judged[worst]) == Decision::Allow {
        verdict.cause = ToolCause::Beyond(Box::new(verdict.cause)).into();
    }
    gate.look_into(&reading, &mut verdict);
    verdict
}

struct CommandGate<'a, 'l> {
    layers: &'a Layers<'l>,
    settings: &'a Settings,
    is_off: bool,
}

impl<'l> CommandGate<'_, 'l> {
    fn step_entry(&self, step: &Step) -> Option<&'l PermissionEntry> {
        let words = step.known_words();
        self.decide(&words)
    }

    fn decide(&self, words: &[Option<&str>]) -> Option<&'l PermissionEntry> {
        let names: Vec<&str> = words.first().copied().flatten().into_iter().collect();
        self.layers.decide(SHELL_TOOL, |entry| entry.match_command(&names, words) != MatchCertainty::No)
    }

    /// Returns the verdict on a text in which no command was found. Its words are judged as one command that no
    /// rule can allow.
    fn without_commands(&self, text: &str) -> ToolVerdict {
        let words: Vec<Option<&str>> = text.split_whitespace().map(Some).collect();
        let entry = self.decide(&words);
        let own = decision(entry);
        let least = if self.is_off { Decision::Allow } else { Decision::Ask };
        let cause = match own {
            Decision::Deny => line_cause(SHELL_TOOL, ToolUse::Value(text.to_owned()), entry),
            Decision::Allow | Decision::Ask => ToolCause::NoCommand.into(),
        };
        ToolVerdict { entry: entry.map(entry_location), ..ToolVerdict::without_entry(own.max(least), cause) }
    }

    /// Parts that were not understood: what they may run is denied where a rule denies it, and asked about otherwise.
    fn look_into(&self, reading: &ParsedCommand, verdict: &mut ToolVerdict) {
        if reading.is_clear() || self.is_off {
            return;
        }
        let mut guesses = crate::needed::candidates(reading);
        let denied = guesses
            .by_ref()
            .take(MOST_GUESSES)
            .filter_map(|argv| self.decide(&argv.iter().map(|word| Some(word.as_str())).collect::<Vec<_>>()))
            .find(|entry| entry.effect == Effect::Deny);
        if denied.is_none() && guesses.next().is_some() {
            verdict.decision = Decision::Deny;
            verdict.cause = Cause::TooManyCandidates;
        } else if let Some(entry) = denied {
            verdict.decision = Decision::Deny;
            verdict.cause = line_cause(SHELL_TOOL, ToolUse::Part, Some(entry));
            verdict.entry = Some(entry_location(entry));
        } else if verdict.decision == Decision::Allow {
            verdict.decision = Decision::Ask;
            verdict.cause = ToolCause::Unparsed.into();
        }
    }

    fn decision(&self, step: &Step, entry: Option<&PermissionEntry>) -> Decision {
        let own = decision(entry);
        let harmless =
            step.role == Role::HarmlessBuiltin && own == Decision::Ask && !step.writes_by_redirection();
        match own {
            Decision::Ask if harmless => Decision::Allow,
            Decision::Allow if !self.is_off && !self.is_within(step, entry) => Decision::Ask,
            Decision::Allow | Decision::Ask | Decision::Deny => own,
        }
    }

    /// Returns true if what an entry allows is all that the step does.
    fn is_within(&self, step: &Step, entry: Option<&PermissionEntry>) -> bool {
        let command = entry.and_then(PermissionEntry::command);
        let named = |argument| command.is_some_and(|command| command.names_word(argument));
        step.opaque.is_none()
            && !step.writes_by_redirection()
            && step.ways_out.iter().all(|way| named(way.argument))
            && step.via.iter().all(|via| via.power == Power::Transparent)
            && step.assignments.iter().all(|assignment| is_harmless(assignment, self.settings))
            && (named(0) || !carries_others(step))
    }

    /// Returns a pattern by arity prefix for every command that is not allowed yet; the whole command where
    /// its program runs others.
    fn always(&self, reading: &ParsedCommand) -> Vec<String> {
        let mut patterns = Vec::new();
        for step in reading.steps.iter().filter(|step| step.role == Role::Program) {
            if self.decision(step, self.step_entry(step)) == Decision::Allow {
                continue;
            }
            let Some(argv) = step.literal_argv() else { return Vec::new() };
            let pattern = if carries_others(step) { exact_pattern(&argv) } else { by_arity(&argv) };
            match pattern {
                Some(pattern) if self.would_allow(step, &pattern) => patterns.push(pattern),
                Some(_) | None => return Vec::new(),
            }
        }
        patterns.dedup();
        patterns
    }

    /// Returns true if a new entry with this pattern would let the step through.
    fn would_allow(&self, step: &Step, pattern: &str) -> bool {
        let origin = EntryOrigin::Session;
        let Ok(entry) = PermissionEntry::new(SHELL_TOOL, pattern, Effect::Allow, "/", origin) else {
            return false;
        };
        let words = step.known_words();
        entry.match_command(&[], &words) == MatchCertainty::Yes && self.is_within(step, Some(&entry))
    }
}

fn step_line(step: &Step) -> String {
    step.argv.iter().map(Word::text).collect::<Vec<_>>().join(" ")
}

/// This command and no other, where its words mean only themselves in a pattern.
fn exact_pattern(argv: &[&str]) -> Option<String> {
    let special = ['*', '?', '[', ']', '{', '}', '(', ')', '!', '|', '@', '+'];
    let plain = argv
        .iter()
        .all(|word| escape::is_visible(word) && !word.contains(special) && !word.starts_with(['~', '$']));
    plain.then(|| quote_argv(argv))
}

/// Returns true if the program is a shell, an interpreter, a wrapper or many programs in one.
fn carries_others(step: &Step) -> bool {
    step.program().is_none_or(|name| class_of(crate::path::base_name(name)) != ProgramClass::Ordinary)
}
