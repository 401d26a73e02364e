//! Remarks in a list of rules.

use crate::judge::describes;
use crate::rule::{Effect, Lifetime, Millis, Pattern, Rule, RuleId};
use crate::words::WordsPattern;
use postern_command::{Class, class_of};

/// Days without use after which a rule is remarked on.
const UNUSED_DAYS: i64 = 90;

/// Something to be said about a rule in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remark {
    /// It allows whatever a shell, an interpreter or a wrapper is told to run, or a whole folder that is easily written to.
    TooBroad,
    /// Another rule with the same effect matches all that it matches.
    CoveredBy(RuleId),
    /// It is older than 90 days and was not used in them.
    Unused,
    /// Its time has run out.
    Expired,
}

impl Remark {
    /// The remark in words.
    pub fn words(self) -> String {
        match self {
            Self::TooBroad => "too broad".to_owned(),
            Self::CoveredBy(other) => format!("covered by rule {other}"),
            Self::Unused => "unused".to_owned(),
            Self::Expired => "expired".to_owned(),
        }
    }
}

/// Remarks on rules, in their order. `now` is the present time.
pub fn remarks(rules: &[Rule], now: Millis) -> Vec<(RuleId, Remark)> {
    let mut all = Vec::new();
    for rule in rules {
        let last = rule.usage.last_used_at.unwrap_or(rule.created_at);
        if matches!(rule.lifetime, Lifetime::Until(end) if end <= now) {
            all.push((rule.id, Remark::Expired));
        }
        if rule.effect == Effect::Allow && is_broad(rule) {
            all.push((rule.id, Remark::TooBroad));
        }
        let cover = rules.iter().find(|other| other.id != rule.id && is_covered(rule, other));
        all.extend(cover.map(|other| (rule.id, Remark::CoveredBy(other.id))));
        if now - last > UNUSED_DAYS * 24 * 60 * 60 * 1000 {
            all.push((rule.id, Remark::Unused));
        }
    }
    all
}

fn is_broad(rule: &Rule) -> bool {
    match &rule.pattern {
        Pattern::Path(text) if describes(rule) => {
            text.ends_with("**")
                || ["/tmp/", "/var/tmp/", "/private/tmp/"].iter().any(|folder| text.starts_with(folder))
        }
        Pattern::Path(text) => {
            rule.args.is_none()
                && rule.pin.is_none()
                && class_of(crate::path::base_name(text)) != Class::Ordinary
        }
        Pattern::Command(_) | Pattern::Exact(_) | Pattern::Identity(_) => false,
    }
}

/// Whether `other` matches at least all that `rule` does, as far as that is plain to see.
fn is_covered(rule: &Rule, other: &Rule) -> bool {
    let same_reach = rule.effect == other.effect
        && (other.agent.is_none() || other.agent == rule.agent)
        && other.pin.is_none()
        && matches!(other.lifetime, Lifetime::Forever)
        && (other.allow_writes || !rule.allow_writes);
    if !same_reach {
        return false;
    }
    let words = |text: &str| postern_command::words_of(text).unwrap_or_default();
    match (&rule.pattern, &other.pattern) {
        (mine, theirs) if mine == theirs => {
            let newer = rule.args == other.args && rule.id > other.id;
            (other.args.is_none() && rule.args.is_some()) || newer
        }
        (Pattern::Command(mine), Pattern::Command(theirs)) => {
            other.args.is_none()
                && WordsPattern::of_command(&words(theirs))
                    .matches(&words(mine).iter().map(|word| Some(word.as_str())).collect::<Vec<_>>())
        }
        (Pattern::Exact(argv), Pattern::Command(theirs)) => WordsPattern::of_command(&words(theirs))
            .matches(&argv.iter().map(|word| Some(word.as_str())).collect::<Vec<_>>()),
        (Pattern::Path(mine), Pattern::Path(theirs)) => {
            let matches = |glob: globset::Glob| glob.compile_matcher().is_match(mine);
            other.args.is_none() && !describes(rule) && crate::pattern::glob(theirs, false).is_ok_and(matches)
        }
        (Pattern::Path(_) | Pattern::Command(_) | Pattern::Exact(_) | Pattern::Identity(_), _) => false,
    }
}
