//! `su` and `runuser`: a shell of another user, with a text to run.

use super::{inner_shell, refuse};
use crate::call::{Arg, CommandCall, ParseResults};
use crate::invocation::Leading;
use crate::programs::table;
use crate::{Power, Unparsed};

/// Returns true if `runuser` is called with a user and a program (`runuser -u USER -- PROGRAM`), not like
/// `su`.
pub(super) fn names_program(args: &[Arg]) -> bool {
    args.iter().skip(1).any(|arg| {
        arg.known_value().is_some_and(|word| {
            word == "--user"
                || word.starts_with("--user=")
                || word.starts_with("-u") && !word.starts_with("--")
        })
    })
}

/// Adds what the other user's shell is told to run.
pub(super) fn add_user_shell(call: CommandCall, found: &mut ParseResults) {
    let options = table::program("su").map_or("", |su| su.behind);
    let args = call.args.clone();
    let (parsed, operands) = match Leading::everywhere(&args, options) {
        Ok(read) => read,
        Err(what) => return refuse(call, Unparsed::UnknownFlag, what, found),
    };
    let Some(given) = parsed.last_option("-c --command --session-command") else {
        return refuse(call, Unparsed::ShellInput, "it starts a shell of another user", found);
    };
    // What follows the user's name is handed to the shell.
    let users = operands.iter().filter(|at| call.args[**at].known_value() != Some("-")).count();
    if users > 1 {
        return refuse(
            call,
            Unparsed::ShellInput,
            "it starts a shell of another user, with words of its own",
            found,
        );
    }
    inner_shell::place_value(call, given, Power::Elevated, found);
}
