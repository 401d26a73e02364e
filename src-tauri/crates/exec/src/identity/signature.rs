//! A program's code signature. Only macOS has them.

use postern_policy::Signature;
use std::fs::File;
use std::path::Path;

/// Returns the signature of an opened file, or `None` if it has no valid one.
#[cfg(not(target_os = "macos"))]
pub(super) fn read_signature(_file: &File, _real_path: &Path) -> Option<Signature> {
    None
}

/// Reads the signature by path, because only there the main program of an app has its bundle. It counts if the
/// path led to the opened file before and after.
#[cfg(target_os = "macos")]
pub(super) fn read_signature(file: &File, real_path: &Path) -> Option<Signature> {
    use std::os::unix::fs::MetadataExt as _;
    let is_it = || {
        let (opened, there) = (file.metadata().ok()?, std::fs::symlink_metadata(real_path).ok()?);
        let which =
            |data: &std::fs::Metadata| (data.dev(), data.ino(), data.size(), data.ctime(), data.ctime_nsec());
        (which(&opened) == which(&there)).then_some(())
    };
    is_it()?;
    let signature = super::macos_signature::read_signature(real_path)?;
    is_it()?;
    // The code that was verified at the path is in the opened file.
    let parts = super::code_directory::read_directories(&|offset, length| {
        use std::os::unix::fs::FileExt as _;
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, offset).ok().map(|()| bytes)
    });
    parts.iter().any(|part| part.cdhash == signature.cdhash).then_some(signature)
}
