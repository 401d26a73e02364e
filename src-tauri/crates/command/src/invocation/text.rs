//! Words as the reader of options sees them: known, or known only at run time.

use crate::call::Arg;

/// A word, as far as it is known before the run.
pub(crate) trait ArgumentWord {
    fn known_value(&self) -> Option<&str>;

    /// Returns the beginning of a word whose rest is known only at run time.
    fn known_start(&self) -> &str;

    /// Returns true if the word is not known, and could turn out to begin with a dash.
    fn may_be_option(&self) -> bool;

    /// Returns true if the word is not known, and one of the words that it is split into could begin with a dash.
    fn may_split(&self) -> bool;

    /// Returns true if what is not known of the word may be any text.
    fn is_free(&self) -> bool;

    /// Returns true if the word is exactly one word, whatever it turns out to hold.
    fn is_one_word(&self) -> bool;

    /// Returns true if the word is a pattern of file names, one of which could begin with a dash.
    fn is_pattern(&self) -> bool {
        false
    }
}

impl ArgumentWord for Arg {
    fn known_value(&self) -> Option<&str> {
        self.word.value.as_deref()
    }

    fn known_start(&self) -> &str {
        &self.start
    }

    fn may_be_option(&self) -> bool {
        self.dash
    }

    fn may_split(&self) -> bool {
        self.splits
    }

    fn is_free(&self) -> bool {
        self.free
    }

    /// Returns true if it stays one word.
    ///
    /// A variable without quotes does not, also if its value is harmless by itself: `5 rm` becomes two words,
    /// and nothing becomes no word.
    fn is_one_word(&self) -> bool {
        ArgumentWord::known_value(self).is_some()
            || !self.several && (is_quoted(&self.word.raw) || is_quoted_document(&self.word.raw))
    }

    fn is_pattern(&self) -> bool {
        ArgumentWord::known_value(self).is_none() && self.word.raw.starts_with(['*', '?', '['])
    }
}

/// A word of which nothing but its value is told; without it, it may be anything.
impl ArgumentWord for Option<&str> {
    fn known_value(&self) -> Option<&str> {
        *self
    }

    fn known_start(&self) -> &'static str {
        ""
    }

    fn may_be_option(&self) -> bool {
        self.is_none()
    }

    fn may_split(&self) -> bool {
        self.is_none()
    }

    fn is_free(&self) -> bool {
        self.is_none()
    }

    fn is_one_word(&self) -> bool {
        self.is_some()
    }
}

/// A word that is taken as it was written.
impl ArgumentWord for &str {
    fn known_value(&self) -> Option<&str> {
        Some(self)
    }

    fn known_start(&self) -> &'static str {
        ""
    }

    fn may_be_option(&self) -> bool {
        false
    }

    fn may_split(&self) -> bool {
        false
    }

    fn is_free(&self) -> bool {
        false
    }

    fn is_one_word(&self) -> bool {
        true
    }
}

/// Returns true if everything that a shell expands is in double quotes.
fn is_quoted(raw: &str) -> bool {
    let (mut double, mut escaped) = (false, false);
    for c in raw.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => double = !double,
            '$' | '`' | '*' | '?' | '[' if !double => return false,
            _ => {}
        }
    }
    !double
}

/// Returns true for `"$(cat <<'EOF' … EOF )"`, as commit messages are given: quotes in the document are text.
fn is_quoted_document(raw: &str) -> bool {
    let text = raw.strip_prefix("\"$(cat <<'").and_then(|rest| rest.strip_suffix(")\""));
    text.and_then(|text| text.split_once("'\n")).is_some_and(|(end, body)| {
        let body = body.trim_end_matches(['\n', ' ']);
        body.ends_with(end) && body.lines().filter(|line| *line == end).count() == 1
    })
}
