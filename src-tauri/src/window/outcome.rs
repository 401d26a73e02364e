//! Result of the last answer, as it is shown for a few seconds, with what can still be undone of it.

use postern_contract::{Answer, AnswerParams, Answered, Pill, Question, RequestRow, UNDO};
use postern_policy::RuleId;
use postern_protocol::RunState;
use std::time::Duration;
use tokio::time::Instant;

/// Time that a success stays on show.
const BRIEFLY: Duration = Duration::from_secs(4);
/// Time that a failure, or a saved rule, stays on show.
const LONGER: Duration = Duration::from_secs(10);
/// Time that a run is shown: one that takes longer is in the menu and in Activity.
const RUNNING: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(super) struct AnswerOutcome {
    pub(super) pill: Pill,
    /// Time at which it goes.
    pub(super) until: Instant,
    /// Request that runs.
    request: Option<String>,
    /// Changes that an undo takes back.
    pub(super) undo: Option<Undo>,
}

/// Changes that an answer saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Undo {
    /// Rules, by number.
    Rules(Vec<RuleId>),
    /// Rules that were renewed, by the entry in the audit.
    Renewal(i64),
}

impl AnswerOutcome {
    fn new(pill: Pill, now: Instant, lasts: Duration) -> Self {
        Self { pill, until: now + lasts, request: None, undo: None }
    }

    /// Returns a denial that the host is not told yet.
    pub(super) fn denied(now: Instant) -> Self {
        Self::new(Pill::Denied, now, UNDO)
    }

    /// Makes the result of an undo of what this one saved.
    pub(super) fn removed(&self, now: Instant) -> Self {
        let allowed =
            if let Pill::Saved { also, denies: false, .. } = self.pill { also.saturating_add(1) } else { 0 };
        Self::new(Pill::Removed { allowed }, now, BRIEFLY)
    }

    /// Makes the result of an answer that counted; `None` if there is nothing to show. `since` is the
    /// answer's time.
    pub(super) fn from_answer(
        question: &Question,
        params: &AnswerParams,
        answered: &Answered,
        since: i64,
        now: Instant,
    ) -> Option<Self> {
        if !answered.saved.is_empty() {
            let renewed = answered.renewed.as_ref().map(|renewed| Undo::Renewal(renewed.entry));
            let rules = (!answered.rules.is_empty()).then(|| Undo::Rules(answered.rules.clone()));
            let undo = renewed.or(rules);
            let also = u32::try_from(answered.also.len()).unwrap_or(u32::MAX);
            let denies = params.answer == Answer::DenyAlways;
            let pill = Pill::Saved { also, denies, undo: undo.is_some() };
            return Some(Self { undo, ..Self::new(pill, now, LONGER) });
        }
        match params.answer {
            // What runs on another Mac is followed there.
            Answer::Once | Answer::Always if question.origin.is_host() && question.host.is_none() => {
                let request = params.requests.first().or(question.requests.first()).cloned();
                Some(Self { request, ..Self::new(Pill::Running { since }, now, RUNNING) })
            }
            Answer::Once | Answer::Always => Some(Self::new(Pill::Allowed, now, BRIEFLY)),
            Answer::Deny | Answer::DenyAlways | Answer::DenyAll => None,
        }
    }

    /// Makes the outcome of an answer to several questions as one; `None` if there is nothing to show.
    pub(super) fn of_several(answer: Answer, count: u32, now: Instant) -> Option<Self> {
        matches!(answer, Answer::Once).then(|| Self::new(Pill::AllowedAll { count }, now, BRIEFLY))
    }

    /// Returns the request that runs.
    pub(super) fn running(&self) -> Option<&str> {
        self.request.as_deref().filter(|_| matches!(self.pill, Pill::Running { .. }))
    }

    /// Notes that a request is in another state. Returns whether that is shown.
    pub(super) fn changed(&mut self, row: &RequestRow, now: Instant) -> bool {
        if self.running() != Some(&row.id) {
            return false;
        }
        let pill = match row.state {
            RunState::Finished if row.exit_code == Some(0) => Pill::Passed,
            RunState::Finished | RunState::Failed | RunState::Denied => Pill::Failed { code: row.exit_code },
            RunState::Allowed => Pill::Allowed,
            RunState::Received
            | RunState::Resolving
            | RunState::Asking
            | RunState::Starting
            | RunState::Running
            | RunState::Stopping => return false,
        };
        let lasts = if matches!(pill, Pill::Failed { .. }) { LONGER } else { BRIEFLY };
        *self = Self::new(pill, now, lasts);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerOutcome, Undo};
    use crate::desk::tests::question;
    use postern_contract::{Answer, AnswerParams, Answered, Pill, Renewed, RequestRow, Saved};
    use postern_policy::Origin;
    use serde_json::json;
    use tokio::time::Instant;

