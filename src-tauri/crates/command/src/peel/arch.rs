//! macOS: `arch -x86_64 PROGRAM`; elsewhere `arch` prints the machine's kind. arch(1).

use super::{assigned, finish, inner_call, refuse};
use crate::call::{Arg, CommandCall, ParseResults};
use crate::invocation::unknown_option;
use crate::programs;
use crate::{Power, Unparsed};

/// Adds the program that `arch` starts, or `arch` by itself.
pub(super) fn add_arch(mut call: CommandCall, found: &mut ParseResults) {
    let mut start = 1;
    while let Some(value) =
        call.args.get(start).and_then(Arg::known_value).filter(|value| value.starts_with('-'))
    {
        match value {
            "-x86_64" | "-x86_64h" | "-i386" | "-arm64" | "-arm64e" | "-32" | "-64" | "-h" | "-c" => {
                start += 1;
            }
            "-arch" | "-d" => start += 2,
            "-e" => {
                let Some(assignment) = call.args.get(start + 1).and_then(assigned) else {
                    let what = "`-e` sets a variable whose name no shell would take, or none";
                    return refuse(call, Unparsed::Environment, what, found);
                };
                call.assignments.push(assignment);
                start += 2;
            }
            other => {
                let what = unknown_option(other);
                return refuse(call, Unparsed::UnknownFlag, what, found);
            }
        }
    }
    if start >= call.args.len() {
        return programs::add_program(call, found);
    }
    if call.args[1..start].iter().any(|arg| arg.known_value().is_none()) {
        return refuse(call, Unparsed::UnknownFlag, "an option’s value is known only at run time", found);
    }
    finish(inner_call(call, start, Power::Transparent), found);
}
