//! A machine without Touch ID and without a question for the password.

use super::Means;
use std::time::Duration;

pub(super) fn means() -> Means {
    Means::None
}

pub(super) fn confirm(_: &str, _: Duration) -> Result<(), &'static str> {
    Err("this computer cannot tell its owner: turn that off in Postern's settings")
}
