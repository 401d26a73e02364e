//! Shell builtins: which are harmless here, which run or load code, which are read further.

use crate::call::{Arg, Call};
use crate::environment::{is_dangerous_variable, is_harmless_variable};

/// What a builtin call means for the reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// No builtin, or one that is judged like the program of the same name (`echo`, `printf`).
    Program,
    /// Runs nothing and changes nothing that counts.
    Harmless,
    /// Runs, loads or changes what cannot be followed.
    Doubt(&'static str, &'static str),
    /// Runs what its arguments say.
    Runs,
}

/// Whether a shell takes this name for a builtin or a keyword before it looks for a program.
pub(crate) fn is_builtin(name: &str) -> bool {
    HARMLESS.contains(&name)
        || CHECKED.contains(&name)
        || RUNS.contains(&name)
        || AS_PROGRAM.contains(&name)
        || doubtful(name).is_some()
}

/// Harmless with any arguments.
const HARMLESS: &[&str] = &[
    ":", "true", "false", "cd", "wait", "times", "jobs", "fg", "bg", "dirs", "pushd", "popd", "umask",
    "ulimit", "getopts", "type", "help", "shift", "return", "exit", "break", "continue", "suspend", "disown",
];

/// Harmless with some arguments.
const CHECKED: &[&str] = &[
    "test",
    "[",
    "read",
    "set",
    "unset",
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "mapfile",
    "readarray",
];

/// Read further: they run what their arguments say.
const RUNS: &[&str] = &["command", "builtin", "exec", "eval", "trap"];

/// Builtins with a program of the same name, which a rule can name.
const AS_PROGRAM: &[&str] = &["echo", "printf", "pwd", "kill"];

fn doubtful(name: &str) -> Option<Ruling> {
    let zsh = ("zsh-syntax", "zsh reads this as a command of its own");
    let (code, what) = match name {
        "." | "source" => ("source", "runs the commands of a file"),
        "alias" | "unalias" => ("alias", "changes what later names mean"),
        "hash" => ("hash", "changes which file a later name runs"),
        "enable" => ("enable", "can load code into the shell"),
        "let" => ("arithmetic", "evaluates its arguments, which can run commands"),
        "shopt" | "bind" | "complete" | "compgen" | "compopt" | "caller" | "fc" | "history" | "logout" => {
            ("builtin", "changes how the shell reads what follows, or runs functions")
        }
        "coproc" => ("newer-bash", "`coproc` is not known to the bash that comes with macOS"),
        "-" | "repeat" | "noglob" | "nocorrect" | "foreach" | "end" | "always" | "print" | "autoload"
        | "zmodload" | "zstyle" | "bindkey" | "whence" | "where" | "vared" | "sched" | "zle" | "emulate"
        | "setopt" | "unsetopt" | "functions" | "zcompile" | "zparseopts" | "zformat" | "zregexparse"
        | "zpty" | "zsocket" | "zftp" | "ztcp" | "float" | "integer" | "private" | "rehash" | "unhash"
        | "unfunction" | "disable" | "limit" | "unlimit" | "pushln" | "getln" | "ttyctl" | "compadd"
        | "compset" | "log" | "chdir" => zsh,
        name if name.starts_with('%') => ("builtin", "resumes a job"),
        _ => return None,
    };
    Some(Ruling::Doubt(code, what))
}

/// What a call of this name means when a shell looks it up.
pub(crate) fn judge(call: &Call) -> Ruling {
    let Some(name) = call.head() else { return Ruling::Program };
    let arguments = call.args.get(1..).unwrap_or_default();
    match name {
        "test" | "[" => test(arguments, call.shell),
        "read" => names_after_options(arguments, "rse", "nNptdaui"),
        "mapfile" | "readarray" => names_after_options(arguments, "t", "nOsud"),
        "unset" => names_after_options(arguments, "v", ""),
        "set" => set(arguments),
        "printf" if arguments.first().is_some_and(|arg| arg.value().is_none_or(|v| v.starts_with("-v"))) => {
            Ruling::Doubt("arithmetic", "`printf -v` evaluates the name that it is given")
        }
        "export" | "declare" | "typeset" | "local" | "readonly" => declaration(name, arguments),
        "getopts" => names_after_options(arguments.get(1..).unwrap_or_default(), "", ""),
        "wait" if arguments.iter().any(|arg| arg.value().is_none_or(|v| v.starts_with("-p"))) => {
            Ruling::Doubt("arithmetic", "`wait -p` evaluates the name that it is given")
        }
        name if HARMLESS.contains(&name) => Ruling::Harmless,
        name if RUNS.contains(&name) => Ruling::Runs,
        name => doubtful(name).unwrap_or(Ruling::Program),
    }
}

