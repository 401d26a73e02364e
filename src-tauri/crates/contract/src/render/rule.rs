//! Remarks on rules in a list, in a word or two each.

use super::sentence::Sentence;
use crate::lists::{RemarkKind, RuleRemark};
use crate::piece::{ShownText, to_pieces};
use postern_command::escape::visible_text;
use postern_policy::{
    Effect, Lifetime, Pattern, Profile, Remark, Rule, RuleInput, RuleOrigin, RuleProblem, pattern_text,
};

/// Returns a rule's pattern; of a rule about files, what it says about them.
pub fn rule_pattern(rule: &Rule) -> ShownText {
    let text = pattern_text(&rule.pattern);
    match (&rule.pattern, rule.effect) {
        (Pattern::Read(_), Effect::Allow) => Sentence::new("read files in ").code(&text).pieces(),
        (Pattern::Read(_), _) => Sentence::new("read ").code(&text).pieces(),
        (Pattern::Write(_), _) => Sentence::new("write or delete ").code(&text).pieces(),
        (Pattern::Path(_) | Pattern::Command(_) | Pattern::Exact(_) | Pattern::Identity(_), _) => {
            to_pieces(&text)
        }
    }
}

/// Says whom a rule lets do what, and where: `builder may run git push *, in ~/site and below`.
pub fn rule_sentence(rule: &Rule) -> String {
    let text = visible_text(&pattern_text(&rule.pattern));
    let agent = rule.agent.as_ref();
    let every = || agent.map_or_else(|| "every agent".to_owned(), ToString::to_string);
    let program = || format!("no program of {}", agent.map_or("any agent", |agent| agent.as_str()));
    let said = match (&rule.pattern, rule.effect) {
        (Pattern::Read(_), Effect::Allow) => format!("{} may look around in {text}", every()),
        (Pattern::Read(_), _) => format!("{} may read {text}", program()),
        (Pattern::Write(_), _) => format!("{} may write, move or delete {text}", program()),
        (_, Effect::Allow) => format!("{} may run {text}{}", every(), arguments(rule)),
        (_, Effect::Deny) => match agent {
            Some(agent) => format!("{agent} may not run {text}{}", arguments(rule)),
            None => format!("no agent may run {text}{}", arguments(rule)),
        },
        (_, Effect::Ask) => format!("{} has to ask for {text}", every()),
    };
    let own = if rule.origin == RuleOrigin::AgentShell { " in its own shell" } else { "" };
    format!("{said}{own}{}", conditions(rule))
}

fn arguments(rule: &Rule) -> String {
    let args = rule.args.as_ref().map(|args| postern_command::quote_argv(args));
    args.map_or_else(String::new, |args| format!(" with the arguments {}", visible_text(&args)))
}

/// Returns what limits or widens a rule beyond its words.
fn conditions(rule: &Rule) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(rule.folder.as_ref().map(|folder| format!("in {} and below", visible_text(folder))));
    parts.extend(rule.confine.map(|profile| match profile {
        Profile::Look => "confined (look)".to_owned(),
        Profile::Project => "confined (project)".to_owned(),
    }));
    parts.extend((rule.input == RuleInput::Any).then(|| "with any input".to_owned()));
    parts.extend(rule.allow_writes.then(|| "also writing files".to_owned()));
    parts.extend(match &rule.lifetime {
        Lifetime::Forever => None,
        Lifetime::Until(_) => Some("for a limited time".to_owned()),
        Lifetime::Session(session) => Some(format!("until session {} closes", visible_text(session))),
        Lifetime::Quit => Some("until Postern quits".to_owned()),
    });
    let broad = if rule.broad { " (broad)" } else { "" };
    if parts.is_empty() { broad.to_owned() } else { format!(", {}{broad}", parts.join(", ")) }
}

/// Returns what rules say about one of them.
pub fn rule_remark(remark: Remark) -> RuleRemark {
    match remark {
        Remark::TooBroad => of_kind(RemarkKind::TooBroad),
        Remark::Broad => of_kind(RemarkKind::Broad),
        Remark::CoveredBy(by) => {
            let text = format!("covered by rule {by}");
            RuleRemark { text, by: Some(by), ..of_kind(RemarkKind::Covered) }
        }
        Remark::Unused => of_kind(RemarkKind::Unused),
        Remark::Expired => of_kind(RemarkKind::Expired),
    }
}

