//! A machine without Touch ID and silently for the password.

use postern_contract::Presence;
use std::time::Duration;

pub(super) fn detect_presence() -> Presence {
    Presence::None
}

pub(super) fn confirm(_: &str, _: Duration) -> Result<(), &'static str> {
    Err("this computer has no Touch ID: turn it off in Settings › Questions")
}
