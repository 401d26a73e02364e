//! The login item: the app itself, which macOS registers, shows and asks about.
//!
//! Not a launch agent: macOS starts one as soon as it is registered, kills it when it is unregistered, and may not start it
//! after an update.
#![expect(unsafe_code, reason = "ServiceManagement has no safe form")]

use super::super::login::{Login, LoginState};
use objc2::rc::Retained;
use objc2_service_management::{SMAppService, SMAppServiceStatus};

#[derive(Debug, Clone, Copy)]
pub(in crate::system) struct LoginItem;

impl Login for LoginItem {
    fn login_state(&self) -> Result<LoginState, String> {
        // SAFETY: a live object of our own; the call only reads.
        Ok(match unsafe { service().status() } {
            SMAppServiceStatus::Enabled => LoginState::On,
            SMAppServiceStatus::RequiresApproval => LoginState::NeedsApproval,
            // Not found is also what was never registered; a program outside a bundle says so when it is turned on.
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
    // SAFETY: makes an object of our own.
    unsafe { SMAppService::mainAppService() }
}

#[cfg(test)]
mod tests {
    use super::{Login as _, LoginItem, LoginState};

    #[test]
    #[ignore = "needs a Mac"]
    fn mac_a_program_outside_a_bundle_has_no_login_item() {
        assert_eq!(LoginItem.login_state(), Ok(LoginState::Off));
    }
}
