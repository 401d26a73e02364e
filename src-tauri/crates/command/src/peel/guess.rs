//! Candidates of a call that is not followed: for deny rules only, so too much is fine and too little is not.

use crate::CandidateCommand;
use crate::call::{Arg, CommandCall, Feed};
use crate::programs::{ProgramClass, class_of};
use crate::shell::candidates;

/// `=` of one word after which a command is looked for.
const MOST_VALUES: usize = 4;

/// Returns every command that the words from `from` on, the texts in them, and what is fed to the call may
/// be.
pub(crate) fn behind(call: &CommandCall, from: usize) -> Vec<CandidateCommand> {
    let mut found = call.suffixes(from);
    for word in call.args.iter().skip(from).filter_map(Arg::known_value) {
        found.extend(in_word(word));
    }
    if let Feed::Text(text) = &call.feed {
        found.extend(in_text(text));
    }
    found
}

/// Commands in one word: a text with blanks, the value of an option (`--command=rm x`, `-crm x`), a text after `!`.
pub(crate) fn in_word(word: &str) -> Vec<CandidateCommand> {
    let mut found = Vec::new();
    for (at, _) in word.match_indices('=').take(MOST_VALUES) {
        found.extend(in_text(command_of(word.get(at + 1..).unwrap_or_default())));
    }
    if let Some((_, transport)) = word.split_once("::") {
        found.extend(in_text(transport));
    }
    if word.starts_with('-') {
        let rest = word.char_indices().nth(2).and_then(|(at, _)| word.get(at..));
        found.extend(rest.filter(|rest| rest.contains(' ')).map_or_else(Vec::new, in_text));
    } else if word.contains([' ', '\n', ';', '|', '&', '`', '\t', '!', '$']) {
        found.extend(in_text(command_of(word)));
    }
    found
}

/// Returns a text without the signs and words that say of it that it is a command: `!rm`, `+!rm`, `.shell
/// rm`.
fn command_of(text: &str) -> &str {
    let text = text.trim_start_matches(['!', '|', ' ', '+', ':', '\\']);
    let words = [".shell ", ".system ", "shell ", "system ", "exec ", "cmd/"];
    words.iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text)
}

/// Commands in a text. Quotes are gone from a guess, so what a shell or a wrapper in it is given may start at any of its
/// words.
pub(crate) fn in_text(text: &str) -> Vec<CandidateCommand> {
    let mut found = Vec::new();
    for mut guess in candidates(text) {
        // fish's words before a command.
        while guess.first().is_some_and(|head| ["and", "or", "not", "begin"].contains(&head.as_str())) {
            guess = guess.without(1);
        }
        let carries = guess.first().is_some_and(|head| {
            matches!(class_of(head), ProgramClass::Shell | ProgramClass::Wrapper | ProgramClass::Multicall)
        });
        if carries {
            found.extend((1..guess.len()).map(|at| guess.without(at)));
        }
        found.push(guess);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{in_text, in_word};

    #[test]
    fn a_command_is_seen_behind_shells_in_texts() {
        for text in ["sh -c 'rm -rf x'", "nohup bash -c \"sh -c 'rm -rf x'\"", "a; rm -rf x", "$(rm -rf x)"] {
            assert!(in_text(text).iter().any(|argv| **argv == ["rm", "-rf", "x"]), "{text}");
        }
        for word in [
            "--command=rm -rf x", "-crm -rf x", "alias.y=!rm -rf x", "!rm -rf x", "|rm -rf x", "+!rm -rf x",
            "ext::rm -rf x", ".shell rm -rf x", "--action=exec=rm -rf x",
        ] {
            assert!(in_word(word).iter().any(|argv| **argv == ["rm", "-rf", "x"]), "{word}");
        }
        assert!(!in_text("echo rm").iter().any(|argv| **argv == ["rm"]), "an operand is no command");
    }
}
