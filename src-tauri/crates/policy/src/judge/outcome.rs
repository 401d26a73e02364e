//! Contribution of a step, or a part of a request, to the verdict.

use crate::advice::Advice;
use crate::cause::{Cause, NamedRule, NamedRuleSource};
use crate::decision::{Decision, Reason, RuleRef};
use crate::permissions::{EntryOrigin, PermissionEntry};
use crate::rule::{Rule, RuleId, Source};

/// Contribution to the verdict.
#[derive(Debug, Clone)]
pub(super) struct StepOutcome {
    pub(super) decision: Decision,
    pub(super) reason: Reason,
    pub(super) cause: Cause,
    pub(super) advice: Option<Advice>,
    pub(super) rule: Option<RuleRef>,
    /// True if the question exists because a rule that denies may be meant: if nobody is asked it is denied.
    pub(super) doubt: bool,
}

impl StepOutcome {
    pub(super) fn new(decision: Decision, reason: Reason, cause: Cause) -> Self {
        Self { decision, reason, cause, advice: None, rule: None, doubt: false }
    }

    pub(super) fn with_rule(mut self, rule: RuleRef) -> Self {
        self.rule = Some(rule);
        self
    }

    pub(super) fn in_doubt(mut self) -> Self {
        self.doubt = true;
        self
    }

    pub(super) fn advise(mut self, advice: Advice) -> Self {
        self.advice = Some(advice);
        self
    }

    /// Returns the stage: of two equally strict contributions the earlier one is reported.
    pub(super) fn stage_order(&self) -> u8 {
        match self.reason {
            Reason::Invalid => 0,
            Reason::Managed => 1,
            Reason::Core => 2,
            Reason::Denylist => 3,
            Reason::Policy => 4,
            Reason::CwdRefused | Reason::EnvRefused => 5,
            Reason::NotFound if self.decision == Decision::Deny => 6,
            Reason::AskAlways => 7,
            Reason::NotFound
            | Reason::Rule
            | Reason::Skill
            | Reason::ReadOnly
            | Reason::Class
            | Reason::BinaryChanged
            | Reason::AgentCanChange
            | Reason::Opaque
            | Reason::AllowlistMiss
            | Reason::CannotConfine => 8,
            // A rule says more than that a builtin needs none.
            Reason::Builtin => 9,
        }
    }

    /// Returns the rule's number, where it is one of the store's.
    pub(super) fn used_rule(&self) -> Option<RuleId> {
        self.rule.as_ref().map(|rule| rule.id).filter(|id| *id > 0)
    }
}

/// Returns a rule as it is told.
pub fn rule_ref(rule: &Rule) -> RuleRef {
    RuleRef {
        id: rule.id,
        effect: rule.effect,
        pattern: postern_command::escape::visible_text(&whole_pattern(rule)),
        source: source_words(&rule.source),
        why: rule.why.as_deref().map(postern_command::escape::visible_text),
    }
}

pub(super) fn to_named_rule(rule: &Rule) -> NamedRule {
    let source = match &rule.source {
        Source::Person => NamedRuleSource::Person,
        Source::Always => NamedRuleSource::Always,
        Source::Skill(name) => NamedRuleSource::Skill(name.clone()),
        Source::File => NamedRuleSource::File,
        Source::Managed => NamedRuleSource::Managed,
        Source::Import => NamedRuleSource::Import,
    };
    let (pattern, why) = (whole_pattern(rule), rule.why.clone());
    NamedRule { effect: rule.effect, pattern, source, why, broad: false, confine: rule.confine }
}

/// Returns a rule's pattern with its argument patterns.
pub(super) fn whole_pattern(rule: &Rule) -> String {
    let pattern = crate::pattern::pattern_text(&rule.pattern);
    match &rule.args {
        Some(args) => format!("{pattern} {}", args.join(" ")),
        None => pattern,
    }
}

/// Returns the source of a rule, in a word or two.
pub fn source_words(source: &Source) -> String {
    match source {
        Source::Person => "you".to_owned(),
        Source::Always => "always".to_owned(),
        Source::Skill(name) => format!("skill {}", postern_command::escape::visible_text(name)),
        Source::File => "permissions.jsonc".to_owned(),
        Source::Managed => "managed".to_owned(),
        Source::Import => "imported".to_owned(),
    }
}

/// Returns a file's line as a sentence names it.
pub(crate) fn named_entry(entry: &PermissionEntry) -> NamedRule {
    let pattern = entry.written.clone();
    NamedRule { effect: entry.effect, pattern, source: origin(entry), why: None, broad: false, confine: None }
}

/// Returns where a file's line is.
pub(super) fn origin(entry: &PermissionEntry) -> NamedRuleSource {
    match entry.origin {
        EntryOrigin::File { line } => NamedRuleSource::Line(line),
        EntryOrigin::Subagent => NamedRuleSource::Subagent,
        EntryOrigin::Session => NamedRuleSource::Session,
    }
}

/// Returns a file's line as it is told; numbers of lines are negative.
pub(super) fn entry_ref(entry: &PermissionEntry) -> RuleRef {
    let source = match entry.origin {
        EntryOrigin::File { line } => format!("permissions.jsonc:{line}"),
        EntryOrigin::Subagent => "the subagent’s layer".to_owned(),
        EntryOrigin::Session => "this session".to_owned(),
    };
    RuleRef {
        id: i64::try_from(entry.line_number()).map_or(RuleId::MIN, |line| -line),
        effect: entry.effect,
        pattern: postern_command::escape::visible_text(&entry.written),
        source,
        why: None,
    }
}

pub(super) fn covered(rule: &Rule) -> StepOutcome {
    let reason = if matches!(rule.source, Source::Skill(_)) { Reason::Skill } else { Reason::Rule };
    StepOutcome::new(Decision::Allow, reason, Cause::Rule(to_named_rule(rule))).with_rule(rule_ref(rule))
}
