//! Denials that the gate itself speaks: each with its reason, a sentence, and what the agent could do instead.

use crate::identity::{FILES, Overrun};
use crate::lanes::{PATIENCE, Unanswered};
use postern_contract::render;
use postern_policy::{AgentId, RuleId, Verdict};
use postern_request::{Denial, DenyReason};
use std::time::Duration;

/// When to try again what there is no room for at the moment, in milliseconds.
pub(super) const BUSY_MS: u64 = 5_000;
/// The same where a person has to answer something first.
const QUEUE_FULL_MS: u64 = 30_000;

/// A denial with what the agent could do about it: there is none without.
fn advised(reason: DenyReason, message: impl Into<String>, advice: impl Into<String>) -> Denial {
    Denial {
        reason,
        message: message.into(),
        advice: Some(advice.into()),
        feedback: None,
        rule: None,
        retry_after_ms: None,
    }
}

/// It cannot be judged as it was sent.
pub(crate) fn invalid(message: impl Into<String>) -> Denial {
    advised(DenyReason::Invalid, message, "Send it again, corrected, under a new request id.")
}

/// Its working directory is refused.
pub(crate) fn folder(message: impl Into<String>) -> Denial {
    let advice = "Name a folder that is there and that this agent may work in, or none for the usual one.";
    advised(DenyReason::CwdRefused, message, advice)
}

/// Its environment is refused.
pub(crate) fn environment(message: impl Into<String>) -> Denial {
    let advice =
        "Leave these names out. Where one is needed, ask the person to allow it in this agent's settings.";
    advised(DenyReason::EnvRefused, message, advice)
}

/// What an agent can do about a verdict that says nothing itself.
fn usual_advice(reason: DenyReason) -> &'static str {
    match reason {
        DenyReason::Core => "This is never allowed. Name exactly what is to be changed instead.",
        DenyReason::Denylist => "Do it another way, or ask the person to change the rule.",
        DenyReason::Policy => "Ask the person to change this agent's settings.",
        DenyReason::NotFound => "Check the name, or give the whole path.",
        DenyReason::Invalid => "Send it again, corrected, under a new request id.",
        DenyReason::EnvRefused => "Leave these names out.",
        DenyReason::CwdRefused => "Run it in a folder that this agent may work in.",
        DenyReason::Expired => "Nobody said no: ask again when the person is back.",
        DenyReason::AllowlistMiss
        | DenyReason::User
        | DenyReason::Cancelled
        | DenyReason::Drifted
        | DenyReason::QueueFull
        | DenyReason::RateLimited
        | DenyReason::CannotPresent
        | DenyReason::NoAnswer
        | DenyReason::Paused
        | DenyReason::Restarted => "Ask the person what to do instead.",
    }
}

/// What a verdict of deny is told as.
pub(crate) fn of_verdict(verdict: &Verdict) -> Denial {
    use postern_policy::Reason;
    let reason = match verdict.reason {
        Reason::Invalid => DenyReason::Invalid,
        Reason::Managed | Reason::Denylist => DenyReason::Denylist,
        Reason::Core => DenyReason::Core,
        Reason::Policy => DenyReason::Policy,
        Reason::NotFound => DenyReason::NotFound,
        Reason::EnvRefused => DenyReason::EnvRefused,
        Reason::CwdRefused => DenyReason::CwdRefused,
        Reason::Rule
        | Reason::Skill
        | Reason::ReadOnly
        | Reason::Builtin
        | Reason::BinaryChanged
        | Reason::AgentCanChange
        | Reason::Opaque
        | Reason::AllowlistMiss
        | Reason::CannotConfine
        | Reason::AskAlways => DenyReason::AllowlistMiss,
    };
    let rule: Option<RuleId> = verdict.rule.as_ref().map(|rule| rule.id);
    let advice = verdict.advice.clone().unwrap_or_else(|| usual_advice(reason).to_owned());
    Denial { rule, ..advised(reason, render::why(&verdict.cause), advice) }
}

/// Denied for now, whatever it is.
pub(crate) fn paused() -> Denial {
    let advice = "Try again when the person has resumed Postern.";
    advised(DenyReason::Paused, "Postern is paused: everything is denied.", advice)
}

/// The person denied everything of this agent for a while.
pub(crate) fn denied_for_now(retry_after_ms: u64) -> Denial {
    let message = "The person denied everything from this agent for a while.";
    let advice = "Ask nothing until then: all of it would be denied.";
    Denial { retry_after_ms: Some(retry_after_ms), ..advised(DenyReason::User, message, advice) }
}

/// So many of the agent's requests wait for the person that there is no room for another.
pub(crate) fn queue_full(waiting: usize) -> Denial {
    let message =
        format!("{waiting} requests of this agent wait to be asked about. Nobody said no to this one.");
    let advice = "Wait until some of them were answered; what rules allow runs meanwhile.";
    Denial { retry_after_ms: Some(QUEUE_FULL_MS), ..advised(DenyReason::QueueFull, message, advice) }
}

