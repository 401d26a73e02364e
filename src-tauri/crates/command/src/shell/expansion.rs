//! The harmless part of `${…}` and of arithmetic.

use super::word::{Problem, Variables};
use crate::Dialect;

/// Whether it is a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Operators that bash 3.2, newer ones and zsh read alike, with an operand that expands to nothing else.
pub(super) fn is_plain_operator(operator: &str, dialect: Dialect) -> bool {
    const PLAIN: &str = "_./:@%+,- *?#=";
    if operator.is_empty() {
        return true;
    }
    if let Some(subscript) = operator.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let plain = matches!(subscript, "@" | "*") || subscript.chars().all(|c| c.is_ascii_digit());
        return plain && !subscript.is_empty() && dialect == Dialect::Bash;
    }
    let operand =
        [":-", ":+", "-", "+", "##", "#", "%%", "%", "//", "/"].iter().find_map(|o| operator.strip_prefix(o));
    if let Some(operand) = operand {
        return operand.chars().all(|c| c.is_ascii_alphanumeric() || PLAIN.contains(c));
    }
    operator.strip_prefix(':').is_some_and(|slice| slice.chars().all(|c| c.is_ascii_digit() || c == ':'))
}

/// Arithmetic over numbers, and over variables that are known to hold numbers: a variable's text would be evaluated too.
pub(super) fn arithmetic(text: &str, variables: &Variables) -> Result<(), Problem> {
    const HARD: Problem = Problem {
        code: "arithmetic",
        what: "arithmetic evaluates what a variable holds, which can run commands",
        advice: Some("use numbers, or variables that this line sets to numbers"),
    };
    let inside =
        text.trim_start_matches('$').strip_prefix("((").and_then(|t| t.strip_suffix("))")).unwrap_or(text);
    let mut depth = 0usize;
    for c in inside.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1).ok_or(HARD)?,
            c if c.is_ascii_alphanumeric() || "_ +-*/%<>=!&|^~?:,$".contains(c) => {}
            _ => return Err(HARD),
        }
    }
    let words = inside.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let known = words
        .filter(|w| !w.is_empty())
        .all(|w| w.chars().all(|c| c.is_ascii_digit()) || variables.is_number(w));
    if depth == 0 && known { Ok(()) } else { Err(HARD) }
}
