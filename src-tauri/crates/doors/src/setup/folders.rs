//! The folders in which agents keep settings and rules.

use super::known::FOLDERS_OF_ENVIRONMENT;
use postern_contract::methods::{ControlError, SetupScope};
use std::path::{Path, PathBuf};

/// The folders of a scope.
#[derive(Debug, Clone)]
pub struct Folders {
    home: PathBuf,
    /// Folders elsewhere, each after its usual name below the home folder.
    moved: Vec<(&'static str, PathBuf)>,
}

impl Folders {
    /// Returns the folders of a scope; `home` where it names none.
    ///
    /// # Errors
    /// Says which of them is not an absolute path.
    pub fn from_scope(scope: &SetupScope, home: &str) -> Result<Self, ControlError> {
        let absolute = |name: &str, path: &str| {
            let path = PathBuf::from(path);
            let problem = || ControlError::invalid(format!("{name} is an absolute path"));
            path.is_absolute().then_some(path).ok_or_else(problem)
        };
        let given = [scope.claude_config_dir.as_deref(), scope.codex_home.as_deref()];
        let moved = FOLDERS_OF_ENVIRONMENT.iter().zip(given);
        let moved = moved.filter_map(|((name, usual), path)| Some((*usual, absolute(name, path?))));
        Ok(Self {
            home: absolute("home", scope.home.as_deref().unwrap_or(home))?,
            moved: moved.map(|(usual, path)| Ok((usual, path?))).collect::<Result<_, ControlError>>()?,
        })
    }

    pub(super) fn home_folder(&self) -> &Path {
        &self.home
    }

    /// Returns the place of what is usually at this path below the home folder.
    pub(super) fn resolve_path(&self, below_home: &str) -> PathBuf {
        let moved = self.moved.iter().find_map(|(usual, folder)| {
            let rest = Path::new(below_home).strip_prefix(usual).ok()?;
            Some(folder.components().chain(rest.components()).collect())
        });
        moved.unwrap_or_else(|| self.home.join(below_home))
    }
}

#[cfg(test)]
mod tests {
    use super::Folders;
    use postern_contract::methods::SetupScope;
    use std::path::Path;

    #[test]
    fn what_an_agent_keeps_elsewhere_is_looked_up_there() {
        let scope = SetupScope { codex_home: Some("/work/codex".to_owned()), ..SetupScope::default() };
        let folders = Folders::from_scope(&scope, "/h").unwrap();
        for (below, place) in [
            (".codex", "/work/codex"),
            (".codex/rules/*.rules", "/work/codex/rules/*.rules"),
            (".codexes", "/h/.codexes"),
            (".claude/settings.json", "/h/.claude/settings.json"),
        ] {
            assert_eq!(folders.resolve_path(below), Path::new(place), "{below}");
        }
    }

    #[test]
    fn a_folder_that_depends_on_where_one_is_has_no_place() {
        let claude_config_dir = Some("claude".to_owned());
        let relative = Folders::from_scope(&SetupScope { claude_config_dir, ..SetupScope::default() }, "/h");
        assert!(relative.unwrap_err().message.contains("CLAUDE_CONFIG_DIR"));
    }
}
