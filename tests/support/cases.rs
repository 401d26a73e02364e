//! The cases of `postern policy test` in the repository: the corpus and our own. The policy's tests include
//! this file.

use postern_policy::case::{Bins, Case};
use serde_json::Value;
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

    /// The cases, to be run.
    pub fn cases(&self) -> impl Iterator<Item = Case> {
        self.written.iter().map(|case| Case::parse(&case.to_string()).expect("a case"))
    }

    /// What exists in them.
    pub fn bins(&self) -> Bins {
        Bins::new(self.names.clone().into_iter().collect())
    }
}

/// Returns the root of the repository, from any crate in it.
pub(crate) fn repository() -> &'static Path {
    let holds = |folder: &&Path| folder.join("tests/fixtures").is_dir();
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(holds).expect("the repository holds the cases")
}

/// Every file of cases: the corpus, then our own by their names.
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
    std::iter::once(corpus).chain(own.iter().map(|file| File::read(file, &bins))).collect()
}
