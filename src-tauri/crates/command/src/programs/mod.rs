//! What is known about programs by name: tables and the questions asked of them.

mod arity;
mod class;
mod interpreter;
mod read_only;
mod scripts;
mod subcommand;
mod ways_out;
mod ways_table;

pub use arity::arity;
pub(crate) use class::family;
pub use class::{Class, class_of};
pub use read_only::is_read_only;
pub use subcommand::plain_forms;

use crate::Role;
use crate::call::{Call, Found};

/// Adds a program that does its own work, or runs code in a language of its own.
pub(crate) fn place(mut call: Call, found: &mut Found) {
    let ways = ways_out::of(&call);
    let script = interpreter::look(&mut call);
    let mut step = call.into_step(Role::Program);
    step.ways_out = ways;
    step.script = script;
    found.steps.push(step);
}
