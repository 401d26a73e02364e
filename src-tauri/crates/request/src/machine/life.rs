//! State of a request with what is still to be done for it, in order.
//!
//! Each entry of the record is durable before what follows it, and what could not be written is kept as owed.

use super::{RecordEntry, RequestEffect, RequestEvent, RequestState, Tells, step};
use crate::denial::Denial;
use std::collections::VecDeque;
use std::time::Duration;

/// The pause before a write that failed is tried again, the first time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Returns how long to wait after so many failures in a row: twice as long each time, up to five seconds.
pub fn pause_after(failures: u32) -> Duration {
    let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
    FIRST_PAUSE.saturating_mul(doubled).min(LONGEST_PAUSE)
}

/// A request: its state, and what is to be done for it. Times are counted from any fixed moment.
#[derive(Debug)]
pub struct Life {
    state: RequestState,
    to_do: VecDeque<RequestEffect>,
    under_way: UnderWay,
    /// True if anything of it is on record.
    recorded: bool,
    /// Number of failed writes of the entry at the head of `to_do`.
    failures: u32,
    /// Time at which that is tried again.
    again: Option<Duration>,
}

/// Write that everything else waits for.
#[derive(Debug)]
enum UnderWay {
    Nothing,
    Recording(RecordEntry),
    Remembering,
}

/// Meaning of a write that failed.
#[derive(Debug)]
pub enum FailedWrite {
    /// No entry of the request is on record: it did not happen, and is to be forgotten.
    Forgotten,
    /// The step that was to begin with the entry does not begin: the request ends. The effects are to be
    /// carried out at once.
    NotBegun(Vec<RequestEffect>),
    /// Owed: [`Life::next_effect`] gives it again, once [`Life::retry_due`] has come.
    Owed,
}

impl Default for Life {
    fn default() -> Self {
        Self {
            state: RequestState::Received,
            to_do: VecDeque::new(),
            under_way: UnderWay::Nothing,
            recorded: false,
            failures: 0,
            again: None,
        }
    }
}

impl Life {
    /// Returns where the request is.
    pub fn current_state(&self) -> &RequestState {
        &self.state
    }

    /// Returns whether something is under way that everything else waits for.
    pub fn is_busy(&self) -> bool {
        !matches!(self.under_way, UnderWay::Nothing)
    }

    /// Returns whether an entry of the record could not be written, and is to be tried again.
    pub fn needs_retry(&self) -> bool {
        self.failures > 0
    }

    /// Returns whether entries wait to be written, or are on their way.
    pub fn is_unwritten(&self) -> bool {
        matches!(self.under_way, UnderWay::Recording(_))
            || self.to_do.iter().any(|effect| matches!(effect, RequestEffect::Record(_)))
    }

    /// Returns when an owed entry is tried again.
    pub fn retry_due(&self) -> Option<Duration> {
        self.again.filter(|_| !self.is_busy())
    }

    /// Takes an event in. Gives what is to be done at once; the rest comes from [`Self::next_effect`].
    pub fn apply_event(&mut self, event: RequestEvent) -> Vec<RequestEffect> {
        let state = std::mem::replace(&mut self.state, RequestState::Received);
        let (state, effects) = step(state, event);
        self.state = state;
        let (now, later): (Vec<_>, Vec<_>) = effects.into_iter().partition(RequestEffect::is_immediate);
        if !later.is_empty() {
            self.drop_superseded();
            // What happened may well be worth another try.
            self.again = None;
        }
        self.to_do.extend(later);
        now
    }

    /// Drops effects that the state has moved past. Entries on their way to the record stay, in their order.
    fn drop_superseded(&mut self) {
        let (asks, starts) = (self.is_asking(), matches!(self.state, RequestState::Starting { .. }));
        self.to_do.retain(|effect| match effect {
            RequestEffect::Record(entry) => entry.tells != Some(Tells::Pending),
            RequestEffect::Ask { .. } => asks,
            RequestEffect::Remember | RequestEffect::Start(_) => starts,
            RequestEffect::Accept
            | RequestEffect::CloseQuestion
            | RequestEffect::Acknowledge
            | RequestEffect::Stop(_)
            | RequestEffect::TellEnded => true,
        });
    }

