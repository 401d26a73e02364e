//! Ways out: arguments by which an ordinary program runs other code, or writes where it should not.
//!
//! The table names them, with a source for each; `special` asks the few questions that a table cannot.

mod clouds;
mod compile;
mod containers;
mod data;
mod fetching;
mod files;
mod forges;
mod git;
mod installers;
mod kits;
mod languages;
mod macos;
mod marks;
mod network;
mod packages;
mod placing;
mod project;
mod reader;
mod running;
mod shown;
mod special;
mod system;
mod text;
mod told;
mod tool;

use std::sync::LazyLock;

use foldhash::HashMap;

use super::{Class, class_of, family};
use crate::call::{Arg, Call};
use crate::peel::guess;
use crate::{ArgEffect, UnsafeArg};
use reader::Read;
pub(super) use tool::Tool;

/// Every program of the table.
pub(super) fn all() -> impl Iterator<Item = &'static Tool> {
    [
        git::TOOLS,
        text::TOOLS,
        files::TOOLS,
        network::TOOLS,
        compile::TOOLS,
        languages::TOOLS,
        packages::TOOLS,
        installers::TOOLS,
        project::TOOLS,
        containers::TOOLS,
        clouds::TOOLS,
        forges::TOOLS,
        data::TOOLS,
        system::TOOLS,
        macos::TOOLS,
        running::TOOLS,
        kits::TOOLS,
    ]
    .into_iter()
    .flatten()
}

/// The tables by program: every step of a text is looked up.
static BY_NAME: LazyLock<HashMap<&str, &Tool>> = LazyLock::new(|| {
    let mut tools = HashMap::default();
    for tool in all() {
        for name in tool.names {
            tools.entry(*name).or_insert(tool);
        }
    }
    tools
});

/// A program of which nothing is known but how options are mostly spelled.
const UNLISTED: Tool = tool::tool(&[], "", &[]);

/// Returns true if a program has a subcommand of this name, or `None` if its subcommands are unknown.
pub(super) fn has_command(program: &str, word: &str) -> Option<bool> {
    if program == "git" {
        return Some(git::COMMANDS.contains(&word));
    }
    let rows = BY_NAME.get(program)?.rows;
    let lists = rows.iter().flat_map(|row| row.marks.split(' ')).filter_map(|mark| mark.strip_prefix('!'));
    let mut lists = lists.peekable();
    lists.peek()?;
    Some(lists.any(|list| list.split(',').any(|own| own == word)))
}

/// The ways out of a call.
pub(super) fn of(call: &Call) -> Vec<UnsafeArg> {
    let name = family(call.head().unwrap_or_default());
    let Some(tool) = BY_NAME.get(name.as_str()).copied() else {
        let reads = class_of(&name) != Class::Ordinary || super::read_only::is_program(&name);
        return if reads {
            Vec::new()
        } else {
            told::of(call, &UNLISTED, &Read::new(call, &name, &UNLISTED))
        };
    };
    if only_asks_about_itself(call, tool) {
        return Vec::new();
    }
    let read = Read::new(call, &name, tool);
    let mut ways: Vec<UnsafeArg> = tool
        .rows
        .iter()
        .filter_map(|row| {
            let (at, mark) = marks::find(row, tool, &read, &call.dir)?;
            Some(way(call, row.does, mark, at))
        })
        .collect();
    ways.extend(special::of(&name, call, &read));
    if !tool.mild && !tool.strict && !super::read_only::is_program(&name) {
        ways.extend(told::of(call, tool, &read));
    }
    if !tool.mild {
        ways.extend(read.unknown.map(|argument| {
            UnsafeArg::noted(
                argument,
                ArgEffect::RunTime,
                "known only at run time: it could be an option that runs code",
            )
        }));
    }
    ways.extend(read.glob.filter(|_| GLOBBED.contains(&name.as_str())).map(|argument| {
        UnsafeArg::noted(
            argument,
            ArgEffect::Pattern,
            "could match a file whose name is an option that runs code",
        )
    }));
    ways.extend(
        unlisted(tool, &read).map(|argument| {
            UnsafeArg::noted(argument, ArgEffect::Unlisted, "an option that is not known here")
        }),
    );
    let has_subs = tool
        .rows
        .iter()
        .any(|row| row.marks.split(' ').any(|mark| mark.starts_with(|c: char| c.is_ascii_lowercase())));
    let unknown = read.subs.iter().find(|at| has_subs && read.word(**at).is_none());
    ways.extend(unknown.map(|at| {
        UnsafeArg::noted(*at, ArgEffect::RunTime, "known only at run time: it decides what is done")
    }));
    ways.sort_by_key(|way| way.argument);
    ways.dedup_by(|later, first| later == first);
    ways
}

/// `NAME --version` and `NAME --help`, and nothing else: they print it. A program that gives secrets away may do so before it
/// looks at its options.
fn only_asks_about_itself(call: &Call, tool: &Tool) -> bool {
    let [_, argument] = call.args.as_slice() else { return false };
    let asks = matches!(argument.value(), Some("--version" | "--help"));
    asks && !tool.rows.iter().any(|row| row.does == ArgEffect::Secrets && row.marks == "*")
}

/// Programs for which a file name that begins with a dash is a well known trap.
const GLOBBED: [&str; 10] = ["tar", "bsdtar", "rsync", "find", "rg", "sort", "zip", "7z", "chown", "chmod"];

/// The first option that a strict tool does not list, neither as harmless nor as a way out.
fn unlisted(tool: &Tool, read: &Read<'_>) -> Option<usize> {
    // A word of several letters counts letter by letter.
    let one =
        |name: &str| name.starts_with("--") || name.chars().count() == 2 || tool.style == tool::Style::Words;
    let harmless = |seen: &&reader::Seen<'_>| {
        !one(&seen.name) || seen.complete || seen.name == "--help" || seen.name == "--version"
    };
    let has_row = |name: &str| {
        tool.rows.iter().any(|row| row.marks.split(' ').any(|mark| mark.trim_end_matches('/') == name))
    };
    read.options
        .iter()
        .filter(|_| tool.strict)
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

#[cfg(test)]
mod tests;
