//! Ways out: arguments by which an ordinary program runs other code, or writes where it should not.

use super::family;
use super::scripts::sed_only_prints;
use super::ways_table::{Mark, TABLE};
use crate::WayOut;
use crate::call::{Arg, Call};
use crate::shell::candidates;

/// The ways out of a call, by the table and by a few questions that a table cannot ask.
pub(super) fn of(call: &Call) -> Vec<WayOut> {
    let name = family(call.head().unwrap_or_default());
    let mut ways = Vec::new();
    let rows: Vec<_> = TABLE.iter().filter(|row| row.programs.contains(&name.as_str())).collect();
    let start = subcommand_at(&name, &call.args);
    for row in &rows {
        if let Some(argument) = row.mark.find(&call.args, start) {
            ways.push(way(argument, row.what));
        }
    }
    ways.extend(special(&name, call, start));
    if !rows.is_empty() && !MILD.contains(&name.as_str()) || matches!(name.as_str(), "git" | "sed" | "tee") {
        ways.extend(unknown_option(&name, &call.args));
    }
    for way in &mut ways {
        way.candidates = if way.what.contains("run") { guesses(call, way.argument) } else { Vec::new() };
    }
    ways.sort_by_key(|way| way.argument);
    ways
}

fn way(argument: usize, what: &str) -> WayOut {
    WayOut { argument, what: what.to_owned(), candidates: Vec::new() }
}

/// Commands in what follows the argument, or in its own value (`--pre=PROGRAM`).
fn guesses(call: &Call, argument: usize) -> Vec<Vec<String>> {
    let word = |at: usize| call.args.get(at).and_then(Arg::value).unwrap_or_default();
    let own = word(argument).split_once('=').map_or("", |(_, value)| value);
    let texts = [own, word(argument + 1), word(argument + 1).split_once('=').map_or("", |(_, value)| value)];
    let mut found = call.suffixes(argument);
    let rest = call.args.iter().skip(argument + 2).filter_map(Arg::value).filter(|text| text.contains(' '));
    found.extend(rest.flat_map(candidates));
    found.extend(texts.into_iter().flat_map(|text| candidates(text.trim_start_matches(['!', ' ']))));
    found
}

/// Programs whose ways out only read something, so that an argument known only at run time is no danger.
const MILD: &[&str] =
    &["date", "file", "ps", "top", "diff", "jq", "less", "more", "man", "base64", "tree", "xxd", "column"];

/// What `tee` may be given without writing a file.
const NO_FILE: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr"];

/// Options that surely take the next word, whatever it begins with.
fn takes_value(program: &str, option: &str) -> bool {
    let options: &[&str] = match program {
        "git" => &["-m", "--message", "--author", "--date", "--grep", "--since", "--until", "--format"],
        "rg" => &["-e", "--regexp", "-g", "--glob", "-t", "--type", "-A", "-B", "-C"],
        "find" => &[
            "-name",
            "-iname",
            "-path",
            "-ipath",
            "-type",
            "-newer",
            "-mtime",
            "-mmin",
            "-size",
            "-maxdepth",
            "-mindepth",
        ],
        "curl" => &["-H", "--header", "-u", "--user", "-A", "--user-agent", "-m", "--max-time"],
        "sort" => &["-k", "--key", "-t", "--field-separator"],
        "tar" => &["-f", "--file"],
        "gh" => &["-t", "--title", "-b", "--body", "-R", "--repo"],
        "kubectl" => &["-n", "--namespace", "-l", "--selector", "-o", "--output"],
        _ => &[],
    };
    options.contains(&option)
}

/// An argument that could turn out to be any of these options.
fn unknown_option(program: &str, args: &[Arg]) -> Option<WayOut> {
    let end = args.iter().position(|arg| arg.value() == Some("--")).unwrap_or(args.len());
    let value_of =
        |at: usize| args.get(at).and_then(Arg::value).is_some_and(|word| takes_value(program, word));
    let unknown = |at: &usize| args[*at].value().is_none() && args[*at].dash && !value_of(at - 1);
    let argument = (1..end).find(unknown)?;
    Some(way(argument, "known only at run time: it could be an option that runs code"))
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
    let operands =
        || (1..args.len()).filter(|at| !args[*at].value().is_some_and(|v| v.starts_with('-') && v != "-"));
    match name {
        "git" => git(args, subcommand),
        "sed" => sed(args)
            .map(|argument| way(argument, "this sed script can run commands or write files"))
            .into_iter()
            .collect(),
        "tee" => {
            let file = operands().find(|at| !args[*at].value().is_some_and(|path| NO_FILE.contains(&path)));
            file.map(|argument| way(argument, "writes a file")).into_iter().collect()
        }
        "uniq" => operands().nth(1).map(|argument| way(argument, "writes a file")).into_iter().collect(),
        "date" => {
            let of_option = |at: usize| {
                args[at - 1].value().is_some_and(|word| ["-d", "-r", "-v", "--date"].contains(&word))
            };
            let sets = |at: &usize| {
                !of_option(*at)
                    && args[*at].value().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            };
            operands().find(sets).map(|argument| way(argument, "sets the clock")).into_iter().collect()
        }
        "jq" => {
            let word = |text: &str| {
                text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .any(|w| matches!(w, "env" | "ENV"))
            };
            let reads =
                operands().find(|at| args[*at].value().is_some_and(|text| !text.contains('/') && word(text)));
            reads.map(|argument| way(argument, "reads the environment")).into_iter().collect()
        }
        "npx" | "bunx" | "uvx" | "pipx" => operands()
            .next()
            .map(|argument| way(argument, "fetches a package and runs it"))
            .into_iter()
            .collect(),
        "ssh" => operands()
            .nth(1)
            .map(|argument| way(argument, "opens a shell, or runs a command, on another machine"))
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
    if let Some(at) = (1..args.len()).find(|at| word(*at).is_some_and(|text| text.contains("=ext::"))) {
        ways.push(way(at, "`ext::` runs a command"));
    }
    for at in 1..subcommand.min(args.len()) {
        let target = match word(at) {
            Some("-C") => word(at + 1).or(Some("/")),
            Some(attached) if attached.starts_with("-C") => attached.get(2..),
            _ => None,
        };
        if target.is_some_and(|path| path.starts_with(['/', '~']) || path.split('/').any(|part| part == ".."))
        {
            ways.push(way(at, "works in another repository, whose configuration can run programs"));
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
            ways.push(way(subcommand, "changes git's configuration, which can run programs"));
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
