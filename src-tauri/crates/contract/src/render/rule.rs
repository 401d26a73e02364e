//! Remarks on rules in a list, in a word or two each.

use super::sentence::Sentence;
use crate::lists::{RemarkKind, RuleRemark};
use crate::piece::{ShownText, to_pieces};
use postern_policy::{Effect, Pattern, Remark, Rule, RuleProblem, pattern_text};

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
    use super::{invalid_rule, rule_pattern, rule_remark};
    use crate::lists::RemarkKind;
    use crate::piece::pieces_to_text;
    use postern_policy::{Effect, Pattern, Remark, Rule, RuleProblem};

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
