//! Verdicts on tools: what the agent's file and its session's layers say about a name and its values.

use super::values::ComparedValue;
use crate::agent::Layers;
use crate::cause::{Cause, ToolCause, ToolUse};
use crate::confinement::Confinement;
use crate::decision::{Decision, Reason, RuleRef};
use crate::judge::{CommandAgainst, named_entry};
use crate::permissions::{EntryOrigin, PermissionEntry};
use crate::risk::{Risk, RiskLevel};
use crate::rule::{Effect, RuleId};
use crate::verdict::{TraceLine, Verdict};
use postern_command::escape;

/// The answer to `tool.check`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolVerdict {
    pub decision: Decision,
    /// Reason, as a stable name.
    pub reason: Reason,
    pub cause: Cause,
    /// The rule for commands that decided, where one did.
    pub rule: Option<RuleRef>,
    /// The entry that decided: pattern and line of the file (0: in no file).
    pub entry: Option<(String, usize)>,
    /// The values that patterns were compared with.
    pub values: Vec<String>,
    /// The patterns that *Always* would add for this tool; empty where nothing may be added.
    pub always: Vec<String>,
    /// True if nobody decided it: it rests on a line that Postern wrote, or on no line.
    pub by_default: bool,
    pub risk: Risk,
    /// Every layer with what it found.
    pub trace: Vec<TraceLine>,
}

impl ToolVerdict {
    /// Makes a verdict that no entry decided, and that nothing can be saved for.
    pub(super) fn without_entry(decision: Decision, cause: Cause) -> Self {
        Self {
            decision,
            reason: reason(decision, false),
            cause,
            rule: None,
            entry: None,
            values: Vec::new(),
            always: Vec::new(),
            by_default: false,
            risk: Risk { level: RiskLevel::NeedsReview, effects: Vec::new() },
            trace: Vec::new(),
        }
    }

    /// Combines the verdict with that of the rules for host commands on its command: the stricter of both
    /// holds.
    ///
    /// Nothing can be saved if they ask: no line of the file would answer for them.
    #[must_use]
    pub fn combine_with(mut self, against: CommandAgainst) -> Self {
        self.trace.extend(against.trace);
        if against.decision != Decision::Allow {
            self.by_default &= against.decision < self.decision;
            self.always.clear();
        }
        if against.decision > self.decision {
            self.decision = against.decision;
            self.reason = against.reason;
            self.rule = against.rule;
            self.cause = against.cause;
            self.entry = None;
            self.by_default = false;
        }
        self
    }

    /// Converts it to the verdict on a request.
    pub fn into_verdict(self) -> Verdict {
        let decided = matches!(self.reason, Reason::Rule | Reason::Denylist | Reason::AllowlistMiss);
        let reason = if decided { reason(self.decision, self.by_default) } else { self.reason };
        let of_entry = |(pattern, line): &(String, usize)| RuleRef {
            id: i64::try_from(*line).map_or(RuleId::MIN, |line| -line),
            effect: match self.decision {
                Decision::Allow => Effect::Allow,
                Decision::Ask => Effect::Ask,
                Decision::Deny => Effect::Deny,
            },
            pattern: escape::visible_text(pattern),
            source: if *line == 0 { "this session".to_owned() } else { format!("permissions.jsonc:{line}") },
            why: None,
        };
        Verdict {
            decision: self.decision,
            reason,
            rule: self.rule.clone().or_else(|| self.entry.as_ref().map(of_entry)),
            cause: self.cause,
            advice: None,
            confinement: Confinement::None,
            risk: self.risk,
            steps: Vec::new(),
            used: Vec::new(),
            trace: self.trace,
        }
    }

