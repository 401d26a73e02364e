//! Code signatures as macOS itself reads them.
#![expect(unsafe_code, reason = "the Security framework has no safe form")]

use super::unproven::unproven;
use objc2_core_foundation::{CFData, CFDictionary, CFNumber, CFRetained, CFString, CFType, CFURL};
use objc2_security::{
    SecCSFlags, SecCode, SecRequirement, SecStaticCode, kSecCSSigningInformation, kSecCodeInfoFlags,
    kSecCodeInfoIdentifier, kSecCodeInfoTeamIdentifier, kSecCodeInfoUnique,
};
use postern_policy::{Authority, Signature};
use postern_protocol::encode_hex;
use std::path::Path;
use std::ptr::{self, NonNull};

/// Checks the program alone, without the resources of a bundle around it.
const DO_NOT_VALIDATE_RESOURCES: SecCSFlags = SecCSFlags(1 << 2);

/// Code requirements that prove an authority by its certificates. The numbers name the intermediate and the leaf
/// certificate of Developer ID, and the leaf of the App Store (TN3127).
const AUTHORITIES: [(Authority, &str); 3] = [
    (Authority::Platform, "anchor apple"),
    (
        Authority::DeveloperId,
        "anchor apple generic and certificate 1[field.1.2.840.113635.100.6.2.6] exists \
         and certificate leaf[field.1.2.840.113635.100.6.1.13] exists",
    ),
    (Authority::AppStore, "anchor apple generic and certificate leaf[field.1.2.840.113635.100.6.1.9] exists"),
];

/// Returns the signature of the file at a path, or `None` if it has none or its content does not match it.
pub(super) fn read_signature(path: &Path) -> Option<Signature> {
    let url = CFURL::from_file_path(path)?;
    let code = static_code(&url)?;
    if !is_valid(&code, None) {
        return None;
    }
    let vouches =
        |text: &str| requirement(text).is_some_and(|requirement| is_valid(&code, Some(&requirement)));
    let proven = AUTHORITIES.iter().find(|(_, text)| vouches(text)).map(|(authority, _)| *authority);
    let information = information(&code)?;
    // SAFETY: the framework's constants are valid for as long as the process lives.
    let (id, team, unique, flags) = unsafe {
        (kSecCodeInfoIdentifier, kSecCodeInfoTeamIdentifier, kSecCodeInfoUnique, kSecCodeInfoFlags)
    };
    let flags = information.get(flags).and_then(|flags| flags.downcast_ref::<CFNumber>()?.as_i64());
    let authority = proven.unwrap_or_else(|| unproven(flags));
    let text = |key: &CFString| Some(information.get(key)?.downcast_ref::<CFString>()?.to_string());
    let cdhash = information.get(unique)?.downcast_ref::<CFData>()?.to_vec();
    Some(Signature { authority, signing_id: text(id)?, team_id: text(team), cdhash: encode_hex(&cdhash) })
}

fn is_valid(code: &SecStaticCode, requirement: Option<&SecRequirement>) -> bool {
    // SAFETY: `code` and `requirement` are valid objects.
    unsafe { code.check_validity(DO_NOT_VALIDATE_RESOURCES, requirement) == 0 }
}

pub(crate) fn requirement(text: &str) -> Option<CFRetained<SecRequirement>> {
    let mut requirement: *mut SecRequirement = ptr::null_mut();
    // SAFETY: `requirement` is a place for one pointer, which the call fills with an object that is ours to release.
    unsafe {
        let place = NonNull::from(&mut requirement);
        let status = SecRequirement::create_with_string(&CFString::from_str(text), SecCSFlags(0), place);
        NonNull::new(requirement).filter(|_| status == 0).map(|requirement| CFRetained::from_raw(requirement))
    }
}

pub(crate) fn team_id(code: &SecCode) -> Option<String> {
    let mut on_disk: *const SecStaticCode = ptr::null();
    // SAFETY: `on_disk` is a place for one pointer, which the call fills with an object that is ours to release.
    let on_disk = unsafe {
        let status = code.copy_static_code(SecCSFlags(0), NonNull::from(&mut on_disk));
        NonNull::new(on_disk.cast_mut()).filter(|_| status == 0).map(|code| CFRetained::from_raw(code))
    }?;
    // SAFETY: the framework's constant is valid for as long as the process lives.
    let key = unsafe { kSecCodeInfoTeamIdentifier };
    Some(information(&on_disk)?.get(key)?.downcast_ref::<CFString>()?.to_string())
}

fn static_code(url: &CFURL) -> Option<CFRetained<SecStaticCode>> {
    let mut code: *const SecStaticCode = ptr::null();
    // SAFETY: `code` is a place for one pointer, which the call fills with an object that is ours to release.
    unsafe {
        let status = SecStaticCode::create_with_path(url, SecCSFlags(0), NonNull::from(&mut code));
        NonNull::new(code.cast_mut()).filter(|_| status == 0).map(|code| CFRetained::from_raw(code))
    }
}

fn information(code: &SecStaticCode) -> Option<CFRetained<CFDictionary<CFString, CFType>>> {
    let mut dictionary: *const CFDictionary = ptr::null();
    // SAFETY: as above; the dictionary's keys are strings and its values objects, as Apple documents it.
    unsafe {
        let flags = SecCSFlags(kSecCSSigningInformation);
        let status = SecCode::copy_signing_information(code, flags, NonNull::from(&mut dictionary));
        let dictionary = NonNull::new(dictionary.cast_mut()).filter(|_| status == 0)?;
        Some(CFRetained::cast_unchecked(CFRetained::from_raw(dictionary)))
    }
}

#[cfg(test)]
mod tests {
    use crate::identity::{Identities, code_directory};
    use postern_policy::Authority;
    use std::fs::File;
    use std::path::Path;

    #[test]
    #[ignore = "needs a Mac"]
    fn mac_apples_programs_are_platform_code() {
        let file = File::open("/bin/ls").unwrap();
        let found = Identities::new().identify(&file, Path::new("/bin/ls")).unwrap();
        let signature = found.identity.signature.expect("it is signed");
        let got = (signature.authority, signature.signing_id.as_str());
        assert_eq!(got, (Authority::Platform, "com.apple.ls"));
        let bytes = std::fs::read("/bin/ls").unwrap();
        let parts = code_directory::read_directories(&|offset, length| {
            let from = usize::try_from(offset).ok()?;
            bytes.get(from..from.checked_add(length)?).map(<[u8]>::to_vec)
        });
        assert!(parts.iter().any(|part| part.cdhash == signature.cdhash), "our reader finds the same code");
    }

    #[test]
    #[ignore = "needs a Mac"]
    fn mac_this_test_is_signed_by_nobody() {
        let path = std::env::current_exe().unwrap();
        let found = Identities::new().identify(&File::open(&path).unwrap(), &path).unwrap();
        let authority = found.identity.signature.map(|signature| signature.authority);
        assert!(matches!(authority, None | Some(Authority::AdHoc)), "{authority:?}");
    }
}