    fn outcome(answer: Answer, answered: &Answered) -> Option<AnswerOutcome> {
        let question = question("q", "d");
        AnswerOutcome::from_answer(
            &question,
            &AnswerParams::for_question(&question, answer),
            answered,
            1000,
            Instant::now(),
        )
    }

    fn row(id: &str, state: &str, exit: Option<i32>) -> RequestRow {
        serde_json::from_value(json!({
            "id": id, "requestId": "a", "agent": "builder", "session": null, "line": "true", "state": state,
            "ending": null, "exitCode": exit, "at": 0, "durationMs": null, "risk": null, "decided": null, "rule": null
        }))
        .unwrap()
    }

    #[test]
    fn a_run_is_shown_until_its_end_and_no_other_request_is_taken_for_it() {
        for (state, exit, pill) in [
            ("finished", Some(0), Pill::Passed),
            ("finished", Some(2), Pill::Failed { code: Some(2) }),
            ("failed", None, Pill::Failed { code: None }),
            ("denied", None, Pill::Failed { code: None }),
        ] {
            let mut outcome = outcome(Answer::Once, &Answered::applied()).unwrap();
            assert_eq!(outcome.pill, Pill::Running { since: 1000 });
            assert!(!outcome.changed(&row("other", state, exit), Instant::now()));
            assert!(!outcome.changed(&row("r", "running", None), Instant::now()));
            assert!(outcome.changed(&row("r", state, exit), Instant::now()));
            assert_eq!((outcome.pill, outcome.running()), (pill, None), "{state}");
        }
    }

    #[test]
    fn what_runs_in_the_agents_own_shell_is_allowed_and_not_watched() {
        let question = postern_contract::Question { origin: Origin::AgentShell, ..question("q", "d") };
        let params = AnswerParams::for_question(&question, Answer::Once);
        let outcome =
            AnswerOutcome::from_answer(&question, &params, &Answered::applied(), 0, Instant::now()).unwrap();
        assert_eq!((outcome.pill, outcome.running()), (Pill::Allowed, None));
    }

    fn saved_rule(place: &str) -> Saved {
        let saved = json!({"rule": "git push *", "place": {"in": place}, "pinned": true});
        serde_json::from_value(saved).unwrap()
    }

    #[test]
    fn what_was_saved_can_be_undone_by_its_numbers() {
        let rules = Answered {
            saved: vec![saved_rule("anywhere")],
            rules: vec![7],
            also: vec!["9f3a".to_owned()],
            ..Answered::applied()
        };
        let outcome_of = |answered: &Answered| {
            let outcome = outcome(Answer::Always, answered).unwrap();
            (outcome.pill, outcome.undo)
        };
        let pill = Pill::Saved { also: 1, denies: false, undo: true };
        assert_eq!(outcome_of(&rules), (pill, Some(Undo::Rules(vec![7]))));
        let renewed =
            Answered { rules: Vec::new(), renewed: Some(Renewed { entry: 3, rules: vec![1] }), ..rules };
        assert_eq!(outcome_of(&renewed).1, Some(Undo::Renewal(3)));
        let line = Answered { saved: vec![saved_rule("permissions")], ..Answered::applied() };
        let pill = Pill::Saved { also: 0, denies: false, undo: false };
        assert_eq!(outcome_of(&line), (pill, None), "a line of a file stays");
    }

    #[test]
    fn an_undo_says_what_was_allowed_meanwhile() {
        let answered = Answered {
            saved: vec![saved_rule("anywhere")],
            rules: vec![7],
            also: vec!["9f3a".to_owned(), "9f3b".to_owned()],
            ..Answered::applied()
        };
        for (answer, denies, allowed) in [(Answer::Always, false, 3), (Answer::DenyAlways, true, 0)] {
            let outcome = outcome(answer, &answered).unwrap();
            assert_eq!(outcome.pill, Pill::Saved { also: 2, denies, undo: true });
            assert_eq!(outcome.removed(Instant::now()).pill, Pill::Removed { allowed });
        }
    }

    #[test]
    fn a_denial_that_the_host_has_taken_shows_nothing() {
        assert!(outcome(Answer::DenyAll, &Answered::applied()).is_none());
    }
}
