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
use super::{Class, family, own};
use crate::call::{Arg, Call};
use crate::invocation::{Given, Invocation};
use crate::peel::guess;
use crate::{ArgEffect, UnsafeArg};

/// Returns the unsafe arguments of a call: those that are known, and those that a person added.
pub(super) fn of(call: &Call) -> Vec<UnsafeArg> {
    let name = family(call.head().unwrap_or_default());
    let mut found = built_in(call, &name);
    if let Some(program) = own::find(&name) {
        found.extend(by_table(call, &Invocation::of(&call.args, program)));
    }
    found.sort_by_key(|unsafe_arg| unsafe_arg.argument);
    found.dedup_by(|later, first| later == first);
    found
}

/// Returns what the table of a program finds in a call.
fn by_table(call: &Call, read: &Invocation<'_>) -> Vec<UnsafeArg> {
    let found = read.program.unsafe_args.iter().filter_map(|unsafe_args| {
        let (at, mark) = patterns::unsafe_arg(unsafe_args, read, &call.dir)?;
        Some(named(call, unsafe_args.does, mark, at))
    });
    found.collect()
}

fn built_in(call: &Call, name: &str) -> Vec<UnsafeArg> {
    let known = table::find(name);
    let Some(program) = known.and_then(table::Name::with_unsafe_args) else {
        let reads = known.is_some_and(|known| {
            known.program.class != Class::Ordinary || super::read_only::is_program(known)
        });
        return if reads {
            Vec::new()
        } else {
            heuristics::of(call, &Invocation::of(&call.args, &Program::UNKNOWN))
        };
    };
    if only_asks_about_itself(call, program) {
        return Vec::new();
    }
    let read = Invocation::of(&call.args, program);
    let mut found = by_table(call, &read);
    found.extend(program.check.into_iter().flat_map(|check| checks::of(check, name, call, &read)));
    if !program.mild && !program.strict && !known.is_some_and(super::read_only::is_program) {
        found.extend(heuristics::of(call, &read));
    }
    if !program.mild {
        found.extend(read.unknown.map(|argument| {
            UnsafeArg::noted(
                argument,
                ArgEffect::RunTime,
                "known only at run time: it could be an option that runs code",
            )
        }));
    }
    found.extend(read.pattern.filter(|_| known.is_some_and(|known| known.has(Trait::GlobTrap))).map(
        |argument| {
            UnsafeArg::noted(
                argument,
                ArgEffect::Pattern,
                "could match a file whose name is an option that runs code",
            )
        },
    ));
    found.extend(
        unlisted(program, &read).map(|argument| {
            UnsafeArg::noted(argument, ArgEffect::Unlisted, "an option that is not known here")
        }),
    );
    let has_verbs = marks(program).any(|mark| mark.starts_with(|c: char| c.is_ascii_lowercase()));
    let unknown = read.verbs.iter().find(|at| has_verbs && read.word(**at).is_none());
    found.extend(unknown.map(|at| {
        UnsafeArg::noted(*at, ArgEffect::RunTime, "known only at run time: it decides what is done")
    }));
    found
}

/// Returns true for `NAME --version` and `NAME --help` alone, which only print. A program that gives secrets
/// away may do so before it looks at its options.
fn only_asks_about_itself(call: &Call, program: &Program) -> bool {
    let [_, argument] = call.args.as_slice() else { return false };
    let asks = matches!(argument.value(), Some("--version" | "--help"));
    asks && !program.unsafe_args.iter().any(|one| one.does == ArgEffect::Secrets && one.when == "*")
}

/// Returns the first option that a strict program does not list, neither as harmless nor as unsafe.
fn unlisted(program: &Program, read: &Invocation<'_>) -> Option<usize> {
    // A word of several letters counts letter by letter.
    let one =
        |name: &str| name.starts_with("--") || name.chars().count() == 2 || program.style == Style::Words;
    let harmless = |given: &&Given<'_>| {
        !one(&given.name) || given.is_listed() || given.name == "--help" || given.name == "--version"
    };
    let has_row = |name: &str| marks(program).any(|mark| mark.trim_end_matches('/') == name);
    read.options
        .iter()
        .filter(|_| program.strict)
        .find(|given| !harmless(given) && !has_row(&given.name))
        .map(|given| given.at)
}

/// Returns every pattern of unsafe arguments of a program.
fn marks(program: &Program) -> impl Iterator<Item = &'static str> {
    program.unsafe_args.iter().flat_map(|unsafe_args| unsafe_args.when.split(' '))
}

/// Returns true if a word is one of a list, which is separated by blanks.
fn has_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// An argument, its effect, and a note that says more than the effect.
type Found = Option<(usize, ArgEffect, &'static str)>;

fn noted((at, effect, note): (usize, ArgEffect, &'static str)) -> UnsafeArg {
    UnsafeArg::noted(at, effect, note)
}

/// Returns the unsafe argument that a mark found, with the commands that may follow it.
fn named(call: &Call, effect: ArgEffect, mark: &str, argument: usize) -> UnsafeArg {
    let given = call.args.get(argument).and_then(Arg::value).filter(|word| word.len() <= LONGEST_LABEL);
    let label = match label(mark) {
        _ if argument == 0 => call.head().unwrap_or_default(),
        Some(label) => label,
        None => given.unwrap_or("this argument"),
    };
    let candidates = if effect.holds_commands() { guess::behind(call, argument.max(1)) } else { Vec::new() };
    UnsafeArg::named(argument, effect, label).with(candidates)
}

/// Bytes of a word that is told as it was given.
const LONGEST_LABEL: usize = 40;

/// Returns a mark as a user would write it, or `None` if it matches any word.
pub(super) fn label(mark: &str) -> Option<&str> {
    let option = mark.rsplit(':').next().filter(|rest| rest.starts_with('-'));
    let text =
        option.unwrap_or(mark).trim_start_matches(['@', '=', '^', '~', '$', '!', '#']).trim_end_matches('/');
    let text = text.split('!').next().unwrap_or(text);
    (!mark.starts_with(['#', '!'])).then_some(text)
}
