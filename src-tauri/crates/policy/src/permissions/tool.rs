//! The gate for tools: the agent's file, its session's layers, and what a tool's value is.

use super::layer::{Entry, FileLayer, Origin, last_match};
use super::values::{self, Value, Values};
use super::{SHELL_TOOL, command};
use crate::agent::AgentPolicy;
use crate::judge::CommandAgainst;
use crate::rule::Effect;
use crate::verdict::{Decision, Risk, RiskLevel, StepVerdict, TraceLine};
use postern_command::escape;
use serde_json::Value as Json;

/// The answer to `tool.check`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolVerdict {
    /// What happens.
    pub decision: Decision,
    /// Why, in one sentence.
    pub message: String,
    /// The entry that decided: pattern and line of the file (0: in no file).
    pub entry: Option<(String, usize)>,
    /// The values that patterns were compared with.
    pub values: Vec<String>,
    /// The patterns that *Always* would add for this tool; empty where nothing may be added.
    pub always: Vec<String>,
    /// True if nobody decided it: it rests on a line that Postern wrote, or on no line.
    pub by_default: bool,
    /// Risk of the call.
    pub risk: Risk,
    /// Result of each step of a shell tool's line, in reading order.
    pub steps: Vec<StepVerdict>,
    /// Every layer with what it found.
    pub trace: Vec<TraceLine>,
}

/// Judges a use of a tool. Pure: `home` is the person's home folder.
pub fn check_tool(
    policy: &AgentPolicy,
    session: Option<&str>,
    tool: &str,
    arguments: &Json,
    home: &str,
) -> ToolVerdict {
    let managed = policy.managed_problem.as_ref();
    let managed = managed.map(|problem| {
        format!("Your organisation's rules cannot be read ({problem}); nothing is allowed until they can.")
    });
    let own = policy.file_problem.as_ref();
    let own = own.map(|problem| {
        format!("permissions.jsonc cannot be read ({problem}); nothing is allowed until it is mended.")
    });
    let verdict = match managed.or(own) {
        Some(message) => ToolVerdict::plain(Decision::Deny, message),
        None => by_layers(policy, session, tool, arguments, home),
    };
    let found = verdict.message.clone();
    ToolVerdict { trace: vec![TraceLine { stage: "tool gate".to_owned(), found }], ..verdict }
}

fn by_layers(
    policy: &AgentPolicy,
    session: Option<&str>,
    tool: &str,
    arguments: &Json,
    home: &str,
) -> ToolVerdict {
    let layers = Layers::of(policy, session);
    if tool == SHELL_TOOL {
        return command::check(&layers, &policy.settings, arguments);
    }
    let shown = escape::text(tool);
    match values::of_call(tool, arguments, home) {
        Values::None => layers.by_name(tool, &format!("{shown}'s arguments are not compared")),
        Values::Unnamed => layers.by_name(tool, &format!("{shown} names no folder")),
        Values::Missing(name) => {
            let message = format!("{shown} names no {name}: it cannot be compared with the rules.");
            let unread = layers.by_name(tool, "");
            let message = if unread.decision == Decision::Deny { unread.message } else { message };
            ToolVerdict {
                decision: unread.decision.max(Decision::Ask),
                message,
                always: Vec::new(),
                ..unread
            }
        }
        Values::Some(values) => layers.by_values(tool, &values, home),
    }
}

impl ToolVerdict {
    /// One that no entry decided, and nothing can be saved for.
    pub(super) fn plain(decision: Decision, message: String) -> Self {
        Self {
            decision,
            message,
            entry: None,
            values: Vec::new(),
            always: Vec::new(),
            by_default: false,
            risk: Risk {
                level: RiskLevel::NeedsReview,
                reasons: vec!["a tool of the agent's own".to_owned()],
            },
            steps: Vec::new(),
            trace: Vec::new(),
        }
    }

    /// The same with what rules for host commands say about its command: the stricter of both holds. Nothing can be saved
    /// where they ask: no line of the file would answer for them.
    #[must_use]
    pub fn and(mut self, against: CommandAgainst) -> Self {
        self.trace.extend(against.trace);
        if against.decision != Decision::Allow {
            self.always.clear();
        }
        if against.decision > self.decision {
            self.decision = against.decision;
            self.message = against.message;
            self.entry = None;
            self.by_default = false;
        }
        self
    }

