//! macOS: `arch -x86_64 PROGRAM`; elsewhere `arch` prints the machine's kind. arch(1).

use super::{assigned, finish, inner, refuse};
use crate::call::{Arg, Call, Found};
use crate::invocation::unknown_option;
use crate::programs;
use crate::{Power, Unparsed};

/// Adds the program that `arch` starts, or `arch` by itself.
pub(super) fn place(mut call: Call, found: &mut Found) {
    let mut start = 1;
    while let Some(value) = call.args.get(start).and_then(Arg::value).filter(|value| value.starts_with('-')) {
        match value {
            "-x86_64" | "-x86_64h" | "-i386" | "-arm64" | "-arm64e" | "-32" | "-64" | "-h" | "-c" => {
                start += 1;
            }
            "-arch" | "-d" => start += 2,
            "-e" => {
                let Some(assignment) = call.args.get(start + 1).and_then(assigned) else {
                    let what = "-e sets a variable whose name no shell would take, or none";
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
        return programs::place(call, found);
    }
    if call.args[1..start].iter().any(|arg| arg.value().is_none()) {
        return refuse(call, Unparsed::UnknownFlag, "an option's value is known only at run time", found);
    }
    finish(inner(call, start, Power::Transparent), found);
}
