//! Places of other programs' rules.

use super::Folders;
use super::known::{RULES_OF_PROJECT, RULES_OF_USER, agent_facts};
use postern_command::escape;
use postern_contract::methods::{KnownAgent, RuleSource};
use postern_policy::import::{ForeignEntry, Product, Taking, read_product_file};
use std::path::{Path, PathBuf};

/// Bytes of a file with rules.
const LONGEST: u64 = 4 * 1024 * 1024;

/// A file with rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRuleFile {
    pub kind: KnownAgent,
    pub path: PathBuf,
    pub project: Option<PathBuf>,
}

impl AgentRuleFile {
    /// Reads its entries; the error says what is wrong with the file.
    pub(super) fn entries(&self, taking: &Taking) -> Result<Vec<ForeignEntry>, String> {
        let product = agent_facts(self.kind).rules.ok_or("it has no rules that can be imported")?;
        let text = text_of(&self.path)?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let project = match &self.project {
            Some(project) => Some(project.to_str().ok_or("the project's folder is not UTF-8")?.to_owned()),
            None => None,
        };
        read_product_file(product, &name, &text, &Taking { project, ..taking.clone() })
            .map_err(|error| error.to_string())
    }

    /// Returns it with the number of its entries.
    pub fn to_row(&self, taking: &Taking) -> RuleSource {
        let entries = self.entries(taking);
        RuleSource {
            path: escape::visible_text(&self.path.to_string_lossy()),
            entries: entries.as_ref().ok().map(Vec::len),
            problem: entries.err().map(|problem| escape::visible_text(&problem)),
        }
    }
}

fn text_of(path: &Path) -> Result<String, String> {
    let length = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
    if length > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

/// Returns the agents whose rules can be imported.
pub fn importable() -> impl Iterator<Item = KnownAgent> {
    KnownAgent::ALL.into_iter().filter(|kind| agent_facts(*kind).rules.is_some())
}

/// Returns the files of an agent, or of all, that exist.
pub fn sources(kind: Option<KnownAgent>, folders: &Folders, project: Option<&Path>) -> Vec<AgentRuleFile> {
    let mut all = Vec::new();
    for kind in importable().filter(|one| kind.is_none_or(|kind| kind == *one)) {
        let own = |(owner, _): &&(Product, &str)| Some(*owner) == agent_facts(kind).rules;
        let mut add = |pattern: &Path, project: Option<&Path>| {
            let source = |path| AgentRuleFile { kind, path, project: project.map(Path::to_owned) };
            all.extend(matching(pattern).into_iter().map(source));
        };
        for (_, pattern) in RULES_OF_USER.iter().filter(own) {
            add(&folders.resolve_path(pattern), None);
        }
        if let Some(project) = project.filter(|project| *project != folders.home_folder()) {
            for (_, pattern) in RULES_OF_PROJECT.iter().filter(own) {
                add(&project.join(pattern), Some(project));
            }
        }
    }
    all
}

/// Returns a file that the user names, with the project in whose settings it is.
pub(super) fn named_source(
    kind: KnownAgent,
    file: &Path,
    folders: &Folders,
    project: Option<&Path>,
) -> AgentRuleFile {
    let of_settings = file.ancestors().find(|folder| {
        let name = folder.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        [".claude", ".codex", ".cursor", ".gemini", ".vscode"].contains(&name)
    });
    let of_user =
        |folder: &&Path| agent_facts(kind).folders.iter().any(|own| folders.resolve_path(own) == **folder);
    let of_settings = of_settings.filter(|folder| !of_user(folder));
    let holder = of_settings.and_then(Path::parent).filter(|holder| *holder != folders.home_folder());
    let project = project.or(holder).map(Path::to_owned);
    AgentRuleFile { kind, path: file.to_owned(), project }
}

fn matching(pattern: &Path) -> Vec<PathBuf> {
    let name = pattern.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
    let Some((stem, extension)) = name.split_once("*.") else {
        return if pattern.is_file() { vec![pattern.to_owned()] } else { Vec::new() };
    };
    let entries = pattern.parent().and_then(|folder| std::fs::read_dir(folder).ok());
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
    use super::{AgentRuleFile, named_source, sources};
    use crate::setup::Folders;
    use postern_contract::methods::{KnownAgent, SetupScope};
    use std::fs;
    use std::path::Path;

    #[test]
    fn files_of_the_user_and_of_the_project_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let (home, project) = (folder.path().join("home"), folder.path().join("home/site"));
        for file in [
            "home/.claude/settings.json", "home/.codex/rules/default.rules", "home/.codex/rules/notes.txt",
            "home/site/.claude/settings.local.json", "home/site/.vscode/settings.json",
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{}").unwrap();
        }
        let folders = Folders::from_scope(&SetupScope::default(), home.to_str().unwrap()).unwrap();
        let all = sources(None, &folders, Some(&project));
        let shown: Vec<_> = all
            .iter()
            .map(|AgentRuleFile { kind, path, project }| {
                (kind.name(), path.strip_prefix(&home).unwrap(), project.is_some())
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
        let codex = sources(Some(KnownAgent::Codex), &folders, Some(&home));
        assert_eq!(codex.len(), 1, "the home folder is no project");
    }

    #[test]
    fn a_named_file_belongs_to_the_folder_of_its_settings() {
        let claude_config_dir = Some("/work/.claude".to_owned());
        let scope = SetupScope { claude_config_dir, ..SetupScope::default() };
        let folders = Folders::from_scope(&scope, "/h").unwrap();
        let project =
            |file: &str| named_source(KnownAgent::ClaudeCode, Path::new(file), &folders, None).project;
        assert_eq!(project("/h/site/.claude/settings.json").as_deref(), Some(Path::new("/h/site")));
        assert_eq!(project("/h/.claude/settings.json"), None);
        assert_eq!(project("/work/.claude/settings.json"), None, "that is the user's own");
        assert_eq!(project("/tmp/x.json"), None);
    }
}
