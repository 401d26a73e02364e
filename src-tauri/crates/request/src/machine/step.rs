//! `step(state, event) -> (state, effects)`: total, pure.
//!
//! One function a state, one arm for every event, no `_`: a new event does not compile until each state says what it
//! means there. An event that means nothing in a state leaves it as it is and gives no effects.

use super::{Denial, Effect, Ending, Event, RunEnd, State, Stop};
use crate::plan::Digest;
use postern_protocol::{By, DenyReason, Outcome};

/// Permission to run one plan once. No public constructor: only [`step`] makes one, from a verdict of allow, a
/// person's yes or the fallback.
#[derive(Debug)]
#[must_use]
pub struct Approved {
    by: By,
}

impl Approved {
    /// Who let it through.
    pub fn by(&self) -> By {
        self.by
    }
}

type Next = (State, Vec<Effect>);

/// What becomes of a request in `state` when `event` happens, and what is to be done about it, in order.
pub fn step(state: State, event: Event) -> Next {
    match state {
        State::Received => received(event),
        State::Resolving => resolving(event),
        State::Asking { digest } => asking(digest, event),
        State::Starting { by, stop } => starting(by, stop, event),
        State::Running { pid } => running(pid, event),
        State::Stopping { pid, stop } => stopping(pid, stop, &event),
        State::Ended(ending) => ended(ending, &event),
    }
}

fn received(event: Event) -> Next {
    match event {
        Event::LookedUp => (State::Resolving, vec![Effect::Resolve]),
        Event::Withdrawn(denial) => denied(denial),
        Event::Killed => denied(cancelled()),
        Event::Shutdown => denied(restarted()),
        Event::JudgedAllow(_)
        | Event::JudgedAsk { .. }
        | Event::JudgedDeny(_)
        | Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed(_)
        | Event::Expired(_)
        | Event::Drifted(_)
        | Event::SpawnFailed { .. }
        | Event::Started { .. }
        | Event::TimedOut
        | Event::Exited(_) => unchanged(State::Received),
    }
}

fn resolving(event: Event) -> Next {
    match event {
        Event::JudgedAllow(by) => approved(by, vec![Effect::Record]),
        Event::JudgedAsk { digest } => {
            (State::Asking { digest: digest.clone() }, vec![Effect::Record, Effect::Ask { digest }])
        }
        Event::JudgedDeny(denial) | Event::Withdrawn(denial) => denied(denial),
        Event::Killed => denied(cancelled()),
        Event::Shutdown => denied(restarted()),
        Event::LookedUp
        | Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed(_)
        | Event::Expired(_)
        | Event::Drifted(_)
        | Event::SpawnFailed { .. }
        | Event::Started { .. }
        | Event::TimedOut
        | Event::Exited(_) => unchanged(State::Resolving),
    }
}

fn asking(shown: Digest, event: Event) -> Next {
    match event {
        Event::AnsweredAllow { digest, remember } if digest == shown => {
            let mut effects = vec![Effect::Record, Effect::CloseQuestion];
            if remember {
                effects.push(Effect::Remember);
            }
            approved(By::Person, effects)
        }
        Event::Allowed(by) => approved(by, vec![Effect::Record, Effect::CloseQuestion]),
        Event::AnsweredDeny(denial) | Event::Expired(denial) | Event::Withdrawn(denial) => refused(denial),
        Event::Edited { digest } => (State::Asking { digest }, vec![Effect::Record]),
        Event::Killed => refused(cancelled()),
        Event::Shutdown => refused(restarted()),
        // A yes to something else than what is on show is no yes.
        Event::AnsweredAllow { .. }
        | Event::LookedUp
        | Event::JudgedAllow(_)
        | Event::JudgedAsk { .. }
        | Event::JudgedDeny(_)
        | Event::Drifted(_)
        | Event::SpawnFailed { .. }
        | Event::Started { .. }
        | Event::TimedOut
        | Event::Exited(_) => unchanged(State::Asking { digest: shown }),
    }
}

