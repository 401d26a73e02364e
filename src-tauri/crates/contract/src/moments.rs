//! Times around a question that every approver on this computer keeps to.

use crate::question::Question;
use postern_policy::Millis;
use std::time::Duration;

/// Time that a question is on show before any answer to it counts: an earlier key or click was meant for something else.
pub const SETTLE: Duration = Duration::from_millis(600);
/// Time that a denial can be undone: the host, and with it the agent, is told after it.
pub const UNDO: Duration = Duration::from_secs(5);
/// A denial is handed over this long before the question would end by itself.
const BEFORE_END: Duration = Duration::from_secs(2);

impl Question {
    /// Returns the time that it still waits.
    pub fn time_left(&self, now: Millis) -> Duration {
        Duration::from_millis(u64::try_from(self.expires_at.saturating_sub(now)).unwrap_or(0))
    }

    /// Checks that its denial may wait with the approver so that it can be undone.
    ///
    /// It may not if the question would end with an approval once the approver is gone.
    pub fn may_hold_denial(&self, now: Millis) -> bool {
        !self.allowed_at_zero && self.time_left(now) > UNDO + BEFORE_END
    }
}

#[cfg(test)]
mod tests {
    use crate::alike::tests::question;
    use crate::question::Question;

    #[test]
    fn a_denial_waits_only_where_the_question_cannot_end_with_a_yes_meanwhile() {
        let now = 1_000_000;
        let ends = |left: i64| Question { expires_at: now + left, ..question("ls") };
        assert!(ends(60_000).may_hold_denial(now));
        assert!(ends(7_001).may_hold_denial(now));
        assert!(!ends(7_000).may_hold_denial(now), "it would end by itself");
        let allowed = Question { allowed_at_zero: true, ..ends(60_000) };
        assert!(!allowed.may_hold_denial(now), "it would be allowed once the approver is gone");
    }
}
