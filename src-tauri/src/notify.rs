//! Notifications tell. They carry no button, so nothing can be allowed by one.

use postern_contract::Question;

/// Characters of a command in a notification.
const LONGEST: usize = 200;

/// A question was opened.
pub(crate) fn asked(question: &Question, heard: bool) {
    show(format!("{} asks", question.asker.agent), &shortened(&question.line), heard);
}

/// Something that the person should know.
pub(crate) fn attention(words: &str) {
    show("Postern".to_owned(), words, false);
}

/// The beginning of a line, as much as a notification shows. It tells; the window shows all of it.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// On macOS the floating window and the menu-bar count say it; a notification there needs a signed app.
#[cfg(not(target_os = "linux"))]
fn show(title: String, text: &str, heard: bool) {
    tracing::info!(title, text, heard, "notification");
}

#[cfg(target_os = "linux")]
fn show(title: String, text: &str, heard: bool) {
    // Bodies may be read as markup on Linux.
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    tauri::async_runtime::spawn_blocking(move || {
        let mut notification = notify_rust::Notification::new();
        notification.appname("Postern").summary(&title).body(&text);
        if heard {
            notification.sound_name("message-new-instant");
        }
        if let Err(error) = notification.show() {
            tracing::debug!(%error, "no notification");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, shortened};

    #[test]
    fn a_long_line_is_cut_at_its_end_and_says_so() {
        assert_eq!(shortened("git push"), "git push");
        let cut = shortened(&"é".repeat(5000));
        assert_eq!((cut.chars().count(), cut.ends_with('…')), (LONGEST + 1, true));
    }
}
