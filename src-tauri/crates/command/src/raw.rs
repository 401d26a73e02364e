//! Comparison of an argv with the text that a client shows for it.

use crate::quote::{quote_argv, words_of};

/// Returns true if `raw` says what `argv` runs: the same words, or the very text that it hands to a shell
/// with `-c`.
///
/// Clients quote only some of what a shell would need quoted; but a word that is an operator must be, since a person reads
/// `ls | wc` as two programs.
pub fn stands_for(raw: &str, argv: &[String]) -> bool {
    let payload =
        matches!(argv, [_, flag, text] if flag.starts_with('-') && flag.ends_with('c') && text == raw);
    let operator = |word: &String| !word.is_empty() && word.chars().all(|c| ";&|<>()".contains(c));
    let clear = !argv.iter().any(operator) || raw == quote_argv(argv);
    payload || clear && words_of(raw).as_deref() == Ok(argv)
}

#[cfg(test)]
mod tests {
    use super::stands_for;

    #[test]
    fn the_same_words_or_the_text_of_a_shell() {
        let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert!(stands_for("git push 'a b'", &argv(&["git", "push", "a b"])));
        assert!(
            stands_for("git push \"a b\" \"\"", &argv(&["git", "push", "a b", ""])),
            "quoted another way"
        );
        assert!(stands_for("ls | wc", &argv(&["/bin/sh", "-lc", "ls | wc"])));
        assert!(!stands_for("git push", &argv(&["git", "push", "--force"])));
        assert!(!stands_for("ls", &argv(&["/bin/sh", "-lc", "ls; rm x"])));
        assert!(!stands_for("ls | wc", &argv(&["ls", "|", "wc"])), "an operator is no word");
        assert!(stands_for("ls '|' wc", &argv(&["ls", "|", "wc"])), "quoted it is one");
    }
}
