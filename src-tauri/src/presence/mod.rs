//! Confirmation by the owner of this Mac: Touch ID, or the password of the account.
//!
//! It comes before what is always saved and before what is dangerous. It can only take an approval back; it
//! never gives one.

#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(target_os = "macos"), path = "none.rs")]
mod system;

use crate::short_line::shorten_line;
use postern_contract::{Answer, Presence, Question};
use postern_policy::RiskLevel;
use std::time::Duration;

/// Characters of a command in the system's question.
const LONGEST: usize = 80;

/// Checks that the owner has to confirm an answer: one that is remembered as allowed, or that allows a dangerous
/// command.
///
/// A refusal is never confirmed.
pub(crate) fn wanted(question: &Question, answer: Answer) -> bool {
    match answer {
        Answer::Always => true,
        Answer::Once => question.risk.level == RiskLevel::Dangerous,
        Answer::Deny | Answer::DenyAlways | Answer::DenyAll => false,
    }
}

/// Returns the ways in which this computer can identify its owner, as it is now.
pub(crate) async fn detect_presence() -> Presence {
    tauri::async_runtime::spawn_blocking(system::detect_presence).await.unwrap_or(Presence::None)
}

/// Asks the owner to confirm `what` ("allow this command"), for at most `patience`. Only a clear yes is one.
pub(crate) async fn confirm(what: String, patience: Duration) -> Result<(), &'static str> {
    let asked = tauri::async_runtime::spawn_blocking(move || system::confirm(&what, patience)).await;
    asked.unwrap_or(Err("the question for Touch ID was lost"))
}

/// Returns what the owner is asked to confirm: the question's code and the beginning of its command. macOS puts "Postern is
/// trying to" before it.
pub(crate) fn sentence(question: &Question, answer: Answer) -> String {
    let line = shorten_line(&question.line, LONGEST);
    let kind = if question.risk.level == RiskLevel::Dangerous { "a dangerous command" } else { "this" };
    let always = if answer == Answer::Always { " always" } else { "" };
    format!("allow {kind}{always} ({}): {line}", question.code)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, sentence, wanted};
    use crate::desk::tests::question;
    use postern_contract::{Answer, Question};
    use postern_policy::RiskLevel;

    fn risky(level: RiskLevel) -> Question {
        let mut question = question("q", "d");
        question.risk.level = level;
        question
    }

    #[test]
    fn the_owner_confirms_what_is_remembered_and_what_is_dangerous() {
        let harmless = risky(RiskLevel::NeedsReview);
        assert!(wanted(&harmless, Answer::Always), "it holds for what comes later, too");
        assert!(!wanted(&harmless, Answer::Once));
        assert!(wanted(&risky(RiskLevel::Dangerous), Answer::Once));
        for no in [Answer::Deny, Answer::DenyAlways, Answer::DenyAll] {
            assert!(!wanted(&risky(RiskLevel::Dangerous), no), "a refusal waits for nobody: {no:?}");
        }
    }

    #[test]
    fn the_owner_is_told_which_command_they_confirm() {
        let harmless = Question { line: "git push".to_owned(), ..risky(RiskLevel::NeedsReview) };
        let code = &harmless.code;
        assert_eq!(sentence(&harmless, Answer::Always), format!("allow this always ({code}): git push"));
        let long = Question { line: "é".repeat(100), ..risky(RiskLevel::Dangerous) };
        let told = sentence(&long, Answer::Once);
        assert!(told.starts_with("allow a dangerous command (") && told.ends_with("é…"), "{told}");
        assert_eq!(told.matches('é').count(), LONGEST);
    }

    #[cfg(not(target_os = "macos"))]
    #[tokio::test]
    async fn a_machine_that_cannot_tell_its_owner_confirms_nothing() {
        use super::{Presence, confirm, detect_presence};
        assert_eq!(detect_presence().await, Presence::None);
        assert!(confirm("allow this".to_owned(), std::time::Duration::from_secs(1)).await.is_err());
    }
}
