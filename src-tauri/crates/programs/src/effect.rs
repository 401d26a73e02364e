//! What an argument makes a program do: the words of `does`.

use serde::{Deserialize, Serialize};

/// What an argument makes a program do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ArgEffect {
    /// Runs a program that is named in the arguments.
    Runs,
    /// Hands a text to a shell.
    Shell,
    /// Runs code of the program's own language, which can do anything.
    Code,
    /// Runs code that is found by its name, as a module or a script.
    NamedCode,
    /// Loads a library, plugin or module.
    Loads,
    /// Sets or reads settings that can run programs.
    Config,
    /// Works with another folder, whose settings can run programs.
    Folder,
    /// Fetches a program and runs it.
    Fetches,
    /// Runs something on another machine or in a container.
    Remote,
    /// Opens an application or an editor.
    Opens,
    /// Writes a file.
    Writes,
    /// Writes what other programs run or read by themselves.
    Plants,
    /// Lets a file run with its owner's rights.
    Elevates,
    /// Removes what it finds.
    Deletes,
    /// Sends data away.
    Sends,
    /// Reads another file than its operands.
    Reads,
    /// Reads or changes passwords and keys.
    Secrets,
    /// Changes settings of the machine or of a service.
    Changes,
    /// Opens a port.
    Serves,
    /// Leads out of the working directory, by the option's name.
    Outside,
    /// Is an option that is not known of a program whose harmless options are all known.
    Unlisted,
    /// Is a pattern that could match a file whose name is an option.
    Pattern,
    /// Is known only at run time, and could be an option or a subcommand.
    RunTime,
}

impl ArgEffect {
    /// Returns whether commands may stand in the arguments, which deny rules then look at.
    pub fn holds_commands(self) -> bool {
        matches!(
            self,
            Self::Runs | Self::Shell | Self::Code | Self::Config | Self::Fetches | Self::Remote | Self::Opens
        )
    }

    /// Returns whether a program that no reader sees may be started by it: the doubt that guards deny rules.
    ///
    /// A library or a module is a file, which no deny rule looks into; a word that is known only at run time is a doubt of
    /// its own where it stands for a program.
    pub fn may_start_programs(self) -> bool {
        match self {
            Self::Folder
            | Self::Plants
            | Self::Elevates
            | Self::NamedCode
            | Self::Unlisted
            | Self::Pattern
            | Self::Runs
            | Self::Shell
            | Self::Code
            | Self::Config
            | Self::Fetches
            | Self::Remote
            | Self::Opens => true,
            Self::Loads
            | Self::Writes
            | Self::Deletes
            | Self::Sends
            | Self::Reads
            | Self::Secrets
            | Self::Changes
            | Self::Serves
            | Self::Outside
            | Self::RunTime => false,
        }
    }
}
