//! Pages that name files of the project: each file is there, and a change named in `CONTRIBUTING.md` needs at most three.

use postern_tests::repository;
use std::fs;

/// Pages for those who work on the project, whose paths are from the root of the repository.
const PAGES: [&str; 3] = ["CONTRIBUTING.md", "docs/ARCHITECTURE.md", "docs/GLOSSARY.md"];
/// First folders of the repository, by which a path is told from other code.
const ROOTS: [&str; 8] = ["src-tauri/", "ui/", "docs/", "tests/", "scripts/", "benches/", "fuzz/", ".ci/"];
/// Beginning of the names of things to do.
const SECTION: &str = "## Where to";
const MOST_FILES: usize = 3;

/// Returns the paths in a text, without what stands for a name of one's own (`NAME`).
fn paths(text: &str) -> Vec<&str> {
    let code = text.split('`').skip(1).step_by(2);
    let paths = code.filter(|word| ROOTS.iter().any(|root| word.starts_with(root)) && !word.contains(' '));
    paths.collect()
}

fn exists(path: &str) -> bool {
    let folder = path.split("NAME").next().unwrap_or(path);
    let folder =
        if folder == path { path } else { folder.rsplit_once('/').map_or(folder, |(folder, _)| folder) };
    repository().join(folder).exists()
}

#[test]
fn the_pages_name_files_that_are_there() {
    for page in PAGES {
        let text = fs::read_to_string(repository().join(page)).unwrap();
        let paths = paths(&text);
        assert!(page.ends_with("GLOSSARY.md") || paths.len() > 5, "{page} names no files");
        for path in paths {
            assert!(exists(path), "{page}: there is no {path}");
        }
    }
}

#[test]
fn a_common_change_needs_at_most_three_files() {
    let page = fs::read_to_string(repository().join("CONTRIBUTING.md")).unwrap();
    let section = page.split_once(SECTION).expect("CONTRIBUTING.md says where to change what").1;
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows: Vec<&str> =
        section.lines().filter(|line| line.starts_with("| ") && line.contains('`')).collect();
    let quick = ["wrapper", "denial", "question", "chat network", "waits", "macOS"];
    for word in quick {
        let row = rows.iter().find(|row| row.contains(word)).unwrap_or_else(|| panic!("no row about {word}"));
        assert_eq!(paths(row).len(), 1, "one file: {row}");
    }
    let steps: Vec<&str> = section.lines().filter(|line| line.starts_with("**")).collect();
    assert!(steps.len() >= 4, "program, door, field and setting: {steps:?}");
    for step in steps {
        let count = paths(step).len();
        assert!((1..=MOST_FILES).contains(&count), "{count} files: {step}");
    }
}
