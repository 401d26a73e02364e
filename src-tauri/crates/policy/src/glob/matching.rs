//! Comparing: every node takes the set of places reached before it to the set of places reached behind it. Nothing is
//! tried twice, so that no pattern and no text make it slow.

use super::parse::Node;

/// Treatment of unclear parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchMode {
    /// For what allows: every doubt is no match.
    Strict,
    /// For what denies or asks: every doubt is a match; case does not count.
    Generous,
}

impl MatchMode {
    /// Returns the mode that a negation compares by, so that the whole stays on its side.
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::Strict => Self::Generous,
            Self::Generous => Self::Strict,
        }
    }
}

/// A text that patterns are compared with.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatchedText<'a> {
    /// UTF-16 units.
    pub(super) units: &'a [u16],
    /// True if it has no `.` and `..` parts and no line ends: strictly, stars and sets only match what is
    /// plain.
    pub(super) plain: bool,
    /// True if [`ANY_NAME`] and [`ANY_PATH`] in it stand for text that is not known.
    pub(super) open: bool,
}

/// Stands for any text without a slash in a text that is open.
pub(super) const ANY_NAME: u16 = 0xfffe;
/// Stands for any text in a text that is open.
pub(super) const ANY_PATH: u16 = 0xffff;

/// Places in a text: `places[n]` is before the unit `n`.
type ReachedPositions = Vec<bool>;

const SLASH: u16 = b'/' as u16;

pub(super) fn is_match(nodes: &[Node], text: MatchedText<'_>, mode: MatchMode) -> bool {
    let mut start = vec![false; text.units.len() + 1];
    start[0] = true;
    skip_open(text, &mut start);
    match_sequence(nodes, text, mode, start)[text.units.len()]
}

fn match_sequence(
    nodes: &[Node],
    text: MatchedText<'_>,
    mode: MatchMode,
    mut places: ReachedPositions,
) -> ReachedPositions {
    for node in nodes {
        places = match_node(node, text, mode, &places);
        if !places.contains(&true) {
            break;
        }
    }
    places
}

fn match_node(
    node: &Node,
    text: MatchedText<'_>,
    mode: MatchMode,
    places: &ReachedPositions,
) -> ReachedPositions {
    match node {
        Node::Unit(unit) if text.open => match_unit(text, places, |read| match read {
            ANY_NAME => *unit != SLASH,
            ANY_PATH => true,
            read => is_same(*unit, read, mode),
        }),
        Node::Unit(unit) => match_unit(text, places, |read| is_same(*unit, read, mode)),
        Node::One | Node::Star | Node::Set { .. } if mode == MatchMode::Strict && !text.plain => {
            vec![false; places.len()]
        }
        Node::Set { .. } if text.open => match_unit(text, places, |_| true),
        Node::One => match_unit(text, places, |read| mode == MatchMode::Generous || read != SLASH),
        Node::Star => from_first(places),
        Node::Set { negated, unclear, ranges, written } => {
            let mut next = match_unit(text, places, |read| is_in(ranges, read, *negated, *unclear, mode));
            if mode == MatchMode::Generous && !written.is_empty() {
                let literal: Vec<Node> = written.iter().map(|unit| Node::Unit(*unit)).collect();
                merge_places(&mut next, &match_sequence(&literal, text, mode, places.clone()));
            }
            next
        }
        Node::Any(branches) => match_any(branches, text, mode, places),
        Node::Many { least, branches } => {
            let mut all = if *least == 0 { places.clone() } else { match_any(branches, text, mode, places) };
            loop {
                let before = all.clone();
                let more = match_any(branches, text, mode, &all);
                merge_places(&mut all, &more);
                if all == before {
                    return all;
                }
            }
        }
        Node::Perhaps(inner) => {
            let mut next = match_sequence(inner, text, mode, places.clone());
            let end = text.units.len();
            next[end] |= mode == MatchMode::Generous && places[end];
            next
        }
        Node::Not { branches, last, slashed } => {
            let hazy = *slashed && !*last;
            match_negation(branches, *last, hazy, text, mode, places)
        }
    }
}

