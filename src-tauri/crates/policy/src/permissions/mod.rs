//! `permissions.jsonc`: an agent's file of rules for tools and commands, in which the last match wins.

mod acts_as;
mod append;
pub(crate) mod command;
mod command_words;
mod gate;
mod glob;
pub(crate) mod host;
mod layer;
mod parse;
mod protect;
mod remarks;
mod seeded;
mod tool;
mod touched;
mod values;

pub use acts_as::acts_as;
pub use append::{AppendError, append, take_over};
pub use gate::check_tool;
pub(crate) use glob::{ANY_NAME, ANY_PATH, Glob};
pub use layer::{EntryOrigin, FileLayer, PermissionEntry};
pub use parse::FileError;
pub(crate) use parse::options;
pub use protect::Touch;
pub(crate) use protect::names_place;
pub use remarks::dangers;
pub use tool::ToolVerdict;
pub use touched::{FileUse, NamedPath, PathUse, carried_commands, files_of_call, named_paths};
pub(crate) use values::unmarked;

/// The tool whose values are commands.
pub const SHELL_TOOL: &str = "shell_exec";

/// The tool that runs a command on this machine. Entries for it and for [`SHELL_TOOL`] both speak about host commands.
pub const HOST_TOOL: &str = "system.run";

/// Content of a new agent's file.
pub const DEFAULT_FILE: &str = include_str!("default.jsonc");

#[cfg(test)]
mod tests;
