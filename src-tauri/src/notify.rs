//! Notifications tell. They carry no button, so nothing can be allowed by one.

use postern_contract::Question;

/// A question was opened.
pub(crate) fn asked(question: &Question) {
    show(format!("{} asks", question.asker.agent), &question.line);
}

/// Something that the person should know.
pub(crate) fn attention(words: &str) {
    show("Postern".to_owned(), words);
}

/// On macOS the floating window and the menu-bar count say it; a notification there needs a signed app.
#[cfg(not(target_os = "linux"))]
fn show(title: String, text: &str) {
    tracing::info!(title, text, "notification");
}

#[cfg(target_os = "linux")]
fn show(title: String, text: &str) {
    // Bodies may be read as markup on Linux.
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    tauri::async_runtime::spawn_blocking(move || {
        let sent = notify_rust::Notification::new().appname("Postern").summary(&title).body(&text).show();
        if let Err(error) = sent {
            tracing::debug!(%error, "no notification");
        }
    });
}
