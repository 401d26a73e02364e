//! Builtins that are harmless with some arguments only.

use super::names::{BuiltinOptions, WILD, after_options, may_set};
use super::{Arg, Ruling, known_value};
use crate::environment::{decides_what_runs, evaluates, is_harmless, is_name};
use crate::{Dialect, Unparsed};

const READING: Ruling = Ruling::Doubt(Unparsed::Builtin, "it changes how the shell reads what follows");
const RUNS: Ruling =
    Ruling::Doubt(Unparsed::Builtin, "it runs a command that its arguments or the history name");
const NAMES: Ruling = Ruling::Doubt(Unparsed::Alias, "it changes what later names mean");

/// Options of shells that change neither what is read nor what runs.
const HARMLESS_OPTIONS: &[&str] = &[
    "errexit", "nounset", "pipefail", "xtrace", "noglob", "noclobber", "verbose", "nullglob", "globstar",
    "dotglob", "failglob", "nocaseglob", "nocasematch", "inherit_errexit", "globdots", "nomatch",
    "nonomatch", "monitor", "notify",
];

/// Returns true for no arguments, or only these single letters after a dash.
fn letters_only(arguments: &[Arg], letters: &str) -> bool {
    arguments.iter().all(|arg| {
        let cluster = known_value(arg).and_then(|value| value.strip_prefix('-'));
        cluster.is_some_and(|cluster| !cluster.is_empty() && cluster.chars().all(|c| letters.contains(c)))
    })
}

/// Checks `read` and the variables that it sets.
pub(super) fn check_read(_: &str, arguments: &[Arg], shell: Dialect) -> Ruling {
    let options = match shell {
        Dialect::Zsh => BuiltinOptions { flags: "rsqeE", texts: "dp", numbers: "tnku", names: "A" },
        Dialect::Bash | Dialect::Posix => {
            BuiltinOptions { flags: "rseE", texts: "pdi", numbers: "nNtu", names: "a" }
        }
    };
    after_options(arguments, &options, shell)
}

pub(super) fn check_mapfile(_: &str, arguments: &[Arg], shell: Dialect) -> Ruling {
    let calls =
        |arg: &Arg| known_value(arg).is_some_and(|value| value.starts_with('-') && value.contains('C'));
    if arguments.iter().any(calls) {
        return RUNS;
    }
    after_options(arguments, &BuiltinOptions { flags: "t", texts: "d", numbers: "nOsu", names: "" }, shell)
}

/// Checks `getopts`: only the variable after the option string is set; the other words are checked as
/// options.
pub(super) fn check_getopts(_: &str, arguments: &[Arg], shell: Dialect) -> Ruling {
    let name = arguments.get(1).and_then(known_value).filter(|_| !arguments[0].several);
    if name.is_some_and(|name| may_set(name, shell)) { Ruling::Harmless } else { WILD }
}

/// Checks `unset`.
///
/// `unset -f` brings a program back from under a function of its name; so may plain `unset`, which the walk
/// looks at.
pub(super) fn check_unset(_: &str, arguments: &[Arg], shell: Dialect) -> Ruling {
    after_options(arguments, &BuiltinOptions { flags: "v", texts: "", numbers: "", names: "" }, shell)
}

pub(super) fn check_wait(_: &str, arguments: &[Arg], _: Dialect) -> Ruling {
    let names =
        |arg: &Arg| known_value(arg).map_or(arg.dash, |value| value.starts_with('-') && value.contains('p'));
    if arguments.iter().any(names) {
        return Ruling::Doubt(Unparsed::Arithmetic, "`wait -p` evaluates the name that it is given");
    }
    Ruling::Harmless
}

/// Checks `jobs`: `jobs -x COMMAND` runs it.
pub(super) fn check_jobs(_: &str, arguments: &[Arg], _: Dialect) -> Ruling {
    let runs = |arg: &Arg| known_value(arg).is_none_or(|value| value.starts_with('-') && value.contains('x'));
    if arguments.iter().any(runs) { RUNS } else { Ruling::Harmless }
}

/// Checks `hash`: asking and forgetting are harmless; naming a file for a command is not.
pub(super) fn check_hash(_: &str, arguments: &[Arg], _: Dialect) -> Ruling {
    let fine = |arg: &Arg| {
        known_value(arg).is_some_and(|value| match value.strip_prefix('-') {
            Some(cluster) => cluster.chars().all(|c| "rtlv".contains(c)),
            None => !value.contains('='),
        })
    };
    if arguments.iter().all(fine) {
        Ruling::Harmless
    } else {
        Ruling::Doubt(Unparsed::Hash, "it changes which file a later name runs")
    }
}

pub(super) fn check_alias(_: &str, arguments: &[Arg], _: Dialect) -> Ruling {
    let asks = |arg: &Arg| {
        known_value(arg).is_some_and(|value| !value.contains('=') && !value.starts_with(['-', '+']))
    };
    if arguments.iter().all(asks) || letters_only(arguments, "p") { Ruling::Harmless } else { NAMES }
}

