//! Strict reading of the characters of a shell word, beside the two parsers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use shuck_ast::{StmtSeq, WordPart, WordPartNode};

use super::around::Below;
use super::braces::{self, Unit};
use super::scanner::Scanner;
use crate::{Dialect, Unparsed};

/// Something in a word that is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordProblem {
    pub(super) code: Unparsed,
    pub(super) what: &'static str,
    pub(super) advice: Option<&'static str>,
}

/// Scope of a word.
#[derive(Clone, Copy)]
pub(super) struct WordScope<'a> {
    pub(super) source: &'a str,
    pub(super) dialect: Dialect,
    /// `$0`, `$1`, … where the text came as `sh -c TEXT ARGS…`.
    pub(super) parameters: Option<&'a [String]>,
    /// The home folder that `~` and `$HOME` stand for, where it is known.
    pub(super) home: Option<&'a str>,
    pub(super) variables: &'a Variables,
    /// Variables whose value is known here.
    pub(super) constants: &'a HashMap<String, String>,
}

/// Values that the line gives to its variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four facts, none of which follows from another")]
pub(super) struct Variables {
    /// True if nothing is known yet: every variable is taken to be tame.
    pub(super) hopeful: bool,
    /// Set to numbers only.
    pub(super) numbers: HashSet<String>,
    /// Set to text that cannot begin with a dash only.
    pub(super) tame: HashSet<String>,
    /// Set to text that does not begin with a dash only, but may be split into words that do.
    pub(super) plain: HashSet<String>,
    /// Set to text of any kind.
    pub(super) wild: HashSet<String>,
    /// Set only to what leads nowhere else.
    pub(super) below: HashMap<String, Below>,
    /// Something may set any variable.
    pub(super) unsettled: bool,
    /// A function stands, or may stand, for a program whose output is known.
    pub(super) redefined: bool,
    /// The line changes its directory somewhere.
    pub(super) moves: bool,
    /// Loops that may change the directory, by where their bodies begin.
    pub(super) moving: HashSet<usize>,
    /// Names that are set exactly once.
    pub(super) once: HashSet<String>,
}

impl Variables {
    pub(super) fn is_number(&self, name: &str) -> bool {
        self.hopeful || self.numbers.contains(name)
    }

    pub(super) fn is_tame(&self, name: &str) -> bool {
        self.hopeful || self.numbers.contains(name) || self.tame.contains(name)
    }

    pub(super) fn is_plain(&self, name: &str) -> bool {
        self.is_tame(name) || self.plain.contains(name)
    }

    /// Returns true if what it holds leads nowhere else.
    pub(super) fn is_below(&self, name: &str) -> bool {
        self.hopeful || self.is_number(name) || self.below.contains_key(name)
    }

    /// Returns the possible values of a variable, if they are written out.
    pub(super) fn written_out(&self, name: &str) -> Option<&[String]> {
        match self.below.get(name)? {
            Below::These(all) => Some(all),
            Below::Files => None,
        }
    }

    pub(super) fn is_wild(&self, name: &str) -> bool {
        !self.hopeful && (self.unsettled || self.wild.contains(name) || self.plain.contains(name))
    }
}

/// Possible values of a word that is not known before the run (see [`crate::call::Arg`]).
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "seven facts, none of which follows from another")]
pub(super) struct Loose {
    /// True if it could begin with a dash.
    pub(super) dash: bool,
    /// Not surely exactly one word.
    pub(super) several: bool,
    /// A word behind the first of those that it is split into could begin with a dash (`x$y`).
    pub(super) splits: bool,
    /// True if its unknown part may be any text, or any path.
    pub(super) free: bool,
    /// May be any text that the request chose.
    pub(super) chosen: bool,
    /// True if its unknown part may lead out of the folder that it begins in.
    pub(super) strays: bool,
    /// True if its known part holds a `..`, so that it may lead anywhere.
    pub(super) climbs: bool,
}

