//! Unsafe arguments: those by which an ordinary program runs other code, or writes where it should not.
//!
//! The files about programs name them, with a source for each; `checks` has what patterns cannot say.

mod checks;
mod cloud;
mod files;
mod heuristics;
mod transfers;
mod viewers;

use postern_programs::Style;

use super::patterns;
use super::table::{self, Program, Trait};
use super::{ProgramClass, family_of, own};
use crate::call::{Arg, CommandCall};
use crate::invocation::{GivenOption, Invocation};
use crate::peel::guess;
use crate::{ArgEffect, UnsafeArg};

/// Returns the unsafe arguments of a call: those that are known, and those that a person added.
pub(super) fn find_unsafe_args(call: &CommandCall) -> Vec<UnsafeArg> {
    let name = family_of(call.program_name().unwrap_or_default());
    let mut found = built_in(call, &name);
    if let Some(program) = own::find_own(&name) {
        found.extend(by_table(call, &Invocation::from_args(&call.args, program)));
    }
    found.sort_by_key(|unsafe_arg| unsafe_arg.argument);
    found.dedup_by(|later, first| later == first);
    found
}

/// Returns what the table of a program finds in a call.
fn by_table(call: &CommandCall, read: &Invocation<'_>) -> Vec<UnsafeArg> {
    let found = read.program.unsafe_args.iter().filter_map(|unsafe_args| {
        let (at, mark) = patterns::unsafe_arg(unsafe_args, read, &call.dir)?;
        Some(marked_arg(call, unsafe_args.does, mark, at))
    });
    found.collect()
}

fn built_in(call: &CommandCall, name: &str) -> Vec<UnsafeArg> {
    let known = table::find_name(name);
    let Some(program) = known.and_then(table::Name::with_unsafe_args) else {
        let reads = known.is_some_and(|known| {
            known.program.class != ProgramClass::Ordinary || super::read_only::is_program(known)
        });
        return if reads {
            Vec::new()
        } else {
            heuristics::find_by_name(call, &Invocation::from_args(&call.args, &Program::UNKNOWN))
        };
    };
    if only_asks_about_itself(call, program) {
        return Vec::new();
    }
    let read = Invocation::from_args(&call.args, program);
    let mut found = by_table(call, &read);
    found.extend(program.check.into_iter().flat_map(|check| checks::find_by_check(check, name, call, &read)));
    if !program.mild && !program.strict && !known.is_some_and(super::read_only::is_program) {
        found.extend(heuristics::find_by_name(call, &read));
    }
    if !program.mild {
        found.extend(read.unknown.map(|argument| {
            UnsafeArg::from_note(
                argument,
                ArgEffect::RunTime,
                "known only at run time: it could be an option that runs code",
            )
        }));
    }
    found.extend(read.pattern.filter(|_| known.is_some_and(|known| known.has_trait(Trait::GlobTrap))).map(
        |argument| {
            UnsafeArg::from_note(
                argument,
                ArgEffect::Pattern,
                "could match a file whose name is an option that runs code",
            )
        },
    ));
    found.extend(unlisted(program, &read).map(|argument| {
        UnsafeArg::from_note(argument, ArgEffect::Unlisted, "an option that is not known here")
    }));
    let has_verbs = unsafe_patterns(program).any(|mark| mark.starts_with(|c: char| c.is_ascii_lowercase()));
    let unknown = read.verbs.iter().find(|at| has_verbs && read.word_at(**at).is_none());
    found.extend(unknown.map(|at| {
        UnsafeArg::from_note(*at, ArgEffect::RunTime, "known only at run time: it decides what is done")
    }));
    found
}

/// Returns true for `NAME --version` and `NAME --help` alone, which only print. A program that gives secrets
/// away may do so before it looks at its options.
fn only_asks_about_itself(call: &CommandCall, program: &Program) -> bool {
    let [_, argument] = call.args.as_slice() else { return false };
    let asks = matches!(argument.known_value(), Some("--version" | "--help"));
    asks && !program.unsafe_args.iter().any(|one| one.does == ArgEffect::Secrets && one.when == "*")
}

/// Returns the first option that a strict program does not list, neither as harmless nor as unsafe.
fn unlisted(program: &Program, read: &Invocation<'_>) -> Option<usize> {
    // A word of several letters counts letter by letter.
    let one =
        |name: &str| name.starts_with("--") || name.chars().count() == 2 || program.style == Style::Words;
    let harmless = |given: &&GivenOption<'_>| {
        !one(&given.name) || given.is_listed() || given.name == "--help" || given.name == "--version"
    };
    let has_row = |name: &str| unsafe_patterns(program).any(|mark| mark.trim_end_matches('/') == name);
    read.options
        .iter()
        .filter(|_| program.strict)
        .find(|given| !harmless(given) && !has_row(&given.name))
        .map(|given| given.at)
}

/// Returns every pattern of unsafe arguments of a program.
fn unsafe_patterns(program: &Program) -> impl Iterator<Item = &'static str> {
    program.unsafe_args.iter().flat_map(|unsafe_args| unsafe_args.when.split(' '))
}

/// Returns true if a word is one of a list, which is separated by blanks.
fn has_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// An argument, its effect, and a note that says more than the effect.
type FoundArg = Option<(usize, ArgEffect, &'static str)>;

fn noted_arg((at, effect, note): (usize, ArgEffect, &'static str)) -> UnsafeArg {
    UnsafeArg::from_note(at, effect, note)
}

/// Returns the unsafe argument that a mark found, with the commands that may follow it.
fn marked_arg(call: &CommandCall, effect: ArgEffect, mark: &str, argument: usize) -> UnsafeArg {
    let given = call.args.get(argument).and_then(Arg::known_value).filter(|word| word.len() <= LONGEST_LABEL);
    let label = match mark_label(mark) {
        _ if argument == 0 => call.program_name().unwrap_or_default(),
        Some(label) => label,
        None => given.unwrap_or("this argument"),
    };
    let candidates = if effect.holds_commands() { guess::behind(call, argument.max(1)) } else { Vec::new() };
    UnsafeArg::from_mark(argument, effect, label).with_candidates(candidates)
}

/// Bytes of a word that is told as it was given.
const LONGEST_LABEL: usize = 40;

/// Returns a mark as a user would write it, or `None` if it matches any word.
pub(super) fn mark_label(mark: &str) -> Option<&str> {
    let option = mark.rsplit(':').next().filter(|rest| rest.starts_with('-'));
    let text =
        option.unwrap_or(mark).trim_start_matches(['@', '=', '^', '~', '$', '!', '#']).trim_end_matches('/');
    let text = text.split('!').next().unwrap_or(text);
    (!mark.starts_with(['#', '!'])).then_some(text)
}
