//! Code signatures as macOS itself reads them.
#![expect(unsafe_code, reason = "the Security framework has no safe form")]

use super::hex;
use objc2_core_foundation::{CFData, CFDictionary, CFRetained, CFString, CFType, CFURL};
use objc2_security::{
    SecCSFlags, SecCode, SecStaticCode, kSecCSSigningInformation, kSecCodeInfoIdentifier,
    kSecCodeInfoTeamIdentifier, kSecCodeInfoUnique,
};
use postern_policy::Signature;
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::ptr::{self, NonNull};

/// Only the program is looked at, not the resources of the bundle that it may lie in.
const DO_NOT_VALIDATE_RESOURCES: SecCSFlags = SecCSFlags(1 << 2);

/// The signature of an opened file; none where it has none, or where its content does not match it.
pub(super) fn of(file: &File) -> Option<Signature> {
    let url = CFURL::from_file_path(format!("/dev/fd/{}", file.as_raw_fd()))?;
    let code = static_code(&url)?;
    // SAFETY: `code` is a valid object, and no requirement is passed.
    let status = unsafe { code.check_validity(DO_NOT_VALIDATE_RESOURCES, None) };
    if status != 0 {
        return None;
    }
    let information = information(&code)?;
    // SAFETY: the framework's constants are valid for as long as the process lives.
    let (id, team, unique) =
        unsafe { (kSecCodeInfoIdentifier, kSecCodeInfoTeamIdentifier, kSecCodeInfoUnique) };
    let text = |key: &CFString| Some(information.get(key)?.downcast_ref::<CFString>()?.to_string());
    let cdhash = information.get(unique)?.downcast_ref::<CFData>()?.to_vec();
    Some(Signature { signing_id: text(id)?, team_id: text(team), cdhash: hex(&cdhash) })
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
