//! What one word of shell text says: a strict reading of its characters, beside the two parsers.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use shuck_ast::{StmtSeq, WordPart, WordPartNode};

use super::ansi;
use super::braces::{self, Unit};
use super::expansion::{arithmetic, is_name, is_plain_operator};
use crate::Dialect;

/// Something in a word that is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) code: &'static str,
    pub(super) what: &'static str,
    pub(super) advice: Option<&'static str>,
}

/// What is known around a word.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) source: &'a str,
    pub(super) dialect: Dialect,
    /// `$0`, `$1`, … where the text came as `sh -c TEXT ARGS…`.
    pub(super) parameters: Option<&'a [String]>,
    pub(super) variables: &'a Variables,
}

/// What the line itself makes of its variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Variables {
    /// Whether nothing is known yet: every variable is taken to be tame.
    pub(super) hopeful: bool,
    /// Set to numbers only.
    pub(super) numbers: HashSet<String>,
    /// Set to text that cannot begin with a dash only.
    pub(super) tame: HashSet<String>,
    /// The line changes its directory somewhere.
    pub(super) moves: bool,
}

impl Variables {
    pub(super) fn is_number(&self, name: &str) -> bool {
        self.hopeful || self.numbers.contains(name)
    }

    fn is_tame(&self, name: &str) -> bool {
        self.hopeful || self.numbers.contains(name) || self.tame.contains(name)
    }
}

/// The reading of one word.
#[derive(Debug, Default)]
pub(super) struct Scanned<'a> {
    /// The words it becomes, where that is known before the run.
    pub(super) values: Option<Vec<String>>,
    /// Not known before the run, and it could turn out to begin with a dash.
    pub(super) dash: bool,
    /// The commands inside substitutions.
    pub(super) bodies: Vec<&'a StmtSeq>,
    /// Whether it uses what POSIX shells do not have.
    pub(super) beyond_posix: bool,
    /// Whether it is one arithmetic expansion and nothing else.
    pub(super) number: bool,
    /// Where a character is escaped inside double quotes or a here-document.
    pub(super) escapes: Vec<usize>,
    pub(super) problem: Option<Problem>,
}

const fn problem(code: &'static str, what: &'static str) -> Problem {
    Problem { code, what, advice: None }
}

enum Inner<'a> {
    Commands(&'a StmtSeq),
    Arithmetic,
}

/// Reads the word at `span`. `parts` are the parts that the tree has for it: the ends of substitutions come from there, and
/// each of them must be met here too.
pub(super) fn scan<'a>(scope: Scope<'_>, span: Range<usize>, parts: &'a [WordPartNode]) -> Scanned<'a> {
    let mut inner = BTreeMap::new();
    collect(parts, &mut inner);
    run(scope, span, inner, Quoting::Word)
}

/// Reads the body of a here-document that is expanded.
pub(super) fn scan_body<'a>(
    scope: Scope<'_>,
    span: Range<usize>,
    inner: impl Iterator<Item = (Range<usize>, &'a StmtSeq)>,
) -> Scanned<'a> {
    let inner = inner.map(|(range, body)| (range.start, (range.end, Inner::Commands(body)))).collect();
    run(scope, span, inner, Quoting::Body)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    Word,
    Double,
    Body,
}

fn run<'a>(
    scope: Scope<'_>,
    span: Range<usize>,
    inner: BTreeMap<usize, (usize, Inner<'a>)>,
    quoting: Quoting,
) -> Scanned<'a> {
    let mut scanner =
        Scanner { scope, at: span.start, end: span.end, inner, units: Vec::new(), out: Scanned::default() };
    let result = scanner.read(quoting);
    let Scanner { inner, units, mut out, .. } = scanner;
    let leftover =
        (!inner.is_empty()).then_some(problem("parsers-disagree", "a substitution is read in two ways"));
    out.problem = result.err().or(leftover);
    if out.problem.is_none() {
        (out.values, out.dash) = values(&units, &mut out.beyond_posix);
    }
    out
}

fn collect<'a>(parts: &'a [WordPartNode], inner: &mut BTreeMap<usize, (usize, Inner<'a>)>) {
    for part in parts {
        let (start, end) = (part.span.start.offset(), part.span.end.offset());
        match &part.kind {
            WordPart::DoubleQuoted { parts, .. } => collect(parts, inner),
            WordPart::CommandSubstitution { body, .. } | WordPart::ProcessSubstitution { body, .. } => {
                inner.insert(start, (end, Inner::Commands(body)));
            }
            WordPart::ArithmeticExpansion { .. } => {
                inner.insert(start, (end, Inner::Arithmetic));
            }
            _ => {}
        }
    }
}

