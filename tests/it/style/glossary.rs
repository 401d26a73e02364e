//! `docs/GLOSSARY.md`: each term has one line, and every name of the code that it gives exists.

use super::{Source, sources};
use postern_tests::repository;
use std::collections::BTreeSet;
use std::fs;

/// Line of the glossary's table.
struct Term {
    name: String,
    meaning: String,
    /// Types and modules that stand for the term in the code.
    names: Vec<String>,
}

fn terms(page: &str) -> Vec<Term> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = lines.map(|line| line.split(" | ").map(str::trim).collect::<Vec<_>>());
    let rows = rows.filter(|row| row.len() == 3 && row[0] != "term");
    rows.map(|row| Term {
        name: row[0].to_owned(),
        meaning: row[1].to_owned(),
        names: row[2].split('`').skip(1).step_by(2).map(str::to_owned).collect(),
    })
    .collect()
}

/// Returns the types that the crates define, each with its crate: `policy::Rule`.
fn types(sources: &[Source]) -> BTreeSet<String> {
    let kinds = ["struct ", "enum ", "trait ", "type "];
    let mut found = BTreeSet::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        for line in source.code().into_iter().map(str::trim) {
            let item = line.split_once("pub").map_or(line, |(before, item)| {
                if before.is_empty() { item.split_once(' ').map_or(item, |(_, item)| item) } else { line }
            });
            let Some(rest) = kinds.iter().find_map(|kind| item.strip_prefix(kind)) else { continue };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            found.insert(format!("{}::{name}", source.room()));
        }
    }
    found
}

#[test]
fn each_term_has_one_line_and_its_names_are_in_the_code() {
    let page = fs::read_to_string(repository().join("docs/GLOSSARY.md")).unwrap();
    let terms = terms(&page);
    assert!(terms.len() >= 40, "only {} terms", terms.len());
    let sources = sources();
    let types = types(&sources);
    assert!(types.contains("policy::Rule") && types.len() > 900, "{} types", types.len());
    let is_module = |path: &str| {
        let (room, inside) = path.split_once("::").unwrap_or((path, ""));
        let file = format!("src-tauri/crates/{room}/src/{}", inside.replace("::", "/"));
        let ends = [format!("{file}.rs"), format!("{file}/mod.rs"), format!("{file}/lib.rs")];
        sources.iter().any(|source| ends.contains(&source.path))
    };
    let mut seen = BTreeSet::new();
    for term in &terms {
        assert!(seen.insert(term.name.clone()), "{} stands twice", term.name);
        assert!(term.meaning.split(' ').count() <= 25, "{}: at most 25 words", term.name);
        for name in &term.names {
            assert!(types.contains(name) || is_module(name), "{}: there is no {name}", term.name);
        }
    }
    let own: Vec<&String> = terms.iter().map(|term| &term.name).collect();
    let mut sorted = own.clone();
    sorted.sort();
    assert_eq!(own, sorted, "the terms are in the order of the alphabet");
}
