//! Whether a mark of the table is on a call.

use super::reader::{Read, Seen};
use crate::programs::table::{Effect, Program};
use crate::{ArgEffect, Dir};

/// Where nothing is written, whatever is written there.
pub(super) const NO_FILE: [&str; 3] = ["/dev/null", "/dev/stdout", "/dev/stderr"];

/// Returns the first argument that an effect is about, and the mark that matched.
pub(super) fn find(
    effect: &Effect,
    program: &Program,
    read: &Read<'_>,
    dir: &Dir,
) -> Option<(usize, &'static str)> {
    let look = Look { program, read, dir, writes: effect.does == ArgEffect::Writes };
    let found = effect.marks.split(' ').filter_map(|mark| Some((one(mark, &look)?, mark)));
    found.min_by_key(|(at, _)| *at)
}

/// What a mark is looked for in.
struct Look<'a, 'r> {
    program: &'a Program,
    read: &'a Read<'r>,
    dir: &'a Dir,
    /// Whether it is about files that are written: the null device is none.
    writes: bool,
}

fn one(mark: &str, look: &Look<'_, '_>) -> Option<usize> {
    let (read, dir) = (look.read, look.dir);
    let word =
        |test: &dyn Fn(&str) -> bool| (1..read.args.len()).find(|at| read.beginning(*at).is_some_and(test));
    let (kind, rest) = mark.split_at(mark.len().min(1));
    match kind {
        "*" => Some(0),
        "=" => word(&|given| given == rest).or_else(|| read.may_become(rest)),
        "^" => word(&|given| given.starts_with(rest)).or_else(|| read.may_become(rest)),
        "~" => word(&|given| given.contains(rest)),
        "!" => not_one_of(rest, read),
        "#" => operand(rest, read, dir),
        "@" => {
            let sub = read.subs.first().copied().unwrap_or(usize::MAX);
            option(rest, look, |at| at < sub)
        }
        "-" => option(mark, look, |_| true),
        _ => match mark.split_once([':', '!']) {
            None => read.sub_path(mark),
            Some((sub, names)) if mark.contains('!') => {
                let at = read.sub_path(sub)?;
                let harmless = |word: &str| names.split(',').any(|name| name == word);
                (!read.word(at + 1).is_some_and(harmless)).then_some(at)
            }
            Some((sub, behind)) => {
                let start = read.sub_path(sub)?;
                if behind.starts_with('-') {
                    return option(behind, look, |at| at > start);
                }
                // What stands right behind it is its own subcommand: options behind that are not its own.
                if let Some(own) = behind.strip_prefix('@') {
                    return option(own, look, |at| at > start && !read.operands.contains(&(start + 1)));
                }
                if behind == "#" {
                    return read.operands.iter().copied().find(|at| *at > start);
                }
                if behind == "#/" {
                    return leading_out(read, dir, |at| at > start);
                }
                let (kind, rest) = behind.split_at(1);
                let is =
                    |given: &str| if kind == "~" { given.contains(rest) } else { given.starts_with(rest) };
                (start + 1..read.args.len()).find(|at| read.beginning(*at).is_some_and(is))
            }
        },
    }
}

fn option(name: &str, look: &Look<'_, '_>, place: impl Fn(usize) -> bool) -> Option<usize> {
    let (name, only_outside) = match name.strip_suffix('/') {
        Some(name) => (name, true),
        None => (name, false),
    };
    let prints = |path: &str| {
        let to_stdout = path == "-" && matches!(name, "-o" | "--output");
        NO_FILE.contains(&path) || to_stdout && look.program.dash_prints
    };
    let counts = |value: Option<&str>| {
        let nowhere = look.writes && value.is_some_and(prints);
        !nowhere && (!only_outside || value.is_none_or(|path| leads_outside(path, look.dir)))
    };
    // The last word names no folder (`tsc -b`).
    let ends =
        |seen: &Seen<'_>| only_outside && seen.value.is_none() && seen.value_at >= look.read.args.len();
    let mut seen = look.read.named(name, look.program);
    seen.find(|seen| place(seen.at) && !ends(seen) && counts(seen.value)).map(|seen| seen.at)
}

