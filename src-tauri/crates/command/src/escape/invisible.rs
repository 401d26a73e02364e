//! Characters that a person cannot see, or cannot tell from nothing.

use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};

/// Returns true if the character has no shape of its own: it must be shown as an escape.
pub(super) fn is_invisible(c: char) -> bool {
    match c.general_category() {
        GeneralCategory::Control
        | GeneralCategory::Format
        | GeneralCategory::Surrogate
        | GeneralCategory::PrivateUse
        | GeneralCategory::Unassigned
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator => true,
        GeneralCategory::SpaceSeparator => c != ' ',
        _ => is_blank_shape(c),
    }
}

/// Returns true if the character is drawn on top of the one before it.
pub(super) fn is_combining(c: char) -> bool {
    matches!(
        c.general_category(),
        GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark | GeneralCategory::SpacingMark
    )
}

/// Checks that the character picks how the emoji before it is drawn: as a picture (`⚠️`).
pub(super) fn follows_emoji(before: char, c: char) -> bool {
    c == '\u{fe0f}' && !before.is_ascii() && before.is_emoji_char()
}

/// Letters, marks and symbols that are drawn as nothing: fillers, variation selectors, joiners, blank patterns.
fn is_blank_shape(c: char) -> bool {
    matches!(
        c,
        '\u{34f}'                       // combining grapheme joiner
            | '\u{115f}' | '\u{1160}'   // Hangul fillers
            | '\u{17b4}' | '\u{17b5}'   // Khmer inherent vowels
            | '\u{180b}'..='\u{180f}'   // Mongolian variation selectors
            | '\u{2800}'                // Braille pattern blank
            | '\u{3164}' | '\u{ffa0}'   // Hangul fillers
            | '\u{fe00}'..='\u{fe0f}'   // variation selectors
            | '\u{1d159}'               // musical symbol null notehead
            | '\u{e0000}'..='\u{e0fff}' // tags, variation selectors supplement
    )
}