/// Checks `enable`, `disable` and `bind`: harmless without an argument, or only to print.
pub(super) fn only_asks(name: &str, arguments: &[Arg], _: Dialect) -> Ruling {
    let letters = if name == "bind" { "lpPsSvVX" } else { "aps" };
    if letters_only(arguments, letters) {
        Ruling::Harmless
    } else {
        Ruling::Doubt(Unparsed::Enable, "it changes what later names mean, or loads code into the shell")
    }
}

pub(super) fn check_history(_: &str, arguments: &[Arg], _: Dialect) -> Ruling {
    let count =
        |arg: &Arg| known_value(arg).is_some_and(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
    if arguments.iter().all(count) { Ruling::Harmless } else { RUNS }
}

pub(super) fn check_fc(_: &str, arguments: &[Arg], _: Dialect) -> Ruling {
    let lists = arguments
        .first()
        .and_then(known_value)
        .is_some_and(|value| value.starts_with('-') && value.contains('l'));
    let plain = |arg: &Arg| {
        known_value(arg).is_some_and(|value| value.chars().all(|c| c.is_ascii_digit() || "-lnr".contains(c)))
    };
    if lists && arguments.iter().all(plain) { Ruling::Harmless } else { RUNS }
}

/// Checks `compgen`: `-F`, `-C` and `-W` run functions, commands and expansions, and a path tells the names in a folder.
pub(super) fn check_compgen(_: &str, arguments: &[Arg], _: Dialect) -> Ruling {
    let plain = |arg: &Arg| {
        known_value(arg).is_some_and(|value| match value.strip_prefix('-') {
            Some(cluster) => cluster.chars().all(|c| "abcdefgjksuv".contains(c)),
            None => value.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)),
        })
    };
    if arguments.iter().all(plain) { Ruling::Harmless } else { RUNS }
}

pub(super) fn check_shopt(_: &str, arguments: &[Arg], _: Dialect) -> Ruling {
    options_named(arguments, "supqo")
}

pub(super) fn check_setopt(_: &str, arguments: &[Arg], _: Dialect) -> Ruling {
    options_named(arguments, "")
}

fn options_named(arguments: &[Arg], letters: &str) -> Ruling {
    let queries = |cluster: &str| cluster.contains(['p', 'q']) && !cluster.contains(['s', 'u']);
    let flags: Option<Vec<&str>> = arguments.iter().map(known_value).collect();
    let Some(words) = flags else { return READING };
    let asks = words.iter().any(|word| word.strip_prefix('-').is_some_and(queries));
    let fine = |word: &&str| match word.strip_prefix('-') {
        Some(cluster) => !cluster.is_empty() && cluster.chars().all(|c| letters.contains(c)),
        None => asks || is_harmless_option(word),
    };
    if words.iter().all(fine) { Ruling::Harmless } else { READING }
}

/// Returns true for an option of zsh that changes nothing here. zsh writes its options in any case and with
/// any underscores.
fn is_harmless_option(name: &str) -> bool {
    let plain = name.replace('_', "").to_ascii_lowercase();
    HARMLESS_OPTIONS.iter().any(|option| option.replace('_', "") == plain)
}

/// Options that are harmless, and new positional parameters after `--`, which the walk takes as unknown from then on.
pub(super) fn check_set(_: &str, arguments: &[Arg], shell: Dialect) -> Ruling {
    let letters = if shell == Dialect::Zsh { "euxvo" } else { "euxofCvmbE" };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match known_value(argument) {
            Some("--") => return Ruling::Harmless,
            Some(value) if value.starts_with(['-', '+']) => {
                let cluster = value.get(1..).unwrap_or_default();
                let named = !cluster.contains('o')
                    || rest.next().is_none_or(|name| known_value(name).is_some_and(is_harmless_option));
                if !cluster.chars().all(|c| letters.contains(c)) || !named {
                    return READING;
                }
            }
            Some(_) => return Ruling::Harmless,
            None => {
                return Ruling::Doubt(
                    Unparsed::Builtin,
                    "it may set options that are known only at run time",
                );
            }
        }
    }
    Ruling::Harmless
}

/// Checks `exit`, `return`, `shift` and similar builtins: zsh evaluates their numbers, and `sh` may be zsh.
pub(super) fn check_counting(_: &str, arguments: &[Arg], shell: Dialect) -> Ruling {
    if shell == Dialect::Bash || arguments.iter().all(Arg::is_number) {
        return Ruling::Harmless;
    }
    Ruling::Doubt(Unparsed::Arithmetic, "zsh evaluates what it counts, which can run commands")
}

/// Returns true if `printf` makes numbers of none of its arguments, or all of them are numbers: zsh would
/// evaluate others.
fn prints_plainly(arguments: &[Arg]) -> bool {
    let skipped = usize::from(arguments.first().and_then(known_value) == Some("--"));
    let Some((format, rest)) = arguments.get(skipped..).and_then(<[Arg]>::split_first) else { return true };
    let number = |arg: &Arg| arg.is_number() || known_value(arg).is_some_and(is_decimal);
    known_value(format).is_some_and(prints_texts) || rest.iter().all(number)
}

