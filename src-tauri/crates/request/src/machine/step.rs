//! `step(state, event) -> (state, effects)`: total, pure.
//!
//! One function a state, one arm for every event, no `_`: a new event does not compile until each state says what it
//! means there. An event that means nothing in a state leaves it as it is and gives no effects.

use super::{Effect, Ending, Entry, Event, RunEnd, State, Stop, Tells};
use crate::denial::{Denial, Refusal, Withdrawal};
use crate::plan::Digest;
use postern_protocol::{By, Outcome};

/// Permission to run one plan once. No public constructor: only [`step`] makes one, from a verdict of allow, a
/// person's yes or the fallback.
#[derive(Debug)]
#[must_use]
pub struct Approved {
    by: By,
    digest: Digest,
    intended: bool,
}

impl Approved {
    /// Returns who let it through.
    pub fn by(&self) -> By {
        self.by
    }

    /// Returns the digest of the plan that was let through: nothing else may be started with it.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Returns whether the start is on record as intended already.
    pub fn is_intended(&self) -> bool {
        self.intended
    }
}

type Next = (State, Vec<Effect>);

/// Applies `event` to a request in `state`, and returns the new state with its effects, in order.
pub fn step(state: State, event: Event) -> Next {
    match state {
        State::Received => received(event),
        State::Queued => queued(event),
        State::Asking { digest } => asking(digest, event),
        State::Starting { by, stop } => starting(by, stop, event),
        State::Running { pid } => running(pid, &event),
        State::Stopping { pid, stop } => stopping(pid, stop, &event),
        State::Ended(ending) => ended(ending, &event),
    }
}

fn received(event: Event) -> Next {
    match event {
        Event::JudgedQueue => (State::Queued, vec![record(&State::Queued, None), Effect::Accept]),
        Event::JudgedAllow { .. }
        | Event::LeftToAgent
        | Event::JudgedAsk { .. }
        | Event::JudgedDeny(_)
        | Event::Withdrawn(_)
        | Event::Killed
        | Event::Shutdown => {
            let (state, mut effects) = queued(event);
            if !matches!(state, State::Ended(_)) {
                effects.insert(1, Effect::Accept);
            }
            (state, effects)
        }
        Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed { .. }
        | Event::Expired(_)
        | Event::Drifted(_)
        | Event::SpawnFailed { .. }
        | Event::Started { .. }
        | Event::TimedOut
        | Event::Exited(_) => unchanged(State::Received),
    }
}

fn queued(event: Event) -> Next {
    match event {
        Event::JudgedAllow { by, digest } => approved(by, digest, Remember::Nothing, Vec::new()),
        Event::JudgedAsk { digest } => {
            let asking = State::Asking { digest: digest.clone() };
            let effects =
                vec![record(&asking, None), Effect::Ask { digest }, record(&asking, Some(Tells::Pending))];
            (asking, effects)
        }
        Event::LeftToAgent => end(Ending::Allowed, None, None),
        Event::JudgedDeny(denial) | Event::Withdrawn(denial) => denied(denial),
        Event::Killed => denied(cancelled()),
        Event::Shutdown => denied(Refusal::Quit.into()),
        Event::JudgedQueue
        | Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed { .. }
        | Event::Expired(_)
        | Event::Drifted(_)
        | Event::SpawnFailed { .. }
        | Event::Started { .. }
        | Event::TimedOut
        | Event::Exited(_) => unchanged(State::Queued),
    }
}

fn asking(shown: Digest, event: Event) -> Next {
    match event {
        Event::AnsweredAllow { digest, confined, remember } if digest == shown => {
            let remember = if remember { Remember::Rule } else { Remember::Answer };
            approved(By::Person, confined.unwrap_or(digest), remember, vec![Effect::CloseQuestion])
        }
        Event::Allowed { by, digest } => approved(by, digest, Remember::Nothing, vec![Effect::CloseQuestion]),
        Event::AnsweredDeny(denial) => {
            let ending = Ending::Denied(denial);
            end(ending, Some(Effect::CloseQuestion), Some(Effect::Acknowledge))
        }
        Event::Expired(denial) | Event::Withdrawn(denial) => refused(denial),
        Event::Edited { digest } => {
            let asking = State::Asking { digest };
            let effects = vec![record(&asking, Some(Tells::Pending))];
            (asking, effects)
        }
        Event::Killed => refused(cancelled()),
        Event::Shutdown => refused(Refusal::Quit.into()),
        // An approval to something else than what is on show is no yes.
        Event::AnsweredAllow { .. }
        | Event::JudgedAllow { .. }
        | Event::LeftToAgent
        | Event::JudgedAsk { .. }
        | Event::JudgedQueue
        | Event::JudgedDeny(_)
        | Event::Drifted(_)
        | Event::SpawnFailed { .. }
        | Event::Started { .. }
        | Event::TimedOut
        | Event::Exited(_) => unchanged(State::Asking { digest: shown }),
    }
}

