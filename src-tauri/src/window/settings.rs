//! The settings window: made when it is asked for, gone when it is closed.

use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindowBuilder, WindowEvent};

/// Its label, which its capability names.
pub(crate) const LABEL: &str = "settings";

/// Opens it, or brings the open one to the front.
pub(crate) fn open(app: &AppHandle) -> tauri::Result<()> {
    #[cfg(target_os = "macos")]
    app.set_activation_policy(tauri::ActivationPolicy::Regular)?;
    if let Some(window) = app.get_webview_window(LABEL) {
        window.show()?;
        return window.set_focus();
    }
    WebviewWindowBuilder::new(app, LABEL, WebviewUrl::App("settings.html".into()))
        .title("Postern")
        .inner_size(1180.0, 760.0)
        .min_inner_size(860.0, 520.0)
        .build()?;
    Ok(())
}

/// Closed: the app goes back to the menu bar.
pub(crate) fn on_event(window: &tauri::Window, event: &WindowEvent) {
    #[cfg(target_os = "macos")]
    if matches!(event, WindowEvent::Destroyed)
        && let Err(error) = window.app_handle().set_activation_policy(tauri::ActivationPolicy::Accessory)
    {
        tracing::warn!(%error, "cannot leave the dock");
    }
    if matches!(event, WindowEvent::Destroyed)
        && let Some(parts) = window.try_state::<crate::run::Parts>()
    {
        *parts.listener.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }
}
