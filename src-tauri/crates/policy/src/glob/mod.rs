//! Patterns of `permissions.jsonc`: the language of picomatch with `dot` and `bash` on (source 4), read twice over.
//!
//! What allows matches *strictly*: never more than picomatch does. What denies or asks matches *generously*: never less,
//! and without regard to case. A differential fixture made with picomatch itself holds both. What the two readings could
//! not both be sure of is refused when the pattern is read. Text is taken in UTF-16 units, as picomatch takes it.

mod matching;
mod parse;

use matching::{MatchMode, MatchedText};
use parse::Node;
use unicode_normalization::UnicodeNormalization as _;

/// The longest pattern, and the longest text that one may allow, in UTF-16 units: longer than any path a system takes.
pub(crate) const LONGEST: usize = 4096;

/// Stands for any text without a slash, in [`Glob::may_match`]; no character is written so.
pub(crate) const ANY_NAME: char = '\u{fffe}';
/// Stands for any text, in [`Glob::may_match`]; no character is written so.
pub(crate) const ANY_PATH: char = '\u{ffff}';

/// A pattern, read.
#[derive(Debug, Clone)]
pub(crate) struct Glob {
    /// As written: picomatch also takes every pattern for itself.
    written: String,
    raw: WholeGlob,
    /// The pattern with its accents composed, where that makes a difference.
    composed: Option<WholeGlob>,
}

/// A whole pattern: leading `!` taken off.
#[derive(Debug, Clone)]
struct WholeGlob {
    negated: bool,
    nodes: Vec<Node>,
}

impl Glob {
    /// Reads a pattern; the error says what is wrong with it, as a sentence fragment.
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        let composed: String = pattern.nfc().collect();
        let composed = if composed == pattern { None } else { Some(WholeGlob::parse_whole(&composed)?) };
        Ok(Self { written: pattern.to_owned(), raw: WholeGlob::parse_whole(pattern)?, composed })
    }

    /// Returns true if it allows this text: only where picomatch matches, and never across `..` or a line
    /// end.
    pub(crate) fn is_strict_match(&self, text: &str) -> bool {
        let units: Vec<u16> = text.encode_utf16().collect();
        let fits = !units.is_empty() && units.len() <= LONGEST && !text.ends_with('/');
        fits && is_plain(text) && self.raw.matches(text_of(text, &units), MatchMode::Strict)
    }

    /// Returns true if it may deny a text in which [`ANY_NAME`] and [`ANY_PATH`] stand for what is not known.
    pub(crate) fn may_match(&self, text: &str) -> bool {
        let composed: String = text.nfc().collect();
        [(&self.raw, text), (self.composed.as_ref().unwrap_or(&self.raw), &composed)].iter().any(
            |(whole, text)| {
                let units: Vec<u16> = text.encode_utf16().collect();
                let open = MatchedText { units: &units, plain: true, open: true };
                units.len() > LONGEST
                    || whole.negated
                    || matching::is_match(&whole.nodes, open, MatchMode::Generous)
            },
        )
    }

    /// Returns true if it denies or asks about this text: wherever picomatch matches, in any case and with
    /// accents written either way.
    pub(crate) fn is_generous_match(&self, text: &str) -> bool {
        let matches = |whole: &WholeGlob, text: &str| {
            let units: Vec<u16> = text.encode_utf16().collect();
            if units.len() > LONGEST && whole.is_costly() {
                return true;
            }
            whole.matches(text_of(text, &units), MatchMode::Generous)
        };
        let either = |whole: &WholeGlob, text: &str| {
            let bare = text.trim_end_matches('/');
            matches(whole, text) || (bare != text && !bare.is_empty() && matches(whole, bare))
        };
        if self.written == text || either(&self.raw, text) {
            return true;
        }
        let composed: String = text.nfc().collect();
        let differs = composed != text || self.composed.is_some();
        differs && either(self.composed.as_ref().unwrap_or(&self.raw), &composed)
    }
}

fn text_of<'a>(text: &str, units: &'a [u16]) -> MatchedText<'a> {
    MatchedText { units, plain: is_plain(text), open: false }
}

/// Returns true if a text has no `.` and `..` parts and no line ends, which picomatch's stars stop at.
pub(super) fn is_plain(text: &str) -> bool {
    !text.split('/').any(|part| matches!(part, "." | ".."))
        && !text.contains(['\n', '\r', '\u{2028}', '\u{2029}', '\0'])
}

impl WholeGlob {
    fn parse_whole(pattern: &str) -> Result<Self, String> {
        let units: Vec<u16> = pattern.encode_utf16().collect();
        let (negated, nodes) = parse::parse_glob(&units)?;
        Ok(Self { negated, nodes })
    }

    fn matches(&self, text: MatchedText<'_>, mode: MatchMode) -> bool {
        if self.negated {
            !matching::is_match(&self.nodes, text, mode.opposite())
        } else {
            matching::is_match(&self.nodes, text, mode)
        }
    }

    /// Returns true if comparing takes more than time in proportion to the text.
    fn is_costly(&self) -> bool {
        fn has_costly_node(nodes: &[Node]) -> bool {
            nodes.iter().any(|node| match node {
                Node::Not { .. } | Node::Many { .. } => true,
                Node::Perhaps(inner) => has_costly_node(inner),
                Node::Any(branches) => branches.iter().any(|branch| has_costly_node(branch)),
                Node::Unit(_) | Node::One | Node::Star | Node::Set { .. } => false,
            })
        }
        has_costly_node(&self.nodes)
    }
}

#[cfg(test)]
mod tests;
