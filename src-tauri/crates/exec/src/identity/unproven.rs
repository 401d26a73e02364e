//! Authority of a code signature that is not proven.

use postern_policy::Authority;

/// Returns the authority of a signature without a proof, by the flags of its code directory.
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
