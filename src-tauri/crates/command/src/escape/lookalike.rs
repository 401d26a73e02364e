//! Names that look like other names: which tokens they are, and what they look like.

use std::ops::Range;

use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_security::skeleton;

/// A token that a reader may take for another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookalike {
    /// Span of the token in the text (bytes).
    pub span: Range<usize>,
    /// Reason why it may be mistaken.
    pub resemblance: Resemblance,
}

/// Reason why a token may be mistaken for another one (Unicode TS 39).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resemblance {
    /// Letters of several alphabets in one token (`gіt` with a Cyrillic і).
    MixedScripts,
    /// All of it is drawn like this ASCII text.
    Ascii(String),
}

/// Returns the tokens of a text that look like something else, in order. Tokens end at white space and ASCII
/// punctuation.
pub fn lookalikes(text: &str) -> impl Iterator<Item = Lookalike> + '_ {
    // ASCII looks like nothing but itself.
    let searched = if text.is_ascii() { "" } else { text };
    tokens(searched)
        .filter_map(|span| Some(Lookalike { resemblance: resemblance(&text[span.clone()])?, span }))
}

fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let ends = |c: char| c.is_whitespace() || c.is_ascii_punctuation();
    let mut start = 0;
    text.split(ends).filter_map(move |token| {
        let span = start..start + token.len();
        let rest = &text[span.end..];
        start = span.end + rest.chars().next().map_or(0, char::len_utf8);
        // Punctuation beyond ASCII (an ellipsis, a typographic quote) is no letter that could be mistaken in a name.
        token.chars().any(|c| !c.is_ascii() && c.is_alphabetic()).then_some(span)
    })
}

fn resemblance(token: &str) -> Option<Resemblance> {
    let drawn: Option<String> = skeleton(token).map(|c| c.is_ascii().then_some(c)).collect();
    if let Some(drawn) = drawn.filter(|drawn| !drawn.is_empty()) {
        return Some(Resemblance::Ascii(drawn));
    }
    (!is_one_alphabet(token)).then_some(Resemblance::MixedScripts)
}

/// Returns true if the letters are of one script, or of scripts that are written together.
///
/// Latin beside those of Chinese, Japanese or Korean (Unicode TS 39, 5.2, *highly restrictive*).
fn is_one_alphabet(token: &str) -> bool {
    let latin = AugmentedScriptSet::for_char('a');
    let (mut all, mut besides_latin) = (AugmentedScriptSet::default(), AugmentedScriptSet::default());
    for set in token.chars().map(AugmentedScriptSet::for_char) {
        all.intersect_with(set);
        let mut common = set;
        common.intersect_with(latin);
        if common.is_empty() {
            besides_latin.intersect_with(set);
        }
    }
    !all.is_empty() || besides_latin.hanb || besides_latin.jpan || besides_latin.kore
}
