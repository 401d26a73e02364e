//! Consent to something dangerous: *Allow* is held, or pressed twice. The time is taken here, where no page
//! can shorten it.

use std::time::Duration;
use tokio::time::Instant;

/// Time that *Allow* is held.
pub(crate) const HOLD: Duration = Duration::from_millis(1200);

/// State of consent to something dangerous. Everything that starts arming over ends it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Consent {
    /// Nothing is pressed.
    #[default]
    None,
    /// Held since then.
    Held(Instant),
    /// Pressed once, and arming started over.
    Pressed,
}

impl Consent {
    /// Returns true if an approval counts at `now`, where the question is armed.
    pub(super) fn is_given(self, now: Instant) -> bool {
        match self {
            Self::None => false,
            Self::Held(since) => now.duration_since(since) >= HOLD,
            Self::Pressed => true,
        }
    }
}
