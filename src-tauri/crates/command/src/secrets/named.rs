//! Values that a name calls a secret: of variables, options, members of JSON, and headers.

use super::name::is_secret_name;
use super::table::{CREDENTIALS, HEADERS, OPTIONS, PasswordOption};
use super::value::{NamedValue, is_evident, is_prose, is_variable, value_at};
use std::ops::Range;

/// Longest name that is read.
const NAME: usize = 64;
/// Most spaces between a name and its value.
const SPACES: usize = 8;
/// Least characters of credentials: fewer are prose.
const LEAST: usize = 8;

/// Returns the values of a text that a name calls a secret.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let mut reader = NameReader { text, bytes: text.as_bytes(), program: None, until: 0, found: Vec::new() };
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if at < reader.until => {}
            b'=' => reader.read_assignment(at),
            b':' => reader.read_member(at),
            b'-' if reader.begins_word(at) => reader.read_option(at),
            b'\n' => reader.program = None,
            b';' | b'|' | b'&' | b')' if reader.ends_command(at) => reader.program = None,
            _ if byte.is_ascii_lowercase() && reader.begins_word(at) => reader.read_program(at),
            _ => {}
        }
    }
    reader.found
}

struct NameReader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    /// Program of the command that is read, if it has options for passwords.
    program: Option<&'static str>,
    /// End of the last value: what stands in it is no name.
    until: usize,
    found: Vec<Range<usize>>,
}