/// It names, or would have Postern read, too much.
pub(crate) fn too_much(overrun: Overrun) -> Denial {
    let message = format!("It was not looked up: {overrun}.");
    match overrun {
        Overrun::Files => advised(
            DenyReason::Invalid,
            message,
            format!("Split it: one request may name {FILES} files, programs and scripts together."),
        ),
        Overrun::Bytes => advised(DenyReason::Invalid, message, "Split it into requests that name less."),
        Overrun::Stopped => unanswered(Unanswered::Late),
    }
}

/// It could not be looked up.
pub(crate) fn unanswered(why: Unanswered) -> Denial {
    match why {
        Unanswered::Full => Denial {
            retry_after_ms: Some(BUSY_MS),
            ..advised(
                DenyReason::RateLimited,
                "Too many requests of this agent wait to be looked up.",
                "Wait for the answers to what was sent before.",
            )
        },
        Unanswered::Late => advised(
            DenyReason::NoAnswer,
            format!("It could not be looked up within {} s.", PATIENCE.as_secs()),
            "A folder or file that it names does not answer, or there is too much to read: name others, or ask the person.",
        ),
        Unanswered::Failed => invalid("Postern could not judge it."),
    }
}

/// Too many runs wait for a place.
pub(crate) fn too_many_runs() -> Denial {
    let advice = "Wait until some of this agent's commands have finished.";
    advised(DenyReason::RateLimited, "Too many commands of this agent wait to be started.", advice)
}

/// It cannot be shown in full.
pub(crate) fn too_long_to_show() -> Denial {
    let advice = "Write the text to a file and run that, or split the command.";
    let message = "The request is too long to be shown to a person in full.";
    advised(DenyReason::Invalid, message, advice)
}

/// A person said no. Their own words, where there are some, stand by themselves.
pub(crate) fn user(feedback: Option<String>) -> Denial {
    let advice = match &feedback {
        Some(_) => "Do not ask for the same again: do as they say.",
        None => "Do not ask for the same again; ask the person what to do instead.",
    };
    Denial { feedback, ..advised(DenyReason::User, "The person denied it.", advice) }
}

/// Nobody answered in time.
pub(crate) fn expired(presented: bool) -> Denial {
    let message = if presented {
        "Nobody answered in time."
    } else {
        "Nobody answered in time, and nobody was there who could have seen the question."
    };
    advised(DenyReason::Expired, message, "Nobody said no: ask again when the person is back.")
}

/// No face could show it.
pub(crate) fn cannot_present(why: &str) -> Denial {
    let message = format!("The question could not be shown: {}.", postern_command::escape::text(why));
    advised(DenyReason::CannotPresent, message, "Ask again when the person is back.")
}

/// Nobody is there who could see a question.
pub(crate) fn nobody() -> Denial {
    let message = "Nobody can answer: no window, terminal, chat or paired device is connected to Postern.";
    let advice = "Ask the person to open one (the app, `postern tui` in a terminal, or a chat: `postern doors`), and then \
                  ask again.";
    advised(DenyReason::CannotPresent, message, advice)
}

/// What an agent is told whose command ran out of time: how to ask for more, and who may give more than that.
pub(crate) fn timed_out(agent: &AgentId, limit_ms: u64, cap_ms: Option<u64>) -> String {
    let time = |ms| humantime::format_duration(Duration::from_millis(ms)).to_string();
    let late = format!("Timed out after {}", time(limit_ms));
    match cap_ms {
        Some(cap) if cap > limit_ms => format!(
            "{late}. Ask for more with timeoutMs (postern-run --timeout {0}): this agent may have up to {0}. The person \
             raises that with `postern agents set {agent} run-timeout-cap={1}`.",
            time(cap),
            time(cap.saturating_mul(2)),
        ),
        Some(cap) => format!(
            "{late}, which is the most that this agent may have. The person raises that with \
             `postern agents set {agent} run-timeout-cap={}`.",
            time(cap.saturating_mul(2)),
        ),
        None => format!(
            "{late}. Ask for more with timeoutMs (postern-run --timeout {}).",
            time(limit_ms.saturating_mul(10)),
        ),
    }
}

/// The agent itself took it back.
pub(crate) fn cancelled(why: &str) -> Denial {
    advised(DenyReason::Cancelled, why, "Ask again if it is still needed.")
}

/// Something is not what it was when it was let through.
pub(crate) fn drifted(what: impl Into<String>) -> Denial {
    advised(DenyReason::Drifted, what, "Ask again: it will be judged as it is now.")
}

