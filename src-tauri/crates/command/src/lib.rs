//! Parser of command lines: the programs that would really run, with their shell syntax, wrappers and
//! interpreters. Pure.
//!
//! Two ways in, [`read_argv`] and [`read_shell`], give one [`ParsedCommand`]: every program that would run, with the wrappers around
//! it, and every part that was not understood. A program that is in neither is a bug of this crate.

mod argv;
mod builtins;
mod call;
mod cloud;
pub mod effect;
pub mod environment;
pub mod escape;
mod examples;
mod guess;
mod invocation;
mod note;
pub mod obeyed;
mod peel;
mod programs;
mod quote;
mod raw;
mod reading;
pub mod secrets;
mod sequence;
mod shell;
mod text_words;
mod unparsed;
mod unsafe_arg;

pub use argv::{LONGEST_ARGV, MOST_WORDS, read_argv, read_argv_at};
pub use effect::{CommandEffect, EffectScope, InstallPlace, Reversible, StepEffect, UnknownEffectReason};
pub use examples::{ExampleProblem, check_examples};
pub use guess::CandidateCommand;
pub use invocation::{Operands, leading_options, operands_in_order};
pub use note::{Note, Words};
pub use postern_programs::{
    ArgEffect, Does, EffectKind, Example, Power, ProgramClass, ProgramFile, ProgramFileError, Shows,
};
pub use programs::{
    Caches, KnownEffect, KnownProgram, KnownReads, all_caches, asks_others, caches_of, class_of,
    command_length, command_words, extensions, is_read_only, is_read_only_anyway, is_reading_carrier,
    known_arguments, known_program, known_programs, obeys_repository, otherwise, reads_alike_everywhere,
    reads_any_files, set_own_programs, takes_text, treats_input_as_data,
};
pub use quote::{WordsError, behind_home, quote_argv, quote_word, words_of, words_of_at};
pub use raw::stands_for;
pub use reading::{
    Assignment, Dialect, Dir, Invalid, ListedWord, ParsedCommand, Redirection, RedirectionKind, Role, Step,
    Via, Word,
};
pub use sequence::{Connector, PlainCommand, Redirect, RedirectionTarget, Sequence};
pub use shell::{LONGEST_TEXT, MOST_GUESSES, read_shell, read_shell_at};
pub use text_words::file_words;
pub use unparsed::{Unparsed, UnparsedSpan};
pub use unsafe_arg::{ArgFact, UnsafeArg};

#[cfg(test)]
mod tests;
