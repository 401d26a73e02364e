//! The start at login.

use tauri::AppHandle;

/// Setup of the start at login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
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
    fn state(&self) -> Result<State, String>;
    /// Registers the app, or takes it off the list.
    fn set(&self, on: bool) -> Result<(), String>;
    /// Opens the system's settings where the user allows it.
    fn show_approval(&self) {}
}

/// Returns true if the app starts at login, or will once the user has allowed it.
pub(crate) fn is_on(app: &AppHandle) -> Result<bool, String> {
    Ok(login(app).state()? != State::Off)
}

/// Turns the start at login on or off.
pub(crate) fn set(app: &AppHandle, on: bool) -> Result<(), String> {
    #[cfg(target_os = "macos")]
    if on && let Some(problem) = super::place::problem() {
        return Err(problem.to_owned());
    }
    turn(&login(app), on)
}

/// Says so where the user still has to allow it.
fn turn(login: &impl Login, on: bool) -> Result<(), String> {
    if let (true, State::On) | (false, State::Off) = (on, login.state()?) {
        return Ok(());
    }
    login.set(on)?;
    if on && login.state()? == State::NeedsApproval {
        login.show_approval();
        return Err("macOS asks for your consent: turn Postern on under General > Login Items in System Settings, which is open now".to_owned());
    }
    Ok(())
}

#[cfg(target_os = "macos")]
fn login(_: &AppHandle) -> impl Login {
    super::here::LoginItem
}

#[cfg(not(target_os = "macos"))]
fn login(app: &AppHandle) -> impl Login {
    Autostart(app.clone())
}

/// An entry of `~/.config/autostart`.
#[cfg(not(target_os = "macos"))]
struct Autostart(AppHandle);

#[cfg(not(target_os = "macos"))]
impl Login for Autostart {
    fn state(&self) -> Result<State, String> {
        use tauri_plugin_autostart::ManagerExt as _;
        let on = self.0.autolaunch().is_enabled().map_err(|error| error.to_string())?;
        Ok(if on { State::On } else { State::Off })
    }

    fn set(&self, on: bool) -> Result<(), String> {
        use tauri_plugin_autostart::ManagerExt as _;
        let launch = self.0.autolaunch();
        if on { launch.enable() } else { launch.disable() }.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::{Login, State, turn};
    use std::cell::{Cell, RefCell};

    /// A system that asks the user first, or does not.
    struct Fake {
        state: Cell<State>,
        asks: bool,
        calls: RefCell<Vec<&'static str>>,
    }

    impl Login for Fake {
        fn state(&self) -> Result<State, String> {
            Ok(self.state.get())
        }
        fn set(&self, on: bool) -> Result<(), String> {
            self.calls.borrow_mut().push(if on { "register" } else { "unregister" });
            self.state.set(match (on, self.asks) {
                (true, true) => State::NeedsApproval,
                (true, false) => State::On,
                (false, _) => State::Off,
            });
            Ok(())
        }
        fn show_approval(&self) {
            self.calls.borrow_mut().push("show");
        }
    }

    fn fake(state: State, asks: bool) -> Fake {
        Fake { state: Cell::new(state), asks, calls: RefCell::default() }
    }

    #[test]
    fn a_start_at_login_is_registered_once_and_taken_back() {
        let login = fake(State::Off, false);
        for on in [true, true, false] {
            turn(&login, on).unwrap();
        }
        assert_eq!(*login.calls.borrow(), ["register", "unregister"]);
    }

    #[test]
    fn where_the_user_has_to_allow_it_they_are_told_where() {
        let login = fake(State::Off, true);
        let told = turn(&login, true).unwrap_err();
        assert!(told.contains("Login Items"), "{told}");
        assert_eq!(*login.calls.borrow(), ["register", "show"]);
        turn(&login, false).unwrap();
        assert_eq!(login.state.get(), State::Off, "what waits for consent is undone, too");
    }
}
