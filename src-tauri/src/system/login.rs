//! The start at login.

use tauri::AppHandle;

/// Setup of the start at login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoginState {
    /// The app starts at login.
    On,
    /// No start at login.
    Off,
    /// Registered start that the user has to allow in the system's settings.
    NeedsApproval,
}

/// The system's list of what starts at login.
pub(crate) trait Login {
    /// Returns the state of this app.
    fn login_state(&self) -> Result<LoginState, String>;
    /// Registers the app, or takes it off the list.
    fn set_enabled(&self, on: bool) -> Result<(), String>;
    /// Opens the system's settings where the user allows it.
    fn show_approval(&self) {}
}

/// Returns true if the app starts at login, or will once the user has allowed it.
pub(crate) fn is_on(app: &AppHandle) -> Result<bool, String> {
    Ok(login_item(app).login_state()? != LoginState::Off)
}

/// Turns the start at login on or off.
pub(crate) fn set_start_at_login(app: &AppHandle, on: bool) -> Result<(), String> {
    #[cfg(target_os = "macos")]
    if on && let Some(problem) = super::place::problem() {
        return Err(problem.to_owned());
    }
    change_state(&login_item(app), on)
}

/// Says so where the user still has to allow it.
fn change_state(login: &impl Login, on: bool) -> Result<(), String> {
    if let (true, LoginState::On) | (false, LoginState::Off) = (on, login.login_state()?) {
        return Ok(());
    }
    let changed = login.set_enabled(on);
    // Of a user who turned it off in the system's settings, the system takes no other registration.
    if on && login.login_state()? == LoginState::NeedsApproval {
        login.show_approval();
        return Err("macOS asks for your consent: turn Postern on under General > Login Items in System Settings, which is open now".to_owned());
    }
    changed
}

#[cfg(target_os = "macos")]
fn login_item(_: &AppHandle) -> impl Login {
    super::here::LoginItem
}

#[cfg(not(target_os = "macos"))]
fn login_item(app: &AppHandle) -> impl Login {
    Autostart(app.clone())
}

/// An entry of `~/.config/autostart`.
#[cfg(not(target_os = "macos"))]
struct Autostart(AppHandle);

#[cfg(not(target_os = "macos"))]
impl Login for Autostart {
    fn login_state(&self) -> Result<LoginState, String> {
        use tauri_plugin_autostart::ManagerExt as _;
        let on = self.0.autolaunch().is_enabled().map_err(|error| error.to_string())?;
        Ok(if on { LoginState::On } else { LoginState::Off })
    }

    fn set_enabled(&self, on: bool) -> Result<(), String> {
        use tauri_plugin_autostart::ManagerExt as _;
        let launch = self.0.autolaunch();
        if on { launch.enable() } else { launch.disable() }.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::{Login, LoginState, change_state};
    use std::cell::{Cell, RefCell};

    /// A system that asks the user first, or does not.
    struct Fake {
        state: Cell<LoginState>,
        asks: bool,
        calls: RefCell<Vec<&'static str>>,
    }

    impl Login for Fake {
        fn login_state(&self) -> Result<LoginState, String> {
            Ok(self.state.get())
        }
        fn set_enabled(&self, on: bool) -> Result<(), String> {
            self.calls.borrow_mut().push(if on { "register" } else { "unregister" });
            if on && self.state.get() == LoginState::NeedsApproval {
                return Err("the system refuses".to_owned());
            }
            self.state.set(match (on, self.asks) {
                (true, true) => LoginState::NeedsApproval,
                (true, false) => LoginState::On,
                (false, _) => LoginState::Off,
            });
            Ok(())
        }
        fn show_approval(&self) {
            self.calls.borrow_mut().push("show");
        }
    }

    fn fake(state: LoginState, asks: bool) -> Fake {
        Fake { state: Cell::new(state), asks, calls: RefCell::default() }
    }

    #[test]
    fn a_start_at_login_is_registered_once_and_taken_back() {
        let login = fake(LoginState::Off, false);
        for on in [true, true, false] {
            change_state(&login, on).unwrap();
        }
        assert_eq!(*login.calls.borrow(), ["register", "unregister"]);
    }

    #[test]
    fn where_the_user_has_to_allow_it_they_are_told_where() {
        let login = fake(LoginState::Off, true);
        let told = change_state(&login, true).unwrap_err();
        assert!(told.contains("Login Items"), "{told}");
        assert_eq!(*login.calls.borrow(), ["register", "show"]);
        assert_eq!(change_state(&login, true), Err(told), "the same where it was refused before");
        assert_eq!(*login.calls.borrow(), ["register", "show", "register", "show"]);
        change_state(&login, false).unwrap();
        assert_eq!(login.state.get(), LoginState::Off, "what waits for consent is undone, too");
    }
}
