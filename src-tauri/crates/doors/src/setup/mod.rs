//! Setup: finds the agents of this computer, changes their settings as shown, imports their rules, and tests
//! the way to Postern.
//!
//! All of it can be undone. The window and `postern setup` call the same methods.

mod connect;
mod find;
mod folders;
mod import;
mod known;
mod path;
mod sources;
mod test;

pub use folders::Folders;
pub use path::shell_folders;
pub use sources::{AgentRuleFile, importable, sources};

use crate::hooks::{HookAgent, HookSettingsEntry, SettingsError};
use async_trait::async_trait;
use known::{AgentConnectMethod, agent_facts};
use postern_contract::methods::{
    ControlError, Imported, KnownAgent, SettingsChange, SetupConnect, SetupConnected, SetupDisconnect,
    SetupDisconnected, SetupFound, SetupImport, SetupPreview, SetupScope, SetupTest, SetupTestRef,
    SetupTested, ShellPath,
};
use postern_host::{ApproverId, Host};
use postern_policy::AgentId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tokio::sync::Mutex;

/// Name of what is remembered of connections.
const KEPT: &str = "setup";

#[derive(Debug)]
pub(crate) struct AgentSetup {
    host: Host,
    /// Changes by agent. Held while one agent is connected or disconnected.
    kept: Mutex<()>,
    tests: test::Tests,
}

/// Changes of connecting an agent: disconnecting undoes them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AgentConnectRecord {
    enrolled: Option<AgentId>,
    rules: Vec<i64>,
    /// The lines that were imported into `permissions.jsonc`.
    permissions: Option<ImportedPermissions>,
    integration: bool,
}

/// An agent's `permissions.jsonc` before and after an import.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ImportedPermissions {
    agent: AgentId,
    before: String,
    after: String,
}

impl AgentSetup {
    pub(crate) fn new(host: &Host) -> Self {
        Self { host: host.clone(), kept: Mutex::default(), tests: test::Tests::default() }
    }

    async fn load_records(&self) -> Result<BTreeMap<KnownAgent, AgentConnectRecord>, ControlError> {
        let kept = self.host.recall(KEPT).await.map_err(ControlError::store)?;
        // What cannot be read is a newer version's: nothing is undone for it.
        Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
    }

    async fn save_records(
        &self,
        done: &BTreeMap<KnownAgent, AgentConnectRecord>,
    ) -> Result<(), ControlError> {
        let value = serde_json::to_value(done).map_err(ControlError::internal)?;
        self.host.remember(KEPT, value).await.map_err(ControlError::store)
    }

    /// Returns the words of the command by which an agent asks this Postern.
    fn command(&self, how: AgentConnectMethod, agent: &AgentId) -> Result<Vec<String>, ControlError> {
        let program = self.host.own_program().ok_or_else(|| {
            ControlError::refused("the program `postern` is not beside this one: install it there")
        })?;
        let text = |path: &Path| path.to_str().map(str::to_owned);
        let (Some(program), Some(data)) = (text(&program), text(self.host.data_folder())) else {
            return Err(ControlError::refused(
                "the paths of Postern and of its data folder have to be UTF-8",
            ));
        };
        let way = match how {
            AgentConnectMethod::Hook(kind) => vec!["hook", kind.name()],
            AgentConnectMethod::Mcp(_)
            | AgentConnectMethod::Integration(_)
            | AgentConnectMethod::Channel(_) => vec!["mcp"],
        };
        let words = [vec![program.as_str(), "--data", data.as_str()], way, vec!["--agent", agent.as_str()]];
        Ok(words.concat().into_iter().map(str::to_owned).collect())
    }

    fn folders(&self, scope: &SetupScope) -> Result<Folders, ControlError> {
        Folders::from_scope(scope, &self.host.user().home)
    }
}

/// Implements the methods for the host by those of the same name, each in the module that it needs.
macro_rules! setup_methods {
    ($($method:ident ($asked:ty) -> $result:ty;)+) => {
        #[async_trait]
        impl postern_host::doors::SetupMethods for AgentSetup {
            $(async fn $method(&self, face: ApproverId, asked: $asked) -> Result<$result, ControlError> {
                Self::$method(self, face, asked).await
            })+
        }
    };
}

setup_methods! {
    find_agents (SetupScope) -> SetupFound;
    preview (SetupPreview) -> SettingsChange;
    read_shell_path (SetupScope) -> ShellPath;
    connect (SetupConnect) -> SetupConnected;
    disconnect (SetupDisconnect) -> SetupDisconnected;
    import (SetupImport) -> Imported;
    start_test (SetupTest) -> SetupTestRef;
    tested (SetupTestRef) -> SetupTested;
}

/// Returns the settings file of an agent, and what is put into it; `None` if connecting it changes no file.
fn settings_of(kind: KnownAgent, folders: &Folders) -> Option<(HookSettingsEntry, PathBuf)> {
    match agent_facts(kind).how {
        AgentConnectMethod::Hook(hook) => match crate::hooks::settings_place(hook, false) {
            crate::hooks::HookSettingsPlace::Home(file) => {
                Some((HookSettingsEntry::Hook(hook), folders.resolve_path(file)))
            }
            crate::hooks::HookSettingsPlace::Here(_) | crate::hooks::HookSettingsPlace::Named(_) => None,
        },
        AgentConnectMethod::Mcp(files) => {
            let files: Vec<PathBuf> = files.iter().map(|file| folders.resolve_path(file)).collect();
            let there = files.iter().find(|file| file.parent().is_some_and(Path::is_dir));
            there.or(files.last()).map(|file| (HookSettingsEntry::McpServer, file.clone()))
        }
        AgentConnectMethod::Integration(_) | AgentConnectMethod::Channel(_) => None,
    }
}

/// Returns the settings of agents that name a Postern with this data folder, with what is put into them.
pub fn settings_with_us(folders: &Folders, data: &Path) -> Vec<(HookSettingsEntry, PathBuf)> {
    let hooks =
        HookAgent::ALL.into_iter().filter_map(|kind| match crate::hooks::settings_place(kind, false) {
            crate::hooks::HookSettingsPlace::Home(file) => {
                Some((HookSettingsEntry::Hook(kind), folders.resolve_path(file)))
            }
            crate::hooks::HookSettingsPlace::Here(_) | crate::hooks::HookSettingsPlace::Named(_) => None,
        });
    let servers = known::of_mcp().map(|file| (HookSettingsEntry::McpServer, folders.resolve_path(file)));
    hooks.chain(servers).filter(|(entry, file)| names_us(*entry, file, data)).collect()
}

/// Returns true if settings name a Postern with this data folder.
pub fn names_us(entry: HookSettingsEntry, file: &Path, data: &Path) -> bool {
    let text = crate::hooks::read_settings(file).ok().flatten().unwrap_or_default();
    named_data(entry, &text).is_some_and(|named| find::same_file(Path::new(&named), data))
}

/// Returns the data folder that settings name in Postern's command.
fn named_data(entry: HookSettingsEntry, settings: &str) -> Option<String> {
    let words = crate::hooks::our_words(entry, settings)?;
    words.iter().skip_while(|word| *word != "--data").nth(1).cloned()
}

fn unusable(error: &SettingsError) -> ControlError {
    ControlError::refused(error.to_string())
}

/// Does work that waits for files on a thread of its own.
async fn with_files<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ControlError> {
    tokio::task::spawn_blocking(work).await.map_err(ControlError::internal)
}
