//! How a person says yes to something dangerous: by holding *Allow*, or by pressing it twice. The time is taken here, where
//! no page can shorten it.

use std::time::Duration;
use tokio::time::Instant;

/// How long *Allow* is held.
pub(crate) const HOLD: Duration = Duration::from_millis(1200);

/// Where a yes to something dangerous stands. Everything that starts arming over ends it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Consent {
    /// Nothing is pressed.
    #[default]
    None,
    /// It is held since then.
    Held(Instant),
    /// It was pressed once, and arming started over.
    Pressed,
}

impl Consent {
    /// Returns true if a yes counts at `now`, where the question is armed.
    pub(super) fn is_given(self, now: Instant) -> bool {
        match self {
            Self::None => false,
            Self::Held(since) => now.duration_since(since) >= HOLD,
            Self::Pressed => true,
        }
    }
}
