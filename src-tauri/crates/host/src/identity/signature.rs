//! A program's code signature. Only macOS has them.

use postern_policy::Signature;
use std::fs::File;
use std::path::Path;

/// Returns the signature of an opened file, or `None` if it has no valid one.
#[cfg(not(target_os = "macos"))]
pub(super) fn of(_file: &File, _real_path: &Path) -> Option<Signature> {
    None
}

/// Reads the signature by path, because only there the main program of an app has its bundle. It counts if the
/// path led to the opened file before and after.
#[cfg(target_os = "macos")]
pub(super) fn of(file: &File, real_path: &Path) -> Option<Signature> {
    use std::os::unix::fs::MetadataExt as _;
    let is_it = || {
        let (opened, there) = (file.metadata().ok()?, std::fs::symlink_metadata(real_path).ok()?);
        let which =
            |data: &std::fs::Metadata| (data.dev(), data.ino(), data.size(), data.ctime(), data.ctime_nsec());
        (which(&opened) == which(&there)).then_some(())
    };
    is_it()?;
    let signature = super::macos_signature::of(real_path)?;
    is_it()?;
    Some(signature)
}