/// From here on nothing gives a second [`Effect::Start`]. A stop is remembered until there is a process to stop; the
/// first one counts.
fn starting(by: By, stop: Option<Stop>, event: Event) -> Next {
    match event {
        Event::Started { pid } => {
            let mut effects = vec![Effect::Record, Effect::TellStarted { pid }];
            let Some(stop) = stop else { return (State::Running { pid }, effects) };
            effects.insert(0, Effect::Stop(stop));
            (State::Stopping { pid, stop }, effects)
        }
        Event::Drifted(denial) => denied(denial),
        Event::SpawnFailed { message } => end(Ending::Failed { message }, Vec::new()),
        Event::TimedOut => unchanged(State::Starting { by, stop: stop.or(Some(Stop::TimedOut)) }),
        Event::Killed => unchanged(State::Starting { by, stop: stop.or(Some(Stop::Killed)) }),
        Event::Shutdown => unchanged(State::Starting { by, stop: stop.or(Some(Stop::Shutdown)) }),
        Event::LookedUp
        | Event::JudgedAllow(_)
        | Event::JudgedAsk { .. }
        | Event::JudgedDeny(_)
        | Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed(_)
        | Event::Expired(_)
        | Event::Withdrawn(_)
        | Event::Exited(_) => unchanged(State::Starting { by, stop }),
    }
}

fn running(pid: u32, event: Event) -> Next {
    match event {
        Event::Exited(run) => end(Ending::Finished { end: run }, Vec::new()),
        Event::TimedOut => stopped(pid, Stop::TimedOut),
        Event::Killed => stopped(pid, Stop::Killed),
        Event::Shutdown => stopped(pid, Stop::Shutdown),
        Event::LookedUp
        | Event::JudgedAllow(_)
        | Event::JudgedAsk { .. }
        | Event::JudgedDeny(_)
        | Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed(_)
        | Event::Expired(_)
        | Event::Withdrawn(_)
        | Event::Drifted(_)
        | Event::SpawnFailed { .. }
        | Event::Started { .. } => unchanged(State::Running { pid }),
    }
}

fn stopping(pid: u32, stop: Stop, event: &Event) -> Next {
    match event {
        // Its own exit is a detail: it ended because it was stopped.
        Event::Exited(run) => {
            let outcome = match stop {
                Stop::TimedOut => Outcome::Timeout,
                Stop::Killed | Stop::Shutdown => Outcome::Killed,
            };
            end(Ending::Finished { end: RunEnd { outcome, ..*run } }, Vec::new())
        }
        Event::LookedUp
        | Event::JudgedAllow(_)
        | Event::JudgedAsk { .. }
        | Event::JudgedDeny(_)
        | Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed(_)
        | Event::Expired(_)
        | Event::Withdrawn(_)
        | Event::Drifted(_)
        | Event::SpawnFailed { .. }
        | Event::Started { .. }
        | Event::TimedOut
        | Event::Killed
        | Event::Shutdown => unchanged(State::Stopping { pid, stop }),
    }
}

fn ended(ending: Ending, event: &Event) -> Next {
    match event {
        Event::LookedUp
        | Event::JudgedAllow(_)
        | Event::JudgedAsk { .. }
        | Event::JudgedDeny(_)
        | Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed(_)
        | Event::Expired(_)
        | Event::Withdrawn(_)
        | Event::Drifted(_)
        | Event::SpawnFailed { .. }
        | Event::Started { .. }
        | Event::TimedOut
        | Event::Killed
        | Event::Shutdown
        | Event::Exited(_) => unchanged(State::Ended(ending)),
    }
}

fn unchanged(state: State) -> Next {
    (state, Vec::new())
}

/// The only place where permission comes into being.
fn approved(by: By, mut effects: Vec<Effect>) -> Next {
    effects.push(Effect::Start(Approved { by }));
    (State::Starting { by, stop: None }, effects)
}

/// A stop never waits for the disk: it comes before its record.
fn stopped(pid: u32, stop: Stop) -> Next {
    (State::Stopping { pid, stop }, vec![Effect::Stop(stop), Effect::Record])
}

fn end(ending: Ending, between: Vec<Effect>) -> Next {
    let effects = std::iter::once(Effect::Record).chain(between).chain([Effect::TellEnded]).collect();
    (State::Ended(ending), effects)
}

fn denied(denial: Denial) -> Next {
    end(Ending::Denied(denial), Vec::new())
}

/// Denied while its question is on show.
fn refused(denial: Denial) -> Next {
    end(Ending::Denied(denial), vec![Effect::CloseQuestion])
}

fn cancelled() -> Denial {
    let message = "The agent or the person ended it before it started.";
    advised(DenyReason::Cancelled, message, "Ask again if it is still needed.")
}

fn restarted() -> Denial {
    let message = "Postern quit before it was decided. It did not run.";
    advised(DenyReason::Restarted, message, "Ask again, under a new request id.")
}

fn advised(reason: DenyReason, message: &str, advice: &str) -> Denial {
    Denial {
        reason,
        message: message.to_owned(),
        advice: Some(advice.to_owned()),
        feedback: None,
        rule: None,
        retry_after_ms: None,
    }
}