fn values(units: &[Unit], beyond_posix: &mut bool) -> (Option<Vec<String>>, bool) {
    let dash = matches!(units.first(), Some(Unit::Unknown { dash: true }));
    let Some(words) = braces::expand(units) else { return (None, dash) };
    *beyond_posix |= words.len() > 1;
    let values: Option<Vec<String>> = words.iter().map(|word| literal(word)).collect();
    let dash = values.is_none()
        && words.iter().any(|word| matches!(word.first(), Some(Unit::Unknown { dash: true })));
    (values, dash)
}

fn literal(word: &[Unit]) -> Option<String> {
    let mut value = String::new();
    let mut before = ':';
    for (at, unit) in word.iter().enumerate() {
        match *unit {
            Unit::Bare('*' | '?') | Unit::Unknown { .. } => return None,
            Unit::Bare('[') if word[at..].contains(&Unit::Bare(']')) => return None,
            Unit::Bare('~') if matches!(before, ':' | '=') => return None,
            Unit::Bare(c) | Unit::Quoted(c) => {
                value.push(c);
                before = c;
            }
        }
    }
    Some(value)
}

struct Scanner<'s, 'a> {
    scope: Scope<'s>,
    at: usize,
    end: usize,
    inner: BTreeMap<usize, (usize, Inner<'a>)>,
    units: Vec<Unit>,
    out: Scanned<'a>,
}

impl Scanner<'_, '_> {
    fn rest(&self) -> &str {
        self.scope.source.get(self.at..self.end).unwrap_or_default()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn read(&mut self, quoting: Quoting) -> Result<(), Problem> {
        while let Some(c) = self.rest().chars().next() {
            let here = self.at;
            self.next();
            match (quoting, c) {
                (_, '\\') => self.escape(quoting)?,
                (_, '$') => self.dollar(here, quoting)?,
                (_, '`') => self.commands(here)?,
                (Quoting::Double, '"') => return Ok(()),
                (Quoting::Double | Quoting::Body, c) => self.units.push(Unit::Quoted(c)),
                (Quoting::Word, '"') => self.read(Quoting::Double)?,
                (Quoting::Word, '\'') => self.single()?,
                (Quoting::Word, '<' | '>') if self.rest().starts_with('(') => {
                    self.out.beyond_posix = true;
                    self.commands(here)?;
                }
                (Quoting::Word, c) if c.is_ascii_whitespace() || ";&|<>()".contains(c) => {
                    return Err(problem("parsers-disagree", "where a word ends is read in two ways"));
                }
                (Quoting::Word, '=') if self.units.is_empty() && self.scope.dialect == Dialect::Zsh => {
                    return Err(problem("zsh-expansion", "zsh replaces `=name` with a path"));
                }
                (Quoting::Word, '~') if self.scope.dialect == Dialect::Zsh && self.named_directory() => {
                    return Err(problem(
                        "zsh-expansion",
                        "zsh replaces `~name` with a directory of that name",
                    ));
                }
                (Quoting::Word, c) => self.units.push(Unit::Bare(c)),
            }
        }
        match quoting {
            Quoting::Double => Err(problem("parsers-disagree", "a quote is not closed")),
            Quoting::Word | Quoting::Body => Ok(()),
        }
    }

    fn named_directory(&self) -> bool {
        self.units.is_empty() && !matches!(self.rest().chars().next(), None | Some('/'))
    }

    fn escape(&mut self, quoting: Quoting) -> Result<(), Problem> {
        let special = match quoting {
            Quoting::Word => {
                return self.next().map(|c| self.units.push(Unit::Quoted(c))).ok_or(ENDS_IN_BACKSLASH);
            }
            Quoting::Double => "$`\"\\",
            Quoting::Body => "$`\\",
        };
        let escaped = self.rest().chars().next().filter(|c| special.contains(*c));
        if escaped.is_some() {
            self.out.escapes.push(self.at);
            self.next();
        }
        self.units.push(Unit::Quoted(escaped.unwrap_or('\\')));
        Ok(())
    }

    fn single(&mut self) -> Result<(), Problem> {
        let end = self.rest().find('\'').ok_or(problem("parsers-disagree", "a quote is not closed"))?;
        let inside: Vec<Unit> = self.rest()[..end].chars().map(Unit::Quoted).collect();
        self.units.extend(inside);
        self.at += end + 1;
        Ok(())
    }

    fn dollar(&mut self, here: usize, quoting: Quoting) -> Result<(), Problem> {
        match self.rest().chars().next() {
            Some('(') => self.commands(here),
            Some('{') => self.parameter(),
            Some('[') => Err(problem("arithmetic", "old arithmetic `$[…]` can run commands")),
            Some('\'') if quoting == Quoting::Word => self.ansi_quoted(),
            Some('"') if quoting == Quoting::Word => {
                Err(problem("translated-string", "`$\"…\"` is replaced by a translation at run time"))
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let length = self
                    .rest()
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(self.rest().len());
                let name = self.rest()[..length].to_owned();
                self.at += length;
                self.zsh_suffix()?;
                self.variable(&name);
                Ok(())
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.next();
                self.zsh_suffix()?;
                self.special(c, quoting);
                Ok(())
            }
            _ if self.scope.dialect == Dialect::Zsh && !self.rest().is_empty() => {
                Err(problem("zsh-expansion", "zsh may expand this"))
            }
            _ => {
                self.units.push(Unit::Quoted('$'));
                Ok(())
            }
        }
    }

    /// zsh reads subscripts and modifiers after a plain variable.
    fn zsh_suffix(&self) -> Result<(), Problem> {
        if self.scope.dialect == Dialect::Zsh && self.rest().starts_with(['[', ':']) {
            return Err(problem("zsh-expansion", "zsh reads a subscript or modifier here"));
        }
        Ok(())
    }

    fn variable(&mut self, name: &str) {
        const NEVER_A_DASH: &[&str] = &[
            "HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "TMPDIR", "UID", "EUID", "PPID", "RANDOM",
            "SECONDS",
        ];
        let dash = !NEVER_A_DASH.contains(&name) && !self.scope.variables.is_tame(name);
        self.units.push(Unit::Unknown { dash });
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
            _ => self.units.push(Unit::Unknown { dash: c.is_ascii_digit() || "@*-".contains(c) }),
        }
    }

