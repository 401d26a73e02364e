//! Search path of the user's shell, by which an agent's programs are looked up or asked about.

use super::AgentSetup;
use postern_command::escape;
use postern_contract::methods::{AgentSet, ControlError, SetAgent, SetupScope, ShellPath};
use postern_host::ApproverId;
use postern_policy::{AgentId, SEARCH_PATH};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

/// Name of what is remembered of it.
const KEPT: &str = "shell-path";

impl AgentSetup {
    /// Tells the host what was remembered.
    pub(crate) async fn recall_path(&self) {
        match self.host.recall(KEPT).await {
            Ok(kept) => {
                let folders = kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default();
                self.host.set_shell_path(folders);
            }
            Err(error) => tracing::warn!(%error, "where the user's shell finds programs cannot be read"),
        }
    }

    /// Reads where the user's shell finds programs, and remembers it.
    pub(crate) async fn read_shell_path(
        &self,
        _: ApproverId,
        scope: SetupScope,
    ) -> Result<ShellPath, ControlError> {
        let folders = self.read_path(&scope).await?;
        let escaped = |folders: &mut dyn Iterator<Item = &String>| {
            folders.map(|folder| escape::visible_text(folder)).collect::<Vec<_>>()
        };
        let added = escaped(&mut folders.iter().filter(|folder| !is_built_in(folder)));
        Ok(ShellPath { folders: escaped(&mut folders.iter()), added })
    }

    /// Gives an agent that was just enrolled the search path of the user's shell, if that has folders of its own.
    pub(super) async fn like_shell(
        &self,
        face: ApproverId,
        agent: &AgentId,
        scope: &SetupScope,
    ) -> Result<Vec<String>, ControlError> {
        let folders = match self.read_path(scope).await {
            Ok(folders) => folders,
            Err(error) => {
                tracing::warn!(%error, "where the user's shell finds programs is not known");
                return Ok(Vec::new());
            }
        };
        if folders.iter().all(|folder| is_built_in(folder)) {
            return Ok(Vec::new());
        }
        let values = BTreeMap::from([("search-path".to_owned(), folders.join(":"))]);
        let set = AgentSet { agent: agent.clone(), settings: None, values };
        match self.host.call_method::<SetAgent>(face, &set).await {
            Ok(_) => Ok(folders.iter().map(|folder| escape::visible_text(folder)).collect()),
            Err(error) => {
                // An organization decides it.
                tracing::warn!(%error, "the agent keeps the built-in search path");
                Ok(Vec::new())
            }
        }
    }

    async fn read_path(&self, scope: &SetupScope) -> Result<Vec<String>, ControlError> {
        let path = if let Some(path) = &scope.path {
            path.clone()
        } else {
            let read = self.host.login_path().await;
            read.map_err(|error| ControlError::refused(error.to_string()))?
        };
        let folders = super::with_files(move || shell_folders(&path)).await?;
        let value = serde_json::to_value(&folders).map_err(ControlError::internal)?;
        self.host.remember(KEPT, value).await.map_err(ControlError::store)?;
        self.host.set_shell_path(folders.clone());
        Ok(folders)
    }
}

/// Returns the folders of a `PATH` in which an agent's programs may be looked up: absolute, there, and not for everybody to
/// write.
pub fn shell_folders(path: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for folder in path.split(':').filter(|folder| folder.starts_with('/') && !folder.contains(',')) {
        let private = || {
            std::fs::metadata(folder)
                .is_ok_and(|found| found.is_dir() && found.permissions().mode() & 0o002 == 0)
        };
        if !all.iter().any(|known| known == folder) && private() {
            all.push(folder.to_owned());
        }
    }
    all
}

fn is_built_in(folder: &str) -> bool {
    SEARCH_PATH.contains(&folder)
}

#[cfg(test)]
mod tests {
    use super::shell_folders;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn folders_that_are_there_and_private_are_taken_once_in_their_order() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name).display().to_string();
        for name in ["own", "shared", "more"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::set_permissions(at("shared"), fs::Permissions::from_mode(0o777)).unwrap();
        fs::write(at("file"), "").unwrap();
        let path = [at("more"), at("own"), at("shared"), at("none"), at("file"), at("more"), ".".to_owned()]
            .join(":");
        assert_eq!(shell_folders(&(path + "::relative/bin")), [at("more"), at("own")]);
    }
}
