//! Shell text: every text is read, whatever it is, and a command on a line of its own is never lost.

use postern_command::{Dialect, ParsedCommand, read_shell};

/// Reads the bytes as shell text in each dialect.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for dialect in [Dialect::Posix, Dialect::Bash, Dialect::Zsh] {
        let reading = read_shell(text, dialect);
        holds_together(&reading);
        assert_eq!(reading, read_shell(text, dialect), "the same text is read the same way");
    }
    next_line_is_seen(text);
}

/// Spans lie in the text, indices in their argv, and something is always said.
pub(crate) fn holds_together(reading: &ParsedCommand) {
    let opaque = reading.opaque.iter().chain(reading.steps.iter().filter_map(|step| step.opaque.as_ref()));
    let spans = reading.steps.iter().map(|step| &step.span).chain(opaque.map(|opaque| &opaque.span));
    for span in spans.chain(&reading.bodies) {
        assert!(reading.text.get(span.clone()).is_some(), "{span:?} is no part of {:?}", reading.text);
    }
    for step in &reading.steps {
        assert!(step.script.is_none_or(|at| at < step.argv.len()), "the script is one of the words");
        assert!(step.ways_out.iter().all(|way| way.argument < step.argv.len()), "so is every way out");
    }
    assert!(
        reading.invalid.is_some() || !reading.steps.is_empty() || !reading.opaque.is_empty(),
        "nothing is said about {:?}",
        reading.text
    );
}

/// Checks that a text that reads clear leaves the next line a line of its own, unless it ends in a backslash
/// or a here-document.
fn next_line_is_seen(text: &str) {
    if text.ends_with('\\') || text.contains("<<") {
        return;
    }
    let reading = read_shell(&format!("{text}\nfollowing-line"), Dialect::Bash);
    if reading.is_clear() {
        let seen = reading.steps.iter().any(|step| step.program() == Some("following-line"));
        assert!(seen, "the line after {text:?} is lost");
    }
}
