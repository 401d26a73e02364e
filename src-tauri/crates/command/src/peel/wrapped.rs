//! Wrappers by the table: options read, what they change noted, the program behind them followed.

use postern_programs::{Alone, Operand};

use super::{assigned, env_split, finish, inner_call, inner_shell, many, refuse, replace_marks};
use crate::builtins;
use crate::call::{Arg, CommandCall, ParseResults};
use crate::invocation::{ArgumentWord as _, GivenOption, Leading};
use crate::programs::table::Wrapper;
use crate::programs::{self, family_of};
use crate::{Dialect, Dir, Power, Redirection, RedirectionKind, Role, Unparsed};

/// Adds the program that a wrapper starts, or the wrapper where it starts none.
pub(super) fn add_wrapped(mut call: CommandCall, wrapper: &'static Wrapper, found: &mut ParseResults) {
    if wrapper.name == "coreutils" {
        name_applet(&mut call);
    }
    let args = call.args.clone();
    let parsed = match Leading::from(&args, first_option(&call), wrapper.options) {
        Ok(parsed) => parsed,
        Err(what) => return refuse(call, Unparsed::UnknownFlag, what, found),
    };
    if wrapper.name == "command" && call.shell.is_some() && parsed.last_option(wrapper.asks).is_some() {
        return found.steps.push(call.into_step(Role::HarmlessBuiltin));
    }
    if parsed.last_option(wrapper.asks).is_some() {
        return programs::add_program(call, found);
    }
    if wrapper.name == "env" && parsed.last_option("-S --split-string").is_some() {
        return env_split::add_env_split(call, &parsed, found);
    }
    note_changes(call, wrapper, &parsed, found);
}

/// Returns the first option of `setarch KIND OPTIONS PROGRAM`: options begin after the kind of machine.
fn first_option(call: &CommandCall) -> usize {
    let kind = call.args.get(1).and_then(Arg::known_value).is_some_and(|word| !word.starts_with('-'));
    1 + usize::from(kind && family_of(call.program_name().unwrap_or_default()) == "setarch")
}

/// Rewrites `coreutils --coreutils-prog=NAME ARGUMENTS` as `coreutils NAME ARGUMENTS`.
fn name_applet(call: &mut CommandCall) {
    let Some(arg) = call.args.get_mut(1) else { return };
    let name = arg.known_value().and_then(|word| word.strip_prefix("--coreutils-prog=")).map(str::to_owned);
    if let Some(name) = name {
        *arg = Arg::from_value(name, arg.span.clone());
    }
}

fn note_changes(
    mut call: CommandCall,
    wrapper: &'static Wrapper,
    parsed: &Leading<'_>,
    found: &mut ParseResults,
) {
    for given in parsed.given.iter().filter(|given| wrapper.writes.split(' ').any(|name| name == given.name))
    {
        let Some(target) = parsed.value_word(given) else { continue };
        if target.value.as_deref().is_none_or(|file| file.starts_with(['|', '!'])) {
            return refuse(
                call,
                Unparsed::UnknownFlag,
                "it writes to a program, or to what is known only at run time",
                found,
            );
        }
        call.redirections.push(Redirection { kind: RedirectionKind::Write, target, text: None });
    }
    if let Some(folder) = parsed.last_option(wrapper.folder) {
        // Without a shell `..` is where a link leads, not the way back.
        let to = folder.value.filter(|to| !to.is_empty() && (call.dir == Dir::Same || !to.starts_with("..")));
        call.dir = to.map_or(Dir::Unknown, |to| crate::shell::changed(&call.dir, &[Some(to)]));
    }
    match program_at(&mut call, wrapper, parsed.operand) {
        Err(what) => refuse(call, Unparsed::Wrapper, what, found),
        // Without a program, xargs runs `echo`.
        Ok(start) if start >= call.args.len() && wrapper.name == "xargs" => {
            call.args.push(Arg::from_value("echo", call.span.clone()));
            many::add_xargs(call, start, parsed, found);
        }
        Ok(start) if start >= call.args.len() => match wrapper.alone {
            Alone::Harmless => programs::add_program(call, found),
            Alone::Doubt => refuse(call, Unparsed::Wrapper, "it runs no program that is named here", found),
        },
        Ok(start) if is_own_command(wrapper, &call.args[start]) => programs::add_program(call, found),
        Ok(start) => peel_wrapper(call, wrapper, parsed, start, found),
    }
}

/// Returns true if the word is a command of the wrapper's own, and no program that it runs.
fn is_own_command(wrapper: &Wrapper, word: &Arg) -> bool {
    let word = word.known_value().filter(|word| !word.is_empty());
    let is_among = |names: &str| word.is_some_and(|word| names.split(' ').any(|name| name == word));
    !wrapper.only.is_empty() && !is_among(wrapper.only) || is_among(wrapper.own)
}

