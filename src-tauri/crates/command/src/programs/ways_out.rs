//! Ways out: arguments by which an ordinary program runs other code, or writes where it should not.

use super::family;
use super::scripts::sed_only_prints;
use super::ways_table::{Mark, TABLE};
use crate::WayOut;
use crate::call::{Arg, Call};

/// The ways out of a call, by the table and by a few questions that a table cannot ask.
pub(super) fn of(call: &Call) -> Vec<WayOut> {
    let name = family(call.head().unwrap_or_default());
    let mut ways = Vec::new();
    let rows: Vec<_> = TABLE.iter().filter(|row| row.programs.contains(&name.as_str())).collect();
    let start = subcommand_at(&name, &call.args);
    for row in &rows {
        if let Some(argument) = row.mark.find(&call.args, start) {
            ways.push(WayOut { argument, what: row.what.to_owned() });
        }
    }
    ways.extend(special(&name, call, start));
    if !rows.is_empty() || matches!(name.as_str(), "git" | "sed" | "tee") {
        ways.extend(unknown_option(&call.args));
    }
    ways.sort_by_key(|way| way.argument);
    ways
}

/// An argument that could turn out to be any of these options.
fn unknown_option(args: &[Arg]) -> Option<WayOut> {
    let end = args.iter().position(|arg| arg.value() == Some("--")).unwrap_or(args.len());
    let argument = args.get(..end)?.iter().position(|arg| arg.value().is_none() && arg.dash)?;
    Some(WayOut { argument, what: "known only at run time: it could be an option that runs code".to_owned() })
}

/// Where the subcommand stands, for programs that have one.
fn subcommand_at(name: &str, args: &[Arg]) -> usize {
    let words: Vec<&str> = args.iter().map(|arg| arg.value().unwrap_or("?")).collect();
    super::subcommand::position(name, &words).unwrap_or(args.len())
}

impl Mark {
    /// The first argument that the mark is on.
    fn find(&self, args: &[Arg], subcommand: usize) -> Option<usize> {
        let end = args.iter().position(|arg| arg.value() == Some("--")).unwrap_or(args.len());
        let word = |at: usize| args.get(at).and_then(Arg::value);
        let first = |from: usize, to: usize, test: &dyn Fn(&str) -> bool| {
            (from..to).find(|at| word(*at).is_some_and(test))
        };
        match self {
            Self::Short(letter) => first(1, end, &|word| has_letter(word, *letter)),
            Self::Long(name) => first(1, end, &|word| is_long(word, name)),
            Self::Global(letter) => first(1, subcommand.min(end), &|word| {
                word.strip_prefix('-').is_some_and(|rest| rest.starts_with(*letter))
            }),
            Self::Word(exact) => first(1, args.len(), &|word| word == *exact),
            Self::Prefix(prefix) => first(1, args.len(), &|word| word.starts_with(prefix)),
            Self::Sub(path) => {
                let here =
                    path.iter().enumerate().all(|(offset, part)| word(subcommand + offset) == Some(part));
                here.then_some(subcommand)
            }
            Self::SubOption(sub, option) => {
                let here = word(subcommand) == Some(sub);
                let is = |word: &str| {
                    if option.len() == 1 {
                        has_letter(word, option.chars().next().unwrap_or('?'))
                    } else {
                        is_long(word, option)
                    }
                };
                first(subcommand + 1, end.max(subcommand + 1), &is).filter(|_| here)
            }
            Self::Always => Some(0),
        }
    }
}

/// `-o`, `-oFILE`, or the letter in a cluster of letters (`-uo`).
fn has_letter(word: &str, letter: char) -> bool {
    let Some(cluster) = word.strip_prefix('-').filter(|cluster| !cluster.starts_with('-')) else {
        return false;
    };
    let letters = cluster.len() <= 6 && cluster.chars().all(|c| c.is_ascii_alphabetic());
    cluster.starts_with(letter) || letters && cluster.contains(letter)
}

/// `--name`, `--name=…`, and every abbreviation that could be meant.
fn is_long(word: &str, name: &str) -> bool {
    let Some(given) = word.strip_prefix("--").map(|rest| rest.split('=').next().unwrap_or(rest)) else {
        return false;
    };
    given.len() >= 2 && name.starts_with(given)
}

fn special(name: &str, call: &Call, subcommand: usize) -> Vec<WayOut> {
    let args = &call.args;
    let way = |argument: usize, what: &str| WayOut { argument, what: what.to_owned() };
    let operands =
        || (1..args.len()).filter(|at| !args[*at].value().is_some_and(|v| v.starts_with('-') && v != "-"));
    match name {
        "git" => git(args, subcommand),
        "sed" => sed(args)
            .map(|argument| way(argument, "this sed script can run commands or write files"))
            .into_iter()
            .collect(),
        "tee" => {
            let file = operands().find(|at| args[*at].value() != Some("/dev/null"));
            file.map(|argument| way(argument, "writes a file")).into_iter().collect()
        }
        "ssh" => operands()
            .nth(1)
            .map(|argument| way(argument, "runs a command on another machine"))
            .into_iter()
            .collect(),
        "bun" | "deno" | "swift" | "tsx" => {
            let file = |value: &str| value.contains('/') || value.contains('.');
            let script = operands().next().filter(|at| args[*at].value().is_none_or(file));
            script.map(|argument| way(argument, "runs a script")).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn git(args: &[Arg], subcommand: usize) -> Vec<WayOut> {
    let word = |at: usize| args.get(at).and_then(Arg::value);
    let mut ways = Vec::new();
    for at in 1..subcommand.min(args.len()) {
        let target = match word(at) {
            Some("-C") => word(at + 1).or(Some("/")),
            Some(attached) if attached.starts_with("-C") => attached.get(2..),
            _ => None,
        };
        if target.is_some_and(|path| path.starts_with(['/', '~']) || path.split('/').any(|part| part == ".."))
        {
            ways.push(WayOut {
                argument: at,
                what: "works in another repository, whose configuration can run programs".to_owned(),
            });
        }
    }
    if word(subcommand) == Some("config") {
        let reads = [
            "--get",
            "--get-all",
            "--list",
            "-l",
            "--get-regexp",
            "get",
            "list",
            "--get-urlmatch",
            "--name-only",
        ];
        if !args.iter().skip(subcommand).any(|arg| arg.value().is_some_and(|v| reads.contains(&v)))
            && args.len() > subcommand + 2
        {
            ways.push(WayOut {
                argument: subcommand,
                what: "changes git's configuration, which can run programs".to_owned(),
            });
        }
    }
    ways
}

/// The first word of sed that is a script which does more than print.
fn sed(args: &[Arg]) -> Option<usize> {
    let mut given = false;
    let mut at = 1;
    while at < args.len() {
        let value = args[at].value();
        match value {
            Some("-e" | "--expression") => {
                given = true;
                at += 1;
                if !args.get(at).and_then(Arg::value).is_some_and(sed_only_prints) {
                    return Some(at.min(args.len() - 1));
                }
            }
            Some(
                "-n" | "-E" | "-r" | "-u" | "-s" | "-z" | "-l" | "--quiet" | "--silent" | "--regexp-extended"
                | "-nE" | "-nr" | "-En",
            ) => {}
            Some(option) if option.starts_with('-') && option.len() > 1 => return Some(at),
            _ if given => {}
            script => {
                given = true;
                if !script.is_some_and(sed_only_prints) {
                    return Some(at);
                }
            }
        }
        at += 1;
    }
    None
}
