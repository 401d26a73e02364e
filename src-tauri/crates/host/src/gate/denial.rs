//! Denials that the gate itself speaks: each with its reason, a sentence, and what the agent could do instead.

use postern_policy::{RuleId, Verdict};
use postern_request::{Denial, DenyReason};

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
    Denial { rule, ..advised(reason, verdict.message.clone(), advice) }
}

/// Denied for now, whatever it is.
pub(crate) fn paused() -> Denial {
    let advice = "Try again when the person has resumed Postern.";
    advised(DenyReason::Paused, "Postern is paused: everything is denied.", advice)
}

/// The person denied everything of this agent for a while.
pub(crate) fn denied_for_now(retry_after_ms: u64) -> Denial {
    let message = "The person denied everything from this agent for a while.";
    let advice = format!("Ask nothing for {} s: all of it would be denied.", retry_after_ms.div_ceil(1000));
    Denial { retry_after_ms: Some(retry_after_ms), ..advised(DenyReason::User, message, advice) }
}

/// Too many questions wait.
pub(crate) fn queue_full() -> Denial {
    let advice = "Wait until some of the open questions were answered.";
    advised(DenyReason::QueueFull, "Too many questions wait for the person already.", advice)
}

/// The agent asks too often, or was refused too often.
pub(crate) fn asked_too_often(retry_after_ms: u64) -> Denial {
    let seconds = retry_after_ms.div_ceil(1000);
    let message = "This agent asked the person too often, or was refused too often, in the last minutes.";
    let advice = format!("Ask again after {seconds} s; what rules allow runs meanwhile.");
    Denial { retry_after_ms: Some(retry_after_ms), ..advised(DenyReason::RateLimited, message, advice) }
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

/// A person said no.
pub(crate) fn user(feedback: Option<String>) -> Denial {
    let message = match &feedback {
        Some(words) => format!("The person denied it: {}", postern_command::escape::text(words)),
        None => "The person denied it.".to_owned(),
    };
    let advice = "Do not ask for the same again; ask the person what to do instead.";
    Denial { feedback, ..advised(DenyReason::User, message, advice) }
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
            message: "No.".to_owned(),
            advice: None,
            rule: None,
            risk: Risk { level: RiskLevel::Safe, reasons: Vec::new() },
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
            queue_full(),
            asked_too_often(1),
            too_many_runs(),
            too_long_to_show(),
            user(None),
            user(Some("not on a Friday".to_owned())),
            expired(true),
            expired(false),
            cannot_present("the screen is locked"),
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
        let no_person =
            [expired(true), expired(false), cannot_present("x"), paused(), queue_full(), no_record()];
        for denial in no_person {
            assert_ne!(denial.reason, DenyReason::User, "{denial:?}");
            assert!(!denial.message.contains("person denied"), "{denial:?}");
        }
        assert!(user(None).message.contains("The person denied it"));
    }

    #[test]
    fn hostile_text_is_escaped_once() {
        let shown = postern_command::escape::text(HOSTILE);
        for denial in [user(Some(HOSTILE.to_owned())), cannot_present(HOSTILE)] {
            assert!(is_visible(&denial.message), "{denial:?}");
            assert!(denial.message.contains(&shown), "once, not twice: {denial:?}");
        }
        assert_eq!(
            user(Some(HOSTILE.to_owned())).feedback.as_deref(),
            Some(HOSTILE),
            "the words themselves stay"
        );
    }
}
