//! The harmless part of `${…}` and of arithmetic.

use super::scanned::WordProblem;
use super::variables::Variables;
use crate::{Dialect, Unparsed};

/// Returns true if it is a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns true for a length, which is a number: `${#x}`, `${#x[@]}`, `${#@}`, `${#1}`.
pub(super) fn is_length(body: &str) -> bool {
    let name = body
        .strip_prefix('#')
        .map(|name| name.strip_suffix("[@]").or(name.strip_suffix("[*]")).unwrap_or(name));
    let digits = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    name.is_some_and(|name| is_name(name) || digits(name) || matches!(name, "@" | "*"))
}

/// Returns the value that `${x:=value}` assigns.
pub(super) fn assigned(operator: &str) -> Option<&str> {
    operator.strip_prefix(":=").or_else(|| operator.strip_prefix('='))
}

/// Operators that bash 3.2, newer ones and zsh read alike (or that older ones refuse), with an operand that runs nothing.
pub(super) fn is_plain_operator(operator: &str, dialect: Dialect) -> bool {
    if operator.is_empty() {
        return true;
    }
    if let Some(inside) = operator.strip_prefix('[') {
        let Some((subscript, rest)) = inside.split_once(']') else { return false };
        let plain = matches!(subscript, "@" | "*") || subscript.chars().all(|c| c.is_ascii_digit());
        let more = rest.is_empty() || !rest.starts_with('[') && is_plain_operator(rest, dialect);
        return plain && !subscript.is_empty() && dialect != Dialect::Posix && more;
    }
    if dialect == Dialect::Zsh && is_path_modifier(operator) {
        return true;
    }
    if matches!(operator, "^" | "^^" | "," | ",,") {
        return dialect == Dialect::Bash;
    }
    let operators = [":-", ":+", ":=", ":?", "-", "+", "=", "?", "##", "#", "%%", "%", "//", "/"];
    if let Some(operand) = operators.iter().find_map(|o| operator.strip_prefix(o)) {
        return is_plain_operand(operand);
    }
    let digits = |c: char| c.is_ascii_digit() || c == ':';
    operator.strip_prefix(':').is_some_and(|slice| {
        slice.strip_prefix(" -").unwrap_or(slice.trim_start_matches(' ')).chars().all(digits)
    })
}

/// Returns true for zsh's `${x:h}`, `${x:t:r}`: parts of a path, letter case. A letter after the colon is
/// never arithmetic there.
fn is_path_modifier(operator: &str) -> bool {
    let letter = |part: &str| matches!(part, "h" | "t" | "r" | "e" | "l" | "u" | "a" | "A");
    operator.strip_prefix(':').is_some_and(|modifiers| modifiers.split(':').all(letter))
}

/// Returns true for plain characters and plain variables; nothing quoted, nothing nested.
fn is_plain_operand(operand: &str) -> bool {
    const PLAIN: &str = "_./:@%+,- *?#=!";
    let mut rest = operand.chars().peekable();
    while let Some(c) = rest.next() {
        let variable =
            c == '$' && rest.peek().is_some_and(|next| next.is_ascii_alphanumeric() || *next == '_');
        if !variable && !c.is_ascii_alphanumeric() && !PLAIN.contains(c) {
            return false;
        }
    }
    true
}

/// Names that arithmetic sets without a look at what they held (`x = 1`, not `x += 1`).
pub(super) fn set_in(text: &str) -> Vec<&str> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let set = |(at, _): (usize, &str)| {
        let (before, after) = (text.get(..at)?, text.get(at + 1..)?);
        let name = before.trim_end();
        let start = name.trim_end_matches(word).len();
        let name = name.get(start..).filter(|name| is_name(name))?;
        let free = before.get(..start)?.trim_end().is_empty()
            || before.get(..start)?.trim_end().ends_with(['(', ',', ';', '=', '?', ':']);
        (free && !after.starts_with('=')).then_some(name)
    };
    text.match_indices('=').filter_map(set).collect()
}

/// Variables that the shell keeps as numbers, whatever they are set to.
const NUMBERS: &[&str] = &["RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID"];

