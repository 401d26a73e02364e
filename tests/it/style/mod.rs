//! Style of the sources: comments, terms, circles of imports, pages that name files, threads, and measures.

mod circles;
mod comments;
mod glossary;
mod measures;
mod threads;
mod uses;
mod where_to;

use postern_tests::repository;
use std::fs;
use std::path::{Path, PathBuf};

struct Source {
    path: String,
    text: String,
}

impl Source {
    /// Returns true for tests and what only tests use.
    fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let in_folder = ["tests/", "benches/", "fuzz/"].iter().any(|folder| self.path.starts_with(folder));
        in_folder || self.path.contains("/tests/") || name.ends_with("tests.rs")
    }

    /// Returns the name of the crate, or of the folder.
    fn room(&self) -> &str {
        let rest = self.path.strip_prefix("src-tauri/crates/").unwrap_or(&self.path);
        let room = rest.split('/').next().unwrap_or_default();
        if room == "src-tauri" { "desktop" } else { room }
    }

    /// Returns the lines that are not for tests alone.
    fn code(&self) -> Vec<&str> {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let (mut kept, mut lines) = (Vec::new(), self.text.lines());
        while let Some(line) = lines.next() {
            if line.trim() != "#[cfg(test)]" {
                kept.push(line);
                continue;
            }
            // The item ends in its own column.
            let ends = |other: &&str| indent(other) == indent(line) && other.ends_with([';', '}', ',']);
            _ = lines.find(ends);
        }
        kept
    }
}

/// Returns all Rust sources that are not generated.
fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    for folder in ["src-tauri/crates", "src-tauri/src", "tests", "benches", "fuzz"] {
        collect(&repository().join(folder), &mut found);
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    assert!(found.len() > 800, "only {} sources were found", found.len());
    found
}

fn collect(folder: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                collect(&path, found);
            }
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let shown = path.strip_prefix(repository()).unwrap().display().to_string();
            found.push(Source { path: shown, text: fs::read_to_string(&path).unwrap() });
        }
    }
}

/// Returns the path of a list of what is still to be improved.
fn list(name: &str) -> PathBuf {
    repository().join("tests/fixtures/style").join(name)
}

#[test]
#[ignore = "scripts/style writes the lists down again"]
fn write() {
    circles::write();
    comments::write();
    measures::write();
}
