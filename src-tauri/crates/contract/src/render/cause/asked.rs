//! Reason of a question, in one plain line to the person.

use super::{cause_sentence, policies};
use crate::piece::ShownText;
use crate::render::ago::add_ago;
use crate::render::audience::Audience;
use crate::render::gap::difference;
use crate::render::sentence::Sentence;
use postern_policy::{
    Cause, ContentDifference, Effect, Millis, NamedRule, NamedRuleSource, PinMismatch, RuleId, StepVerdict,
    ToolCause, ToolUse, Verdict,
};

/// Use that a person allows or not: of a command, or of a kind of the agent’s own tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedUse {
    /// A command, which its steps name.
    Command,
    /// Edits of files in this folder; `None` is a folder that cannot be named.
    Edits(Option<String>),
    /// Reads of files in this folder; `None` is a folder that cannot be named.
    Reads(Option<String>),
    /// Searches through files.
    Searches,
    Fetches(String),
    /// A tool of an MCP server.
    ServerTool {
        server: String,
        tool: String,
    },
    Skills,
    /// Any other tool of the agent.
    Tool(String),
}

/// Facts beside the verdict that a reason names.
#[derive(Debug, Clone, Copy)]
pub struct AskedFacts<'a> {
    pub used: &'a AskedUse,
    /// Name of the agent.
    pub agent: &'a ShownText,
    /// Time of the question.
    pub asked_at: Millis,
    /// Time at which each rule for a program or script that changed was last used, or else was made.
    pub last_allowed: &'a [(RuleId, Millis)],
}

/// Returns why a question is asked: of several steps, the reason of the one that its headline speaks of.
pub fn asked_because(verdict: &Verdict, facts: &AskedFacts<'_>) -> ShownText {
    let (cause, counts) = match (&verdict.cause, headline_step(verdict)) {
        (Cause::Steps { asking, steps, .. }, Some(step)) => (&step.cause, Some((*asking, *steps))),
        (Cause::Steps { cause, asking, steps }, None) => (&**cause, Some((*asking, *steps))),
        (cause, _) => (cause, None),
    };
    let line = match cause {
        Cause::Changed { change, .. } => changed(cause, change, verdict, facts),
        cause => reason_line(cause, facts.used, facts.agent),
    };
    match counts {
        Some((asking, steps)) => add_counts(line, asking, steps).pieces(),
        None => line.pieces(),
    }
}

/// Returns what changed of a program or script, and when its rule last allowed it.
fn changed(cause: &Cause, change: &PinMismatch, verdict: &Verdict, facts: &AskedFacts<'_>) -> Sentence {
    let step = verdict.steps.iter().find(|step| step.cause == *cause);
    let as_recorded = || Sentence::default().append(cause_sentence(cause));
    let Some(name) = step.and_then(|step| step.program.as_deref()) else { return as_recorded() };
    let said = match change {
        PinMismatch::NotApproved => return as_recorded(),
        PinMismatch::Script { path } => Sentence::new("The script ").code(path).literal(" changed"),
        PinMismatch::Unidentified => Sentence::new("Postern can’t identify ").code(name),
        PinMismatch::Program(between) => {
            let is_same_version = matches!(between.content, ContentDifference::SameVersion(_));
            let said = Sentence::default().code(name).literal(" changed");
            said.literal(if is_same_version { ": " } else { " " }).append(difference(between))
        }
    };
    let rule = step.and_then(|step| step.rule.as_ref());
    let last = rule.and_then(|rule| facts.last_allowed.iter().find(|(id, _)| *id == rule.id));
    let said = match last {
        Some((_, at)) => add_ago(said.literal(", last allowed "), *at, facts.asked_at),
        None => said,
    };
    said.literal(".")
}

/// Adds how many steps of a command need approval.
fn add_counts(line: Sentence, asking: usize, steps: usize) -> Sentence {
    match (asking, steps) {
        (2, 2) => line.literal(" Both need approval."),
        (asking, steps) if asking == steps => {
            line.literal(" All ").number(steps).literal(" steps need approval.")
        }
        _ => line.literal(" ").number(asking).literal(" of ").number(steps).literal(" steps need approval."),
    }
}

/// Returns the step of the headline, if it is asked about for a reason of its own.
fn headline_step(verdict: &Verdict) -> Option<&StepVerdict> {
    let step = verdict.steps.get(verdict.risk.effects.first()?.step?)?;
    (step.decision == verdict.decision && !step.cause.follows_from_others()).then_some(step)
}

fn reason_line(cause: &Cause, used: &AskedUse, agent: &ShownText) -> Sentence {
    match cause {
        Cause::NoRule { command: Some(command) } => not_allowed(Sentence::default().code(command), agent),
        Cause::NoRule { command: None } => Sentence::new("You haven’t allowed this part yet."),
        Cause::AskAlways(_) => about_all(agent),
        Cause::Unparsed(note) => {
            Sentence::new("Postern can’t read all of it: ").append_note(note).literal(".")
        }
        Cause::SeveralPeople { people, by, .. } => policies(by)
            .literal(" wants ")
            .number(usize::from(*people))
            .literal(" people to approve what ")
            .append(agent.clone())
            .literal(" does here."),
        Cause::Tool(cause) => of_tool(cause, used, agent),
        _ => Sentence::default().append(cause_sentence(cause)),
    }
}