fn match_any(
    branches: &[Vec<Node>],
    text: MatchedText<'_>,
    mode: MatchMode,
    places: &ReachedPositions,
) -> ReachedPositions {
    let mut next = vec![false; places.len()];
    for branch in branches {
        merge_places(&mut next, &match_sequence(branch, text, mode, places.clone()));
    }
    next
}

/// Matches `!(…)`.
///
/// Strictly: nothing that it excludes may even begin here (or, at the end, be the whole rest), and a slash is
/// not crossed. Generously: any stretch that is not surely excluded; if the reading is `hazy`, none is.
fn match_negation(
    branches: &[Vec<Node>],
    last: bool,
    hazy: bool,
    text: MatchedText<'_>,
    mode: MatchMode,
    places: &ReachedPositions,
) -> ReachedPositions {
    let mut next = vec![false; places.len()];
    for (at, _) in places.iter().enumerate().filter(|(_, reached)| **reached) {
        let mut here = vec![false; places.len()];
        here[at] = true;
        let excluded = match_any(branches, text, mode.opposite(), &here);
        match mode {
            MatchMode::Generous => {
                for end in at..next.len() {
                    next[end] |= hazy || !excluded[end];
                }
            }
            MatchMode::Strict if last => {
                next[text.units.len()] |= !excluded[text.units.len()] && at < text.units.len();
            }
            MatchMode::Strict if excluded.contains(&true) => {}
            MatchMode::Strict => {
                let stop = text.units[at..]
                    .iter()
                    .position(|unit| *unit == SLASH)
                    .map_or(text.units.len(), |slash| at + slash);
                next[at..=stop].fill(true);
            }
        }
    }
    next
}

fn match_unit(
    text: MatchedText<'_>,
    places: &ReachedPositions,
    matches: impl Fn(u16) -> bool,
) -> ReachedPositions {
    let mut next = vec![false; places.len()];
    for (at, read) in text.units.iter().enumerate() {
        let met = places[at] && matches(*read);
        next[at + 1] |= met;
        next[at] |= met && text.open && matches!(*read, ANY_NAME | ANY_PATH);
    }
    skip_open(text, &mut next);
    next
}

/// Goes on behind text that is not known, which may be empty.
fn skip_open(text: MatchedText<'_>, places: &mut ReachedPositions) {
    for (at, read) in text.units.iter().enumerate().filter(|_| text.open) {
        places[at + 1] |= places[at] && matches!(*read, ANY_NAME | ANY_PATH);
    }
}

fn from_first(places: &ReachedPositions) -> ReachedPositions {
    let first = places.iter().position(|reached| *reached).unwrap_or(places.len());
    (0..places.len()).map(|at| at >= first).collect()
}

fn merge_places(places: &mut ReachedPositions, more: &ReachedPositions) {
    for (place, other) in places.iter_mut().zip(more) {
        *place |= other;
    }
}

fn is_same(unit: u16, read: u16, mode: MatchMode) -> bool {
    unit == read
        || (mode == MatchMode::Generous
            && case_variants(read).iter().any(|form| case_variants(unit).contains(form)))
}

fn is_in(ranges: &[(u16, u16)], read: u16, negated: bool, unclear: bool, mode: MatchMode) -> bool {
    let within = |unit: u16| ranges.iter().any(|(from, to)| (*from..=*to).contains(&unit));
    match mode {
        // [!a] is not a for a shell, and ! or a for picomatch.
        MatchMode::Strict if unclear => read == u16::from(b'!') && !within(read),
        MatchMode::Strict => read != SLASH && within(read) != negated,
        MatchMode::Generous if unclear => true,
        MatchMode::Generous if negated => !within(read),
        MatchMode::Generous => case_variants(read).iter().any(|form| within(*form)),
    }
}

/// Returns a unit as it is, in lower and in upper case.
fn case_variants(unit: u16) -> [u16; 3] {
    let Some(c) = char::from_u32(u32::from(unit)) else { return [unit; 3] };
    [unit, single(unit, c.to_lowercase()), single(unit, c.to_uppercase())]
}

/// Returns the unit that a change of case gives, where it is one unit.
fn single(unit: u16, mut cases: impl Iterator<Item = char>) -> u16 {
    match (cases.next(), cases.next()) {
        (Some(c), None) => u16::try_from(u32::from(c)).unwrap_or(unit),
        _ => unit,
    }
}