/// The reading of one word.
#[derive(Debug, Default)]
pub(super) struct Scanned<'a> {
    /// The words it becomes, where that is known before the run.
    pub(super) values: Option<Vec<String>>,
    /// Possible values, if it is not known before the run.
    pub(super) loose: Loose,
    /// Beginning without quotes, if the rest is known only at run time.
    pub(super) start: String,
    /// The commands inside substitutions.
    pub(super) bodies: Vec<&'a StmtSeq>,
    /// True if it uses what POSIX shells do not have.
    pub(super) beyond_posix: bool,
    /// True if it is one arithmetic expansion, a number of the shell's own or a variable that is set to
    /// numbers only, and nothing else.
    pub(super) number: bool,
    /// True if it is one substitution that prints words of which none begins with a dash, and nothing else.
    pub(super) tame: bool,
    /// The glob qualifiers that it ends in (zsh).
    pub(super) qualifiers: Option<Range<usize>>,
    /// Variables that it gives a value by the way (`${x:=value}`).
    pub(super) sets: Vec<(String, String)>,
    /// Positions of characters that are escaped inside double quotes or a here-document.
    pub(super) escapes: Vec<usize>,
    pub(super) problem: Option<WordProblem>,
}

pub(super) const fn problem(code: Unparsed, what: &'static str) -> WordProblem {
    WordProblem { code, what, advice: None }
}

/// Content of a substitution.
pub(super) enum SubstitutionBody<'a> {
    Commands(&'a StmtSeq),
    /// Parts of the expression.
    Arithmetic(&'a [WordPartNode]),
}

/// Reads the word at `span`.
///
/// `parts` are the parts that the tree has for it: the ends of substitutions come from there, and each of
/// them must be met here too.
pub(super) fn scan_word<'a>(
    scope: WordScope<'_>,
    span: Range<usize>,
    parts: &'a [WordPartNode],
) -> Scanned<'a> {
    let mut inner = BTreeMap::new();
    collect(parts, &mut inner);
    scan_units(scope, span, inner, Quoting::Word)
}

/// Reads the body of a here-document that is expanded.
pub(super) fn scan_body<'a>(
    scope: WordScope<'_>,
    span: Range<usize>,
    inner: impl Iterator<Item = (Range<usize>, &'a StmtSeq)>,
) -> Scanned<'a> {
    let inner =
        inner.map(|(range, body)| (range.start, (range.end, SubstitutionBody::Commands(body)))).collect();
    scan_units(scope, span, inner, Quoting::Body)
}

/// Quoting of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    Word,
    Double,
    Body,
}

fn scan_units<'a>(
    scope: WordScope<'_>,
    span: Range<usize>,
    inner: BTreeMap<usize, (usize, SubstitutionBody<'a>)>,
    quoting: Quoting,
) -> Scanned<'a> {
    let mut scanner =
        Scanner { scope, at: span.start, end: span.end, inner, units: Vec::new(), out: Scanned::default() };
    let result = scanner.read_units(quoting);
    let Scanner { inner, units, mut out, .. } = scanner;
    let leftover = (!inner.is_empty())
        .then_some(problem(Unparsed::ParsersDisagree, "a substitution is read in two ways"));
    out.problem = result.err().or(leftover);
    if out.problem.is_none() {
        let several;
        (out.values, out.loose.dash, several) = values(&units, scope.home, &mut out.beyond_posix);
        out.loose.splits |= several && out.loose.dash;
        out.loose.several |= several
            || units.iter().any(|unit| matches!(unit, Unit::Bare('*' | '?' | '['))) && out.values.is_none();
        out.start = known_start(&units);
        out.loose.climbs = out.values.is_none() && climbs(&units);
        out.loose.free |= out.loose.climbs;
        let globs = || units.iter().any(|unit| matches!(unit, Unit::Bare('*' | '?' | '[' | '{')));
        let elsewhere = out.values.is_none() && elsewhere_when_empty(&units);
        out.loose.free |= elsewhere;
        out.loose.strays |= out.values.is_none() && (elsewhere || globs());
    }
    out
}