/// Returns the index of the program: after the operands and assignments, which are noted.
fn program_at(call: &mut CommandCall, wrapper: &Wrapper, operand: usize) -> Result<usize, &'static str> {
    let mut start = operand;
    for wanted in wrapper.operands {
        match call.args.get(start) {
            None => break,
            Some(arg)
                if arg
                    .known_value()
                    .map_or_else(|| arg.is_one_word(), |word| fits_operand(*wanted, word)) => {}
            Some(_) => return Err("the words before the program are not what the wrapper takes there"),
        }
        // Alone, `flock 9` takes a descriptor.
        if *wanted == Operand::Made && call.args.len() > start + 1 {
            let target = call.args[start].word.clone();
            call.redirections.push(Redirection { kind: RedirectionKind::Append, target, text: None });
        }
        start += 1;
    }
    if wrapper.name == "env" && call.args.get(start).and_then(Arg::known_value) == Some("-") {
        start += 1;
    }
    while let Some(arg) = call.args.get(start).filter(|_| wrapper.assignments) {
        // Any word with `=` in it is an assignment, whatever stands before: `env a-b=1 rm` runs `rm`.
        match assigned(arg) {
            Some(assignment) => call.assignments.push(assignment),
            // Shells do take some: `BASH_FUNC_ls%%=() { … }` makes a function for the bash that is started.
            None if arg.known_value().unwrap_or(&arg.word.raw).contains('=') => {
                return Err("it sets a variable whose name no shell would take");
            }
            None => break,
        }
        start += 1;
    }
    Ok(start)
}

/// Returns true for `env -u PATH rg`: the program is looked up in the system's default path.
fn forgets_path(wrapper: &Wrapper, parsed: &Leading<'_>) -> bool {
    let unsets = |given: &GivenOption<'_>| matches!(&*given.name, "-u" | "--unset");
    wrapper.name == "env"
        && parsed.given.iter().any(|given| unsets(given) && given.value.is_none_or(|name| name == "PATH"))
}

fn peel_wrapper(
    call: CommandCall,
    wrapper: &'static Wrapper,
    parsed: &Leading<'_>,
    start: usize,
    found: &mut ParseResults,
) {
    let elsewhere = parsed.last_option(wrapper.elsewhere).is_some() || forgets_path(wrapper, parsed);
    let power = if elsewhere { Power::Elsewhere } else { wrapper.power };
    match wrapper.name {
        "xargs" => many::add_xargs(call, start, parsed, found),
        "parallel" => many::add_parallel(call, start, parsed, found),
        "watch" if parsed.last_option("-x --exec").is_none() => {
            inner_shell::place_joined(call, start, Dialect::Posix, found);
        }
        "flock" if call.args[start].known_value().is_none_or(|word| word.starts_with('-')) => {
            lock_and_text(call, start, found);
        }
        name @ ("command" | "builtin" | "exec") => {
            // zsh's `command` runs programs only, and its `exec` runs builtins too.
            let runs_builtins = |shell: &Dialect| match name {
                "command" => *shell != Dialect::Zsh,
                "exec" => *shell == Dialect::Zsh,
                _ => true,
            };
            let shell = call.shell.filter(runs_builtins);
            let name = call.args[start].known_value().unwrap_or_default().to_owned();
            let mut inner = inner_call(call, start, power);
            if builtins::is_builtin(&name) {
                inner.shell = shell;
            }
            finish(inner, found);
        }
        "entr" => {
            let mut inner = inner_call(call, start, power);
            replace_marks(&mut inner, "/_", true);
            finish(inner, found);
        }
        _ => finish(inner_call(call, start, power), found),
    }
}

/// Reads `flock FILE -c TEXT`.
fn lock_and_text(call: CommandCall, start: usize, found: &mut ParseResults) {
    let text =
        matches!(call.args[start].known_value(), Some("-c" | "--command")) && call.args.len() == start + 2;
    if text {
        inner_shell::place_joined(call, start + 1, Dialect::Posix, found);
    } else {
        refuse(call, Unparsed::Wrapper, "it runs a command in a way that Postern doesn’t follow", found);
    }
}

fn fits_operand(operand: Operand, word: &str) -> bool {
    match operand {
        Operand::Path | Operand::Made => !word.starts_with('-'),
        Operand::Number => {
            word.starts_with(|c: char| c.is_ascii_hexdigit() || c == '.')
                && word.chars().all(|c| c.is_ascii_hexdigit() || "xsmhd.,:-".contains(c))
        }
    }
}

#[cfg(test)]
mod tests {
    use postern_programs::Operand;

    use super::fits_operand;

    #[test]
    fn a_word_that_is_no_number_is_no_time() {
        for word in ["5", "1.5m", "10s", "0x3", "0-3,5", ".5", "ff"] {
            assert!(fits_operand(Operand::Number, word), "{word}");
        }
        for word in ["rm", "-5", "", "/bin/rm", "5;rm"] {
            assert!(!fits_operand(Operand::Number, word), "{word}");
        }
    }
}
