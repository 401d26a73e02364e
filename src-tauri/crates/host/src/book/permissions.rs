//! Changes of agents' `permissions.jsonc`: written by a person, or read again when they changed.

use super::agent_folder::{AgentFolder, write_whole};
use super::permissions_file::PermissionsFile;
use super::{AgentEntry, PolicyStore, PolicyStoreError};
use postern_policy::AgentId;
use postern_policy::permissions::FileLayer;

impl PolicyStore {
    /// Writes an agent's `permissions.jsonc`. A text that cannot be read is refused, and nothing is written.
    pub(crate) async fn set_permissions(
        &self,
        agent: &AgentId,
        text: String,
    ) -> Result<(), PolicyStoreError> {
        let _one = self.change().await;
        let entry = self.require_agent(agent)?;
        FileLayer::parse(&text, &self.places().home)?;
        self.write_permissions(&entry.folder, text).await?;
        self.reload(Some(agent)).await
    }

    pub(super) async fn write_permissions(
        &self,
        folder: &AgentFolder,
        text: String,
    ) -> Result<(), PolicyStoreError> {
        let path = folder.permissions();
        self.blocking(move |_| {
            write_whole(&path, text.as_bytes()).map_err(|source| PolicyStoreError::File { path, source })
        })
        .await
    }

    /// Reads every `permissions.jsonc` again. Gives the agents whose file changed.
    pub(crate) async fn reread_permissions(&self) -> Result<Vec<AgentId>, PolicyStoreError> {
        let changed = self.blocking(|book| Ok(book.changed_permissions())).await?;
        for agent in &changed {
            let _one = self.change().await;
            self.reload(Some(agent)).await?;
        }
        Ok(changed)
    }

    /// Returns true if an agent's file is what it is judged by.
    pub(crate) fn is_current(&self, agent: &AgentId) -> bool {
        self.find_agent(agent).is_none_or(|entry| entry.permissions.is_current(&entry.folder.permissions()))
    }

    /// Reads one agent's `permissions.jsonc` again. Gives whether it changed.
    pub(crate) async fn reread_permissions_of(&self, agent: &AgentId) -> Result<bool, PolicyStoreError> {
        let _one = self.change().await;
        let entry = self.require_agent(agent)?;
        let before = entry.permissions.clone();
        let home = self.places().home.clone();
        let now = self.blocking(move |_| Ok(PermissionsFile::read(&entry.folder, &home))).await?;
        if now.text == before.text && now.read.is_err() == before.read.is_err() && now.stamp == before.stamp {
            return Ok(false);
        }
        self.reload(Some(agent)).await?;
        Ok(now.text != before.text || now.read.is_err() != before.read.is_err())
    }

    fn changed_permissions(&self) -> Vec<AgentId> {
        let home = &self.places().home;
        let differs = |entry: &AgentEntry| {
            let now = PermissionsFile::read(&entry.folder, home);
            now.text != entry.permissions.text || now.read.is_err() != entry.permissions.read.is_err()
        };
        let entries = self.agents();
        entries.iter().filter(|entry| differs(entry)).map(|entry| entry.agent.id.clone()).collect()
    }
}
