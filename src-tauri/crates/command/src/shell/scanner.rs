//! The characters of one word, one by one: what each quotes, expands or begins.

use std::collections::BTreeMap;

use shuck_ast::{WordPart, WordPartNode};

use super::ansi;
use super::braces::Unit;
use super::expansion::{arithmetic, assigned, is_length, is_name, is_plain_operator};
use super::output::{self, Prints};
use super::qualifiers;
use super::scanned::{Quoting, Scanned, SubstitutionBody, WordProblem, WordScope, problem};
use crate::{Dialect, Unparsed};

pub(super) struct Scanner<'s, 'a> {
    pub(super) scope: WordScope<'s>,
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) inner: BTreeMap<usize, (usize, SubstitutionBody<'a>)>,
    pub(super) units: Vec<Unit>,
    pub(super) out: Scanned<'a>,
}

impl<'s, 'a> Scanner<'s, 'a> {
    fn remaining(&self) -> &'s str {
        self.scope.source.get(self.at..self.end).unwrap_or_default()
    }

    fn next_char(&mut self) -> Option<char> {
        let c = self.remaining().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    pub(super) fn read_units(&mut self, quoting: Quoting) -> Result<(), WordProblem> {
        while let Some(c) = self.remaining().chars().next() {
            let here = self.at;
            if c.is_ascii_alphanumeric() {
                self.read_plain(quoting);
                continue;
            }
            self.next_char();
            match (quoting, c) {
                (_, '\\') => self.escape(quoting)?,
                (_, '$') => self.dollar(here, quoting)?,
                (_, '`') => self.commands(here, quoting)?,
                (Quoting::Double, '"') => return Ok(()),
                (Quoting::Double | Quoting::Body, c) => self.units.push(Unit::Quoted(c)),
                (Quoting::Word, '"') => self.read_units(Quoting::Double)?,
                (Quoting::Word, '\'') => self.single()?,
                (Quoting::Word, '<' | '>') if self.remaining().starts_with('(') => {
                    self.out.beyond_posix = true;
                    self.commands(here, quoting)?;
                }
                (Quoting::Word, '(') if self.ends_in_qualifiers() => {
                    self.units.push(Unit::Unknown { dash: false });
                    self.out.loose.several = true;
                    self.out.qualifiers = Some(here..self.end);
                    self.at = self.end;
                }
                (Quoting::Word, c) if c.is_ascii_whitespace() || ";&|<>()".contains(c) => {
                    return Err(problem(Unparsed::ParsersDisagree, "where a word ends is read in two ways"));
                }
                // Alone it stands for itself: `[ a = b ]`.
                (Quoting::Word, '=')
                    if self.units.is_empty()
                        && self.scope.dialect == Dialect::Zsh
                        && !self.remaining().is_empty() =>
                {
                    return Err(problem(Unparsed::ZshExpansion, "zsh replaces `=name` with a path"));
                }
                (Quoting::Word, '~') if self.scope.dialect == Dialect::Zsh && self.named_directory() => {
                    return Err(problem(
                        Unparsed::ZshExpansion,
                        "zsh replaces `~name` with a directory of that name",
                    ));
                }
                (Quoting::Word, c) => self.units.push(Unit::Bare(c)),
            }
        }
        match quoting {
            Quoting::Double => Err(problem(Unparsed::ParsersDisagree, "a quote is not closed")),
            Quoting::Word | Quoting::Body => Ok(()),
        }
    }

    /// Letters and digits, which stand for themselves everywhere.
    fn read_plain(&mut self, quoting: Quoting) {
        let run = self.remaining().bytes().take_while(u8::is_ascii_alphanumeric).map(char::from);
        let before = self.units.len();
        self.units.extend(run.map(if quoting == Quoting::Word { Unit::Bare } else { Unit::Quoted }));
        self.at += self.units.len() - before;
    }

    /// Returns true if the rest of the word picks among the files that zsh finds for it, and runs nothing.
    fn ends_in_qualifiers(&self) -> bool {
        let inside = self.remaining().strip_suffix(')');
        self.scope.dialect == Dialect::Zsh
            && !self.units.is_empty()
            && inside.is_some_and(qualifiers::are_plain)
    }

    fn named_directory(&self) -> bool {
        self.units.is_empty() && !matches!(self.remaining().chars().next(), None | Some('/'))
    }

    fn escape(&mut self, quoting: Quoting) -> Result<(), WordProblem> {
        let special = match quoting {
            Quoting::Word => {
                return self.next_char().map(|c| self.units.push(Unit::Quoted(c))).ok_or(ENDS_IN_BACKSLASH);
            }
            Quoting::Double => "$`\"\\",
            Quoting::Body => "$`\\",
        };
        let escaped = self.remaining().chars().next().filter(|c| special.contains(*c));
        if escaped.is_some() {
            self.out.escapes.push(self.at);
            self.next_char();
        }
        self.units.push(Unit::Quoted(escaped.unwrap_or('\\')));
        Ok(())
    }

    fn single(&mut self) -> Result<(), WordProblem> {
        let end =
            self.remaining().find('\'').ok_or(problem(Unparsed::ParsersDisagree, "a quote is not closed"))?;
        self.units.extend(self.remaining()[..end].chars().map(Unit::Quoted));
        self.at += end + 1;
        Ok(())
    }

    fn dollar(&mut self, here: usize, quoting: Quoting) -> Result<(), WordProblem> {
        match self.remaining().chars().next() {
            Some('(') => self.commands(here, quoting),
            Some('{') => self.parameter(quoting),
            Some('[') => Err(problem(Unparsed::Arithmetic, "old arithmetic `$[…]` can run commands")),
            Some('\'') if quoting == Quoting::Word => self.ansi_quoted(),
            Some('"') if quoting == Quoting::Word => {
                Err(problem(Unparsed::TranslatedString, "`$\"…\"` is replaced by a translation at run time"))
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let length = self
                    .remaining()
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(self.remaining().len());
                let name = self.remaining()[..length].to_owned();
                self.at += length;
                self.zsh_suffix()?;
                self.variable(&name, quoting);
                Ok(())
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.next_char();
                self.zsh_suffix()?;
                self.special(c, quoting);
                Ok(())
            }
            _ if self.scope.dialect == Dialect::Zsh && !self.remaining().is_empty() => {
                Err(problem(Unparsed::ZshExpansion, "zsh may expand this"))
            }
            _ => {
                self.units.push(Unit::Quoted('$'));
                Ok(())
            }
        }
    }

    /// Reads subscripts and modifiers that zsh takes after a plain variable.
    fn zsh_suffix(&self) -> Result<(), WordProblem> {
        if self.scope.dialect == Dialect::Zsh && self.remaining().starts_with(['[', ':']) {
            return Err(problem(Unparsed::ZshExpansion, "zsh reads a subscript or modifier here"));
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, quoting: Quoting) {
        const NEVER_A_DASH: &[&str] = &[
            "HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "TMPDIR", "UID", "EUID", "PPID", "RANDOM",
            "SECONDS",
        ];
        let whole = |home: &&str| {
            quoting != Quoting::Word || home.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
        };
        if let Some(home) = self.scope.home.filter(whole).filter(|_| name == "HOME") {
            self.units.extend(home.chars().map(Unit::Quoted));
            return;
        }
        if let Some(value) = self.scope.constants.get(name) {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
            if quoting != Quoting::Word || !value.is_empty() && value.chars().all(plain) {
                self.units.extend(value.chars().map(Unit::Quoted));
                return;
            }
        }
        let variables = self.scope.variables;
        let tame = if quoting == Quoting::Word { variables.is_tame(name) } else { variables.is_plain(name) };
        let dash = !NEVER_A_DASH.contains(&name) && !tame;
        let listed = variables.written_out(name).is_some();
        self.out.loose.free |= !NEVER_A_DASH.contains(&name) && !listed && !variables.is_number(name);
        self.out.loose.strays |= !variables.is_below(name);
        let computed = self.out.loose.computed || !listed;
        self.unknown(dash, quoting, variables.is_wild(name));
        self.out.loose.computed = computed;
        self.out.number = variables.is_number(name) && self.units.len() == 1 && self.is_all(quoting);
    }

    fn unknown(&mut self, dash: bool, quoting: Quoting, chosen: bool) {
        self.units.push(Unit::Unknown { dash });
        self.out.loose.computed = true;
        self.becomes_several(quoting == Quoting::Word && dash);
        self.out.loose.chosen |= chosen;
    }

    /// Notes that any number of words may come of it, of any kind.
    fn becomes_several(&mut self, does: bool) {
        self.out.loose.several |= does;
        self.out.loose.splits |= does;
    }

    fn special(&mut self, c: char, quoting: Quoting) {
        let known = c.to_digit(10).and_then(|digit| self.scope.parameters?.get(digit as usize));
        match known {
            Some(value)
                if quoting != Quoting::Word
                    || value.chars().all(|c| c.is_ascii_graphic() && !"*?[".contains(c)) =>
            {
                self.units.extend(value.chars().map(Unit::Quoted));
            }
            _ => {
                let any = c.is_ascii_digit() || "@*-".contains(c);
                self.unknown(any, quoting, any);
                self.out.loose.free |= any;
                self.out.loose.strays |= any;
                self.becomes_several(c == '@');
                self.out.number = !any && self.units.len() == 1 && self.is_all(quoting);
            }
        }
    }

    /// Returns true if what was read is the whole word, but for quotes around it.
    fn is_all(&self, quoting: Quoting) -> bool {
        let rest = if quoting == Quoting::Double { "\"" } else { "" };
        self.remaining() == rest
    }

    fn ansi_quoted(&mut self) -> Result<(), WordProblem> {
        self.out.beyond_posix = true;
        self.next_char();
        let mut end = 0;
        let mut escaped = false;
        for c in self.remaining().chars() {
            if c == '\'' && !escaped {
                break;
            }
            escaped = c == '\\' && !escaped;
            end += c.len_utf8();
        }
        let decoded = ansi::decode(self.remaining().get(..end).unwrap_or_default());
        let decoded = decoded
            .ok_or(problem(Unparsed::AnsiQuote, "this `$'…'` is read differently by different shells"))?;
        self.units.extend(decoded.chars().map(Unit::Quoted));
        self.at += end + 1;
        Ok(())
    }

    /// Reads a substitution or arithmetic that the tree has at the same position.
    fn commands(&mut self, here: usize, quoting: Quoting) -> Result<(), WordProblem> {
        const DISAGREE: WordProblem =
            problem(Unparsed::ParsersDisagree, "a substitution is read in two ways");
        let (end, inner) = self.inner.remove(&here).ok_or(DISAGREE)?;
        let text = self.scope.source.get(here..end).filter(|_| end <= self.end).ok_or(DISAGREE)?;
        let mut prints = None;
        match inner {
            SubstitutionBody::Commands(_) if text.starts_with("$((") => return Err(DISAGREE),
            SubstitutionBody::Commands(_) if text.starts_with('`') && text.contains('\\') => {
                return Err(problem(
                    Unparsed::Backquotes,
                    "escaped backquotes are read differently by different shells",
                ));
            }
            SubstitutionBody::Commands(body) => {
                self.out.bodies.push(body);
                if text.starts_with(['$', '`']) && !self.scope.variables.redefined {
                    if let Some(printed) = output::text_of(body, self.scope.source)
                        && quoting == Quoting::Double
                        && text.starts_with('$')
                    {
                        self.units.extend(printed.chars().map(Unit::Quoted));
                        self.at = end;
                        return Ok(());
                    }
                    prints = output::known_output(body, self.scope.source);
                }
            }
            SubstitutionBody::Arithmetic(parts) => {
                let text = self.with_numbers(here, text, parts);
                arithmetic(&text, self.scope.variables)?;
            }
        }
        let path = text.starts_with(['<', '>']);
        let number = text.starts_with("$((") || prints == Some(Prints::Number);
        let words = prints == Some(Prints::Words);
        // Without quotes a path may be split into words that begin with a dash.
        let whole = prints == Some(Prints::Path) && quoting != Quoting::Word;
        // What is printed holds a slash only where one is written.
        self.out.loose.free |= !(path || number || words && !text.contains('/'));
        self.out.loose.strays |= !number;
        self.unknown(!(path || number || words || whole), quoting, !(path || number));
        self.at = end;
        let alone = self.units.len() == 1 && self.is_all(quoting);
        self.out.number = number && alone;
        self.out.tame = words && alone;
        Ok(())
    }

    /// Returns arithmetic with a number for each substitution in it that prints one, and reads the commands inside.
    fn with_numbers(&mut self, here: usize, text: &str, parts: &'a [WordPartNode]) -> String {
        let mut with = text.to_owned();
        for part in parts.iter().rev() {
            let WordPart::CommandSubstitution { body, .. } = &part.kind else { continue };
            let (start, end) = (part.span.start.offset(), part.span.end.offset());
            let Some(place) = start.checked_sub(here).zip(end.checked_sub(here)) else { continue };
            let written = text.get(place.0..place.1).unwrap_or_default();
            // Beside it, a name would become another one, and a number another number in another base.
            let joins = |c: char| c.is_ascii_alphanumeric() || "_$#@[]".contains(c);
            let alone = !text.get(..place.0).is_some_and(|before| before.ends_with(joins))
                && !text.get(place.1..).is_some_and(|behind| behind.starts_with(joins));
            let plain = written.starts_with("$(") && !written.starts_with("$((") && written.ends_with(')');
            if plain
                && alone
                && !self.scope.variables.redefined
                && output::known_output(body, self.scope.source) == Some(Prints::Number)
            {
                self.out.bodies.push(body);
                with.replace_range(place.0..place.1, "1");
            }
        }
        with
    }

    /// Scans `${…}`: plain access, length, and operators with a literal operand.
    fn parameter(&mut self, quoting: Quoting) -> Result<(), WordProblem> {
        const HARD: WordProblem = WordProblem {
            code: Unparsed::ParameterExpansion,
            what: "this form of `${…}` can run commands or pick a variable at run time",
            advice: Some("use a plain `$name`"),
        };
        let close = self.remaining().find('}').ok_or(HARD)?;
        let body = self.remaining()[1..close].to_owned();
        let special = body.chars().next().filter(|c| c.is_ascii_digit() || "@*#?$!".contains(*c));
        self.at += close + 1;
        if is_length(&body) {
            self.unknown(false, quoting, false);
        } else if let Some(special) = special.filter(|_| body.len() == 1) {
            self.special(special, quoting);
        } else {
            let name_end = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(body.len());
            let (name, operator) = match body.strip_prefix(['@', '*']) {
                Some(operator) => ("", operator),
                None => body.split_at(name_end),
            };
            let named = name.is_empty() || is_name(name) || name.bytes().all(|byte| byte.is_ascii_digit());
            if !named || !is_plain_operator(operator, self.scope.dialect) {
                return Err(HARD);
            }
            if let Some(assigned) = assigned(operator) {
                if !crate::builtins::may_set(name, self.scope.dialect) {
                    return Err(HARD);
                }
                self.out.sets.push((name.to_owned(), assigned.to_owned()));
            }
            if operator.is_empty() {
                self.variable(name, quoting);
            } else {
                self.out.loose.free = true;
                self.out.loose.strays |= !(self.scope.variables.is_below(name) && stays_below(operator));
                self.unknown(true, quoting, true);
                self.becomes_several(operator.starts_with("[@") || name.is_empty());
            }
        }
        Ok(())
    }
}

const ENDS_IN_BACKSLASH: WordProblem = problem(Unparsed::ParsersDisagree, "a word ends in a backslash");

/// Returns true if the result of an operator on a name that leads nowhere else leads nowhere else either.
///
/// The result is its last part, the name without its ending, or with another ending. An ending begins with a
/// dot, and no part of such a name does.
fn stays_below(operator: &str) -> bool {
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let ending = |text: &str| {
        text.strip_prefix('.').is_some_and(|rest| !rest.is_empty() && !rest.starts_with('.') && plain(rest))
    };
    if let Some(suffix) = operator.strip_prefix("%%").or_else(|| operator.strip_prefix('%')) {
        return ending(suffix);
    }
    let replaced = operator.strip_prefix("//").or_else(|| operator.strip_prefix('/'));
    operator == "##*/"
        || replaced.and_then(|text| text.split_once('/')).is_some_and(|(old, new)| ending(old) && ending(new))
}
