//! Length of texts in UTF-16 units, as Telegram counts.

pub(super) fn utf16_length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Cuts a text to so many UTF-16 units, with a sign that there was more.
pub(super) fn truncate_utf16(text: &str, most: usize) -> String {
    let mut length = 0;
    for (start, c) in text.char_indices() {
        length += c.len_utf16();
        if length > most {
            return format!("{}…", &text[..start]);
        }
    }
    text.to_owned()
}
