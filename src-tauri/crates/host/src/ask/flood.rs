//! Rate limits of an agent: requests per second and questions per minute. Denials by the user do not count.

use postern_policy::Settings;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// Calls a second that are no requests: status, output, kill and the like.
const CALLS_A_SECOND: f64 = 500.0;
const MINUTE: Duration = Duration::from_mins(1);

/// What one agent did lately.
#[derive(Debug)]
pub(crate) struct Flood {
    requests: Bucket,
    calls: Bucket,
    questions: VecDeque<Instant>,
}

/// How long to wait before it makes sense to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TryAfter(pub(crate) Duration);

impl TryAfter {
    /// In milliseconds, at least one.
    pub(crate) fn millis(self) -> u64 {
        u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX).max(1)
    }
}

impl Flood {
    /// An agent that did nothing yet.
    pub(crate) fn new(now: Instant) -> Self {
        let (requests, calls) = (Bucket::new(now), Bucket::new(now));
        Self { requests, calls, questions: VecDeque::new() }
    }

    /// A request comes in. A burst of two seconds' worth is let through.
    pub(crate) fn request(&mut self, settings: &Settings, now: Instant) -> Result<(), TryAfter> {
        self.requests.take(f64::from(settings.requests_per_second.max(1)), now)
    }

    /// Any other call comes in: one that asks again and again must not keep the gate from the other agents.
    pub(crate) fn call(&mut self, now: Instant) -> Result<(), TryAfter> {
        self.calls.take(CALLS_A_SECOND, now)
    }

    /// Returns when the next question may open in parallel, or `None` if it may now.
    pub(crate) fn next_question(&mut self, settings: &Settings, now: Instant) -> Option<Instant> {
        forget(&mut self.questions, now, MINUTE);
        let most = usize::try_from(settings.questions_per_minute).unwrap_or(usize::MAX).max(1);
        let full = self.questions.len().checked_sub(most)?;
        Some(self.questions[full] + MINUTE)
    }

    /// Counts a question.
    pub(crate) fn asked(&mut self, now: Instant) {
        forget(&mut self.questions, now, MINUTE);
        self.questions.push_back(now);
    }
}

/// What may still come at once; refilled by the second, for two seconds at most.
#[derive(Debug)]
struct Bucket {
    tokens: f64,
    refilled: Instant,
}

impl Bucket {
    fn new(now: Instant) -> Self {
        Self { tokens: f64::INFINITY, refilled: now }
    }

    fn take(&mut self, rate: f64, now: Instant) -> Result<(), TryAfter> {
        let grown = now.duration_since(self.refilled).as_secs_f64() * rate;
        self.tokens = (self.tokens + grown).min(rate * 2.0);
        self.refilled = now;
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            Ok(())
        } else {
            Err(TryAfter(Duration::from_secs_f64((1.0 - self.tokens) / rate)))
        }
    }
}

fn forget(times: &mut VecDeque<Instant>, now: Instant, within: Duration) {
    while times.front().is_some_and(|time| now.duration_since(*time) >= within) {
        times.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::{Flood, TryAfter};
    use postern_policy::Settings;
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn requests_are_limited_by_the_second_with_a_short_burst() {
        let start = Instant::now();
        let settings = Settings { requests_per_second: 2, ..Settings::default() };
        let mut flood = Flood::new(start);
        for number in 0..4 {
            assert_eq!(flood.request(&settings, start), Ok(()), "request {number} is within the burst");
        }
        assert_eq!(flood.request(&settings, start), Err(TryAfter(Duration::from_millis(500))));
        assert_eq!(flood.request(&settings, start + Duration::from_millis(500)), Ok(()), "it said when");
    }

    #[test]
    fn calls_are_limited_beside_requests() {
        let start = Instant::now();
        let mut flood = Flood::new(start);
        let taken = (0..2000).take_while(|_| flood.call(start).is_ok()).count();
        assert_eq!(taken, 1000, "two seconds' worth at once");
        assert_eq!(flood.request(&Settings::default(), start), Ok(()), "requests have a limit of their own");
        assert_eq!(flood.call(start + Duration::from_secs(1)), Ok(()), "it comes back with time");
    }

    #[test]
    fn questions_are_spread_over_the_minute() {
        let start = Instant::now();
        let settings = Settings { questions_per_minute: 2, ..Settings::default() };
        let mut flood = Flood::new(start);
        for seconds in [0, 10] {
            let now = start + Duration::from_secs(seconds);
            assert_eq!(flood.next_question(&settings, now), None);
            flood.asked(now);
        }
        let third = flood.next_question(&settings, start + Duration::from_secs(20));
        assert_eq!(third, Some(start + Duration::from_mins(1)), "when the first is a minute old");
        assert_eq!(flood.next_question(&settings, start + Duration::from_mins(1)), None);
    }
}
