//! Texts that a person gives: answers that they type, and files that they name.

use crate::failure::Failure;
use crate::print;
use std::collections::BTreeMap;
use std::io::{BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::path::Path;

/// Asks on the terminal, behind everything that was printed, and gives what was typed without the spaces around it.
/// `otherwise` says what to do instead where nobody sits at one.
pub(crate) fn read_answer(question: &str, otherwise: &str) -> Result<String, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage_error(otherwise));
    }
    std::io::stdout().flush().map_err(Failure::from_error)?;
    let mut out = std::io::stderr().lock();
    write!(out, "{} ", print::fitted_prompt(question))
        .and_then(|()| out.flush())
        .map_err(Failure::from_error)?;
    let mut said = String::new();
    std::io::stdin().lock().read_line(&mut said).map_err(Failure::from_error)?;
    Ok(said.trim().to_owned())
}

/// Asks for confirmation, unless it was `given` already. Anything but yes is the error `no`.
pub(crate) fn require_yes(given: bool, question: &str, otherwise: &str, no: &str) -> Result<(), Failure> {
    if given || is_yes(&read_answer(question, otherwise)?) { Ok(()) } else { Err(Failure::negative(no)) }
}

/// Asks whether to do `what` about a question that was shown. Anything but yes leaves it waiting.
pub(crate) fn require_approval(what: &str) -> Result<(), Failure> {
    let prompt = format!("\nType yes to {what}, anything else to leave it waiting:");
    let otherwise = "no terminal to ask on: name what was seen with --digest, or run this in a terminal";
    require_yes(false, &prompt, otherwise, "not answered; it still waits")
}

/// Returns true if what was typed is an approval.
pub(crate) fn is_yes(said: &str) -> bool {
    matches!(said.to_ascii_lowercase().as_str(), "y" | "yes")
}

/// Returns the text of a file; `-` is standard input.
pub(crate) fn text_of(file: &Path) -> Result<String, Failure> {
    if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(Failure::from_error)?;
        return Ok(text);
    }
    std::fs::read_to_string(file).map_err(|error| Failure::from_path(file, &error))
}

pub(crate) fn path_text(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::usage_error(format!("{} is not UTF-8", path.display())))
}

/// Reads pairs such as `KEY=VALUE`; `form` says what one looks like.
pub(crate) fn parse_pairs(pairs: &[String], form: &str) -> Result<BTreeMap<String, String>, Failure> {
    let split = |text: &String| match text.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err(Failure::usage_error(format!("{text:?} is not {form}"))),
    };
    pairs.iter().map(split).collect()
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