fn is_decimal(value: &str) -> bool {
    let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// Returns true if a format has places for texts only (`%s`, `%-10s`, `%b`), and no width that is counted
/// from an argument.
fn prints_texts(format: &str) -> bool {
    let plain = format.replace("%%", "");
    let width = |c: char| c.is_ascii_digit() || "-+ #.".contains(c);
    plain.split('%').skip(1).all(|part| part.trim_start_matches(width).starts_with(['s', 'b', 'q', 'c']))
}

/// Checks `printf`: without `-v`, which evaluates the name that it is given, it is the program of that name.
pub(super) fn check_printf(_: &str, arguments: &[Arg], shell: Dialect) -> Ruling {
    let first = arguments.first();
    let option = first.is_some_and(|arg| known_value(arg).map_or(arg.dash, |value| value.starts_with("-v")));
    let plain = arguments.get(1).and_then(known_value).is_some_and(|name| may_set(name, shell));
    let printed = if option { arguments.get(2..).unwrap_or_default() } else { arguments };
    if shell != Dialect::Bash && !prints_plainly(printed) {
        return Ruling::Doubt(Unparsed::Arithmetic, "zsh’s `printf` evaluates what it prints as a number");
    }
    match (option, first.and_then(known_value)) {
        (false, _) => Ruling::Program,
        (true, Some("-v")) if plain => Ruling::Harmless,
        (true, _) => Ruling::Doubt(Unparsed::Arithmetic, "`printf -v` evaluates the name that it is given"),
    }
}

/// Checks zsh’s `print`, an `echo` with more letters.
///
/// `-P` expands prompts, `-v` sets, `-z` and `-s` write to the place that the next line is read from.
pub(super) fn check_print(_: &str, arguments: &[Arg], _: Dialect) -> Ruling {
    for argument in arguments {
        match known_value(argument) {
            Some("-" | "--") => return Ruling::Harmless,
            Some(value) if value.starts_with('-') => {
                if !value.chars().skip(1).all(|c| "nrRlNoOica".contains(c)) {
                    return Ruling::Doubt(
                        Unparsed::ZshSyntax,
                        "zsh’s `print` has an option that does more than print",
                    );
                }
            }
            None if argument.dash => {
                return Ruling::Doubt(
                    Unparsed::ZshSyntax,
                    "zsh’s `print` has options that are known only at run time",
                );
            }
            Some(_) | None => return Ruling::Harmless,
        }
    }
    Ruling::Harmless
}

pub(super) fn check_declaration(name: &str, arguments: &[Arg], shell: Dialect) -> Ruling {
    const SETS: Ruling =
        Ruling::Doubt(Unparsed::Environment, "it sets a variable for the programs that follow");
    const ARRAY: Ruling = Ruling::Doubt(Unparsed::Arithmetic, "bash evaluates a text that is made an array");
    let mut exported = name == "export";
    let mut array = false;
    for argument in arguments {
        let raw = argument.word.raw.as_str();
        if let Some(flags) = raw.strip_prefix(['-', '+']) {
            if !flags.chars().all(|c| "xrgaAplufF-".contains(c)) || flags.contains('f') && exported {
                return SETS;
            }
            exported |= flags.contains('x');
            array |= flags.contains(['a', 'A']);
            // To zsh `-F` is a number with a point, which it evaluates, and `-fu` loads the function from a file.
            if shell != Dialect::Bash && (flags.contains('F') || flags.contains('f') && flags != "f") {
                return SETS;
            }
            if flags.contains(['f', 'F']) {
                return if exported || name == "readonly" { SETS } else { Ruling::Harmless };
            }
            continue;
        }
        let (variable, value) = match known_value(argument).and_then(|word| word.split_once('=')) {
            Some((variable, value)) => (variable, Some(value)),
            None => (raw.split('=').next().unwrap_or_default(), None),
        };
        // A list that is written out (`x=(a b)`) is read word by word elsewhere; a text that looks like one is evaluated.
        let written = known_value(argument).is_none()
            && raw.split_once('=').is_some_and(|(_, value)| value.starts_with('('));
        let text = raw.contains('=')
            && !written
            && (value.is_none() && array || value.is_some_and(|v| v.starts_with('(')));
        if text {
            return ARRAY;
        }
        let variable = variable.trim_end_matches('+');
        let harmless = is_harmless(variable, value);
        if !is_name(variable) || (exported || !plainly_set(variable, value, shell)) && !harmless {
            return SETS;
        }
    }
    Ruling::Harmless
}

fn plainly_set(name: &str, value: Option<&str>, shell: Dialect) -> bool {
    !decides_what_runs(name, Some(shell)) && !evaluates(name, value, Some(shell))
}
