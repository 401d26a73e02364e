//! Policy store: agents, rules, skills, settings and permissions files.
//!
//! Requests are judged by an immutable snapshot of it. The only way to change any of them is to write to the
//! record, then swap the snapshot. The caller that changes it notifies the gate.

mod agent_folder;
mod agents;
mod error;
mod history;
mod import;
mod lint;
mod load;
mod managed;
mod past;
mod permissions;
mod permissions_file;
mod pins;
mod remember;
mod replay;
mod rule_changes;
mod rules;
mod sessions;
mod settings;
mod skills;
mod snapshot;
mod values;

pub(crate) use agent_folder::{FolderError, new_key, permissions_folder, read_or_make_key};
pub use agent_folder::{write_soon, write_whole};
pub(crate) use agents::{AgentChanges, NewAgent};
pub(crate) use error::PolicyStoreError;
pub(crate) use history::Matched;
pub(crate) use import::RuleImportResult;
pub(crate) use lint::LintedRule;
use managed::LastManaged;
pub(crate) use managed::{Managed, ManagedPlace, VARIABLE as MANAGED_VARIABLE};
pub(crate) use past::RecordedFacts;
pub(crate) use permissions_file::PermissionsFile;
pub(crate) use remember::{OfferedRule, RuleSaveRequest, SavedRules, ToolRemember};
pub(crate) use replay::{PolicyEdit, ReplayedChange};
pub(crate) use rules::ListedRule;
pub(crate) use sessions::NewSession;
pub(crate) use skills::state_of;
pub(crate) use snapshot::{AgentEntry, Snapshot};
pub(crate) use values::unconfirmed;

use crate::clock::now_millis;

use arc_swap::ArcSwap;
use postern_exec::resolve::Resolver;
use postern_policy::{AgentId, AgentPolicy, Millis};
use postern_store::Store;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard, Notify};

/// Time that folders named by the user have to answer.
pub(crate) const FOLDERS_ANSWER: Duration = Duration::from_secs(5);

/// Paths on this computer.
#[derive(Debug, Clone)]
pub(crate) struct HostPaths {
    /// The data folder: absolute, real.
    pub(crate) data: PathBuf,
    /// The person's home folder: absolute, as text.
    pub(crate) home: String,
    /// Paths at which the rules of an organization may be.
    pub(crate) managed: Vec<ManagedPlace>,
    /// True if names are compared without case (the default volume of macOS).
    pub(crate) any_case: bool,
    pub(crate) root_entries: Arc<[String]>,
}

/// The book. Clones are the same one.
#[derive(Debug, Clone)]
pub(crate) struct PolicyStore {
    inner: Arc<PolicyStoreInner>,
}

#[derive(Debug)]
struct PolicyStoreInner {
    store: Store,
    resolver: Resolver,
    places: HostPaths,
    snapshot: ArcSwap<Snapshot>,
    managed: LastManaged,
    /// Write lock: one change at a time, so that what is written last is swapped in last.
    writing: Mutex<()>,
    sessions: sessions::AgentSessionLayers,
    looks: skills::SkillLooks,
    /// Told when the set of watched folders may have changed.
    roots: Notify,
}

impl PolicyStore {
    /// Reads everything. What does not outlive a host (rules until quit, what is allowed in sessions
    /// that were only named) is removed first.
    pub(crate) async fn open(
        store: Store,
        resolver: Resolver,
        places: HostPaths,
    ) -> Result<Self, PolicyStoreError> {
        // Created before the first agent, because a missing folder cannot be watched.
        agent_folder::make_folder(&permissions_folder(&places.data))?;
        let now = now_millis();
        store
            .write(move |conn| {
                postern_store::rules::remove_volatile(conn)?;
                postern_store::rules::remove_expired(conn, now, Millis::MIN)
            })
            .await?;
        let open = store.read(postern_store::sessions::list_sessions)?;
        let inner = PolicyStoreInner {
            sessions: sessions::AgentSessionLayers::of_record(open, &places.home),
            store,
            resolver,
            places,
            snapshot: ArcSwap::from_pointee(Snapshot::default()),
            managed: LastManaged::default(),
            writing: Mutex::new(()),
            looks: skills::SkillLooks::default(),
            roots: Notify::new(),
        };
        let book = Self { inner: Arc::new(inner) };
        book.skills_approved().await?;
        book.find_skills().await?;
        Ok(book)
    }

    /// Returns everything as it is at the moment. It never changes: what is changed is in the next one.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.inner.snapshot.load_full()
    }

    /// Returns the policy of an agent; `None` if there is no such agent.
    pub(crate) fn policy(&self, agent: &AgentId) -> Option<Arc<AgentPolicy>> {
        self.inner.snapshot.load().agents.get(agent).map(|entry| Arc::clone(&entry.policy))
    }

    /// Returns an agent; `None` if there is no such agent.
    pub(crate) fn find_agent(&self, agent: &AgentId) -> Option<Arc<AgentEntry>> {
        self.inner.snapshot.load().agents.get(agent).cloned()
    }

    pub(crate) fn agents(&self) -> Vec<Arc<AgentEntry>> {
        self.inner.snapshot.load().agents.values().cloned().collect()
    }

    /// Returns the number of the snapshot: another one means that something changed.
    pub(crate) fn version(&self) -> u64 {
        self.inner.snapshot.load().version
    }

    pub(crate) fn places(&self) -> &HostPaths {
        &self.inner.places
    }

    /// Returns the record that it is kept in.
    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn resolver(&self) -> &Resolver {
        &self.inner.resolver
    }

    /// Comes back when the set of watched folders may have changed.
    pub(crate) async fn roots_changed(&self) {
        self.inner.roots.notified().await;
    }

    async fn change(&self) -> MutexGuard<'_, ()> {
        self.inner.writing.lock().await
    }

    pub(crate) fn require_agent(&self, agent: &AgentId) -> Result<Arc<AgentEntry>, PolicyStoreError> {
        self.find_agent(agent).ok_or_else(|| PolicyStoreError::NoAgent(agent.clone()))
    }

    /// Reads files or folders that the user named, within `limit`: the caller may hold the write lock.
    async fn in_time<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce(&Self) -> Result<T, PolicyStoreError> + Send + 'static,
    ) -> Result<T, PolicyStoreError> {
        let late = |_| PolicyStoreError::Invalid("a folder does not answer: nothing was changed".to_owned());
        tokio::time::timeout(limit, self.blocking(work)).await.map_err(late)?
    }

    /// Runs what reads the disk where it may block.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, PolicyStoreError> + Send + 'static,
    ) -> Result<T, PolicyStoreError> {
        let book = self.clone();
        tokio::task::spawn_blocking(move || work(&book)).await.map_err(|_| PolicyStoreError::Interrupted)?
    }
}

#[cfg(test)]
mod tests;
