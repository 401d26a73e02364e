//! Words that a program takes as text: patterns, scripts and separators. What looks like a path in one of them names no file.
//!
//! Every word counts as a file if an option is not known here, or a word may turn out to be one: `grep A -f B` opens A.

use crate::{Step, Word};

/// Knowledge of the words that a program takes as text.
#[derive(Debug)]
struct TextReader {
    names: &'static [&'static str],
    /// Letters of options without a value.
    flags: &'static str,
    /// Letters of options with a value.
    values: &'static str,
    /// Letters of options whose value is text.
    texts: &'static str,
    /// Letters of options that give the pattern or the script, so that every operand is a file.
    given: &'static str,
    /// Number of operands in front that are text.
    operands: usize,
    /// True if the text is a script, which may name files that it opens.
    script: bool,
}

const GREP: TextReader = TextReader {
    names: &["egrep", "fgrep", "grep"],
    flags: "0123456789EFGHILPRSTUZabchilnoqrsuvwxyz",
    values: "ABCDdefm",
    texts: "e",
    given: "ef",
    operands: 1,
    script: false,
};

const GIT_GREP: TextReader =
    TextReader { names: &[], flags: "0123456789EFGHILPWachilnopqrvwz", values: "ABCefm", ..GREP };

const READERS: &[TextReader] = &[
    GREP,
    TextReader {
        names: &["rg"],
        flags: "0.FHILNPSUVabchilnopqsuvwx",
        values: "ABCEMTdefgjmrt",
        texts: "er",
        ..GREP
    },
    TextReader { names: &["sed"], flags: "Enrsuz", values: "ef", script: true, ..GREP },
    TextReader {
        names: &["awk", "gawk", "mawk", "nawk"],
        flags: "",
        values: "Ffv",
        texts: "F",
        given: "f",
        operands: 1,
        script: true,
    },
    TextReader { names: &["cut"], flags: "nsz", values: "bcdf", texts: "d", ..SEPARATED },
    TextReader { names: &["paste"], flags: "sz", values: "d", texts: "d", ..SEPARATED },
    TextReader { names: &["sort"], flags: "CMRVbcdfghimnrsuz", values: "STkot", texts: "kt", ..SEPARATED },
    TextReader { names: &["column"], flags: "tx", values: "cos", texts: "os", ..SEPARATED },
    TextReader { names: &["join"], flags: "iz", values: "12aejotv", texts: "et", ..SEPARATED },
    TextReader { names: &["nl"], flags: "p", values: "bdfhilnsvw", texts: "ds", ..SEPARATED },
    TextReader { names: &["seq"], flags: "w", values: "fst", texts: "fst", ..SEPARATED },
    TextReader { names: &["tr"], flags: "Ccdstu", operands: usize::MAX, ..SEPARATED },
];

/// Program whose operands are files, with separators in its options.
const SEPARATED: TextReader =
    TextReader { names: &[], flags: "", values: "", texts: "", given: "", operands: 0, script: false };

/// Long options that take no value.
const LONG_FLAGS: &[&str] = &[
    "--no-pager", "--cached", "--count", "--extended-regexp", "--files-with-matches",
    "--files-without-match", "--fixed-strings", "--heading", "--hidden", "--ignore-case", "--invert-match",
    "--line-number", "--name-only", "--no-filename", "--no-heading", "--no-ignore", "--no-line-number",
    "--no-messages", "--only-matching", "--perl-regexp", "--quiet", "--recursive", "--regexp-extended",
    "--silent", "--smart-case", "--text", "--with-filename", "--word-regexp",
];

/// Long options that take the next word, and no text.
const LONG_VALUES: &[&str] = &[
    "--after-context", "--before-context", "--exclude", "--exclude-dir", "--glob", "--iglob", "--include",
    "--max-count", "--type", "--type-not",
];

/// Long options that give the pattern or the script, which may be shortened, or say that there is none.
const LONG_GIVEN: &[&str] = &["--regexp", "--expression", "--file", "--files", "--type-list", "--source"];

/// Commands of git that look for a text in the history.
const GIT_LOGS: &[&str] = &["log", "rev-list", "shortlog", "show"];

/// Options of these commands whose value is a text.
const GIT_TEXTS: &[&str] = &["-S", "-G", "--grep=", "--author=", "--committer=", "--format=", "--pretty="];

/// Returns a step's words but those that its program takes as text: they may name files.
pub fn file_words(step: &Step) -> impl Iterator<Item = &Word> {
    let texts = text_words(step);
    step.argv.iter().enumerate().filter(move |(at, _)| !texts.contains(at)).map(|(_, word)| word)
}

/// Returns the indexes of a step's words that its program takes as text.
///
/// Scripts are among them unless the step does more than their words show.
fn text_words(step: &Step) -> Vec<usize> {
    // Most programs take none, and every step is asked.
    if !step.argv.first().and_then(|name| name.value.as_deref()).is_some_and(may_take_text) {
        return Vec::new();
    }
    let words: Vec<&str> = step.argv.iter().map(Word::text).collect();
    let unknown: Vec<&str> =
        step.argv.iter().filter(|word| word.value.is_none()).map(|word| word.raw.as_str()).collect();
    find_words(&words, &unknown, step.opaque.is_none() && step.ways_out.is_empty())
}

