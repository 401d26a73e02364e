//! Programs that a filter is given, where it may run without confinement.
//!
//! The crate `command` reads the programs of awk, jq and sed word by word, and each awk and sed reads a little otherwise. Where
//! nothing else holds such a program, its bare text has to show that it can do no more than print.

/// Texts without which no awk starts a program, writes a file or tells of its environment.
const OF_AWK: [&str; 8] = ["system", "getline", "ENVIRON", "PROCINFO", "SYMTAB", "FUNCTAB", "@", ">"];
/// Texts without which no jq tells of its environment or reads a module.
const OF_JQ: [&str; 4] = ["env", "ENV", "import", "include"];
/// Commands and flags of any sed that write, run or read.
const OF_SED: [char; 5] = ['e', 'r', 'R', 'w', 'W'];

/// Returns true if the words of a filter hold a program that can only print, as far as its letters tell.
pub(super) fn only_prints(program: &str, words: &[&str]) -> bool {
    match program {
        "awk" | "gawk" | "mawk" => awk_texts(words).into_iter().all(|text| {
            // Of a bar alone awk makes a pipe; two of them are an `or`.
            !OF_AWK.iter().any(|part| text.contains(part)) && !text.replace("||", "").contains('|')
        }),
        "jq" => words.iter().all(|text| !OF_JQ.iter().any(|part| text.contains(part))),
        "sed" => {
            let texts: Vec<&str> = words.iter().copied().filter(|word| !is_option_of_sed(word)).collect();
            let [only] = texts[..] else { return texts.into_iter().all(has_no_command) };
            has_no_command(only) || is_one_command(only)
        }
        _ => true,
    }
}

/// Returns every word but separators (`-F`) and values (`-v`), which are no code.
fn awk_texts<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut texts = Vec::new();
    let mut given = words.iter().copied();
    while let Some(word) = given.next() {
        if matches!(word, "-F" | "-v") {
            given.next();
        } else if !word.starts_with("-F") && !word.starts_with("-v") {
            texts.push(word);
        }
    }
    texts
}

/// Returns true for options of one letter, with at most an `e` at their end, whose script is the next word.
fn is_option_of_sed(word: &str) -> bool {
    let Some(letters) = word.strip_prefix('-') else { return false };
    let flags = letters.strip_suffix('e').unwrap_or(letters);
    !letters.is_empty() && flags.chars().all(|letter| "nErsuz".contains(letter))
}

/// Returns true where no letter stands that a command of sed would need.
fn has_no_command(script: &str) -> bool {
    !script.contains(OF_SED)
}

/// Returns true for one substitution, or one deletion or printing between two patterns, which no sed can part otherwise.
fn is_one_command(script: &str) -> bool {
    // In brackets, and behind the end of a line, seds disagree about what belongs to a pattern.
    if script.contains(['[', '\n', '{', '}']) {
        return false;
    }
    let command = script.trim_start_matches(|one: char| one.is_ascii_digit() || "$, ".contains(one));
    match command.strip_prefix('s') {
        Some(rest) => {
            let mut letters = rest.chars();
            let Some(delimiter) = letters.next().filter(char::is_ascii_punctuation) else { return false };
            delimiter != '\\'
                && behind(letters.as_str(), delimiter).and_then(|rest| behind(rest, delimiter)).is_some_and(
                    |flags| flags.chars().all(|flag| "gpIi".contains(flag) || flag.is_ascii_digit()),
                )
        }
        None => behind_addresses(command).is_some_and(|rest| matches!(rest, "p" | "d" | "!p" | "!d")),
    }
}

/// Returns what follows one or two patterns (`/a/,/b/`).
fn behind_addresses(text: &str) -> Option<&str> {
    let rest = behind(text.strip_prefix('/')?, '/')?;
    match rest.strip_prefix(",/") {
        Some(second) => behind(second, '/'),
        None => Some(rest),
    }
}

/// Returns what follows the next delimiter that no backslash stands before.
fn behind(text: &str, delimiter: char) -> Option<&str> {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        if letter == delimiter && !is_escaped {
            return Some(&text[at + letter.len_utf8()..]);
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::only_prints;

    #[test]
    fn plain_programs_only_print_and_whatever_could_do_more_is_not_plain() {
        for (words, prints) in
            crate::testing::rows::<(Vec<String>, bool)>(include_str!("filter_programs.jsonl"))
        {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert_eq!(only_prints(words[0], &words[1..]), prints, "{words:?}");
        }
    }
}