/// Handles events while a start is under way.
///
/// From here on nothing gives a second [`Effect::Start`]. A stop is remembered until there is a process to
/// stop; the first one counts.
fn starting(by: By, stop: Option<Stop>, event: Event) -> Next {
    match event {
        Event::Started { pid } => {
            let tells = Some(Tells::Started { pid });
            let Some(stop) = stop else {
                let running = State::Running { pid };
                let effects = vec![record(&running, tells)];
                return (running, effects);
            };
            let stopping = State::Stopping { pid, stop };
            let effects = vec![Effect::Stop(stop), record(&stopping, tells)];
            (stopping, effects)
        }
        Event::LeftToAgent => end(Ending::Allowed, None, None),
        Event::Drifted(denial) => denied(denial),
        Event::SpawnFailed { message } => end(Ending::Failed { message }, None, None),
        Event::TimedOut => unchanged(State::Starting { by, stop: stop.or(Some(Stop::TimedOut)) }),
        Event::Killed => unchanged(State::Starting { by, stop: stop.or(Some(Stop::Killed)) }),
        Event::Shutdown => unchanged(State::Starting { by, stop: stop.or(Some(Stop::Shutdown)) }),
        Event::JudgedAllow { .. }
        | Event::JudgedAsk { .. }
        | Event::JudgedQueue
        | Event::JudgedDeny(_)
        | Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed { .. }
        | Event::Expired(_)
        | Event::Withdrawn(_)
        | Event::Exited(_) => unchanged(State::Starting { by, stop }),
    }
}

fn running(pid: u32, event: &Event) -> Next {
    match event {
        Event::Exited(run) => end(Ending::Finished { end: *run }, None, None),
        Event::TimedOut => stopped(pid, Stop::TimedOut),
        Event::Killed => stopped(pid, Stop::Killed),
        Event::Shutdown => stopped(pid, Stop::Shutdown),
        Event::JudgedAllow { .. }
        | Event::JudgedAsk { .. }
        | Event::JudgedQueue
        | Event::JudgedDeny(_)
        | Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed { .. }
        | Event::LeftToAgent
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
            end(Ending::Finished { end: RunEnd { outcome, ..*run } }, None, None)
        }
        Event::JudgedAllow { .. }
        | Event::JudgedAsk { .. }
        | Event::JudgedQueue
        | Event::JudgedDeny(_)
        | Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed { .. }
        | Event::LeftToAgent
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
        Event::JudgedAllow { .. }
        | Event::JudgedAsk { .. }
        | Event::JudgedQueue
        | Event::JudgedDeny(_)
        | Event::AnsweredAllow { .. }
        | Event::Edited { .. }
        | Event::AnsweredDeny(_)
        | Event::Allowed { .. }
        | Event::LeftToAgent
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

/// Rule that an approval asks to be kept beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remember {
    /// No person gave it.
    Nothing,
    /// The answer.
    Answer,
    /// The answer, and a rule: the start waits for that, and is intended only then.
    Rule,
}

/// Returns the state and effects of an approved request: the only place where permission comes into being.
fn approved(by: By, digest: Digest, remember: Remember, mut effects: Vec<Effect>) -> Next {
    let starting = State::Starting { by, stop: None };
    let intended = remember != Remember::Rule;
    effects.push(Effect::Record(Entry { state: starting.clone(), tells: None, intends: intended }));
    match remember {
        Remember::Nothing => {}
        Remember::Answer => effects.push(Effect::Acknowledge),
        Remember::Rule => effects.push(Effect::Remember),
    }
    effects.push(Effect::Start(Approved { by, digest, intended }));
    (starting, effects)
}

fn record(state: &State, tells: Option<Tells>) -> Effect {
    Effect::Record(Entry { state: state.clone(), tells, intends: false })
}

/// Stops a run: the signal never waits for the disk, so it comes before its record.
fn stopped(pid: u32, stop: Stop) -> Next {
    let stopping = State::Stopping { pid, stop };
    let effects = vec![Effect::Stop(stop), record(&stopping, None)];
    (stopping, effects)
}

fn end(ending: Ending, before: Option<Effect>, between: Option<Effect>) -> Next {
    let ended = State::Ended(ending);
    let recorded = record(&ended, Some(Tells::Ended));
    let effects = before.into_iter().chain([recorded]).chain(between).chain([Effect::TellEnded]).collect();
    (ended, effects)
}

fn denied(denial: Denial) -> Next {
    end(Ending::Denied(denial), None, None)
}

/// Denies a request while its question is on show.
fn refused(denial: Denial) -> Next {
    end(Ending::Denied(denial), Some(Effect::CloseQuestion), None)
}

fn cancelled() -> Denial {
    Refusal::Withdrawn(Withdrawal::Ended).into()
}
