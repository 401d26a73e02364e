//! Arming of *Allow* in a window: the question was visible and unchanged for a moment, and its end was seen.
//!
//! The page reports what it shows; the clock is here, so that no page can shorten it.

use postern_contract::methods::{Arming, Presented};
use postern_contract::{Missing, render};
use postern_policy::RiskLevel;
use std::time::Duration;
use tokio::time::Instant;

/// Time that a question must have been visible and unchanged.
const DELAY: Duration = Duration::from_secs(1);
/// Time that a dangerous question must have been visible and unchanged.
const DANGEROUS_DELAY: Duration = Duration::from_millis(1500);

/// Returns the time that a question of this risk must have been visible and unchanged.
pub(crate) fn delay_of(level: RiskLevel) -> Duration {
    match level {
        RiskLevel::Dangerous => DANGEROUS_DELAY,
        RiskLevel::Safe | RiskLevel::NeedsReview => DELAY,
    }
}

/// The arming of one question in one face.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    digest: String,
    change: u64,
    visible_since: Option<Instant>,
    end_seen: bool,
}

impl Clock {
    pub(crate) fn start(seen: &Presented, now: Instant) -> Self {
        Self {
            digest: seen.digest.clone(),
            change: seen.change,
            visible_since: seen.visible.then_some(now),
            end_seen: seen.visible && seen.end_seen,
        }
    }

    /// Takes a new report. The same report again changes nothing; anything else on show, or any move, starts over.
    pub(crate) fn report(&mut self, seen: &Presented, now: Instant) {
        let same = self.digest == seen.digest
            && self.change == seen.change
            && seen.visible == self.visible_since.is_some();
        if same {
            self.end_seen |= seen.visible && seen.end_seen;
        } else {
            let end_seen = self.digest == seen.digest && self.end_seen;
            *self = Self::start(seen, now);
            self.end_seen |= seen.visible && end_seen;
        }
    }

    /// Returns whether *Allow* works at `now` for a question that shows `digest` and needs `delay`.
    pub(crate) fn check_armed(&self, digest: &str, delay: Duration, now: Instant) -> Result<(), Unarmed> {
        if self.digest != digest {
            return Err(Unarmed::waiting_for(Missing::OtherDigest));
        }
        let since = self.visible_since.ok_or(Unarmed::waiting_for(Missing::NotVisible))?;
        if !self.end_seen {
            return Err(Unarmed::waiting_for(Missing::End));
        }
        let left = delay.saturating_sub(now.duration_since(since));
        if left.is_zero() {
            return Ok(());
        }
        let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1);
        Err(Unarmed { remaining_ms: Some(left), missing: Missing::Time })
    }
}

/// Condition that *Allow* still lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unarmed {
    /// Time until it works if nothing changes; `None` if something must happen first.
    pub(crate) remaining_ms: Option<u64>,
    pub(crate) missing: Missing,
}

impl Unarmed {
    /// Makes the condition of something that must happen first.
    pub(crate) fn waiting_for(missing: Missing) -> Self {
        Self { remaining_ms: None, missing }
    }
}

/// Returns the state as a face is told.
pub(crate) fn to_arming(state: Result<(), Unarmed>) -> Arming {
    match state {
        Ok(()) => Arming { armed: true, remaining_ms: Some(0), missing: String::new() },
        Err(Unarmed { remaining_ms, missing }) => {
            let missing = render::missing(missing).to_owned();
            Arming { armed: false, remaining_ms, missing }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, DANGEROUS_DELAY, DELAY};
    use postern_contract::methods::Presented;
    use std::time::Duration;
    use tokio::time::Instant;

    fn seen(change: u64, visible: bool, end_seen: bool) -> Presented {
        Presented { question_id: "q".into(), digest: "d".into(), visible, end_seen, change }
    }

    #[test]
    fn a_second_of_looking_arms() {
        let start = Instant::now();
        let clock = Clock::start(&seen(0, true, true), start);
        let just_before = start + DELAY.checked_sub(Duration::from_millis(1)).unwrap();
        assert!(clock.check_armed("d", DELAY, just_before).is_err(), "a moment too early");
        assert_eq!(clock.check_armed("d", DELAY, just_before).unwrap_err().remaining_ms, Some(1));
        assert!(clock.check_armed("d", DELAY, start + DELAY).is_ok(), "a second of looking");
        assert!(clock.check_armed("d", DANGEROUS_DELAY, start + DELAY).is_err(), "dangerous takes longer");
        assert!(
            clock.check_armed("other", DELAY, start + DELAY).is_err(),
            "another digest is another question"
        );
    }

    #[test]
    fn every_change_starts_over() {
        let start = Instant::now();
        let later = start + DELAY;
        let moved = [
            ("moved", seen(1, true, true)),
            ("hidden", seen(0, false, true)),
            ("new content", Presented { digest: "e".into(), ..seen(0, true, true) }),
        ];
        for (what, report) in moved {
            let mut clock = Clock::start(&seen(0, true, true), start);
            clock.report(&report, later);
            assert!(clock.check_armed(&report.digest, DELAY, later).is_err(), "{what}: starts over");
        }
        let mut clock = Clock::start(&seen(0, true, true), start);
        clock.report(&seen(0, true, true), later);
        assert!(clock.check_armed("d", DELAY, later).is_ok(), "the same report again only asks");
    }

    #[test]
    fn the_end_must_have_been_seen_while_it_was_visible() {
        let start = Instant::now();
        let later = start + DELAY;
        let mut clock = Clock::start(&seen(0, true, false), start);
        assert!(clock.check_armed("d", DELAY, later).is_err(), "its end was never seen");
        clock.report(&seen(0, true, true), later);
        assert!(clock.check_armed("d", DELAY, later).is_ok(), "scrolling to the end is not a change");
        let mut hidden = Clock::start(&seen(0, false, true), start);
        hidden.report(&seen(0, true, false), start);
        assert!(
            hidden.check_armed("d", DELAY, later).is_err(),
            "an end that was seen while hidden was not seen"
        );
    }
}
