//! Effects of a step: everything that it does to the world, as typed facts. `contract::render` makes the sentences.

mod argument;
mod checks;
mod command;
mod downloaded;
mod grave;
mod hooks;
mod host;
mod initializer;
mod inner;
mod kept;
mod listed;
mod places;
mod publication;
mod push;
mod roles;
mod scripts;
mod searched;
mod step;
mod written;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{ArgFact, Note, Words};
pub use grave::is_grave;
pub use hooks::{HookedStep, RepositoryOptions, hooked_step, is_setting};
pub use host::host_of;
pub use kept::kept_names;
pub use places::{is_secret, is_system_file, opens_nothing};
pub use postern_programs::{EffectScope, InstallPlace, Reversible};
pub use publication::{Publication, publication_of};
pub use push::{Transfer, is_git_clone, keeps_settings, moves_branches, transfer_of};
pub use roles::{WordRole, roles_of_words};
pub use searched::patterns_of_find;
pub(crate) use step::has_effect;
pub use step::{effects_of, effects_of_command, effects_of_words};
pub use written::path_words;

/// An effect of a command, an edit, a fetch or another use of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CommandEffect {
    /// Reads files; without paths, whatever its program shows.
    Read { paths: Vec<String> },
    /// Writes files.
    Write { paths: Vec<String> },
    /// Deletes files; `found` says that the paths are patterns of what a search finds.
    Delete {
        paths: Vec<String>,
        recursive: bool,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        found: bool,
    },
    /// Runs code of the project; `what` is a noun (`the package script`), `folder` another project that the words name.
    RunProjectCode {
        what: Words,
        name: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
    },
    /// Runs code that is part of the request, or that reaches an interpreter unread.
    RunInlineCode { language: String },
    /// Runs code that it downloads: a package's, or what a host sends.
    RunDownloadedCode { package: Option<String>, host: Option<String> },
    /// Installs packages; without packages, those that the project names.
    Install { packages: Vec<String>, place: InstallPlace },
    /// Fetches from hosts or remotes.
    Fetch { from: Vec<String> },
    /// Sends data to hosts or remotes; `what` is a verb phrase (`upload files`), `branch` the one that a refspec names there.
    Send {
        what: Words,
        to: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
    },
    /// Publishes for everybody; `place` is a noun (`npm`), `host` a registry that the words name, `tag` the name of the version.
    Publish {
        what: Vec<String>,
        place: Words,
        host: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tag: Option<String>,
    },
    /// Changes a repository; `change` is a verb phrase (`discard uncommitted changes`), `folder` another one that the words name.
    ChangeRepository {
        change: Words,
        names: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
    },
    /// Runs on another machine, in a container or in a cluster; `place` is a phrase (`in a container`).
    RunElsewhere { place: Words, name: Option<String> },
    /// Changes this machine, or something that a server keeps; `change` is a verb phrase.
    ChangeSystem { change: Words, names: Vec<String> },
    /// Controls another application; `how` is a verb phrase.
    ControlApp { how: Words, app: Option<String> },
    /// Uses keys, passwords or tokens; `how` is a verb phrase.
    UseSecret { how: Words, which: Option<String> },
    /// Offers a port; `what` is a verb phrase.
    Serve { what: Words, port: Option<String> },
    /// Does something that Postern does not know.
    Unknown { why: UnknownEffectReason },
}

/// Reason why an effect is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownEffectReason {
    /// Postern knows nothing about the program or its verb.
    Program(String),
    /// The program is only known when it runs.
    ProgramLater,
    /// A part was not understood.
    Unparsed(Note),
    /// An argument makes a program do more than its ordinary work.
    Argument(ArgFact),
    /// More commands than are examined one by one.
    TooManyCommands,
    /// A word mixes alphabets.
    MixedAlphabets(String),
    /// Letters only look like ASCII ones.
    LooksLikeAscii(String),
    /// Tool of the agent's own.
    Tool(String),
    /// Tool of an MCP server.
    ServerTool {
        /// The server, as its agent calls it.
        server: String,
        tool: String,
    },
}

/// Effect of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepEffect {
    pub effect: CommandEffect,
    /// Reach; `None` is that of its paths, which only the agent's folders tell.
    pub scope: Option<EffectScope>,
    pub reversible: Reversible,
    /// Span in the reading's text.
    pub span: Range<usize>,
}

/// An effect with its reach, as it is found in a command.
type FoundEffect = (CommandEffect, Option<EffectScope>, Reversible);

impl CommandEffect {
    /// Names of all kinds, as they are written in JSON and by `history --effect`.
    pub const KINDS: [&'static str; 17] = [
        "read", "write", "delete", "run-project-code", "run-inline-code", "run-downloaded-code", "install",
        "fetch", "send", "publish", "change-repository", "run-elsewhere", "change-system", "control-app",
        "use-secret", "serve", "unknown",
    ];

    /// Returns the name of its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Read { .. } => "read",
            Self::Write { .. } => "write",
            Self::Delete { .. } => "delete",
            Self::RunProjectCode { .. } => "run-project-code",
            Self::RunInlineCode { .. } => "run-inline-code",
            Self::RunDownloadedCode { .. } => "run-downloaded-code",
            Self::Install { .. } => "install",
            Self::Fetch { .. } => "fetch",
            Self::Send { .. } => "send",
            Self::Publish { .. } => "publish",
            Self::ChangeRepository { .. } => "change-repository",
            Self::RunElsewhere { .. } => "run-elsewhere",
            Self::ChangeSystem { .. } => "change-system",
            Self::ControlApp { .. } => "control-app",
            Self::UseSecret { .. } => "use-secret",
            Self::Serve { .. } => "serve",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// Returns the kind of this name.
    pub fn kind_named(kind: &str) -> Option<&'static str> {
        Self::KINDS.into_iter().find(|known| *known == kind)
    }

    /// Returns true if it runs code here that is none of its program's own.
    pub fn runs_code(&self) -> bool {
        matches!(
            self,
            Self::RunProjectCode { .. } | Self::RunInlineCode { .. } | Self::RunDownloadedCode { .. }
        )
    }

    /// Returns the paths that it is about.
    pub fn affected_paths(&self) -> &[String] {
        match self {
            Self::Read { paths } | Self::Write { paths } | Self::Delete { paths, .. } => paths,
            Self::RunProjectCode { folder, .. } | Self::ChangeRepository { folder, .. } => folder.as_slice(),
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests;