/// It could not be written down.
pub(crate) fn no_record() -> Denial {
    let message = "Postern could not write it down, and what is not written down does not run.";
    let advice = "Tell the person: Postern's disk may be full. Ask again when that is mended.";
    advised(DenyReason::Policy, message, advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_command::escape::is_visible;
    use postern_policy::{Decision, Reason, Risk, RiskLevel};

    /// Text that a terminal would obey or a person cannot see.
    const HOSTILE: &str = "x\u{1b}[2J\u{202e}y\n";

    fn verdict(reason: Reason) -> Verdict {
        Verdict {
            decision: Decision::Deny,
            reason,
            cause: postern_policy::Cause::RunsNothing,
            advice: None,
            rule: None,
            risk: Risk { level: RiskLevel::Safe, effects: Vec::new() },
            confinement: postern_policy::Confinement::None,
            steps: Vec::new(),
            used: Vec::new(),
            trace: Vec::new(),
        }
    }

    fn of_every_kind() -> Vec<Denial> {
        let verdicts = [
            Reason::Invalid,
            Reason::Managed,
            Reason::Core,
            Reason::Denylist,
            Reason::Policy,
            Reason::NotFound,
            Reason::Rule,
            Reason::Skill,
            Reason::ReadOnly,
            Reason::Builtin,
            Reason::BinaryChanged,
            Reason::AgentCanChange,
            Reason::Opaque,
            Reason::AllowlistMiss,
            Reason::CannotConfine,
            Reason::AskAlways,
            Reason::EnvRefused,
            Reason::CwdRefused,
        ];
        let mut all: Vec<Denial> = verdicts.into_iter().map(|reason| of_verdict(&verdict(reason))).collect();
        all.extend([
            invalid("It is empty."),
            folder("The working directory /x is not there."),
            environment("environment refused: PATH is set by Postern"),
            paused(),
            denied_for_now(1500),
            queue_full(64),
            too_much(Overrun::Files),
            too_much(Overrun::Bytes),
            unanswered(Unanswered::Late),
            unanswered(Unanswered::Full),
            too_many_runs(),
            too_long_to_show(),
            user(None),
            user(Some("not on a Friday".to_owned())),
            expired(true),
            expired(false),
            cannot_present("the screen is locked"),
            nobody(),
            cancelled("It was taken back."),
            drifted("The program changed."),
            no_record(),
        ]);
        all
    }

    #[test]
    fn every_denial_says_what_and_what_to_do_in_plain_words() {
        for denial in of_every_kind() {
            let advice = denial.advice.clone().unwrap_or_default();
            for told in [&denial.message, &advice] {
                assert!(told.len() > 2 && told.len() < 300, "{denial:?}");
                for jargon in
                    ["opaque", "SIG", "errno", "None", "null", "panic", "argv", "stdin", "NULL", "{", "::"]
                {
                    assert!(
                        !told.contains(jargon),
                        "{jargon:?} is no word for a person or agent: {denial:?}"
                    );
                }
            }
            assert!(advice.ends_with(['.', '?']), "a whole sentence: {denial:?}");
        }
    }

    #[test]
    fn nobody_is_told_no_where_nobody_said_no() {
        let no_person = [
            expired(true),
            expired(false),
            cannot_present("x"),
            nobody(),
            paused(),
            queue_full(1),
            no_record(),
        ];
        for denial in no_person {
            assert_ne!(denial.reason, DenyReason::User, "{denial:?}");
            assert!(!denial.message.contains("person denied"), "{denial:?}");
        }
        assert!(user(None).message.contains("The person denied it"));
    }

    #[test]
    fn hostile_text_is_escaped_once() {
        let shown = postern_command::escape::text(HOSTILE);
        let denial = cannot_present(HOSTILE);
        assert!(is_visible(&denial.message), "{denial:?}");
        assert!(denial.message.contains(&shown), "once, not twice: {denial:?}");
        let denial = user(Some(HOSTILE.to_owned()));
        assert!(!denial.message.contains('x'), "a person's words are not among ours: {denial:?}");
        assert_eq!(denial.feedback.as_deref(), Some(HOSTILE), "the words themselves stay");
    }

    #[test]
    fn an_agent_hears_each_thing_once() {
        let words = "not on a Friday";
        let text = super::super::end::denied(&user(Some(words.to_owned()))).text();
        let expected = "The person denied it. They said: not on a Friday. Do not ask for the same again: do as they say.";
        assert_eq!(text, expected);
        for denial in of_every_kind() {
            let lines = super::super::end::denied(&denial).lines();
            let once: std::collections::BTreeSet<&String> = lines.iter().collect();
            assert_eq!(once.len(), lines.len(), "{lines:?}");
        }
    }

    #[test]
    fn who_ran_out_of_time_is_told_how_to_ask_for_more() {
        let agent = AgentId::new("builder").unwrap();
        let below = timed_out(&agent, 30_000, Some(300_000));
        assert!(
            below.contains("after 30s. Ask for more with timeoutMs (postern-run --timeout 5m)"),
            "{below}"
        );
        assert!(below.contains("`postern agents set builder run-timeout-cap=10m`"), "{below}");
        let at_cap = timed_out(&agent, 300_000, Some(300_000));
        assert!(at_cap.contains("the most that this agent may have"), "{at_cap}");
        assert!(!at_cap.contains("--timeout"), "more cannot be asked for: {at_cap}");
        assert!(timed_out(&agent, 30_000, None).contains("--timeout 5m"));
    }
}
