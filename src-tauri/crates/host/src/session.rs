//! Presence of a person at the screen: a question on a locked screen, or on another person's, is not asked.

use std::time::Duration;

/// State of the person's session at the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Presence {
    /// Nothing denies it: the screen shows this person's session, unlocked.
    Present,
    /// The screen is locked.
    Locked,
    /// The screen shows another person's session, or there is none.
    Away,
}

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
        macos::presence()
    }
}

#[cfg(target_os = "macos")]
mod macos {
    #![expect(unsafe_code, reason = "the session's dictionary has no typed form")]

    use super::Presence;
    use objc2_core_foundation::{CFBoolean, CFDictionary, CFNumber, CFRetained, CFString, CFType};
    use objc2_core_graphics::CGSessionCopyCurrentDictionary;

    pub(super) fn presence() -> Presence {
        // None: a process without a session on the screen.
        let Some(session) = CGSessionCopyCurrentDictionary() else { return Presence::Away };
        // SAFETY: the dictionary's keys are strings and its values objects, as Apple documents it.
        let session: CFRetained<CFDictionary<CFString, CFType>> =
            unsafe { CFRetained::cast_unchecked(session) };
        let is_set = |key: &str| session.get(&CFString::from_str(key)).is_some_and(|value| is_true(&value));
        if !is_set("kCGSSessionOnConsoleKey") {
            Presence::Away
        } else if is_set("CGSSessionScreenIsLocked") {
            Presence::Locked
        } else {
            Presence::Present
        }
    }

    fn is_true(value: &CFType) -> bool {
        value.downcast_ref::<CFBoolean>().is_some_and(CFBoolean::as_bool)
            || value.downcast_ref::<CFNumber>().and_then(CFNumber::as_i32).is_some_and(|number| number != 0)
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
