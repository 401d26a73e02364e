//! Presence of a person at the screen: a question on a locked screen, or on another person's, is not asked.

use std::time::Duration;

pub use postern_exec::ScreenPresence;

/// Tells whether somebody can be in front of the screen. Asked whenever a window shows a question, once a second while it
/// does, and before its yes counts; so it must answer at once.
pub trait ScreenSession: Send + Sync + std::fmt::Debug {
    /// Returns the state now. A system that has no way to tell returns [`ScreenPresence::Present`].
    fn presence(&self) -> ScreenPresence {
        ScreenPresence::Present
    }

    /// Returns for how long the machine has slept since the first call; never less than before.
    fn time_asleep(&self) -> Duration {
        crate::clock::time_asleep()
    }
}

/// The session of the system that Postern runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemSession;

#[cfg(not(target_os = "macos"))]
impl ScreenSession for SystemSession {}

#[cfg(target_os = "macos")]
impl ScreenSession for SystemSession {
    fn presence(&self) -> ScreenPresence {
        postern_exec::presence()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Unknowing;
    impl ScreenSession for Unknowing {}

    #[test]
    fn a_system_that_cannot_tell_does_not_keep_questions_back() {
        assert_eq!(Unknowing.presence(), ScreenPresence::Present);
    }
}
