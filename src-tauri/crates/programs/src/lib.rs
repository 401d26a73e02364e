//! Knowledge about programs, as files that people write: their format, one reader of them, and its checks.
//! Pure.
//!
//! The build of `postern-command` turns the folder `crates/command/programs` into static tables. The same reader reads
//! the files that people add on their own machine. `docs/PROGRAMS.md` explains the format.

mod effect;
mod file;
mod grammar;
mod mark;
mod parse;
mod problem;
mod vocabulary;

pub use effect::{AllDoes, ArgEffect, Does, EffectKind, InstallPlace, Of, Reversible, Scope};
pub use file::{Caches, Effect, Example, Interpreter, ProgramFile, Reads, Shows, Wrapper};
pub use grammar::{Takes, listed, takes};
pub use problem::{FileError, Problem};
pub use vocabulary::{Alone, Check, Class, Operand, Power, ReadCheck, Style};

#[cfg(test)]
mod tests;
