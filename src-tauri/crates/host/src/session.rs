//! Presence of a person at the screen: a question on a locked screen, or on another person's, is not asked.

use std::time::Duration;

pub use postern_exec::Presence;

/// Tells whether somebody can be in front of the screen. Asked whenever a window shows a question, once a second while it
/// does, and before its yes counts; so it must answer at once.
pub trait Session: Send + Sync + std::fmt::Debug {
    /// Returns the state now. A system that has no way to tell returns [`Presence::Present`].
    fn presence(&self) -> Presence {
        Presence::Present
    }

    /// Returns for how long the machine has slept since the first call; never less than before.
    fn slept(&self) -> Duration {
        crate::clock::slept()
    }
}

/// The session of the system that Postern runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemSession;

#[cfg(not(target_os = "macos"))]
impl Session for SystemSession {}

#[cfg(target_os = "macos")]
impl Session for SystemSession {
    fn presence(&self) -> Presence {
        postern_exec::presence()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Unknowing;
    impl Session for Unknowing {}

    #[test]
    fn a_system_that_cannot_tell_does_not_keep_questions_back() {
        assert_eq!(Unknowing.presence(), Presence::Present);
    }
}
