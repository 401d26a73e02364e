//! A program's code signature. Only macOS has them.

use postern_policy::Signature;
use std::fs::File;

/// The signature of an opened file; none where there is none, or none that holds.
#[cfg(not(target_os = "macos"))]
pub(super) fn of(_file: &File) -> Option<Signature> {
    None
}

#[cfg(target_os = "macos")]
pub(super) fn of(file: &File) -> Option<Signature> {
    super::macos_signature::of(file)
}
