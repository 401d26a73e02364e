//! Words as a shell writes them: quoting an argv for display, and splitting what a person typed into words.

/// Why a typed line could not be split into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    /// A quote is opened and never closed.
    #[error("a quote is not closed")]
    OpenQuote,
    /// The line ends in a backslash.
    #[error("a backslash at the end has nothing to protect")]
    TrailingBackslash,
}

/// The argv as one line of shell text. [`words_of`] reads it back to the same words.
pub fn quote<W: AsRef<str>>(argv: &[W]) -> String {
    let words: Vec<String> = argv.iter().map(|word| quote_word(word.as_ref())).collect();
    words.join(" ")
}

/// One word, quoted only where a shell would read it as something else.
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
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
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
            '"' => double_quoted(&mut rest, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(rest.next().ok_or(WordsError::TrailingBackslash)?),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
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

    use super::{WordsError, quote, words_of};

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

    proptest! {
        #[test]
        fn a_quoted_argv_reads_back(argv in proptest::collection::vec(any::<String>(), 0..5)) {
            prop_assert_eq!(words_of(&quote(&argv)), Ok(argv));
        }

        #[test]
        fn no_line_panics(line in any::<String>()) {
            let _ = words_of(&line);
        }
    }
}
