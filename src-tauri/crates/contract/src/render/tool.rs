//! Reason why a use of a tool is allowed, asked about or denied.

use super::risk::protection;
use super::sentence::Sentence;
use crate::piece::Shown;
use postern_policy::{Effect, NamedRule, RuleSource, ToolCause, ToolUse};

/// Returns why a use of a tool is allowed, asked about or denied.
pub(super) fn cause(cause: &ToolCause) -> Shown {
    let sentence = match cause {
        ToolCause::Line { tool, of, line } => by_line(tool, of, line.as_ref()),
        ToolCause::Beyond(allows) => Sentence::default()
            .then(super::cause(allows))
            .say(" But it does more than that line says, so Postern asks."),
        ToolCause::Default(allows) => Sentence::default()
            .then(super::cause(allows))
            .say(" That is a default, and the agent's own rules ask."),
        ToolCause::Missing { tool, argument } => Sentence::default()
            .code(tool)
            .say(" names no ")
            .code(argument)
            .say(", so Postern can't compare it with the rules."),
        ToolCause::MayMean { tool, value, pattern } => Sentence::default()
            .code(pattern)
            .say(" may mean ")
            .code(tool)
            .say(" for ")
            .code(value)
            .say(", so Postern asks."),
        ToolCause::NotCompared { tool, folder, pattern } => {
            let begun = Sentence::default().code(tool);
            let begun = if *folder {
                begun.say(" names no folder, and ")
            } else {
                begun.say(" has arguments that Postern does not compare, and ")
            };
            begun.code(pattern).say(" may mean it, so Postern asks.")
        }
        ToolCause::Nul { tool } => Sentence::default().code(tool).say(" was given a value with a NUL in it."),
        ToolCause::NoValue { tool } => Sentence::default().code(tool).say(" names no value."),
        ToolCause::NoCommand => Sentence::new("Postern can't read a command in this line."),
        ToolCause::Unparsed => Sentence::new("Postern can't read a part of this line: no rule can allow it."),
        ToolCause::Protected { place, protection: of } => Sentence::default()
            .code(place)
            .say(" is protected (")
            .say(protection(*of))
            .say("): only a line of `permissions.jsonc` that names it allows this."),
    };
    sentence.pieces()
}

fn by_line(tool: &str, of: &ToolUse, line: Option<&NamedRule>) -> Sentence {
    let Some(line) = line else {
        return used(Sentence::new("No rule decides about "), tool, of).say(", so Postern asks.");
    };
    let named = Sentence::default().code(&line.pattern);
    let placed = match line.source {
        RuleSource::Line(number) => named.say(" (permissions.jsonc, line ").number(number).say(")"),
        RuleSource::Subagent => named.say(" (the subagent's layer)"),
        _ => named.say(" (this session)"),
    };
    let verb = match line.effect {
        Effect::Allow => " allows ",
        Effect::Deny => " denies ",
        Effect::Ask => " asks about ",
    };
    used(placed.say(verb), tool, of).say(".")
}

fn used(sentence: Sentence, tool: &str, of: &ToolUse) -> Sentence {
    let named = sentence.code(tool);
    match of {
        ToolUse::Any => named,
        ToolUse::Value(value) => named.say(" for ").code(value),
        ToolUse::Part => named.say(" for a part of this line"),
    }
}
