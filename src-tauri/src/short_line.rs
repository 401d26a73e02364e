//! Lines of agents where there is little room for them: in the menu, a notification, and the system's own questions.

/// Returns a line of at most so many characters. Cut at its end only, and visibly.
pub(crate) fn shorten_line(line: &str, longest: usize) -> String {
    match line.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::shorten_line;

    #[test]
    fn a_long_line_is_cut_at_its_end_and_says_so() {
        assert_eq!(shorten_line("git push", 8), "git push");
        assert_eq!(shorten_line(&"é".repeat(5000), 8), "éééééééé…");
    }
}
