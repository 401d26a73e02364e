//! The verb behind options: `git -c a=b push` is a `git push`, whatever stands between.

use postern_programs::Style;

use super::ArgumentWord;
use super::word::{Grammar, NextWordUse};
use crate::programs::table::Program;

/// Places that are taken for one of a verb.
const MOST_VERBS: usize = 4;

/// Returns what an option before the verb does with the next word.
fn before_verb(options: &str, style: Style, word: &str) -> NextWordUse {
    if word.starts_with('+') {
        return NextWordUse::Leaves;
    }
    Grammar { options: &[options], style, abbreviates: false }.read_word(word, |_| {})
}

/// Returns the indexes where the verb may be, in order.
///
/// The first word that is neither an option nor the value of one, and after an option that is not listed also
/// the word after that. A word that is not known before the run counts as an operand.
pub(crate) fn verb_indexes<W: ArgumentWord>(program: &Program, words: &[W]) -> Vec<usize> {
    let options = program.before.unwrap_or_default();
    let next = |word: &str| before_verb(options, program.style, word);
    let plus = postern_programs::option_takes(options, "+").is_some();
    let is_option = |word: &&str| word.starts_with('-') && word.len() > 1 || plus && word.starts_with('+');
    let mut found = Vec::new();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let Some(option) = word.known_value().filter(is_option) else {
            found.push(at);
            // What follows an operand is a verb only if that operand may have been a value.
            let before = words
                .get(at - 1)
                .and_then(ArgumentWord::known_value)
                .filter(|word| at > 1 && word.starts_with('-'));
            let may_be_value = before.is_some_and(|word| matches!(next(word), NextWordUse::Unknown { .. }));
            if found.len() < MOST_VERBS && may_be_value {
                at += 1;
                continue;
            }
            break;
        };
        if option == "--" {
            found.extend((at + 1 < words.len()).then_some(at + 1));
            break;
        }
        at += 1 + usize::from(next(option) == NextWordUse::Takes);
    }
    found
}

/// Counts the words of listed options, with their values, in front of a verb.
pub fn leading_options(words: &[&str]) -> usize {
    let Some((options, style)) = words.first().and_then(|name| before_verb_of(name)) else { return 0 };
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-') && word.len() > 1) {
        at += match before_verb(options, style, word) {
            NextWordUse::Takes => 2,
            NextWordUse::Leaves => 1,
            NextWordUse::Unknown { .. } => break,
        };
    }
    at - 1
}

/// Returns the options in front of a program's verb, and their spelling. `name` may be a path.
fn before_verb_of(name: &str) -> Option<(&'static str, Style)> {
    let program = crate::programs::known_name(name)?.program;
    Some((program.before?, program.style))
}

/// Result of looking for operands that a rule names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// There, in order.
    Found,
    /// Dependent on a word that is only known when it runs.
    Maybe,
    /// Not there.
    Missing,
}

/// Looks for operands in order among the arguments of a program, for rules that deny.
///
/// Options are stepped over, those that are not listed with the next word and without it. `is` compares the
/// operand of an index with a word. `names` are the program as invoked and as found. Each index is compared
/// once for each operand: no line makes it slow.
pub fn operands_in_order(
    names: &[&str],
    args: &[Option<&str>],
    wanted: usize,
    is: impl Fn(usize, &str) -> bool,
) -> Operands {
    let known = names.iter().find_map(|name| before_verb_of(name));
    let next = |word: &str| known.map(|(options, style)| before_verb(options, style, word));
    let mut reached = vec![false; args.len() + 3];
    reached[0] = true;
    let mut maybe = false;
    for operand in 0..wanted {
        let mut behind = vec![false; reached.len()];
        for (at, word) in args.iter().enumerate() {
            if !reached[at] {
                continue;
            }
            let Some(word) = word else {
                // It may become the operand.
                maybe = true;
                continue;
            };
            behind[at + 1] |= is(operand, word);
            if word.starts_with(['-', '+']) {
                let next = next(word);
                reached[at + 1] |= next != Some(NextWordUse::Takes);
                let may_take = matches!(next, Some(NextWordUse::Takes | NextWordUse::Unknown { .. }))
                    || next.is_none() && !word.contains('=');
                reached[at + 2] |= may_take;
            }
        }
        reached = behind;
    }
    if reached[..=args.len()].contains(&true) {
        Operands::Found
    } else if maybe {
        Operands::Maybe
    } else {
        Operands::Missing
    }
}

#[cfg(test)]
mod tests {
    use super::verb_indexes;
    use crate::programs::table;

    fn places(line: &str) -> Vec<usize> {
        let words: Vec<Option<&str>> = line.split(' ').map(|word| (word != "?").then_some(word)).collect();
        verb_indexes(table::program(words[0].unwrap()).unwrap(), &words)
    }

    #[test]
    fn the_verb_is_found_where_it_may_be() {
        for (line, expected) in [
            ("cargo +nightly build", &[2][..]),
            ("git +x push", &[1]),
            ("git - push", &[1]),
            ("git -- push", &[2]),
            ("git --", &[]),
            ("git -p --", &[]),
            ("git --unheard x push", &[2, 3]),
            ("git -C x push y", &[3]),
            ("git --git-dir=x push", &[2]),
            ("git --git-dir x push", &[3]),
            ("git -Cdir push", &[2]),
            ("git -pC dir push", &[3]),
            ("git -pCdir push", &[2]),
            ("npm --otp 1 push", &[3]),
            ("npm --unheard x exec", &[2, 3]),
            ("npm --a 1 --b 2 --c 3 --d 4 --e 5", &[2, 4, 6, 8]),
            ("npm -s run x", &[2]),
            ("npm ? x", &[1]),
            ("npm -- x", &[2]),
        ] {
            assert_eq!(places(line), expected, "{line}");
        }
    }
}