/// Returns the same for words of which some are known only at run time; scripts are not among them.
pub(crate) fn pattern_words(words: &[&str], unknown: &[&str]) -> Vec<usize> {
    find_words(words, unknown, false)
}

fn may_take_text(name: &str) -> bool {
    name == "git" || READERS.iter().any(|reader| reader.names.contains(&name))
}

fn find_words(words: &[&str], unknown: &[&str], scripts: bool) -> Vec<usize> {
    if unknown.iter().any(|raw| !is_file_pattern(raw)) {
        return Vec::new();
    }
    let Some(name) = words.first() else { return Vec::new() };
    if *name == "git" {
        return git_words(words);
    }
    let reader = READERS.iter().find(|reader| reader.names.contains(name));
    reader
        .filter(|reader| scripts || !reader.script)
        .and_then(|reader| reader.read_texts(words, 1))
        .unwrap_or_default()
}

/// Returns true for a word as written that can only become names of files, or values of its own long option.
///
/// It starts like one, and nothing splits it: `src/*.rs`, `--include=*.rs`.
fn is_file_pattern(raw: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    let option = raw.strip_prefix("--").and_then(|rest| rest.split_once('='));
    let (starts, rest) = match option {
        Some((name, value)) => (name.starts_with(is_letter) && !name.contains(['*', '?', '[', '{']), value),
        None => (raw.starts_with(|c: char| is_letter(c) || matches!(c, '.' | '/' | '~')), raw),
    };
    starts && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./*?[]{},~".contains(&byte))
}

fn git_words(words: &[&str]) -> Vec<usize> {
    let verb = 1 + usize::from(words.get(1) == Some(&"--no-pager"));
    match words.get(verb) {
        Some(&"grep") => GIT_GREP.read_texts(words, verb + 1).unwrap_or_default(),
        Some(command) if GIT_LOGS.contains(command) => {
            let options = words.iter().take_while(|word| **word != "--").enumerate().skip(verb + 1);
            let texts = options.filter(|(_, word)| GIT_TEXTS.iter().any(|text| word.starts_with(text)));
            texts.map(|(at, word)| if matches!(*word, "-S" | "-G") { at + 1 } else { at }).collect()
        }
        Some(_) | None => Vec::new(),
    }
}

impl TextReader {
    /// Returns the words from an index on that are text; `None` if an option is not known.
    fn read_texts(&self, words: &[&str], from: usize) -> Option<Vec<usize>> {
        let (mut texts, mut operands) = (Vec::new(), Vec::new());
        let mut given = false;
        let mut at = from;
        while let Some(word) = words.get(at) {
            if *word == "--" {
                operands.extend(at + 1..words.len());
                break;
            }
            at += if word.starts_with("--") {
                let (gives, length) = self.long_option(word)?;
                given |= gives;
                length
            } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                let option = self.last_letter(letters)?;
                let text = at + usize::from(option.takes_next);
                texts.extend(Some(text).filter(|_| option.is_in(self.texts)));
                given |= option.is_in(self.given);
                1 + usize::from(option.takes_next)
            } else {
                operands.push(at);
                1
            };
        }
        let in_front = if given { 0 } else { self.operands };
        texts.extend(operands.into_iter().take(in_front));
        Some(texts)
    }

    /// Returns the option that ends a word of letters; `None` if a letter is not known.
    fn last_letter(&self, letters: &str) -> Option<LastLetter> {
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            if self.values.contains(letter) {
                return Some(LastLetter { value_of: Some(letter), takes_next: rest.as_str().is_empty() });
            }
            if !self.flags.contains(letter) {
                return None;
            }
        }
        Some(LastLetter { value_of: None, takes_next: false })
    }

    /// Returns whether a long option gives the pattern, and how many words it has; `None` if it is not known.
    fn long_option(&self, word: &str) -> Option<(bool, usize)> {
        let (name, attached) = word.split_once('=').map_or((word, false), |(name, _)| (name, true));
        if LONG_FLAGS.contains(&name) {
            Some((false, 1))
        } else if LONG_VALUES.contains(&name) {
            Some((false, if attached { 1 } else { 2 }))
        } else if LONG_GIVEN.iter().any(|given| given.starts_with(name)) {
            Some((true, if attached { 1 } else { 2 }))
        } else if attached && !self.script {
            Some((false, 1))
        } else {
            None
        }
    }
}

/// End of a word of option letters.
#[derive(Debug)]
struct LastLetter {
    /// The letter that takes the value, if one does.
    value_of: Option<char>,
    takes_next: bool,
}

impl LastLetter {
    fn is_in(&self, letters: &str) -> bool {
        self.value_of.is_some_and(|letter| letters.contains(letter))
    }
}

#[cfg(test)]
mod tests {
    use super::text_words;
    use crate::{Dialect, read_shell};

    fn texts_of(line: &str) -> Vec<String> {
        let reading = read_shell(line, Dialect::Bash);
        let step = &reading.steps[0];
        let text = |at: usize| step.argv[at].value.clone().unwrap_or_default();
        text_words(step).into_iter().map(text).collect()
    }

    #[test]
    fn patterns_scripts_and_separators_are_text_and_what_may_be_a_file_is_none() {
        for (line, expected) in crate::tests::rows::<(String, Vec<String>)>(include_str!("text_words.jsonl"))
        {
            assert_eq!(texts_of(&line), expected, "{line}");
        }
    }
}
