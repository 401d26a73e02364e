//! Linux: timers run on time, and nothing tells of the session; the host looks at it while a question waits.

use super::SessionEvent;
use postern_contract::Shortcut;

/// Keeps timers on time while something waits or runs.
pub(crate) fn keep_on_time(_: bool) {}

/// Sets the keys that give the panel the keyboard: a key of the desktop can be bound to `postern-desktop --overview` instead.
pub(crate) fn set_shortcut(_: Shortcut, _: impl Fn() + Send + Sync + 'static) {}

/// Watches the session for as long as the app runs.
pub(crate) fn watch_session(_: impl Fn(SessionEvent) + Send + Sync + Clone + 'static) {}
