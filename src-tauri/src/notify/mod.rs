//! Notifications tell. They carry no button, so nothing can be allowed by one.

#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(target_os = "macos"), path = "linux.rs")]
mod system;

use postern_contract::{Question, pieces_to_text};
use system::{remove, show_notification};

/// Characters of a command in a notification.
const LONGEST: usize = 200;

/// Notifies of a question that was opened.
pub(crate) fn show_question(question: &Question, heard: bool) {
    let headline = shortened(&pieces_to_text(&question.headline));
    show_notification(&question.id, headline, &shortened(&question.line), heard);
}

/// Removes the notification of a question that is answered, or over.
pub(crate) fn remove_question(question: &str) {
    remove(question);
}

/// Notifies of a concern of the host.
pub(crate) fn attention(words: &str) {
    show_notification(words, "Postern".to_owned(), words, false);
}

/// Returns the beginning of a line, as much as a notification shows. It tells; the window shows all of it.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
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