impl NameReader<'_> {
    fn begins_word(&self, at: usize) -> bool {
        at == 0
            || matches!(
                self.bytes[at - 1],
                b' ' | b'\t' | b'\n' | b'"' | b'\'' | b'(' | b'`' | b'/' | b';' | b'&' | b'|'
            )
    }

    /// Returns true if an operator of a shell ends a command here: in an address it does not.
    fn ends_command(&self, at: usize) -> bool {
        self.bytes.get(at + 1).is_none_or(|next| next.is_ascii_whitespace() || b"&|;)".contains(next))
    }

    fn name_before(&self, end: usize) -> Range<usize> {
        let part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let length = self.bytes[..end].iter().rev().take(NAME).take_while(part).count();
        end - length..end
    }

    fn spaces_before(&self, end: usize) -> usize {
        self.bytes[..end].iter().rev().take(SPACES).take_while(|byte| **byte == b' ').count()
    }

    fn behind_spaces(&self, at: usize) -> usize {
        at + self.bytes[at..].iter().take(SPACES).take_while(|byte| **byte == b' ').count()
    }

    /// Reads `NAME=value`; with spaces around it only what is in quotes, or what AWS writes so.
    fn read_assignment(&mut self, at: usize) {
        let compares = |byte: Option<&u8>| byte.is_some_and(|byte| b"=!<>~".contains(byte));
        if compares(self.bytes.get(at + 1)) || at > 0 && compares(self.bytes.get(at - 1)) {
            return;
        }
        let name = self.name_before(at - self.spaces_before(at));
        if !is_secret_name(&self.text[name.clone()]) {
            return;
        }
        let start = self.behind_spaces(at + 1);
        let apart = name.end < at || start > at + 1;
        let value = value_at(self.text, start, if apart { None } else { self.outer_quote(name.start) });
        let spelled = self.text[name.clone()].to_ascii_lowercase();
        if !apart || value.is_quoted || spelled.starts_with("aws_") {
            self.note(&name, &value);
        }
    }

    /// Returns the quote that a word begins with whose end is the value's end too: `'--password=a b'`.
    fn outer_quote(&self, name: usize) -> Option<u8> {
        let before = name.checked_sub(1)?;
        let quote = self.bytes[before];
        if !matches!(quote, b'"' | b'\'') || before > 0 && self.bytes[before - 1] == b'\\' {
            return None;
        }
        // Text for a shell has further words behind it.
        let spaces = self.spaces_before(before);
        let word = self.name_before(before - spaces);
        let shell = spaces > 0 && self.text[word.clone()].starts_with('-') && self.text[word].ends_with('c');
        (!shell).then_some(quote)
    }

    /// Reads `"name": "value"`, and headers.
    fn read_member(&mut self, at: usize) {
        let start = self.behind_spaces(at + 1);
        let value_quoted = matches!(self.bytes.get(start), Some(b'"' | b'\'' | b'\\'));
        let name_quoted = at > 0 && matches!(self.bytes[at - 1], b'"' | b'\'');
        let escaped = name_quoted && at > 1 && self.bytes[at - 2] == b'\\';
        let name = self.name_before(at - usize::from(name_quoted) - usize::from(escaped));
        let spelled = self.text[name.clone()].to_ascii_lowercase();
        if CREDENTIALS.contains(&spelled.as_str()) {
            let opened = match self.bytes.get(start..).and_then(|rest| rest.get(..2)) {
                Some([b'"' | b'\'', _]) => 1,
                Some([b'\\', b'"' | b'\'']) => 2,
                _ => 0,
            };
            return self.read_credentials(start + opened);
        }
        // Messages say "unexpected token: 'x'".
        let named = is_secret_name(&spelled) && (name_quoted || !spelled.ends_with("token"));
        if value_quoted && named || !name_quoted && HEADERS.contains(&spelled.as_str()) {
            self.note(&name, &value_at(self.text, start, None));
        }
    }

    /// Reads the credentials of `Authorization: Bearer …`, or the only word.
    fn read_credentials(&mut self, start: usize) {
        let word = |from: usize| {
            let part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-._~+/=:$%{}".contains(byte);
            from..from + self.bytes[from..].iter().take_while(part).count()
        };
        let scheme = word(start);
        let behind = self.behind_spaces(scheme.end);
        let credentials = if behind > scheme.end { word(behind) } else { scheme.clone() };
        let span = if credentials.is_empty() { scheme } else { credentials };
        let word = &self.text[span.clone()];
        if word.len() >= LEAST && is_evident(word) && !is_prose(word) {
            self.found.push(span.clone());
        }
        self.until = span.end;
    }

    /// Reads `--password value`, and options that only their program tells. `--password=value` is an assignment.
    fn read_option(&mut self, at: usize) {
        let length = self.bytes[at..]
            .iter()
            .take(NAME)
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            .count();
        let name = at..at + length;
        let option = &self.text[name.clone()];
        let known = OPTIONS.iter().find(|known| Some(known.program) == self.program && known.takes(option));
        if let Some(known) = known {
            return self.read_password(known, name);
        }
        let asks = ["--no-", "--ask-", "--prompt-"].iter().any(|start| option.starts_with(start));
        if !option.starts_with("--") || asks || !is_secret_name(option) {
            return;
        }
        let Some(start) = self.next_word(name.end) else { return };
        let value = value_at(self.text, start, None);
        // Another option follows, or what `docker build --secret` takes.
        let word = &self.text[value.span.clone()];
        if !value.is_quoted && (word.starts_with('-') || word.trim_end_matches('=').contains('=')) {
            return;
        }
        self.note(&name, &value);
    }

    /// Returns where the word behind an option begins, also in a list of JSON.
    fn next_word(&self, end: usize) -> Option<usize> {
        let quote = self.bytes.get(end).is_some_and(|byte| matches!(byte, b'"' | b'\''));
        let comma = end + usize::from(quote);
        let comma = comma + usize::from(quote && self.bytes.get(comma) == Some(&b','));
        let start = self.behind_spaces(comma);
        (start > comma || comma > end + 1).then_some(start)
    }

    fn read_password(&mut self, known: &PasswordOption, name: Range<usize>) {
        let attached = name.len() > known.option.len();
        let start = if attached { Some(name.start + known.option.len()) } else { self.next_word(name.end) };
        let Some(start) = start.filter(|_| attached || known.apart) else { return };
        let value = value_at(self.text, start, None);
        let word = &self.text[value.span.clone()];
        let name = if known.named { word.find(':').map(|at| at + 1) } else { Some(0) };
        self.until = value.span.end;
        if let Some(password) = name.map(|at| value.span.start + at..value.span.end)
            && is_evident(&self.text[password.clone()])
        {
            self.found.push(password);
        }
    }

    fn read_program(&mut self, at: usize) {
        let length = self.bytes[at..]
            .iter()
            .take(NAME)
            .take_while(|byte| byte.is_ascii_lowercase() || **byte == b'-')
            .count();
        let word = &self.text[at..at + length];
        let ends = self.bytes.get(at + length).is_some_and(|byte| matches!(byte, b' ' | b'"' | b'\''));
        if let Some(known) = OPTIONS.iter().find(|known| ends && known.program == word) {
            self.program = Some(known.program);
        }
    }

    fn note(&mut self, name: &Range<usize>, value: &NamedValue) {
        let word = &self.text[value.span.clone()];
        let called = !value.is_quoted && self.bytes.get(value.span.end) == Some(&b'(');
        let variable = !value.is_quoted && is_variable(word);
        // A key may be in a file, which is named.
        let file = self.text[name.clone()].to_ascii_lowercase().ends_with("key")
            && (word.starts_with(['/', '~', '.']) || [".pem", ".key"].iter().any(|end| word.contains(end)));
        if is_evident(word) && !called && !variable && !file {
            self.found.push(value.span.clone());
        }
        if !value.is_quoted || self.found.last() == Some(&value.span) {
            self.until = value.span.end;
        }
    }
}

impl PasswordOption {
    /// Returns true if an option is this one, with its value or before it.
    fn takes(&self, option: &str) -> bool {
        let short = self.option.len() == 2;
        option == self.option || short && option.starts_with(self.option) && !option.starts_with("--")
    }
}
