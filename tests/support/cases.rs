//! The cases of `postern policy test` in the repository: the corpus and our own. The policy's tests include
//! this file.

use postern_command::{Does, Example, ProgramFile};
use postern_policy::case::{Bins, Case};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The corpus's file name; all others are in the folder of our own cases.
pub const CORPUS: &str = "shell-cases.jsonl";

/// Cases of one file, and what exists in them.
pub struct File {
    /// The file's name.
    pub name: String,
    /// Programs by their bare names.
    pub names: BTreeMap<String, String>,
    /// The cases as they are written.
    pub written: Vec<Value>,
}

impl File {
    fn read(file: &Path, bins: &Path) -> Self {
        let text = |path: &Path| {
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let written =
            text(file).lines().map(|line| serde_json::from_str(line).expect("a case is JSON")).collect();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { name, names: serde_json::from_str(&text(bins)).expect("a map of names"), written }
    }

    /// Returns the examples of a file about a program: what is unsafe or is not followed is never allowed by
    /// a rule for it. An example that only shows effects says nothing of verdicts.
    fn examples(path: &Path, names: &BTreeMap<String, String>) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file = ProgramFile::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let case = |(line, shows): (&String, &postern_command::Shows)| {
            let is_effect = |one: &Example| matches!(one, Example::Effect(Does::Has(_)));
            if shows.0.iter().all(is_effect) {
                return None;
            }
            let harmless = shows.0.contains(&Example::None);
            let expect = if harmless { json!("allow") } else { json!(["ask", "deny"]) };
            let (id, allow) = (format!("{name}: {line}"), programs_of(line, &file.names, names));
            Some(json!({ "id": id, "class": "argument", "shell": line, "allow": allow, "expect": expect }))
        };
        Self { written: file.examples.iter().filter_map(case).collect(), names: names.clone(), name }
    }

    pub fn cases(&self) -> impl Iterator<Item = Case> {
        self.written.iter().map(|case| Case::parse(&case.to_string()).expect("a case"))
    }

    /// Returns the programs that exist in them.
    pub fn bins(&self) -> Bins {
        Bins::new(self.names.clone().into_iter().collect())
    }
}

pub(crate) fn repository() -> &'static Path {
    let holds = |folder: &&Path| folder.join("tests/fixtures").is_dir();
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(holds).expect("the repository holds the cases")
}

/// Returns every file of cases: the corpus, then our own by their names.
pub fn files() -> Vec<File> {
    let fixtures = repository().join("tests/fixtures");
    let folder = fixtures.join("cases");
    let mut own: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    own.retain(|path| path.extension().is_some_and(|kind| kind == "jsonl"));
    own.sort();
    let corpus = File::read(&fixtures.join(CORPUS), &fixtures.join("shell-bins.json"));
    let bins = folder.join("bins.json");
    let own: Vec<File> = own.iter().map(|file| File::read(file, &bins)).collect();
    let names = own.first().map(|file| file.names.clone()).unwrap_or_default();
    let programs = repository().join("src-tauri/crates/command/programs");
    let programs = fs::read_dir(programs).expect("the files about programs");
    let mut programs: Vec<PathBuf> = programs.map(|entry| entry.expect("an entry").path()).collect();
    programs.sort();
    let examples = programs.iter().map(|path| File::examples(path, &names));
    std::iter::once(corpus).chain(own).chain(examples).collect()
}

/// Returns the paths of the programs of a file that a line names, with a version or Homebrew's `g` or
/// without.
fn programs_of(line: &str, own: &[String], names: &BTreeMap<String, String>) -> Vec<String> {
    let parts = line.split(|c: char| c.is_whitespace() || ";|&()`\"'{}<>".contains(c));
    let is_own = |word: &str| {
        let base = word.rsplit('/').next().unwrap_or(word).to_lowercase();
        let plain = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        let gnu = base.strip_prefix('g').unwrap_or(&base);
        own.iter().any(|name| [base.as_str(), plain, gnu].contains(&name.as_str()))
    };
    let path = |word: &str| {
        let base = word.rsplit('/').next().unwrap_or(word);
        names.get(base).cloned().or_else(|| names.values().find(|path| *path == word).cloned())
    };
    let mut found: Vec<String> = parts.filter(|word| is_own(word)).filter_map(path).collect();
    found.sort();
    found.dedup();
    found
}
