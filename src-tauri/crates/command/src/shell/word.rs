//! Strict reading of the characters of a shell word, beside the two parsers.

use std::collections::BTreeMap;
use std::ops::Range;

use shuck_ast::{StmtSeq, WordPart, WordPartNode};

use super::braces::{self, Unit};
use super::scanned::{Quoting, Scanned, SubstitutionBody, WordScope, problem};
use super::scanner::Scanner;
use crate::Unparsed;

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