    fn ansi_quoted(&mut self) -> Result<(), Problem> {
        self.out.beyond_posix = true;
        self.next();
        let mut end = 0;
        let mut escaped = false;
        for c in self.rest().chars() {
            if c == '\'' && !escaped {
                break;
            }
            escaped = c == '\\' && !escaped;
            end += c.len_utf8();
        }
        let decoded = ansi::decode(self.rest().get(..end).unwrap_or_default());
        let decoded =
            decoded.ok_or(problem("ansi-quote", "this `$'…'` is read differently by different shells"))?;
        self.units.extend(decoded.chars().map(Unit::Quoted));
        self.at += end + 1;
        Ok(())
    }

    /// A substitution or arithmetic that the tree has at the same place.
    fn commands(&mut self, here: usize) -> Result<(), Problem> {
        const DISAGREE: Problem = problem("parsers-disagree", "a substitution is read in two ways");
        let (end, inner) = self.inner.remove(&here).ok_or(DISAGREE)?;
        let text = self.scope.source.get(here..end).filter(|_| end <= self.end).ok_or(DISAGREE)?;
        match inner {
            Inner::Commands(_) if text.starts_with("$((") => return Err(DISAGREE),
            Inner::Commands(_) if text.starts_with('`') && text.contains('\\') => {
                return Err(problem(
                    "backquotes",
                    "escaped backquotes are read differently by different shells",
                ));
            }
            Inner::Commands(body) => self.out.bodies.push(body),
            Inner::Arithmetic => arithmetic(text, self.scope.variables)?,
        }
        let path = text.starts_with(['<', '>']);
        let number = text.starts_with("$((");
        self.units.push(Unit::Unknown { dash: !path && !number });
        self.at = end;
        self.out.number = number && self.units.len() == 1 && self.at == self.end;
        Ok(())
    }

    /// `${…}`: plain access, length, and operators with a literal operand.
    fn parameter(&mut self) -> Result<(), Problem> {
        const HARD: Problem = Problem {
            code: "parameter-expansion",
            what: "this form of `${…}` can run commands or pick a variable at run time",
            advice: Some("use a plain `$name`"),
        };
        let close = self.rest().find('}').ok_or(HARD)?;
        let body = self.rest()[1..close].to_owned();
        let length = body.strip_prefix('#').filter(|name| is_name(name) || matches!(*name, "@" | "*"));
        if length.is_some() {
            self.units.push(Unit::Unknown { dash: false });
        } else if let Some(digit) = body.chars().next().filter(|c| c.is_ascii_digit() && body.len() == 1) {
            self.special(digit, Quoting::Double);
        } else {
            let name_end = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(body.len());
            let (name, operator) = body.split_at(name_end);
            if !is_name(name) || !is_plain_operator(operator, self.scope.dialect) {
                return Err(HARD);
            }
            if operator.is_empty() {
                self.variable(name);
            } else {
                self.units.push(Unit::Unknown { dash: true });
            }
        }
        self.at += close + 1;
        Ok(())
    }
}

const ENDS_IN_BACKSLASH: Problem = problem("parsers-disagree", "a backslash at the end of a word");
