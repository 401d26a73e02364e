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
pub use sources::{Source, importable, sources};

use crate::hooks::{Entry, Kind, SettingsError};
use known::{How, known};
use postern_contract::methods::{
    ControlCode, ControlError, Imported, KnownAgent, SettingsChange, SetupConnect, SetupConnected,
    SetupDisconnect, SetupDisconnected, SetupFound, SetupImport, SetupPreview, SetupScope, SetupTest,
    SetupTestRef, SetupTested, ShellPath,
};
use postern_host::doors::Answer;
use postern_host::{FaceId, Host};
use postern_policy::AgentId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tokio::sync::Mutex;

/// Name of what is remembered of connections.
const KEPT: &str = "setup";

/// Setup of a host.
#[derive(Debug)]
pub(crate) struct Setup {
    host: Host,
    /// Changes by agent. Held while one agent is connected or disconnected.
    kept: Mutex<()>,
    tests: test::Tests,
}

/// Changes of connecting an agent: disconnecting undoes them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Done {
    /// The agent that was enrolled.
    enrolled: Option<AgentId>,
    /// The rules that were imported.
    #[serde(default)]
    rules: Vec<i64>,
    /// The lines that were imported into `permissions.jsonc`.
    #[serde(default)]
    permissions: Option<Lines>,
    /// True if the integration was enabled.
    #[serde(default)]
    integration: bool,
}

/// An agent's `permissions.jsonc` before and after an import.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Lines {
    agent: AgentId,
    before: String,
    after: String,
}

impl Setup {
    pub(crate) fn new(host: &Host) -> Self {
        Self { host: host.clone(), kept: Mutex::default(), tests: test::Tests::default() }
    }

    async fn done(&self) -> Result<BTreeMap<KnownAgent, Done>, ControlError> {
        let kept = self.host.recall(KEPT).await.map_err(|error| store(&error))?;
        // What cannot be read is a newer version's: nothing is undone for it.
        Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
    }

    async fn keep(&self, done: &BTreeMap<KnownAgent, Done>) -> Result<(), ControlError> {
        let value = serde_json::to_value(done).map_err(|error| internal(&error))?;
        self.host.remember(KEPT, value).await.map_err(|error| store(&error))
    }

    /// Returns the words of the command by which an agent asks this Postern.
    fn command(&self, how: How, agent: &AgentId) -> Result<Vec<String>, ControlError> {
        let program = self.host.own_program().ok_or_else(|| {
            ControlError::refused("the program `postern` is not beside this one: install it there")
        })?;
        let text = |path: &Path| path.to_str().map(str::to_owned);
        let (Some(program), Some(data)) = (text(&program), text(self.host.data())) else {
            return Err(ControlError::refused(
                "the paths of Postern and of its data folder have to be UTF-8",
            ));
        };
        let way = match how {
            How::Hook(kind) => vec!["hook", kind.name()],
            How::Mcp(_) | How::Integration(_) | How::Channel(_) => vec!["mcp"],
        };
        let words = [vec![program.as_str(), "--data", data.as_str()], way, vec!["--agent", agent.as_str()]];
        Ok(words.concat().into_iter().map(str::to_owned).collect())
    }

    /// Returns the folders of the scope.
    fn folders(&self, scope: &SetupScope) -> Result<Folders, ControlError> {
        Folders::of(scope, &self.host.user().home)
    }
}

impl postern_host::doors::Setup for Setup {
    fn find(&self, face: FaceId, asked: SetupScope) -> Answer<'_, SetupFound> {
        Box::pin(Self::find(self, face, asked))
    }

    fn preview(&self, face: FaceId, asked: SetupPreview) -> Answer<'_, SettingsChange> {
        Box::pin(Self::preview(self, face, asked))
    }

    fn path(&self, face: FaceId, asked: SetupScope) -> Answer<'_, ShellPath> {
        Box::pin(Self::path(self, face, asked))
    }

    fn connect(&self, face: FaceId, asked: SetupConnect) -> Answer<'_, SetupConnected> {
        Box::pin(Self::connect(self, face, asked))
    }

    fn disconnect(&self, face: FaceId, asked: SetupDisconnect) -> Answer<'_, SetupDisconnected> {
        Box::pin(Self::disconnect(self, face, asked))
    }

    fn import(&self, face: FaceId, asked: SetupImport) -> Answer<'_, Imported> {
        Box::pin(Self::import(self, face, asked))
    }

    fn test(&self, face: FaceId, asked: SetupTest) -> Answer<'_, SetupTestRef> {
        Box::pin(Self::test(self, face, asked))
    }

    fn tested(&self, face: FaceId, asked: SetupTestRef) -> Answer<'_, SetupTested> {
        Box::pin(Self::tested(self, face, asked))
    }
}

/// Returns the settings file of an agent, and what is put into it; `None` if connecting it changes no file.
fn settings_of(kind: KnownAgent, folders: &Folders) -> Option<(Entry, PathBuf)> {
    match known(kind).how {
        How::Hook(hook) => match crate::hooks::place(hook, false) {
            crate::hooks::Place::Home(file) => Some((Entry::Hook(hook), folders.place(file))),
            crate::hooks::Place::Here(_) | crate::hooks::Place::Named(_) => None,
        },
        How::Mcp(files) => {
            let files: Vec<PathBuf> = files.iter().map(|file| folders.place(file)).collect();
            let there = files.iter().find(|file| file.parent().is_some_and(Path::is_dir));
            there.or(files.last()).map(|file| (Entry::McpServer, file.clone()))
        }
        How::Integration(_) | How::Channel(_) => None,
    }
}

/// Returns the settings of agents that name a Postern with this data folder, with what is put into them.
pub fn settings_with_us(folders: &Folders, data: &Path) -> Vec<(Entry, PathBuf)> {
    let hooks = Kind::ALL.into_iter().filter_map(|kind| match crate::hooks::place(kind, false) {
        crate::hooks::Place::Home(file) => Some((Entry::Hook(kind), folders.place(file))),
        crate::hooks::Place::Here(_) | crate::hooks::Place::Named(_) => None,
    });
    let servers = known::of_mcp().map(|file| (Entry::McpServer, folders.place(file)));
    let ours = |(entry, file): &(Entry, PathBuf)| {
        let text = crate::hooks::read_settings(file).ok().flatten().unwrap_or_default();
        named_data(*entry, &text).is_some_and(|named| find::same_file(Path::new(&named), data))
    };
    hooks.chain(servers).filter(ours).collect()
}

/// Returns the data folder that settings name in Postern's command.
fn named_data(entry: Entry, settings: &str) -> Option<String> {
    let words = crate::hooks::our_words(entry, settings)?;
    words.iter().skip_while(|word| *word != "--data").nth(1).cloned()
}

fn internal(error: &dyn std::fmt::Display) -> ControlError {
    ControlError::new(ControlCode::Internal, error.to_string())
}

fn store(error: &dyn std::fmt::Display) -> ControlError {
    ControlError::new(ControlCode::Store, error.to_string())
}

fn unusable(error: &SettingsError) -> ControlError {
    ControlError::refused(error.to_string())
}

/// Does work that waits for files on a thread of its own.
async fn with_files<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ControlError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| internal(&error))
}
