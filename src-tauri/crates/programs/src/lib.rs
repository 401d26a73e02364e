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

pub use effect::{AllDoes, ArgEffect, Does, EffectKind, EffectScope, InstallPlace, Of, Reversible};
pub use file::{
    CachesSection, EffectSection, Example, InterpreterSection, ProgramFile, ReadsSection, Shows,
    WrapperSection,
};
pub use grammar::{Takes, listed, option_takes};
pub use problem::{ProgramFileError, ProgramFileProblem};
pub use vocabulary::{Alone, ArgumentCheck, Operand, Power, ProgramClass, ReadCheck, Style};

#[cfg(test)]
mod tests;
