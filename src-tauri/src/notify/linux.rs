//! Notifications of the freedesktop kind.

use notify_rust::Notification;

/// Shows a notification. Its id has no use here: a server takes notifications back by numbers of its own.
pub(super) fn show_notification(_: &str, title: String, text: &str, heard: bool) {
    // Bodies may be read as markup on Linux.
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    tauri::async_runtime::spawn_blocking(move || {
        let mut notification = Notification::new();
        notification.appname("Postern").summary(&title).body(&text);
        if heard {
            notification.sound_name("message-new-instant");
        }
        if let Err(error) = notification.show() {
            tracing::debug!(%error, "no notification");
        }
    });
}

/// Does nothing: it goes by itself, after the time that the desktop gives each.
pub(super) fn remove(_: &str) {}