    /// Adds what a shell tool's line would do: its risk, and for each step the stricter of the file's and the
    /// host rules' verdict.
    #[must_use]
    pub fn of_line(mut self, risk: Risk, against: Vec<StepVerdict>) -> Self {
        let own = std::mem::take(&mut self.steps);
        self.risk = risk;
        self.steps = against;
        if own.len() == self.steps.len() {
            for (step, own) in
                self.steps.iter_mut().zip(own).filter(|(step, own)| own.decision >= step.decision)
            {
                step.decision = own.decision;
                step.reason = own.reason;
                step.message = own.message;
                step.rule = None;
            }
        }
        self
    }

    /// Asks instead of allowing by default, for an agent whose own rules ask already.
    #[must_use]
    pub fn asking_for_defaults(mut self) -> Self {
        if self.decision == Decision::Allow && self.by_default {
            self.decision = Decision::Ask;
            self.message = format!("{} That is a default, and the agent's own rules ask.", self.message);
        }
        self
    }

    /// Leaves a default question to an agent that decides by its own rules.
    #[must_use]
    pub fn leaving_defaults(mut self) -> Self {
        if self.decision == Decision::Ask && self.by_default {
            self.decision = Decision::Allow;
        }
        self
    }
}

/// Layers in the order in which they are read: parents', file, runtime.
pub(super) struct Layers<'a> {
    pub(super) parents: Vec<&'a FileLayer>,
    pub(super) all: Vec<&'a FileLayer>,
}

impl<'a> Layers<'a> {
    pub(super) fn of(policy: &'a AgentPolicy, session: Option<&str>) -> Self {
        let session = policy.session(session);
        let parents: Vec<_> = session.map(|layers| layers.parents.iter().collect()).unwrap_or_default();
        let mut all = parents.clone();
        all.extend(policy.file.as_ref());
        all.extend(session.map(|layers| &layers.runtime));
        Self { parents, all }
    }

