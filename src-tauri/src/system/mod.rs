//! Services of the system around the app: a start at login, timers that are not put off, news of sleep and lock, its
//! log.
//!
//! `login` starts at login · `awake` timers that run on time · `session` sleep, wake, lock, user switch · `log` where it
//! writes what happens · `place` where the app lies.

#[cfg_attr(not(target_os = "macos"), path = "other.rs")]
#[cfg_attr(target_os = "macos", path = "macos/mod.rs")]
mod here;
pub(crate) mod log;
#[cfg(any(target_os = "macos", test))]
mod log_entry;
pub(crate) mod login;
#[cfg(any(target_os = "macos", test))]
pub(crate) mod place;

#[cfg(target_os = "macos")]
pub(crate) use here::is_started_at_login;
pub(crate) use here::{keep_on_time, set_shortcut, watch_session};

/// Change of the user's session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(target_os = "macos"), expect(dead_code, reason = "other systems do not tell"))]
pub(crate) enum SessionEvent {
    /// The computer goes to sleep.
    WillSleep,
    /// End of the sleep.
    Awoke,
    /// The screen was locked or unlocked, or shows another user's session or this one again.
    Changed,
}
