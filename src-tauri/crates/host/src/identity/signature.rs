//! A program's code signature. Only macOS has them.

use postern_policy::Signature;
use std::fs::File;
use std::path::Path;

/// The signature of an opened file; none where there is none, or none that holds.
#[cfg(not(target_os = "macos"))]
pub(super) fn of(_file: &File, _real_path: &Path) -> Option<Signature> {
    None
}

/// The system reads it by path, because the main program of an app is one only there (an opened file has no bundle around
/// it). It counts where the path led to the opened file before and after.
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
