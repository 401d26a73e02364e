//! Answers that a person types when they are asked something.

use crate::failure::Failure;
use std::io::{BufRead as _, IsTerminal as _, Write as _};

/// Asks on the terminal, behind everything that was printed, and gives what was typed without the spaces around it.
/// `otherwise` says what to do instead where nobody sits at one.
pub(crate) fn read_answer(question: &str, otherwise: &str) -> Result<String, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage_error(otherwise));
    }
    std::io::stdout().flush().map_err(Failure::from_error)?;
    let mut out = std::io::stderr().lock();
    write!(out, "{question} ").and_then(|()| out.flush()).map_err(Failure::from_error)?;
    let mut said = String::new();
    std::io::stdin().lock().read_line(&mut said).map_err(Failure::from_error)?;
    Ok(said.trim().to_owned())
}

/// Returns true if what was typed is an approval.
pub(crate) fn is_yes(said: &str) -> bool {
    matches!(said.to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn y_and_yes_are_a_yes_and_nothing_else_is() {
        for (said, expected) in
            [("y", true), ("yes", true), ("Y", true), ("Yes", true), ("", false), ("yep", false)]
        {
            assert_eq!(is_yes(said), expected, "{said}");
        }
    }
}
