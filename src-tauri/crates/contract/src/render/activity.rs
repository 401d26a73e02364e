//! Timeline of a request, and who decided it.

use crate::activity::{MomentKind, RequestRow};
use postern_policy::RuleId;
use postern_protocol::{Decided, EndReason, RunState};

/// Returns who allowed or denied a request, in a word or two. `None` until it is decided, and if it went away before.
pub fn decided_by(row: &RequestRow) -> Option<String> {
    let Some(decided) = row.decided else {
        return (row.state == RunState::Allowed).then(|| "its agent’s own prompt".to_owned());
    };
    Some(match decided {
        Decided::YouAllowed | Decided::YouDenied => {
            row.approver.as_ref().map_or_else(|| "you".to_owned(), |approver| format!("you ({approver})"))
        }
        Decided::RuleAllowed | Decided::RuleDenied => {
            row.rule.map_or_else(|| "built-in rule".to_owned(), rule_reference)
        }
        Decided::SettingAllowed | Decided::SettingDenied => "settings".to_owned(),
        Decided::Unanswered => "no one".to_owned(),
    })
}

/// Returns a rule's number, or the line of its file if the number is negative.
fn rule_reference(id: RuleId) -> String {
    if id > 0 { format!("rule {id}") } else { format!("permissions.jsonc:{}", id.unsigned_abs()) }
}

/// Returns what happened at a moment, as a clause.
pub fn moment(what: &MomentKind) -> String {
    match what {
        MomentKind::Received => "received".to_owned(),
        MomentKind::Asked => "question opened".to_owned(),
        MomentKind::ShownInChat { door, place, message, status } => {
            format!("shown by {door} in {place}, message {message}: {}", status.name())
        }
        MomentKind::Allowed { approver: Some(approver) } => format!("allowed by you ({approver})"),
        MomentKind::Allowed { approver: None } => "allowed".to_owned(),
        MomentKind::Started => "started".to_owned(),
        MomentKind::Ended { state, ending } => ended_text(*state, *ending),
    }
}

fn ended_text(state: RunState, ending: Option<EndReason>) -> String {
    match (state, ending) {
        (RunState::Denied, Some(reason)) => format!("denied: {}", reason.name()),
        (RunState::Allowed, _) => "left to its agent".to_owned(),
        (RunState::Failed, _) => "could not start".to_owned(),
        (_, Some(outcome)) => format!("ended: {}", outcome.name()),
        (_, None) => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_policy::{AgentId, Origin};
    use postern_protocol::DenyReason;

    fn row(state: RunState, decided: Option<Decided>, rule: Option<RuleId>) -> RequestRow {
        RequestRow {
            id: "1".to_owned(),
            request_id: "1".to_owned(),
            agent: AgentId::new("main").unwrap(),
            origin: Origin::Host,
            session: None,
            line: "ls".to_owned(),
            state,
            ending: None,
            exit_code: None,
            approver: None,
            at: 0,
            duration_ms: None,
            risk: None,
            decided,
            rule,
        }
    }

    #[test]
    fn a_rule_is_named_by_its_number_or_by_its_line() {
        let denied = |rule| decided_by(&row(RunState::Denied, Some(Decided::RuleDenied), rule)).unwrap();
        assert_eq!(denied(Some(12)), "rule 12");
        assert_eq!(denied(Some(-13)), "permissions.jsonc:13");
        assert_eq!(denied(None), "built-in rule");
    }

    #[test]
    fn an_answer_names_the_approver_and_an_undecided_request_names_nobody() {
        let mut answered = row(RunState::Finished, Some(Decided::YouAllowed), None);
        assert_eq!(decided_by(&answered).unwrap(), "you");
        answered.approver = Some("telegram".to_owned());
        assert_eq!(decided_by(&answered).unwrap(), "you (telegram)");
        assert_eq!(decided_by(&row(RunState::Asking, None, None)), None);
        assert_eq!(decided_by(&row(RunState::Allowed, None, None)).unwrap(), "its agent’s own prompt");
    }

    #[test]
    fn the_end_of_a_request_names_its_reason() {
        let ended = |state, ending| moment(&MomentKind::Ended { state, ending });
        let denied = ended(RunState::Denied, Some(EndReason::Denied(DenyReason::User)));
        assert_eq!(denied, "denied: user");
        assert_eq!(ended(RunState::Allowed, None), "left to its agent");
    }
}
