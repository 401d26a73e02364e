//! Presence of the user at the screen, as the system reports it.

/// State of the person's session at the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScreenPresence {
    /// Nothing denies it: the screen shows this person's session, unlocked.
    Present,
    Locked,
    /// The screen shows another person's session, or there is none.
    Away,
}

#[cfg(target_os = "macos")]
pub use macos::presence;

#[cfg(target_os = "macos")]
mod macos {
    #![expect(unsafe_code, reason = "the session's dictionary has no typed form")]

    use super::ScreenPresence;
    use objc2_core_foundation::{CFBoolean, CFDictionary, CFNumber, CFRetained, CFString, CFType};
    use objc2_core_graphics::CGSessionCopyCurrentDictionary;

    /// Returns the state now.
    #[must_use]
    pub fn presence() -> ScreenPresence {
        // None: a process without a session on the screen.
        let Some(session) = CGSessionCopyCurrentDictionary() else { return ScreenPresence::Away };
        // SAFETY: the dictionary's keys are strings and its values objects, as Apple documents it.
        let session: CFRetained<CFDictionary<CFString, CFType>> =
            unsafe { CFRetained::cast_unchecked(session) };
        let is_set = |key: &str| session.get(&CFString::from_str(key)).is_some_and(|value| is_true(&value));
        if !is_set("kCGSSessionOnConsoleKey") {
            ScreenPresence::Away
        } else if is_set("CGSSessionScreenIsLocked") {
            ScreenPresence::Locked
        } else {
            ScreenPresence::Present
        }
    }

    fn is_true(value: &CFType) -> bool {
        value.downcast_ref::<CFBoolean>().is_some_and(CFBoolean::as_bool)
            || value.downcast_ref::<CFNumber>().and_then(CFNumber::as_i32).is_some_and(|number| number != 0)
    }
}
