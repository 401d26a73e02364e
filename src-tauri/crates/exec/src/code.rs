//! Check of a control client's code: a release is controlled by programs of its own team only.
//!
//! A key that another program read from its file is not enough. A build without a team is known by the key alone.

/// Signing ids of the programs that control Postern: the app, and `postern`. `scripts/bundle-mac` signs with them.
const PROGRAMS: [&str; 2] = ["dev.postern.desktop", "dev.postern.cli"];

/// Returns the code requirement of a release that `team` signed, or `None` for what is no team id.
fn requirement(team: &str) -> Option<String> {
    const LETTERS: usize = 10;
    if team.len() != LETTERS || !team.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let ids = PROGRAMS.map(|id| format!("identifier \"{id}\"")).join(" or ");
    Some(format!("anchor apple generic and certificate leaf[subject.OU] = \"{team}\" and ({ids})"))
}

#[cfg(target_os = "macos")]
pub(crate) use macos::is_ours;

#[cfg(target_os = "macos")]
mod macos {
    #![expect(unsafe_code, reason = "the Security framework has no safe form")]

    use super::requirement;
    use crate::identity::{code_requirement, signing_team};
    use objc2_core_foundation::{CFData, CFDictionary, CFRetained, CFString};
    use objc2_security::{SecCSFlags, SecCode, SecRequirement, kSecGuestAttributeAudit};
    use std::ptr::{self, NonNull};

    enum CodeRequirement {
        Release(String),
        /// Anything that has the key.
        Any,
        /// Nothing: the team of this program is none that a requirement can name.
        Nothing,
    }

    /// Returns true if the process of an audit token runs code of this release.
    pub(crate) fn is_ours(token: &[u32; 8]) -> bool {
        static WANTED: std::sync::OnceLock<CodeRequirement> = std::sync::OnceLock::new();
        let wanted = WANTED.get_or_init(|| match own_team() {
            None => CodeRequirement::Any,
            Some(team) => requirement(&team).map_or(CodeRequirement::Nothing, CodeRequirement::Release),
        });
        match wanted {
            CodeRequirement::Any => true,
            CodeRequirement::Nothing => false,
            CodeRequirement::Release(text) => {
                let wanted = code_requirement(text);
                wanted.is_some_and(|wanted| {
                    code_of(token).is_some_and(|code| meets_requirement(&code, &wanted))
                })
            }
        }
    }

    /// Returns the team that signed this program with a certificate of Apple's.
    fn own_team() -> Option<String> {
        let mut code: *mut SecCode = ptr::null_mut();
        // SAFETY: `code` is a place for one pointer, which the call fills with an object that is ours to release.
        let code = unsafe {
            let status = SecCode::copy_self(SecCSFlags(0), NonNull::from(&mut code));
            NonNull::new(code).filter(|_| status == 0).map(|code| CFRetained::from_raw(code))
        }?;
        let apples = code_requirement("anchor apple generic")?;
        meets_requirement(&code, &apples).then(|| signing_team(&code)).flatten()
    }

    /// Returns the running code of a process, by its audit token: an id alone may mean another process by now.
    fn code_of(token: &[u32; 8]) -> Option<CFRetained<SecCode>> {
        let bytes: Vec<u8> = token.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let mut code: *mut SecCode = ptr::null_mut();
        // SAFETY: the constant lives as long as the process. The dictionary has the one key and value that the call
        // documents, and `code` is a place for one pointer, which the call fills with an object that is ours to release.
        unsafe {
            let (key, value) = (kSecGuestAttributeAudit, CFData::from_bytes(&bytes));
            let attributes = CFDictionary::<CFString, CFData>::from_slices(&[key], &[&*value]);
            let status = SecCode::copy_guest_with_attributes(
                None,
                Some(AsRef::<CFDictionary>::as_ref(&*attributes)),
                SecCSFlags(0),
                NonNull::from(&mut code),
            );
            NonNull::new(code).filter(|_| status == 0).map(|code| CFRetained::from_raw(code))
        }
    }

    fn meets_requirement(code: &SecCode, requirement: &SecRequirement) -> bool {
        // SAFETY: both are valid objects.
        unsafe { code.check_validity(SecCSFlags(0), Some(requirement)) == 0 }
    }

    #[cfg(test)]
    mod tests {
        use super::{code_of, meets_requirement};
        use crate::identity::code_requirement;

        #[tokio::test]
        #[ignore = "needs a Mac"]
        async fn mac_a_peer_is_known_by_its_token() {
            let (ours, theirs) = tokio::net::UnixStream::pair().unwrap();
            let pinned = crate::peer::PinnedPeer::from_stream(&ours).expect("this process");
            assert!(pinned.is_same() && pinned.is_there());
            assert!(pinned.is_of_this_release(), "a build without a team is known by its key");
            let code = code_of(&pinned.audit_token()).expect("code of this process");
            assert!(
                !meets_requirement(&code, &code_requirement("anchor apple").unwrap()),
                "Apple did not sign it"
            );
            drop(theirs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::requirement;

    #[test]
    fn a_requirement_names_the_team_and_the_programs_that_control() {
        let text = requirement("UBF8T346G9").unwrap();
        assert!(text.contains("subject.OU] = \"UBF8T346G9\""));
        assert!(text.starts_with("anchor apple generic and"));
        assert!(text.contains("identifier \"dev.postern.cli\""), "{text}");
        assert!(!text.contains("dev.postern.run"), "{text}");
    }

    #[test]
    fn what_is_no_team_id_makes_no_requirement() {
        for team in ["", "UBF8T346G", "UBF8T346G99", "A\" or true ", "UBF8T346G\u{e9}"] {
            assert_eq!(requirement(team), None, "{team}");
        }
    }
}
