//! `permissions.jsonc`: an agent's file of rules for tools and commands, in which the last match wins.

mod append;
pub(crate) mod command;
mod layer;
mod parse;
mod tool;

pub use append::{AppendError, append};
pub use layer::{Entry, FileLayer};
pub use parse::FileError;
pub use tool::{ToolVerdict, check_tool};

/// The tool whose values are commands.
pub const SHELL_TOOL: &str = "shell_exec";

/// What a new agent's file holds.
pub const DEFAULT_FILE: &str = include_str!("default.jsonc");

#[cfg(test)]
mod tests;
