//! `step(state, event) -> (state, effects)`: total, pure.
//!
//! One function a state, every event by its name, no `_`: a new event does not compile until it is said what it means
//! while a request waits, is asked about, starts and runs. An event that means nothing in a state leaves it as it is and
//! gives no effects.

use super::{RecordEntry, RequestEffect, RequestEnding, RequestEvent, RequestState, RunEnd, Stop, Tells};
use crate::denial::{Denial, Refusal, Withdrawal};
use crate::plan::Digest;
use postern_protocol::{AllowedBy, Outcome};

/// Permission to run one plan once. No public constructor: only [`step`] makes one, from a verdict of allow, a
/// person's yes or the fallback.
#[derive(Debug)]
#[must_use]
pub struct Approved {
    by: AllowedBy,
    digest: Digest,
    intended: bool,
}

impl Approved {
    /// Returns who let it through.
    pub fn allowed_by(&self) -> AllowedBy {
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

type Transition = (RequestState, Vec<RequestEffect>);

/// Applies `event` to a request in `state`, and returns the new state with its effects, in order.
pub fn step(state: RequestState, event: RequestEvent) -> Transition {
    match state {
        RequestState::Received => received(event),
        RequestState::Queued => queued(event),
        RequestState::Asking { digest } => asking(digest, event),
        RequestState::Starting { by, stop } => starting(by, stop, event),
        RequestState::Running { pid } => running(pid, &event),
        RequestState::Stopping { pid, stop } => stopping(pid, stop, &event),
        // An end is for good.
        RequestState::Ended(_) => unchanged(state),
    }
}

fn received(event: RequestEvent) -> Transition {
    match event {
        RequestEvent::JudgedQueue => {
            (RequestState::Queued, vec![record(&RequestState::Queued, None), RequestEffect::Accept])
        }
        RequestEvent::JudgedAllow { .. }
        | RequestEvent::LeftToAgent
        | RequestEvent::JudgedAsk { .. }
        | RequestEvent::JudgedDeny(_)
        | RequestEvent::Withdrawn(_)
        | RequestEvent::Killed
        | RequestEvent::Shutdown => {
            let (state, mut effects) = queued(event);
            if !matches!(state, RequestState::Ended(_)) {
                effects.insert(1, RequestEffect::Accept);
            }
            (state, effects)
        }
        RequestEvent::AnsweredAllow { .. }
        | RequestEvent::Edited { .. }
        | RequestEvent::AnsweredDeny(_)
        | RequestEvent::Allowed { .. }
        | RequestEvent::Expired(_)
        | RequestEvent::Drifted(_)
        | RequestEvent::SpawnFailed { .. }
        | RequestEvent::Started { .. }
        | RequestEvent::TimedOut
        | RequestEvent::Exited(_) => unchanged(RequestState::Received),
    }
}

fn queued(event: RequestEvent) -> Transition {
    match event {
        RequestEvent::JudgedAllow { by, digest } => approved(by, digest, RememberChoice::Nothing, Vec::new()),
        RequestEvent::JudgedAsk { digest } => {
            let asking = RequestState::Asking { digest: digest.clone() };
            let effects = vec![
                record(&asking, None),
                RequestEffect::Ask { digest },
                record(&asking, Some(Tells::Pending)),
            ];
            (asking, effects)
        }
        RequestEvent::LeftToAgent => end_request(RequestEnding::Allowed, None, None),
        RequestEvent::JudgedDeny(denial) | RequestEvent::Withdrawn(denial) => denied(denial),
        RequestEvent::Killed => denied(cancelled()),
        RequestEvent::Shutdown => denied(Refusal::Quit.into()),
        RequestEvent::JudgedQueue
        | RequestEvent::AnsweredAllow { .. }
        | RequestEvent::Edited { .. }
        | RequestEvent::AnsweredDeny(_)
        | RequestEvent::Allowed { .. }
        | RequestEvent::Expired(_)
        | RequestEvent::Drifted(_)
        | RequestEvent::SpawnFailed { .. }
        | RequestEvent::Started { .. }
        | RequestEvent::TimedOut
        | RequestEvent::Exited(_) => unchanged(RequestState::Queued),
    }
}

fn asking(shown: Digest, event: RequestEvent) -> Transition {
    match event {
        RequestEvent::AnsweredAllow { digest, confined, remember } if digest == shown => {
            let remember = if remember { RememberChoice::Rule } else { RememberChoice::Answer };
            approved(
                AllowedBy::Person,
                confined.unwrap_or(digest),
                remember,
                vec![RequestEffect::CloseQuestion],
            )
        }
        RequestEvent::Allowed { by, digest } => {
            approved(by, digest, RememberChoice::Nothing, vec![RequestEffect::CloseQuestion])
        }
        RequestEvent::AnsweredDeny(denial) => {
            let ending = RequestEnding::Denied(denial);
            end_request(ending, Some(RequestEffect::CloseQuestion), Some(RequestEffect::Acknowledge))
        }
        RequestEvent::Expired(denial) | RequestEvent::Withdrawn(denial) => refused(denial),
        RequestEvent::Edited { digest } => {
            let asking = RequestState::Asking { digest };
            let effects = vec![record(&asking, Some(Tells::Pending))];
            (asking, effects)
        }
        RequestEvent::Killed => refused(cancelled()),
        RequestEvent::Shutdown => refused(Refusal::Quit.into()),
        // An approval to something else than what is on show is no yes.
        RequestEvent::AnsweredAllow { .. }
        | RequestEvent::JudgedAllow { .. }
        | RequestEvent::LeftToAgent
        | RequestEvent::JudgedAsk { .. }
        | RequestEvent::JudgedQueue
        | RequestEvent::JudgedDeny(_)
        | RequestEvent::Drifted(_)
        | RequestEvent::SpawnFailed { .. }
        | RequestEvent::Started { .. }
        | RequestEvent::TimedOut
        | RequestEvent::Exited(_) => unchanged(RequestState::Asking { digest: shown }),
    }
}

/// Handles events while a start is under way.
///
/// From here on nothing gives a second [`RequestEffect::Start`]. A stop is remembered until there is a process to
/// stop; the first one counts.
fn starting(by: AllowedBy, stop: Option<Stop>, event: RequestEvent) -> Transition {
    match event {
        RequestEvent::Started { pid } => {
            let tells = Some(Tells::Started { pid });
            let Some(stop) = stop else {
                let running = RequestState::Running { pid };
                let effects = vec![record(&running, tells)];
                return (running, effects);
            };
            let stopping = RequestState::Stopping { pid, stop };
            let effects = vec![RequestEffect::Stop(stop), record(&stopping, tells)];
            (stopping, effects)
        }
        RequestEvent::LeftToAgent => end_request(RequestEnding::Allowed, None, None),
        RequestEvent::Drifted(denial) => denied(denial),
        RequestEvent::SpawnFailed { message } => end_request(RequestEnding::Failed { message }, None, None),
        RequestEvent::TimedOut => {
            unchanged(RequestState::Starting { by, stop: stop.or(Some(Stop::TimedOut)) })
        }
        RequestEvent::Killed => unchanged(RequestState::Starting { by, stop: stop.or(Some(Stop::Killed)) }),
        RequestEvent::Shutdown => {
            unchanged(RequestState::Starting { by, stop: stop.or(Some(Stop::Shutdown)) })
        }
        RequestEvent::JudgedAllow { .. }
        | RequestEvent::JudgedAsk { .. }
        | RequestEvent::JudgedQueue
        | RequestEvent::JudgedDeny(_)
        | RequestEvent::AnsweredAllow { .. }
        | RequestEvent::Edited { .. }
        | RequestEvent::AnsweredDeny(_)
        | RequestEvent::Allowed { .. }
        | RequestEvent::Expired(_)
        | RequestEvent::Withdrawn(_)
        | RequestEvent::Exited(_) => unchanged(RequestState::Starting { by, stop }),
    }
}

/// Event, as far as it means something to a process.
enum ProcessEvent {
    Exited(RunEnd),
    Stop(Stop),
}

impl ProcessEvent {
    fn of_event(event: &RequestEvent) -> Option<Self> {
        match event {
            RequestEvent::Exited(run) => Some(Self::Exited(*run)),
            RequestEvent::TimedOut => Some(Self::Stop(Stop::TimedOut)),
            RequestEvent::Killed => Some(Self::Stop(Stop::Killed)),
            RequestEvent::Shutdown => Some(Self::Stop(Stop::Shutdown)),
            RequestEvent::JudgedAllow { .. }
            | RequestEvent::JudgedAsk { .. }
            | RequestEvent::JudgedQueue
            | RequestEvent::JudgedDeny(_)
            | RequestEvent::AnsweredAllow { .. }
            | RequestEvent::Edited { .. }
            | RequestEvent::AnsweredDeny(_)
            | RequestEvent::Allowed { .. }
            | RequestEvent::LeftToAgent
            | RequestEvent::Expired(_)
            | RequestEvent::Withdrawn(_)
            | RequestEvent::Drifted(_)
            | RequestEvent::SpawnFailed { .. }
            | RequestEvent::Started { .. } => None,
        }
    }
}

fn running(pid: u32, event: &RequestEvent) -> Transition {
    match ProcessEvent::of_event(event) {
        Some(ProcessEvent::Exited(end)) => end_request(RequestEnding::Finished { end }, None, None),
        Some(ProcessEvent::Stop(stop)) => {
            let stopping = RequestState::Stopping { pid, stop };
            // The signal never waits for the disk, so it comes before its record.
            let effects = vec![RequestEffect::Stop(stop), record(&stopping, None)];
            (stopping, effects)
        }
        None => unchanged(RequestState::Running { pid }),
    }
}

fn stopping(pid: u32, stop: Stop, event: &RequestEvent) -> Transition {
    let Some(ProcessEvent::Exited(run)) = ProcessEvent::of_event(event) else {
        return unchanged(RequestState::Stopping { pid, stop });
    };
    // Its own exit is a detail: it ended because it was stopped.
    let outcome = match stop {
        Stop::TimedOut => Outcome::Timeout,
        Stop::Killed | Stop::Shutdown => Outcome::Killed,
    };
    end_request(RequestEnding::Finished { end: RunEnd { outcome, ..run } }, None, None)
}

fn unchanged(state: RequestState) -> Transition {
    (state, Vec::new())
}

/// Rule that an approval asks to be kept beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RememberChoice {
    /// No person gave it.
    Nothing,
    Answer,
    /// The answer, and a rule: the start waits for that, and is intended only then.
    Rule,
}

/// Returns the state and effects of an approved request: the only place where permission comes into being.
fn approved(
    by: AllowedBy,
    digest: Digest,
    remember: RememberChoice,
    mut effects: Vec<RequestEffect>,
) -> Transition {
    let starting = RequestState::Starting { by, stop: None };
    let intended = remember != RememberChoice::Rule;
    effects.push(RequestEffect::Record(RecordEntry {
        state: starting.clone(),
        tells: None,
        intends: intended,
    }));
    match remember {
        RememberChoice::Nothing => {}
        RememberChoice::Answer => effects.push(RequestEffect::Acknowledge),
        RememberChoice::Rule => effects.push(RequestEffect::Remember),
    }
    effects.push(RequestEffect::Start(Approved { by, digest, intended }));
    (starting, effects)
}

fn record(state: &RequestState, tells: Option<Tells>) -> RequestEffect {
    RequestEffect::Record(RecordEntry { state: state.clone(), tells, intends: false })
}

fn end_request(
    ending: RequestEnding,
    before: Option<RequestEffect>,
    between: Option<RequestEffect>,
) -> Transition {
    let ended = RequestState::Ended(ending);
    let recorded = record(&ended, Some(Tells::Ended));
    let effects =
        before.into_iter().chain([recorded]).chain(between).chain([RequestEffect::TellEnded]).collect();
    (ended, effects)
}

fn denied(denial: Denial) -> Transition {
    end_request(RequestEnding::Denied(denial), None, None)
}

/// Denies a request while its question is on show.
fn refused(denial: Denial) -> Transition {
    end_request(RequestEnding::Denied(denial), Some(RequestEffect::CloseQuestion), None)
}

fn cancelled() -> Denial {
    Refusal::Withdrawn(Withdrawal::Ended).into()
}
