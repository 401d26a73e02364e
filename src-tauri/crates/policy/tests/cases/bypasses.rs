//! docs/BYPASSES.md against the cases and tests that it names.

use crate::files::repository;
use crate::judged;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the names in backquotes in the last column of the page's tables: cases, and tests by their path.
fn named() -> Vec<String> {
    let page = fs::read_to_string(repository().join("docs/BYPASSES.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with('|') && line.contains('`'));
    let last = rows.filter_map(|row| row.trim_end_matches('|').rsplit("| ").next());
    last.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn every_case_of_the_table_of_bypasses_comes_out_as_it_deserves() {
    let cases: HashMap<_, _> = judged().iter().map(|one| (one.case.id.as_str(), one)).collect();
    let mut wrong = Vec::new();
    for name in named().iter().filter(|name| !name.contains("::")) {
        match cases.get(name.as_str()) {
            None => wrong.push(format!("{name} is no case")),
            Some(one) if !one.outcome.ok => wrong.push(one.told()),
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(named().len() > 80, "the page names what shows it");
}

/// Returns the tests that a page names in backquotes: `module::name_of_the_test`.
fn tests_named_in(page: &str) -> Vec<String> {
    let text = fs::read_to_string(repository().join("docs").join(page)).unwrap();
    let quoted = text.split('`').skip(1).step_by(2);
    let is_test = |word: &&str| {
        word.rsplit_once("::").is_some_and(|(path, function)| {
            let name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            function.len() > 12 && function.chars().all(name) && path.chars().all(|c| name(c) || c == ':')
        })
    };
    quoted.filter(is_test).map(str::to_owned).collect()
}

#[test]
fn every_test_that_a_page_of_security_names_is_there() {
    let root = repository();
    let mut sources = Vec::new();
    for folder in ["src-tauri/src", "src-tauri/crates", "tests"] {
        collect(&root.join(folder), &mut sources);
    }
    let pages = ["ATTACKS.md", "BYPASSES.md", "SECURITY.md"].map(tests_named_in);
    for (page, least) in pages.iter().zip([20, 1, 20]) {
        assert!(page.len() >= least, "the page names what shows it: {page:?}");
    }
    for name in pages.concat() {
        let (path, function) = name.rsplit_once("::").unwrap();
        let file = path.rsplit("::").next().unwrap();
        let there = sources.iter().any(|source| {
            source.file_stem().is_some_and(|stem| stem == file)
                && fs::read_to_string(source).is_ok_and(|text| {
                    text.contains(&format!("fn {function}(")) || text.contains(&format!("\"{function}\""))
                })
        });
        assert!(there, "there is no test {name}");
    }
}

/// Collects sources, and cases of tests with their names.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs" || kind == "jsonl") {
            found.push(path);
        }
    }
}
