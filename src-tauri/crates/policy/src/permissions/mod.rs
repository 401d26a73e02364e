//! `permissions.jsonc`: an agent's file of rules for tools and commands, in which the last match wins.

mod acts_as;
mod append;
mod command_words;
mod layer;
mod parse;
mod patches;
mod remarks;
mod seeded;
mod touched;

pub use acts_as::acts_as;
pub use append::{AppendError, append, take_over};
pub(crate) use layer::last_match;
pub use layer::{EntryOrigin, FileLayer, PermissionEntry};
pub use parse::FileError;
pub(crate) use parse::options;
pub use remarks::dangers;
pub use touched::{FileUse, NamedPath, PathUse, carried_commands, files_of_call, named_paths};
pub(crate) use touched::{argument_paths, has_filter, has_unread_patch};

/// Content of a new agent's file.
pub const DEFAULT_FILE: &str = include_str!("default.jsonc");