/// Returns why a rule would be refused if it was saved now.
pub fn invalid_rule(problem: &RuleProblem) -> RuleRemark {
    let text = postern_command::escape::visible_text(&problem.to_string());
    RuleRemark { text, ..of_kind(RemarkKind::Invalid) }
}

/// Returns a remark without data.
pub fn of_kind(kind: RemarkKind) -> RuleRemark {
    let text = match kind {
        RemarkKind::TooBroad => "too broad",
        RemarkKind::Broad => "broad",
        RemarkKind::Covered => "covered by another rule",
        RemarkKind::Unused => "unused",
        RemarkKind::Expired => "expired",
        RemarkKind::Changed => "changed",
        RemarkKind::NotFound => "not found",
        RemarkKind::ReadOnly => "read-only",
        RemarkKind::Invalid => "invalid",
    };
    RuleRemark { kind, text: text.to_owned(), by: None }
}

#[cfg(test)]
mod tests {
    use super::{invalid_rule, rule_pattern, rule_remark, rule_sentence};
    use crate::lists::RemarkKind;
    use crate::piece::pieces_to_text;
    use postern_policy::{AgentId, Effect, Lifetime, Pattern, Remark, Rule, RuleOrigin, RuleProblem};

    #[test]
    fn a_rule_about_files_says_what_it_is_about() {
        let read = || Pattern::Read("~/notes".to_owned());
        for (effect, pattern, expected) in [
            (Effect::Allow, read(), "read files in `~/notes`"),
            (Effect::Deny, read(), "read `~/notes`"),
            (Effect::Deny, Pattern::Write("~/notes".to_owned()), "write or delete `~/notes`"),
            (Effect::Allow, Pattern::Command("git push *".to_owned()), "git push *"),
        ] {
            assert_eq!(pieces_to_text(&rule_pattern(&Rule::new(effect, pattern))), expected);
        }
    }

    #[test]
    fn a_rule_is_said_as_what_an_agent_may_do() {
        let push = || Pattern::Command("git push *".to_owned());
        let env = || Pattern::Read("**/.env".to_owned());
        let agent = Some(AgentId::new("wk").unwrap());
        let of = |rule: Rule| Rule { agent: agent.clone(), ..rule };
        for (rule, expected) in [
            (Rule::new(Effect::Allow, push()), "every agent may run git push *"),
            (of(Rule::new(Effect::Allow, env())), "wk may look around in **/.env"),
            (of(Rule::new(Effect::Deny, env())), "no program of wk may read **/.env"),
            (Rule::new(Effect::Deny, env()), "no program of any agent may read **/.env"),
            (Rule::new(Effect::Deny, push()), "no agent may run git push *"),
            (
                Rule {
                    folder: Some("~/site".to_owned()),
                    origin: RuleOrigin::AgentShell,
                    lifetime: Lifetime::Until(1),
                    ..of(Rule::new(Effect::Allow, push()))
                },
                "wk may run git push * in its own shell, in ~/site and below, for a limited time",
            ),
        ] {
            assert_eq!(rule_sentence(&rule), expected);
        }
    }

    #[test]
    fn a_remark_has_its_kind_and_its_words() {
        for (remark, kind, text, by) in [
            (Remark::TooBroad, RemarkKind::TooBroad, "too broad", None),
            (Remark::Broad, RemarkKind::Broad, "broad", None),
            (Remark::CoveredBy(2), RemarkKind::Covered, "covered by rule 2", Some(2)),
            (Remark::Unused, RemarkKind::Unused, "unused", None),
            (Remark::Expired, RemarkKind::Expired, "expired", None),
        ] {
            let said = rule_remark(remark);
            assert_eq!((said.kind, said.text.as_str(), said.by), (kind, text, by));
        }
        let hostile = invalid_rule(&RuleProblem::Folder("x\u{202e}".to_owned()));
        assert_eq!((hostile.kind, hostile.text.as_str()), (RemarkKind::Invalid, "x\\u{202e}"));
    }
}
