//! Reason why a use of a tool is allowed, asked about or denied.

use super::cause_to;
use crate::piece::ShownText;
use crate::render::audience::Audience;
use crate::render::risk::protection;
use crate::render::sentence::Sentence;
use postern_policy::{Effect, NamedRule, NamedRuleSource, ToolCause, ToolUse};

/// Returns why a use of a tool is allowed, asked about or denied.
pub(super) fn tool_cause_to(audience: Audience, cause: &ToolCause) -> ShownText {
    let sentence = match cause {
        ToolCause::Line { tool, of, line } => by_line(tool, of, line.as_deref()),
        ToolCause::Beyond(allows) => Sentence::default()
            .append(cause_to(audience, allows))
            .literal(" But it does more than that line says, so Postern asks."),
        ToolCause::Default(allows) => Sentence::default()
            .append(cause_to(audience, allows))
            .literal(" That is a default, and the agent’s own rules ask."),
        ToolCause::Missing { tool, argument } => {
            Sentence::filled("{} names no {}, so Postern can’t compare it with the rules.", &[tool, argument])
        }
        ToolCause::MayMean { tool, value, pattern } => {
            Sentence::filled("{} may mean {} for {}, so Postern asks.", &[pattern, tool, value])
        }
        ToolCause::NotCompared { tool, folder, pattern } => {
            let words = if *folder {
                "{} names no folder, and {} may mean it, so Postern asks."
            } else {
                "{} has arguments that Postern does not compare, and {} may mean it, so Postern asks."
            };
            Sentence::filled(words, &[tool, pattern])
        }
        ToolCause::Nul { tool } => Sentence::filled("{} was given a value with a NUL in it.", &[tool]),
        ToolCause::NoValue { tool } => Sentence::filled("{} names no value.", &[tool]),
        ToolCause::NoCommand => Sentence::new("Postern can’t read a command in this line."),
        ToolCause::Unparsed => Sentence::new("Postern can’t read a part of this line: no rule can allow it."),
        ToolCause::Protected { place, protection: of } => Sentence::filled("{} is protected (", &[place])
            .literal(protection(*of))
            .literal("): only a line of `permissions.jsonc` that names it allows this."),
    };
    sentence.pieces()
}

fn by_line(tool: &str, of: &ToolUse, line: Option<&NamedRule>) -> Sentence {
    let Some(line) = line else {
        return add_tool_use(Sentence::new("No rule decides about "), tool, of).literal(", so Postern asks.");
    };
    let named = Sentence::default().code(&line.pattern);
    let placed = match line.source {
        NamedRuleSource::Line(number) => {
            named.literal(" (permissions.jsonc, line ").number(number).literal(")")
        }
        NamedRuleSource::Subagent => named.literal(" (the subagent’s layer)"),
        _ => named.literal(" (this session)"),
    };
    let verb = match line.effect {
        Effect::Allow => " allows ",
        Effect::Deny => " denies ",
        Effect::Ask => " asks about ",
    };
    add_tool_use(placed.literal(verb), tool, of).literal(".")
}

fn add_tool_use(sentence: Sentence, tool: &str, of: &ToolUse) -> Sentence {
    let named = sentence.code(tool);
    match of {
        ToolUse::Any => named,
        ToolUse::Value(value) => named.literal(" for ").code(value),
        ToolUse::Part => named.literal(" for a part of this line"),
    }
}
