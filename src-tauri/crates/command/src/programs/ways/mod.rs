//! Ways out: arguments by which an ordinary program runs other code, or writes where it should not.
//!
//! The table names them, with a source for each; `special` asks the few questions that a table cannot.

mod clouds;
mod fetching;
mod marks;
mod placing;
mod reader;
mod shown;
mod special;
mod told;

use postern_programs::Style;

use super::table::{self, Program, Trait};
use super::{Class, family, own};
use crate::call::{Arg, Call, Feed};
use crate::peel::guess;
use crate::{ArgEffect, Step, UnsafeArg, Word};
use reader::Read;

/// The ways out of a call: those that are known, and those that a person added.
pub(super) fn of(call: &Call) -> Vec<UnsafeArg> {
    let name = family(call.head().unwrap_or_default());
    let mut ways = built_in(call, &name);
    if let Some(program) = own::find(&name) {
        ways.extend(by_table(call, program, &Read::new(call, &name, program)));
    }
    ways.sort_by_key(|way| way.argument);
    ways.dedup_by(|later, first| later == first);
    ways
}

/// Returns true if a step has an argument that the effect is about.
pub(super) fn has_effect(step: &Step, program: &Program, effect: &table::Effect) -> bool {
    let arg = |word: &Word| match &word.value {
        Some(value) => Arg::known(value, 0..0),
        None => Arg::unknown(&word.raw, 0..0, true),
    };
    let call = Call {
        args: step.argv.iter().map(arg).collect(),
        span: 0..0,
        via: Vec::new(),
        assignments: Vec::new(),
        redirections: Vec::new(),
        dir: step.dir.clone(),
        feed: Feed::Inherited,
        shell: None,
        depth: 0,
        opaque: None,
    };
    let name = family(call.head().unwrap_or_default());
    marks::find(effect, program, &Read::new(&call, &name, program), &step.dir).is_some()
}

/// Returns what the table of a program finds in a call.
fn by_table(call: &Call, program: &'static Program, read: &Read<'_>) -> Vec<UnsafeArg> {
    let found = program.effects.iter().filter_map(|effect| {
        let (at, mark) = marks::find(effect, program, read, &call.dir)?;
        Some(way(call, effect.does, mark, at))
    });
    found.collect()
}

fn built_in(call: &Call, name: &str) -> Vec<UnsafeArg> {
    let known = table::find(name);
    let Some(program) = known.and_then(table::Name::with_effects) else {
        let reads = known.is_some_and(|known| {
            known.program.class != Class::Ordinary || super::read_only::is_program(known)
        });
        return if reads {
            Vec::new()
        } else {
            told::of(call, &Program::UNKNOWN, &Read::new(call, name, &Program::UNKNOWN))
        };
    };
    if only_asks_about_itself(call, program) {
        return Vec::new();
    }
    let read = Read::new(call, name, program);
    let mut ways = by_table(call, program, &read);
    ways.extend(program.check.into_iter().flat_map(|check| special::of(check, name, call, &read)));
    if !program.mild && !program.strict && !known.is_some_and(super::read_only::is_program) {
        ways.extend(told::of(call, program, &read));
    }
    if !program.mild {
        ways.extend(read.unknown.map(|argument| {
            UnsafeArg::noted(
                argument,
                ArgEffect::RunTime,
                "known only at run time: it could be an option that runs code",
            )
        }));
    }
    ways.extend(read.glob.filter(|_| known.is_some_and(|known| known.has(Trait::GlobTrap))).map(
        |argument| {
            UnsafeArg::noted(
                argument,
                ArgEffect::Pattern,
                "could match a file whose name is an option that runs code",
            )
        },
    ));
    ways.extend(
        unlisted(program, &read).map(|argument| {
            UnsafeArg::noted(argument, ArgEffect::Unlisted, "an option that is not known here")
        }),
    );
    let has_subs = program
        .effects
        .iter()
        .any(|effect| effect.marks.split(' ').any(|mark| mark.starts_with(|c: char| c.is_ascii_lowercase())));
    let unknown = read.subs.iter().find(|at| has_subs && read.word(**at).is_none());
    ways.extend(unknown.map(|at| {
        UnsafeArg::noted(*at, ArgEffect::RunTime, "known only at run time: it decides what is done")
    }));
    ways
}

/// `NAME --version` and `NAME --help`, and nothing else: they print it. A program that gives secrets away may do so before it
/// looks at its options.
fn only_asks_about_itself(call: &Call, program: &Program) -> bool {
    let [_, argument] = call.args.as_slice() else { return false };
    let asks = matches!(argument.value(), Some("--version" | "--help"));
    asks && !program.effects.iter().any(|effect| effect.does == ArgEffect::Secrets && effect.marks == "*")
}

/// The first option that a strict program does not list, neither as harmless nor as a way out.
fn unlisted(program: &Program, read: &Read<'_>) -> Option<usize> {
    // A word of several letters counts letter by letter.
    let one =
        |name: &str| name.starts_with("--") || name.chars().count() == 2 || program.style == Style::Words;
    let harmless = |seen: &&reader::Seen<'_>| {
        !one(&seen.name) || seen.complete || seen.name == "--help" || seen.name == "--version"
    };
    let has_row = |name: &str| {
        program
            .effects
            .iter()
            .any(|effect| effect.marks.split(' ').any(|mark| mark.trim_end_matches('/') == name))
    };
    read.options
        .iter()
        .filter(|_| program.strict)
        .find(|seen| !harmless(seen) && !has_row(&seen.name))
        .map(|seen| seen.at)
}

/// An argument, its effect, and a note that says more than the effect.
type Found = Option<(usize, ArgEffect, &'static str)>;

fn noted((at, effect, note): (usize, ArgEffect, &'static str)) -> UnsafeArg {
    UnsafeArg::noted(at, effect, note)
}

/// Returns the unsafe argument that a mark found, with the commands that may follow it.
fn way(call: &Call, effect: ArgEffect, mark: &str, argument: usize) -> UnsafeArg {
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
fn label(mark: &str) -> Option<&str> {
    let option = mark.rsplit(':').next().filter(|rest| rest.starts_with('-'));
    let text =
        option.unwrap_or(mark).trim_start_matches(['@', '=', '^', '~', '!', '#']).trim_end_matches('/');
    let text = text.split('!').next().unwrap_or(text);
    (!mark.starts_with(['#', '!'])).then_some(text)
}