fn collect<'a>(parts: &'a [WordPartNode], inner: &mut BTreeMap<usize, (usize, SubstitutionBody<'a>)>) {
    for part in parts {
        let (start, end) = (part.span.start.offset(), part.span.end.offset());
        match &part.kind {
            WordPart::DoubleQuoted { parts, .. } => collect(parts, inner),
            WordPart::CommandSubstitution { body, .. } | WordPart::ProcessSubstitution { body, .. } => {
                inner.insert(start, (end, SubstitutionBody::Commands(body)));
            }
            WordPart::ArithmeticExpansion { expression_word_ast, .. } => {
                inner.insert(start, (end, SubstitutionBody::Arithmetic(&expression_word_ast.parts)));
            }
            _ => {}
        }
    }
}

/// Returns true if it leads elsewhere where the variables that it begins with are not set: `$x/etc`,
/// `$x.git/config`.
fn elsewhere_when_empty(units: &[Unit]) -> bool {
    let unknown = |unit: &&Unit| matches!(unit, Unit::Unknown { .. });
    let first = units.iter().take_while(unknown).count();
    let rest: String = units[first..]
        .iter()
        .map(|unit| match *unit {
            Unit::Bare(c) | Unit::Quoted(c) => c,
            Unit::Unknown { .. } => '?',
        })
        .collect();
    let hidden =
        rest.starts_with('.') && (rest.contains('/') || [".envrc", ".npmrc"].contains(&rest.as_str()));
    first > 0 && (rest.starts_with('/') || hidden)
}

/// Returns true if two dots stand side by side in it, or may do so once what is between them turns out to be
/// nothing.
fn climbs(units: &[Unit]) -> bool {
    let mut dot = false;
    units.iter().any(|unit| match *unit {
        Unit::Bare('.') | Unit::Quoted('.') => std::mem::replace(&mut dot, true),
        Unit::Unknown { .. } | Unit::Bare('*' | '?' | '[' | ']' | '{' | '}' | ',') => false,
        Unit::Bare(_) | Unit::Quoted(_) => {
            dot = false;
            false
        }
    })
}

/// Returns the text before the first character that may become something else.
fn known_start(units: &[Unit]) -> String {
    let plain = |unit: &Unit| match *unit {
        Unit::Bare('*' | '?' | '[' | '{') | Unit::Unknown { .. } => None,
        Unit::Bare(c) | Unit::Quoted(c) => Some(c),
    };
    units.iter().map_while(plain).collect()
}

/// Returns the words that it becomes, if they are known.
///
/// Else: true if one of them could begin with a dash, and if braces make several of it.
fn values(units: &[Unit], home: Option<&str>, beyond_posix: &mut bool) -> (Option<Vec<String>>, bool, bool) {
    let Some(words) = braces::expand(units) else { return (None, true, true) };
    let many = words.len() > 1;
    *beyond_posix |= many;
    let values: Option<Vec<String>> = words.iter().map(|word| literal(word, home)).collect();
    let open = |word: &Vec<Unit>| match word.first() {
        Some(Unit::Unknown { dash }) => *dash,
        Some(Unit::Bare('-') | Unit::Quoted('-')) => many,
        _ => false,
    };
    let unknown = values.is_none();
    (values, unknown && words.iter().any(open), unknown && many)
}

fn literal(word: &[Unit], home: Option<&str>) -> Option<String> {
    let mut value = String::new();
    let mut before = ':';
    for (at, unit) in word.iter().enumerate() {
        match *unit {
            Unit::Bare('*' | '?') | Unit::Unknown { .. } => return None,
            Unit::Bare('[') if word[at..].contains(&Unit::Bare(']')) => return None,
            Unit::Bare('~') if at == 0 && matches!(word.get(1), None | Some(Unit::Bare('/'))) => {
                value.push_str(home?);
            }
            Unit::Bare('~') if matches!(before, ':' | '=') => return None,
            Unit::Bare(c) | Unit::Quoted(c) => {
                value.push(c);
                before = c;
            }
        }
    }
    Some(value)
}
