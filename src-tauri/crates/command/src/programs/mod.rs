//! Knowledge about programs by name: tables, and the questions asked of them.

mod arity;
mod awk;
mod caches;
mod class;
mod extended;
mod input;
mod interpreter;
mod known;
mod otherwise;
pub(crate) mod own;
pub(crate) mod patterns;
mod read_only;
mod sed;
pub(crate) mod table;
mod unsafe_args;

pub use arity::{command_length, command_words};
pub use caches::{all_caches, caches_of};
pub use class::{class_of, obeys_repository};
pub(crate) use class::{family, family_of, known_name};
pub use extended::extensions;
pub use input::{takes_text, treats_input_as_data};
pub use known::{KnownEffect, KnownProgram, KnownReads, known_arguments, known_program, known_programs};
pub use otherwise::otherwise;
pub(crate) use own::find_own as own_program;
pub use own::set_own_programs;
pub(crate) use postern_programs::ProgramClass;
pub(crate) use read_only::runs_no_script;
pub use read_only::{
    asks_others, is_read_only, is_read_only_anyway, is_reading_carrier, reads_alike_everywhere,
    reads_any_files,
};
pub use table::Caches;

use crate::Role;
use crate::call::{CommandCall, ParseResults};

/// Adds a program that does its own work, or runs code in a language of its own.
pub(crate) fn add_program(mut call: CommandCall, found: &mut ParseResults) {
    let mut unsafe_args = unsafe_args::find_unsafe_args(&call);
    let (script, named) = interpreter::find_script(&mut call);
    unsafe_args.extend(named);
    let mut step = call.into_step(Role::Program);
    step.ways_out = unsafe_args;
    step.script = script;
    found.steps.push(step);
}
