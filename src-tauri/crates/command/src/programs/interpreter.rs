//! Interpreters: which script they run, and when they run code that is not in a file.

use postern_programs::ReadCheck;

use super::read_only::runs_no_script;
use super::{awk, family_of, table};
use crate::call::{Arg, CommandCall, Feed};
use crate::invocation::Leading;
use crate::peel::guess;
use crate::{ArgEffect, Note, Unparsed, UnsafeArg};

/// Returns the script of an interpreter (index into the argv), and notes code that is given otherwise.
///
/// An unsafe argument if a rule can name the code.
pub(super) fn find_script(call: &mut CommandCall) -> (Option<usize>, Option<UnsafeArg>) {
    let name = family_of(call.program_name().unwrap_or_default());
    let program = table::program(&name).filter(|program| program.class == super::ProgramClass::Interpreter);
    let Some(program) = program else { return (None, None) };
    if program.reads.check == Some(ReadCheck::Awk) {
        // Whoever allows awk allows a program that prints columns, which is read; what a file holds is not.
        let file = awk_program(call, program.behind);
        let note = "runs the awk program in this file";
        let runs = file.map(|at| UnsafeArg::from_note(at, ArgEffect::Code, note));
        // gawk(1): a special file name. One that is written out is as much a word as another.
        let connects = || {
            call.args.iter().position(|arg| {
                arg.start.starts_with("/inet")
                    || arg.known_value().is_some_and(|word| word.starts_with("/inet"))
            })
        };
        return (
            file,
            runs.or_else(|| {
                connects().map(|at| UnsafeArg::from_note(at, ArgEffect::Sends, "connects to another machine"))
            }),
        );
    }
    let Some(kind) = &program.interpreter else {
        if !only_tells_its_version(call) {
            let guess = guess::behind(call, 1);
            let what = Note::with_text("", name, " runs code in a way that Postern doesn’t follow");
            call.add_doubt(Unparsed::Interpreter, what, guess);
        }
        return (None, None);
    };
    let args = call.args.clone();
    let parsed = match Leading::parse_leading(&args, program.behind) {
        Ok(parsed) => parsed,
        Err(what) => {
            call.add_doubt(Unparsed::UnknownFlag, what, Vec::new());
            return (None, None);
        }
    };
    if parsed.last_option(kind.code).is_some() {
        let what = Note::with_text("", name, " is given code in its arguments");
        call.add_doubt(Unparsed::InlineCode, what, Vec::new());
        call.advise("write the code to a file and run that");
        return (None, None);
    }
    if parsed.last_option(kind.asks).is_some() {
        return (None, None);
    }
    if let Some(given) = parsed.last_option(kind.named) {
        // The value names the code: a rule has to name it, not only the option.
        return (None, Some(UnsafeArg::from_mark(given.value_at, ArgEffect::NamedCode, &*given.name)));
    }
    if let Some(given) = parsed.last_option(kind.script) {
        return (script(call, given.value_at), None);
    }
    let source = call.args.get(parsed.operand).and_then(Arg::known_value);
    if name == "java"
        && source.is_some_and(|file| file.rsplit_once('.').is_none_or(|(_, kind)| kind != "java"))
    {
        call.add_doubt(Unparsed::InlineCode, "which class runs is decided by what java finds", Vec::new());
        return (None, None);
    }
    (if runs_no_script(call) { None } else { script(call, parsed.operand) }, None)
}

/// Returns true for `NAME --version` and `NAME --help` alone. Some run what follows all the same, or read code from their input.
fn only_tells_its_version(call: &CommandCall) -> bool {
    let [_, option] = call.args.as_slice() else { return false };
    call.feed == Feed::Inherited && matches!(option.known_value(), Some("--version" | "--help" | "-version"))
}

fn script(call: &mut CommandCall, operand: usize) -> Option<usize> {
    match call.args.get(operand).map(Arg::known_value) {
        Some(Some(path)) if path != "-" && !path.starts_with("/dev/") && !path.starts_with("/proc/") => {
            Some(operand)
        }
        Some(None) => {
            call.add_doubt(Unparsed::InlineCode, "which script runs is known only at run time", Vec::new());
            None
        }
        Some(Some(_)) | None => {
            let what = if call.feed == Feed::Inherited {
                "it runs the code that comes on its input"
            } else {
                "it gets code on its input"
            };
            call.add_doubt(Unparsed::InputCode, what, Vec::new());
            call.advise("write the code to a file and run that");
            None
        }
    }
}

/// Finds awk's program, which is code too, but most of it only prints columns.
fn awk_program(call: &mut CommandCall, options: &str) -> Option<usize> {
    let args = call.args.clone();
    let parsed = match Leading::parse_leading(&args, options) {
        Ok(parsed) => parsed,
        Err(what) => {
            call.add_doubt(Unparsed::UnknownFlag, what, Vec::new());
            return None;
        }
    };
    let files: Vec<_> = parsed.given.iter().filter(|given| matches!(&*given.name, "-f" | "--file")).collect();
    match files.as_slice() {
        [] => {}
        [file] if file.value_at > file.at => return script(call, file.value_at),
        _ => {
            call.add_doubt(
                Unparsed::InlineCode,
                "awk gets its program in several files, or in a way that Postern doesn’t follow",
                Vec::new(),
            );
            return None;
        }
    }
    if parsed.last_option("--version --help").is_some() {
        return None;
    }
    let program = call.args.get(parsed.operand).and_then(Arg::known_value);
    if !program.is_some_and(awk::only_prints) {
        // What it runs stands in quotes: `system("rm x")`.
        let texts = program.unwrap_or_default().split('"').skip(1).step_by(2);
        let guess = texts.flat_map(guess::in_text).collect();
        call.add_doubt(Unparsed::InlineCode, "this awk program can run commands or write files", guess);
    }
    None
}