/// `-v` evaluates a subscript; in zsh a comparison of numbers does too.
fn test(arguments: &[Arg], shell: Option<crate::Dialect>) -> Ruling {
    const NUMBERS: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
    let zsh = shell == Some(crate::Dialect::Zsh);
    let evaluates =
        |arg: &Arg| arg.value().is_some_and(|v| matches!(v, "-v" | "-R") || (zsh && NUMBERS.contains(&v)));
    let unquoted = |arg: &Arg| arg.value().is_none() && arg.dash && !arg.word.raw.starts_with('"');
    if arguments.iter().any(evaluates) || arguments.iter().any(unquoted) && arguments.len() > 4 {
        return Ruling::Doubt("arithmetic", "this test evaluates a subscript");
    }
    Ruling::Harmless
}

/// Every operand must be the plain name of a harmless variable.
fn names_after_options(arguments: &[Arg], flags: &str, values: &str) -> Ruling {
    const WILD: Ruling =
        Ruling::Doubt("environment", "sets a variable that decides what runs, or one named at run time");
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(value) = argument.value() else { return WILD };
        let Some(cluster) = value.strip_prefix('-').filter(|cluster| !cluster.is_empty()) else {
            if !is_identifier(value) || is_dangerous_variable(value) {
                return WILD;
            }
            continue;
        };
        for (at, c) in cluster.char_indices() {
            let attached = cluster.get(at + 1..).unwrap_or_default();
            if values.contains(c) {
                let value =
                    if attached.is_empty() { rest.next().and_then(Arg::value) } else { Some(attached) };
                if c == 'a' && !value.is_some_and(|name| is_identifier(name) && !is_dangerous_variable(name))
                {
                    return WILD;
                }
                break;
            }
            if !flags.contains(c) && c != '-' {
                return WILD;
            }
        }
    }
    Ruling::Harmless
}

fn set(arguments: &[Arg]) -> Ruling {
    const NAMES: &[&str] = &["errexit", "nounset", "pipefail", "xtrace", "noglob", "noclobber", "verbose"];
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.value() {
            Some("--") => return Ruling::Harmless,
            Some(value) if value.starts_with(['-', '+']) => {
                let letters = value.get(1..).unwrap_or_default();
                let known = letters.chars().all(|c| "euxofCv".contains(c));
                let named = !letters.contains('o')
                    || rest.next().and_then(Arg::value).is_some_and(|name| NAMES.contains(&name));
                if !known || !named {
                    return Ruling::Doubt("builtin", "changes how the shell reads what follows");
                }
            }
            Some(_) | None => return Ruling::Doubt("builtin", "sets the line's arguments at run time"),
        }
    }
    Ruling::Harmless
}

fn declaration(name: &str, arguments: &[Arg]) -> Ruling {
    const WILD: Ruling = Ruling::Doubt("environment", "sets a variable for the programs that follow");
    let mut exported = name == "export";
    for argument in arguments {
        let raw = argument.word.raw.as_str();
        if let Some(flags) = raw.strip_prefix(['-', '+']) {
            if !flags.chars().all(|c| "xrgaAp-".contains(c)) {
                return WILD;
            }
            exported |= flags.contains('x');
            continue;
        }
        let (variable, value) = match argument.value().and_then(|word| word.split_once('=')) {
            Some((variable, value)) => (variable, Some(value)),
            None => (raw.split('=').next().unwrap_or_default(), None),
        };
        let variable = variable.trim_end_matches('+');
        let harmless = value.is_some_and(|value| is_harmless_variable(variable, value));
        if !is_identifier(variable) || is_dangerous_variable(variable) && !harmless || exported && !harmless {
            return WILD;
        }
    }
    Ruling::Harmless
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