/// The first operand that leads out of the working directory.
fn leading_out(read: &Read<'_>, dir: &Dir, place: impl Fn(usize) -> bool) -> Option<usize> {
    let leads = |at: usize| {
        let path = read.beginning(at).unwrap_or_default();
        let address = path.contains("://");
        !address && leads_outside(path, dir)
    };
    read.operands.iter().copied().find(|at| place(*at) && leads(*at))
}

/// `#2`, `#1/`, `#*`, `#*/`.
fn operand(which: &str, read: &Read<'_>, dir: &Dir) -> Option<usize> {
    if which == "*/" {
        return leading_out(read, dir, |_| true);
    }
    if which == "*" {
        let file = |at: &&usize| !read.word(**at).is_some_and(|path| NO_FILE.contains(&path));
        return read.operands.iter().find(file).copied();
    }
    let (number, only_outside) = match which.strip_suffix('/') {
        Some(number) => (number, true),
        None => (which, false),
    };
    let at = *read.operands.get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
    let leads = read.args[at].free || read.beginning(at).is_none_or(|path| leads_outside(path, dir));
    (!only_outside || leads).then_some(at)
}

/// A subcommand that is none of these, or that is known only at run time. An option among them counts where it stands before
/// any subcommand (`dpkg -l x`).
fn not_one_of(names: &str, read: &Read<'_>) -> Option<usize> {
    let harmless = |word: &str| names.split(',').any(|name| name == word);
    let sub = read.subs.first().copied();
    let before: Vec<_> = read.options.iter().filter(|seen| sub.is_none_or(|at| seen.at < at)).collect();
    if before.iter().any(|seen| harmless(&seen.name)) {
        // One that is not known beside it may be what is done (`profiles -p -R x`).
        let other =
            before.iter().find(|seen| !harmless(&seen.name) && !seen.complete && !says_how(&seen.name));
        return other.map(|seen| seen.at);
    }
    match sub {
        Some(at) => (!read.word(at).is_some_and(harmless)).then_some(at),
        None => read.options.first().map(|seen| seen.at),
    }
}

/// Options that decide how much is told, and how.
fn says_how(name: &str) -> bool {
    matches!(
        name,
        "-v" | "-vv" | "--verbose" | "-q" | "--quiet" | "-plist" | "--json" | "--no-pager" | "--all"
    )
}

/// Whether a path leads out of the request's working directory, as far as its spelling tells.
pub(super) fn leads_outside(path: &str, dir: &Dir) -> bool {
    if NO_FILE.contains(&path) || path == "-" {
        return false;
    }
    if path.starts_with(['/', '~']) || path.contains(":\\") {
        return true;
    }
    let mut depth = match dir {
        Dir::Under(below) if !below.starts_with(['/', '~', '.']) => {
            below.split('/').filter(|part| !part.is_empty()).count()
        }
        Dir::Same | Dir::Under(_) | Dir::OneOf(_) | Dir::Unknown => 0,
    };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::leads_outside;
    use crate::Dir;

    #[test]
    fn inside_and_outside() {
        for path in ["out", "./a/b", "a/../b", ".", "build/", "-", "/dev/null"] {
            assert!(!leads_outside(path, &Dir::Same), "{path}");
        }
        for path in ["/tmp/x", "~/x", "..", "a/../../b", "../x"] {
            assert!(leads_outside(path, &Dir::Same), "{path}");
        }
        assert!(!leads_outside("..", &Dir::Under("build".to_owned())), "`cd build && cmake ..`");
        assert!(leads_outside("../..", &Dir::Under("build".to_owned())));
        assert!(leads_outside("..", &Dir::Under("/tmp/x".to_owned())));
    }
}