fn about_all(agent: &ShownText) -> Sentence {
    Sentence::new("Postern asks about everything from ").append(agent.clone()).literal(".")
}

fn not_allowed(what: Sentence, agent: &ShownText) -> Sentence {
    let begun = Sentence::new("You haven’t allowed ").append(what.pieces());
    begun.literal(" for ").append(agent.clone()).literal(" yet.")
}

fn of_tool(cause: &ToolCause, used: &AskedUse, agent: &ShownText) -> Sentence {
    let by_agent = || Sentence::default().append(agent.clone());
    match cause {
        ToolCause::Line { of, line, .. } => by_line(named_use(used, of), line.as_deref(), agent),
        ToolCause::Beyond(allows) => match allowing(allows) {
            Some(pattern) => Sentence::filled("It does more than your rule {} allows for ", &[pattern])
                .append(agent.clone())
                .literal("."),
            None => {
                Sentence::new("It does more than your rules allow for ").append(agent.clone()).literal(".")
            }
        },
        ToolCause::Default(_) => by_agent()
            .literal("’s own rules ask about ")
            .append(named_use(used, &ToolUse::Any).pieces())
            .literal("."),
        ToolCause::Missing { .. } | ToolCause::NoValue { .. } => {
            by_agent().literal(" didn’t say what this is about, so Postern can’t compare it with your rules.")
        }
        ToolCause::MayMean { value, pattern, .. } => {
            let begun = Sentence::filled("Your rule {} may be about {}, which ", &[pattern, value]);
            begun.append(agent.clone()).literal(" asks for.")
        }
        ToolCause::NotCompared { folder: true, pattern, .. } => {
            by_agent().fill(" named no folder, and your rule {} may be about it.", &[pattern])
        }
        ToolCause::NotCompared { folder: false, pattern, .. } => {
            by_agent().fill(" asks for something that your rule {} may be about.", &[pattern])
        }
        ToolCause::Nul { .. } => by_agent().literal(" sent a value with a NUL in it."),
        ToolCause::NoCommand | ToolCause::Unparsed | ToolCause::Protected { .. } => {
            Sentence::default().append(super::tool::tool_cause_to(Audience::User, cause))
        }
    }
}

/// Returns the pattern of the line that allows a part, if one does.
fn allowing(cause: &Cause) -> Option<&str> {
    match cause {
        Cause::Tool(ToolCause::Line { line: Some(line), .. }) => Some(&line.pattern),
        _ => None,
    }
}

/// Says which rule asks; one for every use only says that nothing is allowed yet.
fn by_line(what: Sentence, line: Option<&NamedRule>, agent: &ShownText) -> Sentence {
    let asks = line.filter(|line| line.effect == Effect::Ask && !matches!(&*line.pattern, "*" | "**"));
    let begun = match asks.map(|line| (&line.source, &line.pattern)) {
        None => return not_allowed(what, agent),
        Some((NamedRuleSource::Line(_) | NamedRuleSource::File, pattern)) => {
            Sentence::new("Your rule ").code(pattern)
        }
        Some((NamedRuleSource::Subagent, pattern)) => Sentence::new("The subagent’s rule ").code(pattern),
        Some((_, pattern)) => Sentence::new("The session’s rule ").code(pattern),
    };
    begun.literal(" asks about ").append(what.pieces()).literal(" for ").append(agent.clone()).literal(".")
}

/// Names a use as a person speaks of it, and never by the name that rules have for the tool.
fn named_use(used: &AskedUse, of: &ToolUse) -> Sentence {
    let in_folder = |what: &'static str, folder: &Option<String>| match folder {
        Some(folder) => Sentence::new(what).literal(" in ").code(folder),
        None => Sentence::new(what),
    };
    match (used, of) {
        (AskedUse::Command, ToolUse::Value(command)) => Sentence::default().code(command),
        (AskedUse::Command, ToolUse::Any) => Sentence::new("this command"),
        (AskedUse::Command, ToolUse::Part) => Sentence::new("a part of this command"),
        (AskedUse::Edits(folder), _) => in_folder("edits", folder),
        (AskedUse::Reads(folder), _) => in_folder("reads", folder),
        (AskedUse::Searches, _) => Sentence::new("searches"),
        (AskedUse::Fetches(host), _) => Sentence::new("fetches from ").code(host),
        (AskedUse::ServerTool { server, tool }, _) => Sentence::filled("{} of {}", &[tool, server]),
        (AskedUse::Skills, _) => Sentence::new("skills"),
        (AskedUse::Tool(tool), _) => Sentence::default().code(tool),
    }
}
