//! docs/BYPASSES.md against the cases and tests that it names.

use postern_policy::case::{Bins, Case};
use postern_tests::{cases, repository};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The names in backquotes in the last column of the page's tables: cases, and tests by their path.
fn named() -> Vec<String> {
    let page = fs::read_to_string(repository().join("docs/BYPASSES.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with('|') && line.contains('`'));
    let last = rows.filter_map(|row| row.trim_end_matches('|').rsplit("| ").next());
    last.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn every_case_of_the_table_of_bypasses_comes_out_as_it_deserves() {
    let cases = by_name();
    let mut wrong = Vec::new();
    for name in named().iter().filter(|name| !name.contains("::")) {
        match cases.get(name) {
            None => wrong.push(format!("{name} is no case")),
            Some((case, bins)) => {
                let outcome = case.run(Some(bins)).unwrap();
                if !outcome.ok {
                    wrong.push(format!("{name} came out as {:?}: {}", outcome.got, outcome.message));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(named().len() > 80, "the page names what shows it");
}

#[test]
fn every_test_of_the_table_of_bypasses_is_there() {
    let root = repository();
    let mut sources = Vec::new();
    for folder in ["src-tauri/crates", "tests"] {
        collect(&root.join(folder), &mut sources);
    }
    for name in named().iter().filter(|name| name.contains("::")) {
        let (path, function) = name.rsplit_once("::").unwrap();
        let file = path.rsplit("::").next().unwrap();
        let there = sources.iter().any(|source| {
            source.file_stem().is_some_and(|stem| stem == file)
                && fs::read_to_string(source).unwrap().contains(&format!("fn {function}("))
        });
        assert!(there, "there is no test {name}");
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

/// Every case by its name, with what exists in it.
fn by_name() -> HashMap<String, (Case, Bins)> {
    let with_bins = |file: &cases::File| {
        let bins = file.bins();
        file.cases().map(|case| (case.id.clone(), (case, bins.clone()))).collect::<Vec<_>>()
    };
    cases::files().iter().flat_map(with_bins).collect()
}
