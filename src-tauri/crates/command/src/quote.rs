//! Words as a shell writes them: quoting an argv for display, and splitting what a person typed into words.

/// Reason why a typed line could not be split into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    #[error("a quote is not closed")]
    OpenQuote,
    #[error("a backslash at the end has nothing to protect")]
    TrailingBackslash,
}

/// Returns the argv as one line of shell text. [`words_of`] reads it back to the same words.
pub fn quote_argv<W: AsRef<str>>(argv: &[W]) -> String {
    let words: Vec<String> = argv.iter().map(|word| quote_word(word.as_ref())).collect();
    words.join(" ")
}

/// Quotes a word only if a shell would read it as something else.
pub fn quote_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Splits a line into words: white space separates, single and double quotes and backslashes protect. Nothing is
/// expanded: `$`, `*` and `~` are ordinary characters.
pub fn words_of(line: &str) -> Result<Vec<String>, WordsError> {
    split_words(line, None)
}

/// Splits a line like [`words_of`], with `~`, `$HOME` or `${HOME}` at the beginning of a word replaced by
/// `home`.
///
/// Alone or before a slash, as a shell reads it; `home` is an absolute path. A quoted `~` is a character.
pub fn words_of_at(line: &str, home: &str) -> Result<Vec<String>, WordsError> {
    split_words(line, Some(home.trim_end_matches('/')))
}

fn split_words(line: &str, home: Option<&str>) -> Result<Vec<String>, WordsError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    loop {
        if let (None, Some(home)) = (&word, home)
            && let Some(behind) = behind_home_word(rest.as_str())
        {
            word = Some(home.to_owned());
            rest = behind.chars();
        }
        let Some(c) = rest.next() else { break };
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next().ok_or(WordsError::OpenQuote)? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                // In double quotes `~` is a character.
                if let (None, Some(home)) = (&word, home.filter(|_| rest.as_str().starts_with('$')))
                    && let Some(behind) = behind_home_word(rest.as_str())
                {
                    word = Some(home.to_owned());
                    rest = behind.chars();
                }
                double_quoted(&mut rest, word.get_or_insert_default())?;
            }
            '\\' => word.get_or_insert_default().push(rest.next().ok_or(WordsError::TrailingBackslash)?),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Returns what stands behind the home folder that a text begins with, by any of its names: `~`, `$HOME`, `${HOME}`.
pub fn behind_home(text: &str) -> Option<&str> {
    ["~", "$HOME", "${HOME}"].iter().find_map(|name| text.strip_prefix(name))
}

/// Returns the rest of a word in a line after the home folder.
///
/// The name must be all of the word, or be before a slash.
fn behind_home_word(rest: &str) -> Option<&str> {
    behind_home(rest).filter(|behind| behind.chars().next().is_none_or(|next| "/ \t\n\"".contains(next)))
}

fn double_quoted(rest: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), WordsError> {
    loop {
        match rest.next().ok_or(WordsError::OpenQuote)? {
            '"' => return Ok(()),
            '\\' => match rest.next().ok_or(WordsError::OpenQuote)? {
                protected @ ('"' | '\\' | '$' | '`') => word.push(protected),
                other => word.extend(['\\', other]),
            },
            inner => word.push(inner),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{WordsError, quote_argv, words_of, words_of_at};

    #[test]
    fn typed_lines_split_as_a_person_expects() {
        assert_eq!(words_of("git push *"), Ok(vec!["git".into(), "push".into(), "*".into()]));
        assert_eq!(
            words_of(r#"a 'b c' "d \"e" f\ g ''"#),
            Ok(["a", "b c", "d \"e", "f g", ""].map(String::from).to_vec())
        );
        assert_eq!(words_of("a 'b"), Err(WordsError::OpenQuote));
        assert_eq!(words_of("a \\"), Err(WordsError::TrailingBackslash));
    }

    #[test]
    fn a_word_that_begins_with_the_home_folder_lies_there_as_in_a_shell() {
        for (line, expected) in crate::tests::rows::<(String, String)>(include_str!("quote.jsonl")) {
            let words = words_of_at(&line, "/h/");
            assert_eq!(words, Ok(vec!["cat".to_owned(), expected]), "{line}");
        }
    }

    proptest! {
        #[test]
        fn a_quoted_argv_reads_back(argv in proptest::collection::vec(any::<String>(), 0..5)) {
            prop_assert_eq!(words_of_at(&quote_argv(&argv), "/h"), Ok(argv.clone()), "what is quoted is itself anywhere");
            prop_assert_eq!(words_of(&quote_argv(&argv)), Ok(argv));
        }

        #[test]
        fn no_line_panics(line in any::<String>()) {
            let _ = words_of(&line);
            let _ = words_of_at(&line, "/h");
        }
    }
}
