//! Subcommands behind options: `git -c a=b push` is a `git push`, whatever stands between.

use postern_programs::{Takes, takes};

use super::table;

/// What an option before a subcommand does with the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swallows {
    /// Nothing: the next word may be the subcommand.
    Nothing,
    /// The next word is its value.
    Next,
    /// It is not known: both.
    Maybe,
}

/// Returns the options before the command of a program, if any are known.
pub(super) fn globals(family: &str) -> Option<&'static str> {
    table::program(family)?.before
}

/// Returns true unless the word may be an alias or a plugin of the program: all its own commands are then known.
pub(super) fn is_own(family: &str, word: &str) -> bool {
    let own = table::program(family).and_then(|program| program.own_commands);
    own.is_none_or(|own| own.contains(&word))
}

/// Known options that may precede a program's verb, and whether each takes the next word.
pub fn global_options(program: &str) -> impl Iterator<Item = (&'static str, bool)> {
    let grammar = globals(&super::family(program)).unwrap_or_default();
    let options = grammar.split_whitespace().filter(|mark| mark.starts_with('-'));
    options.map(|mark| (mark.trim_end_matches([':', '?']), mark.ends_with(':')))
}

/// What an option before the subcommand of a program does with the next word; none for a program whose options are not
/// known at all. `program` may be a path.
pub fn swallows(program: &str, option: &str) -> Option<Swallows> {
    globals(&super::family(program)).map(|grammar| of_grammar(grammar, option))
}

fn of_grammar(grammar: &str, option: &str) -> Swallows {
    if option.contains('=') || option.starts_with('+') {
        return Swallows::Nothing;
    }
    match takes(grammar, option) {
        Some(Takes::Value) => Swallows::Next,
        Some(Takes::Nothing | Takes::Optional) => Swallows::Nothing,
        None => letters(grammar, option),
    }
}

/// Letters in one word (`-nv`), or a value that follows its letter at once (`-Cdir`).
fn letters(grammar: &str, option: &str) -> Swallows {
    let Some(cluster) = option.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return Swallows::Maybe;
    };
    for (at, letter) in cluster.char_indices() {
        match takes(grammar, &format!("-{letter}")) {
            Some(Takes::Nothing) => {}
            Some(Takes::Value) if at + letter.len_utf8() == cluster.len() => return Swallows::Next,
            Some(Takes::Value | Takes::Optional) => return Swallows::Nothing,
            None => return Swallows::Maybe,
        }
    }
    Swallows::Nothing
}

/// Where the subcommand may stand: the first word that is neither an option nor the value of one, and after an option that
/// is not known also the word behind that. A word that is not known before the run counts as an operand. In order.
pub(super) fn positions(family: &str, words: &[Option<&str>]) -> Vec<usize> {
    positions_by(globals(family).unwrap_or_default(), family, words)
}

/// Returns the same by these options before the command.
pub(super) fn positions_by(grammar: &str, family: &str, words: &[Option<&str>]) -> Vec<usize> {
    const MOST: usize = 4;
    let mut found = Vec::new();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let Some(option) =
            word.filter(|word| word.starts_with('-') && word.len() > 1 || is_toolchain(family, word))
        else {
            found.push(at);
            // What follows an operand is a subcommand only where that operand may have been a value.
            if found.len() < MOST && at > 1 && follows_unknown(grammar, words, at) {
                at += 1;
                continue;
            }
            break;
        };
        if option == "--" {
            found.extend((at + 1 < words.len()).then_some(at + 1));
            break;
        }
        at += 1 + usize::from(of_grammar(grammar, option) == Swallows::Next);
    }
    found
}

fn is_toolchain(family: &str, word: &str) -> bool {
    word.starts_with('+') && matches!(family, "cargo" | "rustup" | "rustc")
}

fn follows_unknown(grammar: &str, words: &[Option<&str>], at: usize) -> bool {
    let before = words.get(at - 1).copied().flatten();
    before.is_some_and(|word| word.starts_with('-') && of_grammar(grammar, word) == Swallows::Maybe)
}

/// The index of the subcommand.
pub(super) fn position(family: &str, argv: &[&str]) -> Option<usize> {
    let words: Vec<Option<&str>> = argv.iter().map(|word| Some(*word)).collect();
    positions(family, &words).first().copied()
}

#[cfg(test)]
mod tests {
    use super::{Swallows, positions, swallows};

    #[test]
    fn the_subcommand_is_found_where_it_may_stand() {
        for (argv, expected) in [
            (&["cargo", "+nightly", "build"][..], &[2][..]),
            (&["git", "+x", "push"], &[1]),
            (&["git", "-", "push"], &[1]),
            (&["git", "--", "push"], &[2]),
            (&["git", "--"], &[]),
            (&["git", "-p", "--"], &[]),
            (&["git", "--unheard", "x", "push"], &[2, 3]),
            (&["git", "-C", "x", "push", "y"], &[3]),
        ] {
            let words: Vec<Option<&str>> = argv.iter().map(|word| Some(*word)).collect();
            assert_eq!(positions(argv[0], &words), expected, "{argv:?}");
        }
    }

    #[test]
    fn what_an_option_swallows() {
        for (program, option, expected) in [
            ("git", "-C", Some(Swallows::Next)),
            ("/opt/x/GIT", "--git-dir", Some(Swallows::Next)),
            ("git", "--git-dir=x", Some(Swallows::Nothing)),
            ("git", "--no-pager", Some(Swallows::Nothing)),
            ("git", "-Cdir", Some(Swallows::Nothing)),
            ("git", "-pC", Some(Swallows::Next)),
            ("git", "-pCdir", Some(Swallows::Nothing)),
            ("git", "--unheard", Some(Swallows::Maybe)),
            ("npm", "--otp", Some(Swallows::Next)),
            ("unheard-of", "-x", None),
        ] {
            assert_eq!(swallows(program, option), expected, "{program} {option}");
        }
    }

    #[test]
    fn behind_an_option_that_is_not_known_there_are_two_places() {
        let at = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let words: Vec<Option<&str>> = words.iter().map(|word| (*word != "?").then_some(*word)).collect();
            positions("npm", &words)
        };
        assert_eq!(at("npm --unheard x exec"), [2, 3]);
        assert_eq!(at("npm --a 1 --b 2 --c 3 --d 4 --e 5"), [2, 4, 6, 8], "four of them at most");
        assert_eq!(at("npm -s run x"), [2]);
        assert_eq!(at("npm ? x"), [1], "a word that is known only at run time");
        assert_eq!(at("npm -- x"), [2]);
    }
}