    /// The entry that decides: a parent's deny first, then the last match of all.
    pub(super) fn decide(&self, tool: &str, matches: impl Fn(&Entry) -> bool) -> Option<&'a Entry> {
        let veto = self.parents.iter().find_map(|parent| {
            last_match(&[*parent], tool, &matches).filter(|entry| entry.effect == Effect::Deny)
        });
        veto.or_else(|| last_match(&self.all, tool, &matches))
    }

    /// By the tool's name alone. A pattern that denies or asks and cannot be compared makes it a question: `why` says
    /// why it cannot.
    fn by_name(&self, tool: &str, why: &str) -> ToolVerdict {
        let entry = self.decide(tool, Entry::is_catch_all);
        let doubt = self.decide(tool, |entry| entry.is_catch_all() || entry.effect != Effect::Allow);
        let mut verdict = ToolVerdict::plain(decision(entry), sentence(tool, "", entry));
        verdict.entry = entry.map(place);
        verdict.by_default = is_default(entry);
        verdict.always = vec!["*".to_owned()];
        if let Some(meant) =
            doubt.filter(|meant| verdict.decision == Decision::Allow && meant.effect != Effect::Allow)
        {
            verdict.decision = Decision::Ask;
            verdict.message =
                format!("{why}, and \"{}\" may be meant for it: it asks.", escape::text(&meant.written));
            verdict.entry = Some(place(meant));
            verdict.by_default = false;
            verdict.always.clear();
        }
        verdict
    }

    /// By every value in every spelling: the strictest decides.
    fn by_values(&self, tool: &str, values: &[Value<'_>], home: &str) -> ToolVerdict {
        let given = || values.iter().map(|value| value.written.to_owned()).collect();
        if values.iter().any(|value| value.written.contains('\0')) {
            let message = format!("{} was given a value with a NUL in it.", escape::text(tool));
            return ToolVerdict { values: given(), ..ToolVerdict::plain(Decision::Deny, message) };
        }
        let judged: Vec<_> = values.iter().map(|value| self.by_value(tool, value)).collect();
        let defaults: Vec<(Decision, bool)> =
            judged.iter().map(|verdict| (verdict.decision, verdict.by_default)).collect();
        let Some(mut verdict) = judged.into_iter().max_by_key(|verdict| verdict.decision) else {
            return ToolVerdict::plain(Decision::Ask, format!("{} names no value.", escape::text(tool)));
        };
        let mut same = defaults.iter().filter(|(decision, _)| *decision == verdict.decision);
        // One value that only a default allows is enough, but a default question needs all values.
        verdict.by_default = match verdict.decision {
            Decision::Allow => same.any(|(_, by_default)| *by_default),
            Decision::Ask | Decision::Deny => same.all(|(_, by_default)| *by_default),
        };
        verdict.values = given();
        if let [value] = values {
            verdict.always = always(tool, value, home);
        }
        verdict
    }

    fn by_value(&self, tool: &str, value: &Value<'_>) -> ToolVerdict {
        let of = |spelling: &String| self.decide(tool, |entry| value.is_met(entry, spelling));
        let worst = value.all.iter().map(of).max_by_key(|entry| decision(*entry)).flatten();
        let shown = format!(" for {}", escape::text(value.written));
        let mut verdict = ToolVerdict::plain(decision(worst), sentence(tool, &shown, worst));
        verdict.entry = worst.map(place);
        verdict.by_default = is_default(worst);
        if verdict.decision != Decision::Allow {
            return verdict;
        }
        let doubt =
            self.decide(tool, |entry| value.is_met(entry, value.written) || value.may_be_meant(entry));
        if let Some(meant) = doubt.filter(|meant| meant.effect != Effect::Allow) {
            let pattern = escape::text(&meant.written);
            verdict.decision = Decision::Ask;
            verdict.message =
                format!("\"{pattern}\" may be meant for {}{shown}: it asks.", escape::text(tool));
            verdict.by_default = false;
            verdict.entry = Some(place(meant));
        }
        verdict
    }
}

/// The value itself, where it is a pattern that allows just it.
fn always(tool: &str, value: &Value<'_>, home: &str) -> Vec<String> {
    let written = value.written;
    let special = ['*', '?', '[', ']', '{', '}', '(', ')', '!', '|', '\\', '"', '+', '@'];
    if written.contains(special) || !escape::is_visible(written) {
        return Vec::new();
    }
    let entry = Entry::new(tool, written, Effect::Allow, home, Origin::Session);
    let fits = entry.is_ok_and(|entry| value.is_met(&entry, written));
    if fits { vec![written.to_owned()] } else { Vec::new() }
}

/// An entry's pattern and line.
pub(super) fn place(entry: &Entry) -> (String, usize) {
    (entry.written.clone(), entry.line())
}

/// Returns true if nobody decided it: no entry matches, or one that Postern wrote.
pub(super) fn is_default(entry: Option<&Entry>) -> bool {
    entry.is_none_or(Entry::is_seeded)
}

/// What an entry decides; no entry asks.
pub(super) fn decision(entry: Option<&Entry>) -> Decision {
    match entry.map(|entry| entry.effect) {
        Some(Effect::Allow) => Decision::Allow,
        Some(Effect::Deny) => Decision::Deny,
        Some(Effect::Ask) | None => Decision::Ask,
    }
}

/// Why, in one sentence.
pub(super) fn sentence(tool: &str, shown: &str, entry: Option<&Entry>) -> String {
    let tool = escape::text(tool);
    let Some(entry) = entry else { return format!("No rule for {tool}{shown}: it asks.") };
    let verb = match entry.effect {
        Effect::Allow => "allows",
        Effect::Deny => "denies",
        Effect::Ask => "asks about",
    };
    let place = match entry.origin {
        Origin::File { line } => format!(" (permissions.jsonc, line {line})"),
        Origin::Subagent => " (the subagent's layer)".to_owned(),
        Origin::Session => " (this session)".to_owned(),
    };
    format!("\"{}\"{place} {verb} {tool}{shown}.", escape::text(&entry.written))
}
