//! Commands that put, remove, open up and change files.

use super::{FoundArg, noted_arg};
use crate::call::CommandCall;
use crate::invocation::{GivenOption, Invocation};
use crate::obeyed::is_obeyed;
use crate::programs::patterns::{NO_FILE, leads_outside};
use crate::programs::sed;
use crate::{ArgEffect, UnsafeArg};

/// Options with which cp makes links.
const LINKS: [&str; 4] = ["-s", "-l", "--symbolic-link", "--link"];

/// Returns the unsafe arguments of a call that works on the files that it is given.
pub(super) fn find_file_args(name: &str, call: &CommandCall, read: &Invocation<'_>) -> Vec<UnsafeArg> {
    let found = match name {
        "mv" => removes_outside(call, read).or_else(|| target(name, call, read)),
        "rm" | "rimraf" | "rmdir" => removes_outside(call, read),
        "mkdir" | "touch" => changes(call, read, 0).or_else(|| read_by_tools(read)),
        "chmod" => sets_owner_rights(name, read).or_else(|| changes(call, read, 1)),
        "chown" | "chgrp" | "chflags" => changes(call, read, 1),
        "ln" | "link" => links_outside(call, read).or_else(|| target(name, call, read)),
        "install" => sets_owner_rights(name, read).or_else(|| target(name, call, read)),
        "cp" if find_option(read, &LINKS).is_some() => {
            links_outside(call, read).or_else(|| target(name, call, read))
        }
        "cp" | "ditto" | "rsync" => target(name, call, read),
        _ => in_place(call, read),
    };
    let mut found: Vec<UnsafeArg> = found.map(noted_arg).into_iter().collect();
    found.extend(renamed(name, read));
    found
}

/// Returns the first of these options, also where its name is shortened.
fn find_option<'s, 'a>(read: &'s Invocation<'a>, names: &'s [&str]) -> Option<&'s GivenOption<'a>> {
    names.iter().find_map(|name| read.options_named(name).next())
}

/// Returns the argument by which a program of the system gets another name, under which no rule about it
/// would match.
fn renamed(name: &str, read: &Invocation<'_>) -> Option<UnsafeArg> {
    const FOLDERS: [&str; 7] = [
        "/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/",
        "/opt/local/bin/",
    ];
    if !matches!(name, "cp" | "mv" | "ln" | "link" | "install" | "ditto" | "rsync") {
        return None;
    }
    let last = read.operands.last().copied().filter(|_| read.operands.len() > 1);
    let program = |at: &usize| {
        let path = read.word_at(*at).filter(|_| Some(*at) != last)?.to_ascii_lowercase();
        let base = FOLDERS.iter().find_map(|folder| path.strip_prefix(folder))?;
        (!base.is_empty() && !base.contains('/')).then_some(())
    };
    let at = read.operands.iter().copied().find(|at| program(at).is_some())?;
    let guess = crate::CandidateCommand::from(vec![read.word_at(at)?.to_owned()]);
    Some(
        UnsafeArg::from_note(at, ArgEffect::Changes, "gives a program another name")
            .with_candidates(vec![guess]),
    )
}

/// Finds scripts of sed that do more than print, and backups that get another place.
///
/// In a suffix of `-i`, `*` is the file's name and a slash makes it a path (sed(1), GNU).
pub(super) fn find_sed_args(read: &Invocation<'_>) -> Vec<UnsafeArg> {
    let script = sed::more_than_prints(read.args).map(|at| {
        if sed::follows_script(read.args, at) {
            (at, ArgEffect::RunTime, "known only at run time: it could be an option that runs code")
        } else {
            (at, ArgEffect::Shell, "this sed script can run commands or write files")
        }
    });
    let names = |given: &&GivenOption<'_>| {
        given.attached && read.value_or_start(given).is_none_or(|suffix| suffix.contains(['/', '*']))
    };
    let mut in_place = ["-i", "-I", "--in-place"].into_iter().flat_map(|name| read.options_named(name));
    let backup = in_place
        .find(names)
        .map(|given| (given.at, ArgEffect::Plants, "writes a copy of the file to a place of its own"));
    script.into_iter().chain(backup).map(noted_arg).collect()
}

/// Returns the first operand behind the first few that is outside of the working directory, and is no file of the temporary folder.
fn changes(call: &CommandCall, read: &Invocation<'_>, skipped: usize) -> FoundArg {
    let outside = |at: &&usize| {
        let path = read.beginning(**at).unwrap_or_default();
        leads_outside(path, &call.dir) && !is_temporary(path)
    };
    let at = read.operands.iter().skip(skipped).find(outside)?;
    Some((*at, ArgEffect::Writes, "changes what lies outside of the working directory"))
}

/// Returns the operand that is replaced, unless the program only prints or looks.
fn in_place(call: &CommandCall, read: &Invocation<'_>) -> FoundArg {
    const LOOKS: [&str; 8] = ["-c", "-t", "-l", "--stdout", "--to-stdout", "--test", "--list", "-V"];
    let looks = read.options.iter().any(|given| LOOKS.contains(&&*given.name));
    if looks { None } else { changes(call, read, 0) }
}

