//! Timeline of a request, and who decided it.

use crate::activity::{MomentKind, RequestRow};
use postern_policy::RuleId;
use postern_protocol::{Decided, DenyReason, EndReason, Outcome, RunState};

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
        MomentKind::Received => "requested".to_owned(),
        MomentKind::Asked => "you were asked".to_owned(),
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
        (RunState::Denied, Some(EndReason::Denied(reason))) => denied_words(reason).to_owned(),
        (RunState::Allowed, _) => "left to its agent".to_owned(),
        (RunState::Failed, _) => "could not start".to_owned(),
        (_, Some(EndReason::Ran(outcome))) => outcome_words(outcome).to_owned(),
        (_, Some(EndReason::Denied(_)) | None) => "ended".to_owned(),
    }
}

/// Returns where a request stands, or how it ended, in a few words. Who decided it is in [`decided_by`].
pub fn state_words(row: &RequestRow) -> String {
    use DenyReason::{Core, Denylist, Policy, User};
    match (row.state, row.ending, row.exit_code) {
        (RunState::Denied, Some(EndReason::Denied(User | Core | Denylist | Policy)), _) => {
            "denied".to_owned()
        }
        (RunState::Denied, Some(EndReason::Denied(reason)), _) => denied_words(reason).to_owned(),
        (_, None | Some(EndReason::Ran(Outcome::Exited)), Some(code)) => format!("exited {code}"),
        (_, Some(EndReason::Ran(outcome)), _) => outcome_words(outcome).to_owned(),
        (state, _, _) => state.name().to_owned(),
    }
}

fn denied_words(reason: DenyReason) -> &'static str {
    match reason {
        DenyReason::Core => "denied by a built-in rule",
        DenyReason::Denylist => "denied by a rule",
        DenyReason::Policy => "denied by its settings",
        DenyReason::AllowlistMiss => "denied: not allowed",
        DenyReason::User => "denied by you",
        DenyReason::Expired => "denied: no answer",
        DenyReason::Cancelled => "cancelled",
        DenyReason::NotFound => "denied: not found",
        DenyReason::Invalid => "denied: invalid",
        DenyReason::Drifted => "denied: a file changed",
        DenyReason::QueueFull => "denied: too many waiting",
        DenyReason::RateLimited => "denied: too many at once",
        DenyReason::EnvRefused => "denied: environment",
        DenyReason::CwdRefused => "denied: folder",
        DenyReason::CannotPresent => "denied: not shown",
        DenyReason::NoAnswer => "denied: disk hangs",
        DenyReason::Paused => "denied: blocked",
        DenyReason::Restarted => "denied: restarted",
    }
}

fn outcome_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Exited => "exited",
        Outcome::Signalled => "ended by a signal",
        Outcome::Timeout => "timed out",
        Outcome::Killed => "stopped",
        Outcome::Drifted => "stopped: a file changed",
        Outcome::Failed => "could not start",
        Outcome::Lost => "lost at a restart",
        Outcome::Unknown => "may have run",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_policy::{AgentId, Origin};

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
        assert_eq!(denied, "denied by you");
        assert_eq!(ended(RunState::Finished, Some(EndReason::Ran(Outcome::Timeout))), "timed out");
        assert_eq!(ended(RunState::Allowed, None), "left to its agent");
    }
    #[test]
    fn a_state_is_said_without_the_words_of_the_wire() {
        let said = |state, ending, exit_code| {
            state_words(&RequestRow { ending, exit_code, ..row(state, None, None) })
        };
        let denied = |reason| said(RunState::Denied, Some(EndReason::Denied(reason)), None);
        assert_eq!(denied(DenyReason::User), "denied", "by whom is told beside it");
        assert_eq!(denied(DenyReason::Denylist), "denied");
        assert_eq!(denied(DenyReason::CwdRefused), "denied: folder");
        assert_eq!(denied(DenyReason::Cancelled), "cancelled");
        let ran = |outcome, code| said(RunState::Finished, Some(EndReason::Ran(outcome)), code);
        assert_eq!(ran(Outcome::Exited, Some(1)), "exited 1");
        assert_eq!(ran(Outcome::Killed, Some(143)), "stopped");
        assert_eq!(said(RunState::Running, None, None), "running");
    }
}