    /// Asks instead of allowing by default, for an agent whose own rules ask already.
    #[must_use]
    pub fn asking_for_defaults(mut self) -> Self {
        if self.decision == Decision::Allow && self.by_default {
            self.decision = Decision::Ask;
            self.cause = ToolCause::Default(Box::new(self.cause)).into();
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

impl Layers<'_> {
    /// Judges by the tool's name alone.
    ///
    /// A pattern that denies or asks and cannot be compared makes it a question: `folder` says that only the
    /// folder is missing.
    pub(super) fn by_name(&self, tool: &str, folder: bool) -> ToolVerdict {
        let entry = self.decide(tool, PermissionEntry::is_catch_all);
        let doubt = self.decide(tool, |entry| entry.is_catch_all() || entry.effect != Effect::Allow);
        let mut verdict = ToolVerdict::without_entry(decision(entry), line_cause(tool, ToolUse::Any, entry));
        verdict.entry = entry.map(entry_location);
        verdict.by_default = is_default(entry);
        verdict.always = vec!["*".to_owned()];
        if let Some(meant) =
            doubt.filter(|meant| verdict.decision == Decision::Allow && meant.effect != Effect::Allow)
        {
            verdict.decision = Decision::Ask;
            let (tool, pattern) = (tool.to_owned(), meant.written.clone());
            verdict.cause = ToolCause::NotCompared { tool, folder, pattern }.into();
            verdict.entry = Some(entry_location(meant));
            verdict.by_default = false;
            verdict.always.clear();
        }
        verdict
    }

    /// Judges by every value in every spelling: the strictest decides.
    pub(super) fn by_values(&self, tool: &str, values: &[ComparedValue<'_>], home: &str) -> ToolVerdict {
        let given = || values.iter().map(|value| value.written.to_string()).collect();
        if values.iter().any(|value| value.written.contains('\0')) {
            let cause = ToolCause::Nul { tool: tool.to_owned() }.into();
            return ToolVerdict { values: given(), ..ToolVerdict::without_entry(Decision::Deny, cause) };
        }
        let judged: Vec<_> = values.iter().map(|value| self.by_value(tool, value)).collect();
        let defaults: Vec<(Decision, bool)> =
            judged.iter().map(|verdict| (verdict.decision, verdict.by_default)).collect();
        let Some(mut verdict) = judged.into_iter().max_by_key(|verdict| verdict.decision) else {
            return ToolVerdict::without_entry(
                Decision::Ask,
                ToolCause::NoValue { tool: tool.to_owned() }.into(),
            );
        };
        let mut same = defaults.iter().filter(|(decision, _)| *decision == verdict.decision);
        // One value that only a default allows is enough, but a default question needs all values.
        verdict.by_default = match verdict.decision {
            Decision::Allow => same.any(|(_, by_default)| *by_default),
            Decision::Ask | Decision::Deny => same.all(|(_, by_default)| *by_default),
        };
        verdict.values = given();
        if let ([value], true) = (values, verdict.decision != Decision::Deny) {
            verdict.always = always(tool, value, home);
        }
        verdict
    }

    fn by_value(&self, tool: &str, value: &ComparedValue<'_>) -> ToolVerdict {
        let of = |spelling: &String| self.decide(tool, |entry| value.is_met(entry, spelling));
        let worst = value.all.iter().map(of).max_by_key(|entry| decision(*entry)).flatten();
        let named = ToolUse::Value(value.written.to_string());
        let mut verdict = ToolVerdict::without_entry(decision(worst), line_cause(tool, named, worst));
        verdict.entry = worst.map(entry_location);
        verdict.by_default = is_default(worst);
        if verdict.decision != Decision::Allow {
            return verdict;
        }
        let doubt =
            self.decide(tool, |entry| value.is_met(entry, &value.written) || value.may_be_meant(entry));
        if let Some(meant) = doubt.filter(|meant| meant.effect != Effect::Allow) {
            let (tool, pattern) = (tool.to_owned(), meant.written.clone());
            verdict.decision = Decision::Ask;
            verdict.cause = ToolCause::MayMean { tool, value: value.written.to_string(), pattern }.into();
            verdict.by_default = false;
            verdict.entry = Some(entry_location(meant));
        }
        verdict
    }
}

/// Returns the value itself, where it is a pattern that allows just it.
fn always(tool: &str, value: &ComparedValue<'_>, home: &str) -> Vec<String> {
    let written = &*value.written;
    let special = ['*', '?', '[', ']', '{', '}', '(', ')', '!', '|', '\\', '"', '+', '@'];
    if written.contains(special) || !escape::is_visible(written) {
        return Vec::new();
    }
    let entry = PermissionEntry::new(tool, written, Effect::Allow, home, EntryOrigin::Session);
    let fits = entry.is_ok_and(|entry| value.is_met(&entry, written));
    if fits { vec![written.to_owned()] } else { Vec::new() }
}

/// Returns the reason for a decision by a line of the file, or by default.
fn reason(decision: Decision, by_default: bool) -> Reason {
    match decision {
        Decision::Allow if by_default => Reason::Policy,
        Decision::Allow => Reason::Rule,
        Decision::Ask => Reason::AllowlistMiss,
        Decision::Deny => Reason::Denylist,
    }
}

/// Returns an entry's pattern and line.
pub(super) fn entry_location(entry: &PermissionEntry) -> (String, usize) {
    (entry.written.clone(), entry.line_number())
}

/// Returns true if nobody decided it: no entry matches, or one that Postern wrote.
pub(super) fn is_default(entry: Option<&PermissionEntry>) -> bool {
    entry.is_none_or(PermissionEntry::is_seeded)
}

/// Returns the decision of an entry; without one, ask.
pub(super) fn decision(entry: Option<&PermissionEntry>) -> Decision {
    match entry.map(|entry| entry.effect) {
        Some(Effect::Allow) => Decision::Allow,
        Some(Effect::Deny) => Decision::Deny,
        Some(Effect::Ask) | None => Decision::Ask,
    }
}

/// Returns why a line decides about a tool, or none does.
pub(super) fn line_cause(tool: &str, of: ToolUse, entry: Option<&PermissionEntry>) -> Cause {
    ToolCause::Line { tool: tool.to_owned(), of, line: entry.map(named_entry).map(Box::new) }.into()
}