    fn is_asking(&self) -> bool {
        matches!(self.state, RequestState::Asking { .. })
    }

    /// Gives what is to be done next; `None` if that waits for something under way, or for its time.
    pub fn next_effect(&mut self, now: Duration) -> Option<RequestEffect> {
        if self.is_busy() || self.again.is_some_and(|again| now < again) {
            return None;
        }
        self.again = None;
        let effect = self.to_do.pop_front()?;
        match &effect {
            RequestEffect::Record(entry) => self.under_way = UnderWay::Recording(entry.clone()),
            RequestEffect::Remember => self.under_way = UnderWay::Remembering,
            RequestEffect::Accept
            | RequestEffect::Ask { .. }
            | RequestEffect::CloseQuestion
            | RequestEffect::Acknowledge
            | RequestEffect::Start(_)
            | RequestEffect::Stop(_)
            | RequestEffect::TellEnded => {}
        }
        Some(effect)
    }

    /// Notes that the entry under way is durable, or the rule is saved.
    pub fn mark_done(&mut self) {
        if let UnderWay::Recording(_) = std::mem::replace(&mut self.under_way, UnderWay::Nothing) {
            self.recorded = true;
            self.failures = 0;
        }
    }

    /// Returns the rule that the person chose could not be saved: nothing starts, and the request ends with
    /// `denial`.
    pub fn not_remembered(&mut self, denial: Denial) -> Vec<RequestEffect> {
        self.under_way = UnderWay::Nothing;
        self.apply_event(RequestEvent::Drifted(denial))
    }

    /// Returns the entry under way could not be written. Nothing begins that needs it; `denial` is how the
    /// request ends then.
    pub fn refused(&mut self, now: Duration, denial: Denial) -> FailedWrite {
        let UnderWay::Recording(entry) = std::mem::replace(&mut self.under_way, UnderWay::Nothing) else {
            return FailedWrite::Owed;
        };
        if !self.recorded {
            return FailedWrite::Forgotten;
        }
        self.failures = self.failures.saturating_add(1);
        let begins = |effect: &RequestEffect| {
            matches!(effect, RequestEffect::Start(_) | RequestEffect::Remember | RequestEffect::Ask { .. })
        };
        if self.to_do.iter().any(begins) {
            // An approval that came meanwhile is no yes any more, and nobody is told that it was.
            self.to_do.retain(|effect| match effect {
                RequestEffect::Record(entry) => !matches!(entry.state, RequestState::Starting { .. }),
                RequestEffect::Acknowledge => false,
                _ => true,
            });
            let event = if self.is_asking() { RequestEvent::AnsweredDeny } else { RequestEvent::Drifted };
            let now_to_do = self.apply_event(event(denial));
            return FailedWrite::NotBegun(now_to_do);
        }
        if self.is_superseded(&entry) {
            return FailedWrite::Owed;
        }
        self.to_do.push_front(RequestEffect::Record(entry));
        self.again = Some(now.saturating_add(pause_after(self.failures)));
        FailedWrite::Owed
    }

    /// Returns true if a later entry says more than one that could not be written.
    fn is_superseded(&self, entry: &RecordEntry) -> bool {
        let tells_nothing = matches!(entry.tells, None | Some(Tells::Pending));
        tells_nothing && self.to_do.iter().any(|effect| matches!(effect, RequestEffect::Record(_)))
    }

    /// Gives up the entry that is owed: it can never be written.
    pub fn give_up(&mut self) {
        if self.needs_retry() && matches!(self.to_do.front(), Some(RequestEffect::Record(_))) {
            self.to_do.pop_front();
        }
        self.failures = 0;
        self.again = None;
    }
}
