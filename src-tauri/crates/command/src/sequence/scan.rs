//! Text taken apart into words and operators, as every shell does it; nothing where a shell could see more in it.

use super::{Redirect, RedirectionTarget};

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShellToken {
    /// A word without quotes.
    Word(ScannedWord),
    Redirect(Redirect),
    /// `|`
    Pipe,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;` or the end of a line.
    End,
}

/// A word, and where its `=` is if it reads as an assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScannedWord {
    pub(super) text: String,
    pub(super) assigns: Option<usize>,
}

/// Takes text apart; returns `None` if a shell would expand or mean anything else.
pub(super) fn tokens(text: &str) -> Option<Vec<ShellToken>> {
    let mut rest = Rest(text.trim_matches([' ', '\t', '\n']));
    let mut tokens = Vec::new();
    loop {
        rest.skip_while(|c| matches!(c, ' ' | '\t'));
        if rest.0.is_empty() {
            return Some(tokens);
        }
        tokens.extend(rest.read_token()?);
    }
}

/// Characters of a word that need no quotes and mean nothing else.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-./:@%+,=^]".contains(c)
}

/// Rest of a line.
struct Rest<'t>(&'t str);

impl<'t> Rest<'t> {
    fn take_text(&mut self, text: &str) -> bool {
        self.0.strip_prefix(text).map(|rest| self.0 = rest).is_some()
    }

    fn skip_while(&mut self, is: impl Fn(char) -> bool) {
        self.0 = self.0.trim_start_matches(is);
    }

    fn read_token(&mut self) -> Option<Vec<ShellToken>> {
        for (operator, token) in [("&&", ShellToken::And), ("||", ShellToken::Or)] {
            if self.take_text(operator) {
                // A list goes on in the next line.
                self.skip_while(|c| matches!(c, ' ' | '\t' | '\n'));
                return Some(vec![token]);
            }
        }
        if self.0.starts_with("|&") || self.0.starts_with(";;") || self.0.starts_with(";&") {
            return None;
        }
        if self.take_text("|") {
            self.skip_while(|c| matches!(c, ' ' | '\t' | '\n'));
            return Some(vec![ShellToken::Pipe]);
        }
        if self.take_text(";") || self.take_text("\n") {
            self.skip_while(|c| matches!(c, ' ' | '\t' | '\n'));
            return Some(vec![ShellToken::End]);
        }
        if self.take_text("&>>") {
            return self.read_both_outputs(RedirectionTarget::Append);
        }
        if self.take_text("&>") {
            return self.read_both_outputs(RedirectionTarget::Write);
        }
        for descriptor in [0, 1, 2] {
            let number = char::from(b'0' + descriptor);
            if self.0.strip_prefix(number).is_some_and(|rest| rest.starts_with(['<', '>'])) {
                self.0 = &self.0[1..];
                return self.read_redirect(Some(descriptor));
            }
        }
        if self.0.starts_with(['<', '>']) {
            return self.read_redirect(None);
        }
        let word = self.read_word()?;
        // A number right before an arrow is a descriptor.
        let arrow = self.0.starts_with(['<', '>']) && word.text.bytes().all(|byte| byte.is_ascii_digit());
        (!arrow).then(|| vec![ShellToken::Word(word)])
    }

    fn read_redirect(&mut self, descriptor: Option<u8>) -> Option<Vec<ShellToken>> {
        let one = |descriptor, to| Some(vec![ShellToken::Redirect(Redirect { descriptor, to })]);
        for (operator, usual) in [(">&", 1), ("<&", 0)] {
            if self.take_text(operator) {
                let from = self.0.bytes().next().filter(|byte| (b'0'..=b'2').contains(byte))?;
                self.0 = &self.0[1..];
                let ends = self.0.is_empty() || self.0.starts_with([' ', '\t', '\n', ';', '|', '&']);
                return ends
                    .then(|| one(descriptor.unwrap_or(usual), RedirectionTarget::Copy(from - b'0')))?;
            }
        }
        let (usual, target) = if self.take_text(">>") {
            (1, RedirectionTarget::Append as fn(String) -> RedirectionTarget)
        } else if self.take_text(">|") || self.take_text(">") {
            (1, RedirectionTarget::Write as _)
        } else {
            self.take_text("<").then_some((0, RedirectionTarget::Read as _))?
        };
        one(descriptor.unwrap_or(usual), target(self.read_file()?))
    }

    /// Reads the file of `&>`: standard output goes to it, and standard error with it.
    fn read_both_outputs(&mut self, target: fn(String) -> RedirectionTarget) -> Option<Vec<ShellToken>> {
        let to = target(self.read_file()?);
        let copy = Redirect { descriptor: 2, to: RedirectionTarget::Copy(1) };
        Some(vec![ShellToken::Redirect(Redirect { descriptor: 1, to }), ShellToken::Redirect(copy)])
    }

    fn read_file(&mut self) -> Option<String> {
        self.skip_while(|c| matches!(c, ' ' | '\t'));
        let file = self.read_word()?.text;
        // Shells open some devices themselves.
        let device = file.starts_with("/dev/") && file != "/dev/null";
        (!file.is_empty() && !device).then_some(file)
    }

    fn read_word(&mut self) -> Option<ScannedWord> {
        let (mut text, mut quoted_from, before) = (String::new(), None, self.0);
        while let Some(c) = self.0.chars().next() {
            match c {
                ' ' | '\t' | '\n' | ';' | '|' | '<' | '>' | '&' => break,
                '\'' | '"' => {
                    quoted_from.get_or_insert(text.len());
                    text.push_str(self.read_quoted(c)?);
                    continue;
                }
                '\\' => {
                    quoted_from.get_or_insert(text.len());
                    let escaped = self.0.chars().nth(1).filter(|c| c.is_ascii_graphic() || *c == ' ')?;
                    text.push(escaped);
                    self.0 = &self.0[2..];
                    continue;
                }
                _ if is_plain(c) => text.push(c),
                // Not at the beginning these are characters like others.
                '#' | '~' if !text.is_empty() && !text.ends_with(['=', ':']) => text.push(c),
                '!' => text.push(c),
                '{' if self.0.starts_with("{}") => {
                    text.push_str("{}");
                    self.0 = &self.0[1..];
                }
                _ => return None,
            }
            self.0 = &self.0[c.len_utf8()..];
        }
        if before.len() == self.0.len() {
            return None;
        }
        Some(ScannedWord { assigns: assignment(&text, quoted_from), text })
    }

    fn read_quoted(&mut self, quote: char) -> Option<&'t str> {
        let (inside, rest) = self.0[1..].split_once(quote)?;
        let expands = quote == '"' && inside.contains(['$', '`', '\\']);
        if expands || inside.contains('\0') {
            return None;
        }
        self.0 = rest;
        Some(inside)
    }
}

/// Returns where the `=` of an assignment is, unless it or its name is quoted.
fn assignment(text: &str, quoted_from: Option<usize>) -> Option<usize> {
    let at = text.find('=').filter(|at| quoted_from.is_none_or(|from| from > *at))?;
    crate::environment::is_name(&text[..at]).then_some(at)
}