/// Finds `ln -s / x`: what is written or removed below `x` from then on is elsewhere.
fn links_outside(call: &CommandCall, read: &Invocation<'_>) -> FoundArg {
    let sources = if read.operands.len() > 1 { read.operands.len() - 1 } else { read.operands.len() };
    let outside = |at: &&usize| read.beginning(**at).is_some_and(|path| leads_outside(path, &call.dir));
    let at = read.operands.iter().take(sources).find(outside)?;
    Some((*at, ArgEffect::Outside, "makes a name that leads out of the working directory"))
}

/// Description of a command that writes where tools look by themselves.
pub(super) const PLANTS: &str = "writes what other programs run or read without being asked";

/// Returns an operand that other programs read or run by themselves.
fn read_by_tools(read: &Invocation<'_>) -> FoundArg {
    let at = read.operands.iter().copied().find(|at| read.beginning(*at).is_some_and(is_obeyed))?;
    Some((at, ArgEffect::Plants, PLANTS))
}

/// Returns the last operand of what copies, if it leads out of the working directory, or to a file that tools read by
/// themselves.
fn target(name: &str, call: &CommandCall, read: &Invocation<'_>) -> FoundArg {
    // `install -d` makes every folder that it is given.
    if name == "install" && find_option(read, &["-d", "--directory"]).is_some() {
        return changes(call, read, 0);
    }
    let folders: &[&str] = match name {
        "rsync" => &["-T", "--backup-dir", "--log-file", "--partial-dir", "--temp-dir"],
        _ => &["-t", "--target-directory"],
    };
    if let Some(found) = plants(read, folders) {
        return Some(found);
    }
    let at = *read.operands.last().filter(|_| read.operands.len() > 1)?;
    let path = read.beginning(at)?;
    if NO_FILE.contains(&path) {
        return None;
    }
    let arg = &read.args[at];
    let unknown = arg.known_value().is_none();
    if unknown && (arg.climbs || arg.strays && (path.is_empty() || arg.free)) || path.is_empty() && !unknown {
        return Some((at, ArgEffect::Writes, "writes to a place that is known only at run time"));
    }
    if leads_outside(path, &call.dir) {
        return Some((at, ArgEffect::Writes, "writes outside of the working directory"));
    }
    // `.$x` may become the name of a hidden folder.
    if unknown && path.rsplit('/').next().is_some_and(|part| part.starts_with('.')) {
        return Some((at, ArgEffect::Writes, "writes to a place that is known only at run time"));
    }
    is_obeyed(path).then_some((at, ArgEffect::Plants, PLANTS))
}

/// Returns one of these options whose value names what tools read by themselves, or a folder of it.
pub(super) fn plants(read: &Invocation<'_>, names: &[&str]) -> FoundArg {
    let given = names.iter().flat_map(|name| read.options_named(name));
    let mut led = given.filter(|given| read.value_or_start(given).is_some_and(is_obeyed));
    led.next().map(|given| (given.at, ArgEffect::Plants, PLANTS))
}

/// Returns the operand that is removed or moved away, if it is outside of the working directory, and is no file of the temporary folder.
fn removes_outside(call: &CommandCall, read: &Invocation<'_>) -> FoundArg {
    let kept = |at: &&usize| {
        let path = read.beginning(**at).unwrap_or_default();
        read.args[**at].climbs || leads_outside(path, &call.dir) && !is_temporary(path)
    };
    let at = read.operands.iter().find(kept)?;
    Some((*at, ArgEffect::Deletes, "deletes what is outside the working directory"))
}

/// Returns true for a name in the temporary folder, or below one: never the folder itself, nor all that is in it.
pub(super) fn is_temporary(path: &str) -> bool {
    let inside = ["/tmp/", "/private/tmp/"].iter().find_map(|folder| path.strip_prefix(folder));
    inside.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphanumeric()) && rest.split('/').all(|part| part != "..")
    })
}

/// Finds `chmod 4755`, `chmod u+xs`, `install -m 4755`: with the rights of the file's owner.
fn sets_owner_rights(name: &str, read: &Invocation<'_>) -> FoundArg {
    let what = "lets the file run with its owner’s rights";
    let (at, mode) = if name == "install" {
        let given = find_option(read, &["-m", "--mode"])?;
        (given.value_at, given.value)
    } else {
        let at = *read.operands.first()?;
        (at, read.word_at(at))
    };
    let Some(mode) = mode else { return Some((at, ArgEffect::Elevates, what)) };
    let octal = mode.trim_start_matches(['0', '+', '-', '=']);
    let number = !octal.is_empty() && octal.chars().all(|c| c.is_digit(8));
    let symbolic = || {
        mode.split(',')
            .any(|clause| clause.split_once(['+', '=']).is_some_and(|(_, rights)| rights.contains('s')))
    };
    // Of the first digit of four, one alone is no right of an owner or a group.
    let set = || u32::from_str_radix(octal, 8).map_or(true, |mode| mode & 0o6000 != 0);
    (if number { set() } else { symbolic() }).then_some((at, ArgEffect::Elevates, what))
}