/// Checks arithmetic over numbers, and over variables that are known to hold numbers: a variable's text would
/// be evaluated too.
pub(super) fn arithmetic(text: &str, variables: &Variables) -> Result<(), WordProblem> {
    const HARD: WordProblem = WordProblem {
        code: Unparsed::Arithmetic,
        what: "arithmetic evaluates what a variable holds, which can run commands",
        advice: Some("use numbers, or variables that this line sets to numbers"),
    };
    let inside =
        text.trim_start_matches('$').strip_prefix("((").and_then(|t| t.strip_suffix("))")).unwrap_or(text);
    let mut depth = 0usize;
    let mut rest = inside.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1).ok_or(HARD)?,
            // `$1` may be any text; `$#` and similar ones are numbers.
            '$' => match rest.peek() {
                Some('#' | '?' | '$' | '!') => drop(rest.next()),
                Some(c) if c.is_ascii_alphabetic() || *c == '_' => {}
                _ => return Err(HARD),
            },
            c if c.is_ascii_alphanumeric() || "_ +-*/%<>=!&|^~?:,".contains(c) => {}
            _ => return Err(HARD),
        }
    }
    let words = inside.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let known = words
        .filter(|w| !w.is_empty())
        .all(|w| w.chars().all(|c| c.is_ascii_digit()) || NUMBERS.contains(&w) || variables.is_number(w));
    if depth == 0 && known { Ok(()) } else { Err(HARD) }
}

#[cfg(test)]
mod tests {
    use super::{arithmetic, is_length, is_plain_operator, set_in};
    use crate::Dialect;
    use crate::shell::variables::Variables;

    #[test]
    fn operators_with_plain_operands_are_understood() {
        for operator in [
            "", ":-x", "-a b", ":=1", ":?not set", "%.*", "##*/", "/a/b", "//a", ":1:2", ": -3", "[@]",
            "[0]", "[@]:1", "^^", ":-$y", ":-$_y", "%$suffix",
        ] {
            assert!(is_plain_operator(operator, Dialect::Bash), "{operator:?}");
        }
        for operator in [
            ":-$(id)", ":-$(id)x", ":-`id`", ":-`id`x", "[0]@P", "[0][1]", "[@]:-$(id)", ":-'x'", "@P",
            "[$(id)]", "[x]", ":$x", ":-${y}", ":-\"$(id)\"", ":x", "[a[0]]",
        ] {
            assert!(!is_plain_operator(operator, Dialect::Bash), "{operator:?}");
        }
        for operator in [":t", ":h:t", ":r", "[1]", "[@]", "[2]:t"] {
            assert!(is_plain_operator(operator, Dialect::Zsh), "{operator:?}");
        }
        for operator in [":t", "[x]", ":x", ":s/a/b/", "[$(id)]", ":e:$(id):", ":P"] {
            let dialect = if operator == ":t" { Dialect::Bash } else { Dialect::Zsh };
            assert!(!is_plain_operator(operator, dialect), "{operator:?}");
        }
        assert!(is_length("#x") && is_length("#a[@]") && !is_length("#a[$(id)]") && !is_length("#"));
        assert!(is_length("#_x") && !is_length("#1x"));
    }

    #[test]
    fn what_arithmetic_sets_is_told() {
        assert_eq!(set_in("((x=1, y = 2))"), ["x", "y"]);
        assert_eq!(set_in("i = j = 0"), ["i", "j"]);
        assert!(set_in("((x==1)) x+=1 x<=2 x!=3 1=2 $x=1").is_empty());
    }

    #[test]
    fn arithmetic_takes_only_numbers() {
        let none = Variables::default();
        for text in ["$((1 + 2))", "((RANDOM % 6))", "$(( $# - 1 ))", "$(($? == 0))", "(($UID > 0))"] {
            assert!(arithmetic(text, &none).is_ok(), "{text}");
        }
        for text in [
            "$((x))", "$(($1))", "((a[0]))", "$(($x))", "((1)", "((`id`))", "((`1`))", "((UID[1]))",
            "(($[1]))",
        ] {
            assert!(arithmetic(text, &none).is_err(), "{text}");
        }
    }
}
