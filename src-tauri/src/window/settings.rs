//! The main window and that of the settings: made when they are asked for, gone when they are closed.

use crate::SettingsPage;
use parking_lot::Mutex;
use std::collections::HashMap;
use tauri::ipc::Channel;
use tauri::{
    AppHandle, LogicalSize, Manager, PhysicalPosition, WebviewUrl, WebviewWindowBuilder, WindowEvent,
};

/// Size of the window, in points.
const MAIN: (f64, f64) = (1080.0, 700.0);
/// Smallest size, in points.
const LEAST: (f64, f64) = (860.0, 520.0);
/// Size during the first run, in points.
const FIRST_RUN: (f64, f64) = (560.0, 480.0);

/// Size of the window of the settings, in points.
const SETTINGS: (f64, f64) = (820.0, 620.0);
/// Smallest size of that window, in points.
const LEAST_SETTINGS: (f64, f64) = (640.0, 420.0);

/// Label of the main window, which its capability names.
pub(crate) const LABEL: &str = "settings";
/// Label of the window of the settings, which its capability names.
pub(crate) const PREFERENCES: &str = "preferences";

/// Pages of the two windows that listen, by the labels of their windows.
pub(crate) type PageListeners = Mutex<HashMap<String, Channel<String>>>;

/// Opens the window of a page, or brings the open one to the front.
///
/// Always on the main thread, one after another: two that were asked for at once would both find none open,
/// and of two windows only one would hear what happens.
pub(crate) fn open_page(app: &AppHandle, page: SettingsPage) {
    let handle = app.clone();
    let shown = move || {
        if let Err(error) = show_window(&handle, &page) {
            tracing::warn!(%error, "cannot open the settings");
        }
    };
    if let Err(error) = app.run_on_main_thread(shown) {
        tracing::warn!(%error, "cannot open the settings");
    }
}

fn show_window(app: &AppHandle, page: &SettingsPage) -> tauri::Result<()> {
    #[cfg(target_os = "macos")]
    app.set_activation_policy(tauri::ActivationPolicy::Regular)?;
    let (label, file, title) = if page.is_settings() {
        (PREFERENCES, "preferences.html", "Postern Settings")
    } else {
        (LABEL, "settings.html", "Postern")
    };
    if let Some(window) = app.get_webview_window(label) {
        if page.fragment().is_some() {
            let mut url = window.url()?;
            url.set_fragment(page.fragment());
            window.navigate(url)?;
        }
        window.show()?;
        return window.set_focus();
    }
    let address = page.fragment().map_or(file.to_owned(), |page| format!("{file}#{page}"));
    let window = WebviewWindowBuilder::new(app, label, WebviewUrl::App(address.into())).title(title);
    let window = if page.is_first_run() {
        window.inner_size(FIRST_RUN.0, FIRST_RUN.1).resizable(false).center()
    } else if page.is_settings() {
        window.inner_size(SETTINGS.0, SETTINGS.1).min_inner_size(LEAST_SETTINGS.0, LEAST_SETTINGS.1)
    } else {
        window.inner_size(MAIN.0, MAIN.1).min_inner_size(LEAST.0, LEAST.1)
    };
    window.build()?.set_focus()
}

/// Ends the first run: its window becomes the main one.
pub(crate) fn finish_first_run(app: &AppHandle) -> tauri::Result<()> {
    let Some(window) = app.get_webview_window(LABEL) else { return Ok(()) };
    window.set_resizable(true)?;
    window.set_min_size(Some(LogicalSize::new(LEAST.0, LEAST.1)))?;
    let size = LogicalSize::new(MAIN.0, MAIN.1);
    window.set_size(size)?;
    // Its new size is not known to every system at once: the middle is that of the size it will have.
    let Some(screen) = window.current_monitor()? else { return window.center() };
    let size = size.to_physical::<u32>(screen.scale_factor());
    let middle = |from: i32, whole: u32, part: u32| {
        from.saturating_add(i32::try_from(whole.saturating_sub(part) / 2).unwrap_or(0))
    };
    window.set_position(PhysicalPosition::new(
        middle(screen.position().x, screen.size().width, size.width),
        middle(screen.position().y, screen.size().height, size.height),
    ))
}

/// Handles events of a window. Once both are closed, the app goes back to the menu bar.
pub(crate) fn on_event(window: &tauri::Window, event: &WindowEvent, listeners: &PageListeners) {
    if matches!(event, WindowEvent::Destroyed) {
        let mut listeners = listeners.lock();
        listeners.remove(window.label());
        if listeners.is_empty() {
            leave_dock(window.app_handle());
        }
    }
}

/// Takes the app out of the dock, where only these windows put it.
#[cfg(target_os = "macos")]
fn leave_dock(app: &AppHandle) {
    if let Err(error) = app.set_activation_policy(tauri::ActivationPolicy::Accessory) {
        tracing::warn!(%error, "cannot leave the dock");
    }
}

/// Does nothing: other systems show a window in the dock by themselves.
#[cfg(not(target_os = "macos"))]
fn leave_dock(_: &AppHandle) {}
