//! Notifications tell. The one of a question offers to deny it and to show it: nothing can be allowed by one.

#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(target_os = "macos"), path = "linux.rs")]
mod system;

use crate::short_line::shorten_line;
use postern_contract::{Question, join_pieces};
use system::{remove, show_notification};

/// Characters of a command in a notification. It tells; the window shows all of it.
const LONGEST: usize = 200;

/// Choice of a person on the notification of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotificationChoice {
    /// Deny what it asks.
    Deny,
    /// Show the question, with the keyboard.
    Show,
}

type OnChoice = Box<dyn FnOnce(NotificationChoice) + Send>;

/// Buttons of a question's notification: their names for the system, their words, and what each does.
const BUTTONS: [(&str, &str, NotificationChoice); 2] =
    [("deny", "Deny", NotificationChoice::Deny), ("show", "Show", NotificationChoice::Show)];

/// Returns the choice that the system calls so. `clicked` is its name for a click beside the buttons.
fn choice_of(name: &str, clicked: &str) -> Option<NotificationChoice> {
    if name == clicked {
        return Some(NotificationChoice::Show);
    }
    BUTTONS.into_iter().find(|(button, ..)| *button == name).map(|(.., choice)| choice)
}

/// Notifies of a question that was opened.
pub(crate) fn show_question(
    question: &Question,
    heard: bool,
    on_choice: impl FnOnce(NotificationChoice) + Send + 'static,
) {
    let headline = shorten_line(&join_pieces(&question.headline), LONGEST);
    let line = shorten_line(&question.line, LONGEST);
    show_notification(&question.id, &headline, &line, heard, Some(Box::new(on_choice)));
}

/// Removes the notification of a question that is answered, or over.
pub(crate) fn remove_question(question: &str) {
    remove(question);
}

/// Notifies of a concern of the host.
pub(crate) fn attention(words: &str) {
    show_notification(words, "Postern", words, false, None);
}

#[cfg(test)]
mod tests {
    use super::{BUTTONS, NotificationChoice, choice_of};

    #[test]
    fn a_notification_denies_or_shows_and_knows_nothing_else() {
        assert_eq!(choice_of("deny", "default"), Some(NotificationChoice::Deny));
        for shows in ["show", "default"] {
            assert_eq!(choice_of(shows, "default"), Some(NotificationChoice::Show));
        }
        for other in ["allow", "__closed", "", "Deny"] {
            assert_eq!(choice_of(other, "default"), None, "{other}");
        }
        assert_eq!(BUTTONS.map(|(_, words, _)| words), ["Deny", "Show"]);
    }
}
