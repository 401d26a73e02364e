//! The login item: a launch agent inside the bundle, which macOS registers, shows and asks about by itself.
#![expect(unsafe_code, reason = "ServiceManagement has no safe form")]

use super::super::login::{Login, LoginState};
use objc2::rc::Retained;
use objc2_foundation::NSString;
use objc2_service_management::{SMAppService, SMAppServiceStatus};

/// File in `Contents/Library/LaunchAgents`. It starts the app with `--background`.
const PLIST: &str = "dev.postern.desktop.login.plist";

#[derive(Debug, Clone, Copy)]
pub(in crate::system) struct LoginItem;

impl Login for LoginItem {
    fn login_state(&self) -> Result<LoginState, String> {
        // SAFETY: a live object of our own; the call only reads.
        Ok(match unsafe { service().status() } {
            SMAppServiceStatus::Enabled => LoginState::On,
            SMAppServiceStatus::RequiresApproval => LoginState::NeedsApproval,
            // Not found is also what was never registered; a build without a login item says so when it is turned on.
            _ => LoginState::Off,
        })
    }

    fn set_enabled(&self, on: bool) -> Result<(), String> {
        let service = service();
        // SAFETY: a live object of our own.
        let done =
            unsafe { if on { service.registerAndReturnError() } else { service.unregisterAndReturnError() } };
        done.map_err(|error| error.localizedDescription().to_string())
    }

    fn show_approval(&self) {
        // SAFETY: opens System Settings.
        unsafe { SMAppService::openSystemSettingsLoginItems() };
    }
}

fn service() -> Retained<SMAppService> {
    // SAFETY: makes an object of our own from a name.
    unsafe { SMAppService::agentServiceWithPlistName(&NSString::from_str(PLIST)) }
}

#[cfg(test)]
mod tests {
    use super::{Login as _, LoginItem, LoginState};

    #[test]
    #[ignore = "needs a Mac"]
    fn mac_a_program_outside_a_bundle_has_no_login_item() {
        assert_eq!(LoginItem.login_state(), Ok(LoginState::Off));
        assert!(LoginItem.set_enabled(true).is_err());
    }
}
