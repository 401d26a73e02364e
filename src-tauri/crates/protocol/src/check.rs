//! Checks of texts that parameters have in common.

use crate::limits;
use crate::mistake::Mistake;

/// Checks a text that may be empty.
pub(crate) fn check_text(field: &'static str, text: &str, limit: usize) -> Result<(), Mistake> {
    if text.contains('\0') {
        return Err(Mistake::Nul(field));
    }
    if text.len() > limit { Err(Mistake::TooLong { field, limit }) } else { Ok(()) }
}

/// Checks a text that must not be empty.
pub(crate) fn check_name(field: &'static str, text: &str, limit: usize) -> Result<(), Mistake> {
    if text.is_empty() { Err(Mistake::Empty(field)) } else { check_text(field, text, limit) }
}

pub(crate) fn check_session(session: &str) -> Result<(), Mistake> {
    check_name("session", session, limits::SESSION)
}
