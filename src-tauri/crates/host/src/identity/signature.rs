//! A program's code signature. Only macOS has them.

#[cfg(any(test, target_os = "macos"))]
use postern_policy::Authority;
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
    // The code that was verified at the path is in the opened file.
    let parts = super::code_directory::read(&|offset, length| {
        use std::os::unix::fs::FileExt as _;
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, offset).ok().map(|()| bytes)
    });
    parts.iter().any(|part| part.cdhash == signature.cdhash).then_some(signature)
}

/// Returns the authority of a signature without a proof, by the flags of its code directory.
#[cfg(any(test, target_os = "macos"))]
pub(super) fn unproven(flags: Option<i64>) -> Authority {
    /// `kSecCodeSignatureAdhoc` of `<Security/CSCommon.h>`.
    const AD_HOC: i64 = 0x2;
    match flags {
        Some(flags) if flags & AD_HOC != 0 => Authority::AdHoc,
        Some(_) | None => Authority::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::unproven;
    use postern_policy::Authority;

    #[test]
    fn a_signature_without_a_certificate_is_ad_hoc_whatever_else_its_flags_say() {
        // `codesign -s -`, the same with the hardened runtime, and what Apple's linker signs.
        for flags in [0x2, 0x1_0002, 0x2_0002] {
            assert_eq!(unproven(Some(flags)), Authority::AdHoc, "{flags:#x}");
        }
        // A self-signed certificate, with the hardened runtime or without; and no flags at all.
        for flags in [Some(0), Some(0x1_0000), None] {
            assert_eq!(unproven(flags), Authority::Unknown, "{flags:?}");
        }
    }
}
