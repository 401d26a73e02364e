//! Shell builtins: which are harmless here, which run or load code, which are read further.

mod checks;
mod names;
mod table;
mod test;
#[cfg(test)]
mod tests;

use crate::call::{Arg, CommandCall};
use crate::{Dialect, Unparsed};
pub(crate) use names::may_set;
use table::{Meaning, Shells, TABLE};

/// Meaning of a builtin call for the reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// No builtin, or one that is judged like the program of the same name (`echo`, `printf`).
    Program,
    /// Runs nothing and changes nothing that counts.
    Harmless,
    /// Runs, loads or changes what cannot be followed: a code and what it does, in words.
    Doubt(Unparsed, &'static str),
    /// Runs what its arguments say.
    Runs,
}

/// Returns true if any shell takes this name for a builtin or a keyword before it looks for a program.
pub(crate) fn is_builtin(name: &str) -> bool {
    name.starts_with('%') || TABLE.iter().any(|(names, ..)| names.contains(&name))
}

/// Returns the meaning of a call of this name when a shell looks it up.
pub(crate) fn judge_builtin(call: &CommandCall) -> Ruling {
    let (Some(name), Some(shell)) = (call.program_name(), call.shell) else { return Ruling::Program };
    let arguments = call.args.get(1..).unwrap_or_default();
    if name.starts_with('%') {
        return Ruling::Doubt(Unparsed::Builtin, "it resumes a job");
    }
    let own =
        TABLE.iter().find(|(names, shells, _)| names.contains(&name) && includes_dialect(*shells, shell));
    match own.map(|(.., meaning)| *meaning) {
        Some(Meaning::Harmless) => Ruling::Harmless,
        Some(Meaning::Checked(check)) => check(name, arguments, shell),
        Some(Meaning::Runs) => Ruling::Runs,
        Some(Meaning::AsProgram) => Ruling::Program,
        Some(Meaning::Doubt(code, what)) => Ruling::Doubt(code, what),
        None if shell == Dialect::Posix && is_builtin(name) => Ruling::Doubt(
            Unparsed::NotPosix,
            "`sh` is another shell on each system, and only some of them have this builtin",
        ),
        None => foreign(name),
    }
}

fn includes_dialect(shells: Shells, dialect: Dialect) -> bool {
    match (shells, dialect) {
        (Shells::All, _) | (Shells::NotPosix, Dialect::Bash | Dialect::Zsh) => true,
        (Shells::Bash, dialect) => dialect == Dialect::Bash,
        (Shells::Zsh, dialect) => dialect == Dialect::Zsh,
        (Shells::NotPosix, Dialect::Posix) => false,
    }
}

/// Judges a builtin of another shell.
///
/// A name that runs its arguments in zsh is never taken for a program elsewhere: its author had zsh in mind.
fn foreign(name: &str) -> Ruling {
    const RUNNERS: &[&str] =
        &["-", "noglob", "nocorrect", "repeat", "foreach", "end", "always", "autoload", "print"];
    if RUNNERS.contains(&name) {
        return Ruling::Doubt(Unparsed::ZshSyntax, "zsh reads this as a command of its own");
    }
    Ruling::Program
}

/// Returns the value of a word, where all of it is known.
fn known_value(arg: &Arg) -> Option<&str> {
    arg.known_value()
}
