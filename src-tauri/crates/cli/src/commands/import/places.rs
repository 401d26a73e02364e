//! Where other programs keep rules.

use crate::import_args::From;
use clap::ValueEnum as _;
use postern_policy::import::{Entry, Taking, read};
use std::path::{Path, PathBuf};

/// Files below the home folder. A `*` stands for the part of a name.
const OF_PERSON: &[(From, &str)] = &[
    (From::ClaudeCode, ".claude/settings.json"),
    (From::Codex, ".codex/rules/*.rules"),
    (From::Cursor, ".cursor/permissions.json"),
    (From::Cursor, ".cursor/cli-config.json"),
    (From::GeminiCli, ".gemini/settings.json"),
    (From::GeminiCli, ".gemini/policies/*.toml"),
    (From::VsCode, "Library/Application Support/Code/User/settings.json"),
    (From::VsCode, ".config/Code/User/settings.json"),
];

/// Files below a project's folder.
const OF_PROJECT: &[(From, &str)] = &[
    (From::ClaudeCode, ".claude/settings.json"),
    (From::ClaudeCode, ".claude/settings.local.json"),
    (From::Codex, ".codex/rules/*.rules"),
    (From::Cursor, ".cursor/permissions.json"),
    (From::Cursor, ".cursor/cli.json"),
    (From::GeminiCli, ".gemini/settings.json"),
    (From::GeminiCli, ".gemini/policies/*.toml"),
    (From::VsCode, ".vscode/settings.json"),
];

/// A file with rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) from: From,
    pub(super) path: PathBuf,
    /// The project that it belongs to.
    pub(super) project: Option<PathBuf>,
}

impl Source {
    /// Reads its entries; the error says what is wrong with the file.
    pub(super) fn entries(&self, taking: &Taking) -> Result<Vec<Entry>, String> {
        let text = std::fs::read_to_string(&self.path).map_err(|error| error.to_string())?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let project = match &self.project {
            Some(project) => Some(project.to_str().ok_or("the project's folder is not UTF-8")?.to_owned()),
            None => None,
        };
        let taking = Taking { project, ..taking.clone() };
        read(self.from.product(), &name, &text, &taking).map_err(|error| error.to_string())
    }
}

/// Returns the files of a program, or of all, that are there.
pub(super) fn found(from: Option<From>, home: &Path, project: &Path) -> Vec<Source> {
    let wanted = |product: &From| from.is_none_or(|from| from == *product);
    let mut all = Vec::new();
    for product in From::value_variants().iter().filter(|product| wanted(product)) {
        let mut add = |files: &[(From, &str)], folder: &Path, project: Option<&Path>| {
            for (_, pattern) in files.iter().filter(|(owner, _)| owner == product) {
                let paths = matching(folder, pattern);
                let source = |path| Source { from: *product, path, project: project.map(Path::to_owned) };
                all.extend(paths.into_iter().map(source));
            }
        };
        add(OF_PERSON, home, None);
        if project != home {
            add(OF_PROJECT, project, Some(project));
        }
    }
    all
}

/// Returns a file that the person names, with the project in whose settings it lies.
pub(super) fn named(from: From, file: &Path, home: &Path, project: Option<&Path>) -> Source {
    let of_settings = file.ancestors().find(|folder| {
        let name = folder.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        [".claude", ".codex", ".cursor", ".gemini", ".vscode"].contains(&name)
    });
    let holder = of_settings.and_then(Path::parent).filter(|holder| *holder != home);
    let project = project.or(holder).map(Path::to_owned);
    Source { from, path: file.to_owned(), project }
}

fn matching(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let path = folder.join(pattern);
    let Some((stem, extension)) = pattern.rsplit('/').next().and_then(|name| name.split_once("*.")) else {
        return if path.is_file() { vec![path] } else { Vec::new() };
    };
    let entries = path.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let fits = |path: &PathBuf| {
        let name = path.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        path.is_file() && name.starts_with(stem) && path.extension().is_some_and(|own| own == extension)
    };
    let mut found: Vec<PathBuf> = paths.filter(fits).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::{Source, found, named};
    use crate::import_args::From;
    use std::fs;
    use std::path::Path;

    #[test]
    fn files_of_the_person_and_of_the_project_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let (home, project) = (folder.path().join("home"), folder.path().join("home/site"));
        for file in [
            "home/.claude/settings.json",
            "home/.codex/rules/default.rules",
            "home/.codex/rules/notes.txt",
            "home/site/.claude/settings.local.json",
            "home/site/.vscode/settings.json",
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{}").unwrap();
        }
        let all = found(None, &home, &project);
        let shown: Vec<_> = all
            .iter()
            .map(|Source { from, path, project }| {
                (from.name(), path.strip_prefix(&home).unwrap(), project.is_some())
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("claude-code", Path::new(".claude/settings.json"), false),
                ("claude-code", Path::new("site/.claude/settings.local.json"), true),
                ("codex", Path::new(".codex/rules/default.rules"), false),
                ("vs-code", Path::new("site/.vscode/settings.json"), true),
            ]
        );
        assert_eq!(found(Some(From::Codex), &home, &home).len(), 1, "the home folder is no project");
    }

    #[test]
    fn a_named_file_belongs_to_the_folder_of_its_settings() {
        let home = Path::new("/h");
        let project = |file: &str| named(From::ClaudeCode, Path::new(file), home, None).project;
        assert_eq!(project("/h/site/.claude/settings.json").as_deref(), Some(Path::new("/h/site")));
        assert_eq!(project("/h/.claude/settings.json"), None);
        assert_eq!(project("/tmp/x.json"), None);
    }
}
