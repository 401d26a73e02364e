//! Denials that the gate itself speaks: each with its reason, a sentence, and what the agent could do instead.

use postern_policy::{RuleId, Verdict};
use postern_request::{Denial, DenyReason};

/// A denial without more.
pub(crate) fn plain(reason: DenyReason, message: impl Into<String>) -> Denial {
    Denial { reason, message: message.into(), advice: None, feedback: None, rule: None, retry_after_ms: None }
}

fn advised(reason: DenyReason, message: impl Into<String>, advice: &str) -> Denial {
    Denial { advice: Some(advice.to_owned()), ..plain(reason, message) }
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
        | Reason::Opaque
        | Reason::AllowlistMiss
        | Reason::AskAlways => DenyReason::AllowlistMiss,
    };
    let rule: Option<RuleId> = verdict.rule.as_ref().map(|rule| rule.id);
    Denial { advice: verdict.advice.clone(), rule, ..plain(reason, verdict.message.clone()) }
}

/// Denied for now, whatever it is.
pub(crate) fn paused() -> Denial {
    let advice = "Try again when the person has resumed Postern.";
    advised(DenyReason::Paused, "Postern is paused: everything is denied.", advice)
}

/// The person denied everything of this agent for a while.
pub(crate) fn denied_for_now(retry_after_ms: u64) -> Denial {
    let message = "The person denied everything from this agent for a while.";
    Denial { retry_after_ms: Some(retry_after_ms), ..plain(DenyReason::User, message) }
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
    Denial { retry_after_ms: Some(retry_after_ms), ..advised(DenyReason::RateLimited, message, &advice) }
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
    plain(DenyReason::Cancelled, why)
}

/// Something is not what it was when it was let through.
pub(crate) fn drifted(what: impl Into<String>) -> Denial {
    advised(DenyReason::Drifted, what, "Ask again: it will be judged as it is now.")
}

/// It could not be written down.
pub(crate) fn no_record() -> Denial {
    let message = "Postern could not write it down, and what is not written down does not run.";
    plain(DenyReason::Policy, message)
}
