//! Limits on how often an agent may ask: requests a second, and questions a minute.
//!
//! What a person refuses counts for nothing. Times are counted from any fixed moment.

use postern_policy::Settings;
use std::collections::VecDeque;
use std::time::Duration;

/// Calls a second that are no requests: status, output, kill and similar ones.
const CALLS_A_SECOND: f64 = 500.0;
const MINUTE: Duration = Duration::from_mins(1);

/// Recent requests and questions of one agent.
#[derive(Debug, Default)]
pub struct AgentRateLimits {
    requests: RateBucket,
    calls: RateBucket,
    questions: VecDeque<Duration>,
}

/// Time after which it makes sense to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TryAfter(pub Duration);

impl TryAfter {
    /// Returns it in milliseconds, at least one.
    pub fn millis(self) -> u64 {
        u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX).max(1)
    }
}

impl AgentRateLimits {
    /// Takes a request in. A burst of two seconds' worth is let through.
    pub fn request(&mut self, settings: &Settings, now: Duration) -> Result<(), TryAfter> {
        self.requests.take_token(f64::from(settings.requests_per_second.max(1)), now)
    }

    /// Takes any other call in: one that asks again and again must not keep the gate from the other agents.
    pub fn take_call(&mut self, now: Duration) -> Result<(), TryAfter> {
        self.calls.take_token(CALLS_A_SECOND, now)
    }

    /// Returns when the next question may open beside those that are open; `None` if it may now.
    pub fn next_question(&mut self, settings: &Settings, now: Duration) -> Option<Duration> {
        self.forget(now);
        let most = usize::try_from(settings.questions_per_minute).unwrap_or(usize::MAX).max(1);
        let full = self.questions.len().checked_sub(most)?;
        Some(self.questions[full] + MINUTE)
    }

    /// Notes that a person is asked.
    pub fn record_question(&mut self, now: Duration) {
        self.forget(now);
        self.questions.push_back(now);
    }

    fn forget(&mut self, now: Duration) {
        while self.questions.front().is_some_and(|asked| now.saturating_sub(*asked) >= MINUTE) {
            self.questions.pop_front();
        }
    }
}

/// Room for what may still come at once; refilled by the second, for two seconds at most.
#[derive(Debug)]
struct RateBucket {
    tokens: f64,
    refilled: Duration,
}

impl Default for RateBucket {
    fn default() -> Self {
        Self { tokens: f64::INFINITY, refilled: Duration::ZERO }
    }
}

impl RateBucket {
    fn take_token(&mut self, rate: f64, now: Duration) -> Result<(), TryAfter> {
        let grown = now.saturating_sub(self.refilled).as_secs_f64() * rate;
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

#[cfg(test)]
mod tests {
    use super::{AgentRateLimits, TryAfter};
    use postern_policy::Settings;
    use std::time::Duration;

    const START: Duration = Duration::from_hours(1);

    #[test]
    fn requests_are_limited_by_the_second_with_a_short_burst() {
        let settings = Settings { requests_per_second: 2, ..Settings::default() };
        let mut limits = AgentRateLimits::default();
        for number in 0..4 {
            assert_eq!(limits.request(&settings, START), Ok(()), "request {number} is within the burst");
        }
        assert_eq!(limits.request(&settings, START), Err(TryAfter(Duration::from_millis(500))));
        assert_eq!(limits.request(&settings, START + Duration::from_millis(500)), Ok(()), "it said when");
    }

    #[test]
    fn calls_are_limited_beside_requests() {
        let mut limits = AgentRateLimits::default();
        let taken = (0..2000).take_while(|_| limits.take_call(START).is_ok()).count();
        assert_eq!(taken, 1000, "two seconds' worth at once");
        assert_eq!(limits.request(&Settings::default(), START), Ok(()), "requests have a limit of their own");
        assert_eq!(limits.take_call(START + Duration::from_secs(1)), Ok(()), "it comes back with time");
    }

    #[test]
    fn questions_are_spread_over_the_minute() {
        let settings = Settings { questions_per_minute: 2, ..Settings::default() };
        let mut limits = AgentRateLimits::default();
        for seconds in [0, 10] {
            let now = START + Duration::from_secs(seconds);
            assert_eq!(limits.next_question(&settings, now), None);
            limits.record_question(now);
        }
        let third = limits.next_question(&settings, START + Duration::from_secs(20));
        assert_eq!(third, Some(START + Duration::from_mins(1)), "when the first is a minute old");
        assert_eq!(limits.next_question(&settings, START + Duration::from_mins(1)), None);
    }
}
