//! Remarks in a list of rules.

use super::cover::Covers;
use crate::judge::describes;
use crate::rule::{Effect, Lifetime, Millis, Pattern, Rule, RuleId, Source};
use postern_command::{ProgramClass, class_of};

/// Days without use after which a rule is remarked on.
const UNUSED_DAYS: i64 = 90;

/// Something to be said about a rule in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remark {
    /// Allows a shell, an interpreter or a wrapper with any code, or every program of a folder.
    TooBroad,
    /// The person confirmed that it covers whatever its words cover.
    Broad,
    /// Another rule with the same effect matches all that it matches.
    CoveredBy(RuleId),
    /// Older than 90 days and unused in them.
    Unused,
    Expired,
}

/// Remarks on rules, in their order. `now` is the present time.
pub fn remarks(rules: &[Rule], now: Millis) -> Vec<(RuleId, Remark)> {
    let mut all = Vec::new();
    let covers = Covers::new(rules);
    for (at, rule) in rules.iter().enumerate() {
        let last = rule.usage.last_used_at.unwrap_or(rule.created_at);
        if matches!(rule.lifetime, Lifetime::Until(end) if end <= now) {
            all.push((rule.id, Remark::Expired));
        }
        if rule.confine.is_some() {
            // The profile holds what its words leave open.
        } else if rule.effect == Effect::Allow && rule.broad {
            all.push((rule.id, Remark::Broad));
        } else if rule.effect == Effect::Allow && is_broad(rule) {
            all.push((rule.id, Remark::TooBroad));
        }
        all.extend(covers.first_covering(at).map(|other| (rule.id, Remark::CoveredBy(other.id))));
        // Of an organization's rules nobody keeps how they are used.
        if rule.source != Source::Managed && now - last > UNUSED_DAYS * 24 * 60 * 60 * 1000 {
            all.push((rule.id, Remark::Unused));
        }
    }
    all
}

fn is_broad(rule: &Rule) -> bool {
    match &rule.pattern {
        Pattern::Path(text) if describes(rule) => {
            let name = crate::path::base_name(text);
            text.ends_with("**")
                || !name.contains(|letter: char| letter.is_alphanumeric())
                || ["/tmp/", "/var/tmp/", "/private/tmp/"].iter().any(|folder| text.starts_with(folder))
        }
        Pattern::Path(text) => {
            rule.args.is_none()
                && rule.pin.is_none()
                && class_of(crate::path::base_name(text)) != ProgramClass::Ordinary
        }
        Pattern::Command(_)
        | Pattern::Exact(_)
        | Pattern::Identity(_)
        | Pattern::Read(_)
        | Pattern::Write(_) => false,
    }
}
