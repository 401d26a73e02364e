//! Newlines between commands, which the other parser's grammar takes for blanks behind a pipeline of three
//! (`a | b | c⏎d && e`). It is asked again about the text with a semicolon in their place.
//!
//! To a shell the two are the same where a command ends: behind no operator and no keyword, in no quotes and no comment, and
//! with no here-document open. Where that is not so, the other parser does not find the same commands in the new text.

use std::collections::HashSet;

use super::gate::Outline;

/// Words that a command follows: behind them a newline is no end.
const OPENERS: [&str; 9] = ["!", "do", "elif", "else", "if", "in", "then", "until", "while"];

/// Returns the text with a semicolon for each newline between two commands; `None` if there is none, or a here-document.
pub(super) fn separated(text: &str, outline: &Outline) -> Option<String> {
    if text.contains("<<") {
        return None;
    }
    let starts: HashSet<usize> =
        outline.commands.iter().filter_map(|words| Some(words.first()?.start)).collect();
    let mut bytes = text.as_bytes().to_vec();
    let (mut found, mut next) = (false, 0);
    for (at, _) in text.match_indices('\n') {
        // Newlines among the same comments have the same behind them: a long comment is read once.
        if at >= next {
            next = text.len() - behind_comments(&text[at + 1..]).len();
        }
        if (starts.contains(&next) || assigns(&text[next..])) && ends_command(&text[..at]) {
            *bytes.get_mut(at)? = b';';
            found = true;
        }
    }
    found.then(|| String::from_utf8(bytes).ok()).flatten()
}

/// Returns true for the beginning of an assignment.
fn assigns(text: &str) -> bool {
    let behind = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    behind.starts_with('=') && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Returns what follows blanks, empty lines and lines of comments.
fn behind_comments(text: &str) -> &str {
    let mut rest = text.trim_start_matches([' ', '\t', '\n']);
    while rest.starts_with('#') {
        rest = rest.split_once('\n').map_or("", |(_, next)| next.trim_start_matches([' ', '\t', '\n']));
    }
    rest
}

/// Returns true if a command may end at the end of this text.
fn ends_command(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before).trim_end_matches([' ', '\t']);
    let word = line.rsplit([' ', '\t', ';']).next().unwrap_or(line);
    !line.is_empty()
        && !line.trim_start().starts_with('#')
        && !line.ends_with(['&', '|', ';', '(', '{', '\\'])
        && !OPENERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::{behind_comments, ends_command};

    #[test]
    fn a_command_ends_behind_no_operator_and_no_keyword() {
        for line in ["ls", "a | b", "x=1", "a 2>/dev/null", "echo 'b'", "f )", "ls }", "b\nls", "a; fi"] {
            assert!(ends_command(line), "{line}");
        }
        for line in
            ["", "a &&", "a |", "a;", "(", "f() {", "# a", "ls\n", "if a; then", "!", "a &", "case x in"]
        {
            assert!(!ends_command(line), "{line}");
        }
    }

    #[test]
    fn comments_are_passed_over() {
        assert_eq!(behind_comments("  # a\n\n\t# b\nls"), "ls");
        assert_eq!(behind_comments("ls # a"), "ls # a");
        assert_eq!(behind_comments("# a"), "");
    }
}
