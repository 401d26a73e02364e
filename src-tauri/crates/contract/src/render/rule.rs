//! Remarks on rules in a list, in a word or two each.

use crate::lists::{RemarkKind, RuleRemark};
use postern_policy::{Remark, RuleProblem};

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
    let text = postern_command::escape::text(&problem.to_string());
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
    use super::{invalid_rule, rule_remark};
    use crate::lists::RemarkKind;
    use postern_policy::{Remark, RuleProblem};

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
