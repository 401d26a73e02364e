//! Advice for the agent that comes with a verdict: `contract::render` makes every sentence from it.

use crate::settings::AgentId;
use postern_command::Words;
use serde::{Deserialize, Serialize};

/// Something that an agent can do about a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Advice {
    /// Do without host commands, which are closed to the session.
    WithoutHost,
    /// Do without a shell, which `permissions.jsonc` closes.
    WithoutShell,
    /// Ask for the elevated gate.
    Elevate,
    /// Leave it to the session above, which has the elevated gate.
    ElevateSession,
    /// Have `permissions.jsonc` fixed.
    FixFile,
    /// Have the organization's rules fixed.
    FixManaged,
    /// Ask for other settings: the agent runs nothing.
    ChangeSettings,
    /// Run it in one of the agent's folders.
    RunIn { folders: Vec<String> },
    /// Name the program otherwise, or have a folder added to those that were searched.
    SearchPath { agent: AgentId, searched: Vec<String> },
    /// Check the name of the program.
    CheckName,
    /// Ask for a rule: nobody is asked about the rest.
    AskForRule,
    /// Do it another way, or ask for another rule.
    ChangeRule,
    /// Do it another way, or ask for another line in `permissions.jsonc`.
    ChangeFile,
    /// Name exactly what is to be changed: the core denies this in every spelling.
    NameExactly,
    /// Split the request.
    Split,
    /// Write the words out.
    WriteOut,
    /// Write it as a plain command.
    WritePlainly,
    /// Write it as plain commands, or run code from a file.
    WriteCommands,
    /// Name the program by its path.
    NamePath,
    /// Run a program that can be read.
    RunReadable,
    /// Fixed words of the part that was not understood.
    Reader(Words),
    /// A sentence that an earlier version of Postern recorded.
    #[serde(untagged)]
    Recorded(String),
}
