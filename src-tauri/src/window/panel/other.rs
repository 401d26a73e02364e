//! A system whose window manager shows a window that is always on top without giving it the keyboard.

use tauri::WebviewWindow;

/// Prepares a new window.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on a Mac")]
pub(in crate::window) fn make_panel(_: &WebviewWindow) -> tauri::Result<()> {
    Ok(())
}

/// Prepares a new window that is above full-screen apps, too.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on a Mac")]
pub(in crate::window) fn float_above_all(_: &WebviewWindow) -> tauri::Result<()> {
    Ok(())
}

/// Shows the window without taking the keyboard.
pub(in crate::window) fn show_without_focus(window: &WebviewWindow) -> tauri::Result<()> {
    window.show()
}

/// Gives the window the keyboard, because the user asked for it.
pub(in crate::window) fn take_keyboard(window: &WebviewWindow) -> tauri::Result<()> {
    window.set_focus()
}

/// Gives the keyboard to the window that had it before, by hiding this one for a moment.
pub(in crate::window) fn give_keyboard_back(window: &WebviewWindow) -> tauri::Result<()> {
    window.hide()?;
    window.show()
}

/// Does nothing: there is nobody to ask.
pub(in crate::window) fn watch_presses() {}

/// Returns false: X11 and Wayland do not say which process made a click.
pub(in crate::window) fn is_made_by_program() -> bool {
    false
}
