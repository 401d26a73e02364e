//! Settings of other programs, read as data: lines of `name = value` in sections.

use super::Until;
use postern_exec::small_file;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Bytes of a file of settings that are read at most.
const MOST: u64 = 64 << 10;
const MOST_SHOWN: usize = 200;

/// An entry of a file of settings. Sections are as they are written between the brackets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) section: String,
    pub(super) name: String,
    pub(super) value: String,
}

/// Returns the text of a project's file, empty if there is none. `None` if it is a link, too long, or no text.
pub(super) fn text(path: &Path, until: Until) -> Option<String> {
    text_of(small_file::open_no_link(path), until)
}

fn text_of(file: io::Result<File>, until: Until) -> Option<String> {
    until.check()?;
    match file {
        Ok(file) => small_file::read_text(&file, MOST).ok(),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Some(String::new())
        }
        Err(_) => None,
    }
}

/// Returns the entries of a project's file, in order; none if there is no file.
pub(super) fn entries(path: &Path, until: Until) -> Option<Vec<Entry>> {
    entries_of(&text(path, until)?)
}

/// Returns the entries of a file of the person's or the system's, which may be a link.
pub(super) fn own_entries(path: &Path, until: Until) -> Option<Vec<Entry>> {
    entries_of(&text_of(small_file::open_regular(path), until)?)
}

/// Returns the entries of a text. `None` if programs may read it in different ways.
fn entries_of(text: &str) -> Option<Vec<Entry>> {
    let odd = |c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{feff}';
    let text = text.replace("\r\n", "\n");
    if text.contains(odd) || text.contains("\\\n") {
        return None;
    }
    let (mut section, mut found) = (String::new(), Vec::new());
    for line in text.split('\n').map(trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            let (name, behind) = rest.split_once(']')?;
            if !behind.is_empty() {
                return None;
            }
            name.clone_into(&mut section);
            continue;
        }
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let name = trim(name);
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:@/[]".contains(c);
        if !name.chars().all(plain) {
            return None;
        }
        let value = value.split([';', '#']).next().map(trim).unwrap_or_default().to_owned();
        found.push(Entry { section: section.clone(), name: name.to_ascii_lowercase(), value });
    }
    Some(found)
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// Returns a value that needs no quotes and no variables.
pub(super) fn plain(value: &str) -> Option<&str> {
    let odd = |c: char| c.is_control() || c.is_whitespace() || "\"'`$%\\{}<>|".contains(c);
    (!value.is_empty() && value.len() <= MOST_SHOWN && !value.contains(odd)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{Entry, entries_of, plain};

    #[test]
    fn lines_are_entries_of_sections() {
        let entry = |section: &str, name: &str, value: &str| Entry {
            section: section.to_owned(),
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let text = "; a\nregistry = https://a ; b\r\n\n[remote \"up\"]\n\tURL=git@x:y\n\tprune\n";
        assert_eq!(
            entries_of(text),
            Some(vec![
                entry("", "registry", "https://a"),
                entry("remote \"up\"", "url", "git@x:y"),
                entry("remote \"up\"", "prune", ""),
            ])
        );
    }

    #[test]
    fn what_programs_may_read_otherwise_is_not_read() {
        for text in [
            "a = b\rregistry = evil", "\"registry\" = evil", "a = b\\\nc", "\u{85}registry = good",
            "\u{feff}registry = good", "[a] b = c", "[a\nb = c",
        ] {
            assert_eq!(entries_of(text), None, "{text:?}");
        }
        for value in ["", "${X}", "\"https://a\"", "a b", "%(x)s", &"x".repeat(201)] {
            assert_eq!(plain(value), None, "{value}");
        }
        assert_eq!(plain("https://u@a.example:8080/x"), Some("https://u@a.example:8080/x"));
    }
}
