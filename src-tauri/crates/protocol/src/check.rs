//! Checks of texts that parameters have in common.

use crate::limits;
use crate::mistake::ProtocolError;

/// Checks a text that may be empty.
pub(crate) fn check_text(field: &'static str, text: &str, limit: usize) -> Result<(), ProtocolError> {
    if text.contains('\0') {
        return Err(ProtocolError::Nul(field));
    }
    if text.len() > limit { Err(ProtocolError::TooLong { field, limit }) } else { Ok(()) }
}

/// Checks a text that must not be empty.
pub(crate) fn check_name(field: &'static str, text: &str, limit: usize) -> Result<(), ProtocolError> {
    if text.is_empty() { Err(ProtocolError::Empty(field)) } else { check_text(field, text, limit) }
}

pub(crate) fn check_cwd(cwd: &str) -> Result<(), ProtocolError> {
    if cwd.contains('\0') { Err(ProtocolError::NulInCwd) } else { check_name("cwd", cwd, limits::CWD) }
}

pub(crate) fn check_session(session: &str) -> Result<(), ProtocolError> {
    check_name("session", session, limits::SESSION)
}
