//! Every builtin of bash 5.2, dash and zsh 5.9, with the meaning of a call.
//!
//! bash's own list (`compgen -b`) and zsh's (`$builtins`) are in the tests.

use super::checks::{
    check_alias, check_compgen, check_counting, check_declaration, check_fc, check_getopts, check_hash,
    check_history, check_jobs, check_mapfile, check_print, check_printf, check_read, check_set, check_setopt,
    check_shopt, check_unset, check_wait, only_asks,
};
use super::test::test;
use super::{Arg, Ruling};
use crate::{Dialect, Unparsed};

/// Shells that have a builtin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shells {
    /// bash, zsh and dash.
    All,
    /// bash and zsh.
    NotPosix,
    Bash,
    Zsh,
}

/// Meaning of a call of a builtin.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// Harmless with any arguments.
    Harmless,
    /// Depends on its arguments.
    Checked(fn(&str, &[Arg], Dialect) -> Ruling),
    /// Read further: it runs what its arguments say.
    Runs,
    /// Has a program of the same name, which a rule can name.
    AsProgram,
    /// Runs, loads or changes what cannot be followed.
    Doubt(Unparsed, &'static str),
}

const COMPLETION: Meaning = Meaning::Doubt(Unparsed::Builtin, "it sets up functions that run on completion");
const NAMES: Meaning = Meaning::Doubt(Unparsed::Builtin, "it changes what later names mean");
const OWN: Meaning = Meaning::Doubt(Unparsed::ZshSyntax, "zsh reads this as a command of its own");

pub(super) const TABLE: &[(&[&str], Shells, Meaning)] = &[
    (
        &[":", "true", "false", "cd", "times", "fg", "bg", "umask", "ulimit", "type"],
        Shells::All,
        Meaning::Harmless,
    ),
    (&["shift", "return", "exit", "break", "continue"], Shells::All, Meaning::Checked(check_counting)),
    (&["logout"], Shells::NotPosix, Meaning::Checked(check_counting)),
    (&["bye"], Shells::Zsh, Meaning::Checked(check_counting)),
    (&["chdir"], Shells::Zsh, Meaning::Harmless),
    (&["dirs", "pushd", "popd", "suspend", "disown"], Shells::NotPosix, Meaning::Harmless),
    (&["help", "caller"], Shells::Bash, Meaning::Harmless),
    (&["rehash", "whence", "where", "which"], Shells::Zsh, Meaning::Harmless),
    (&["test", "["], Shells::All, Meaning::Checked(test)),
    (&["read"], Shells::All, Meaning::Checked(check_read)),
    (&["getopts"], Shells::All, Meaning::Checked(check_getopts)),
    (&["set"], Shells::All, Meaning::Checked(check_set)),
    (&["unset"], Shells::All, Meaning::Checked(check_unset)),
    (&["export", "readonly", "local"], Shells::All, Meaning::Checked(check_declaration)),
    (&["declare", "typeset"], Shells::NotPosix, Meaning::Checked(check_declaration)),
    (&["wait"], Shells::All, Meaning::Checked(check_wait)),
    (&["jobs"], Shells::All, Meaning::Checked(check_jobs)),
    (&["hash"], Shells::All, Meaning::Checked(check_hash)),
    (&["alias"], Shells::All, Meaning::Checked(check_alias)),
    (&["unalias"], Shells::All, Meaning::Harmless),
    (&["mapfile", "readarray"], Shells::Bash, Meaning::Checked(check_mapfile)),
    (&["shopt"], Shells::Bash, Meaning::Checked(check_shopt)),
    (&["compgen"], Shells::Bash, Meaning::Checked(check_compgen)),
    (&["history"], Shells::NotPosix, Meaning::Checked(check_history)),
    (&["fc"], Shells::NotPosix, Meaning::Checked(check_fc)),
    (&["setopt", "unsetopt"], Shells::Zsh, Meaning::Checked(check_setopt)),
    (&["print"], Shells::Zsh, Meaning::Checked(check_print)),
    (&["printf"], Shells::All, Meaning::Checked(check_printf)),
    (&["echo", "pwd", "kill"], Shells::All, Meaning::AsProgram),
    (&["command", "exec", "eval", "trap"], Shells::All, Meaning::Runs),
    (&["builtin"], Shells::NotPosix, Meaning::Runs),
    (&["noglob", "nocorrect", "-"], Shells::Zsh, Meaning::Runs),
    (&["."], Shells::All, Meaning::Doubt(Unparsed::Source, "it runs the commands of a file")),
    (&["source"], Shells::NotPosix, Meaning::Doubt(Unparsed::Source, "it runs the commands of a file")),
    (&["enable", "disable"], Shells::NotPosix, Meaning::Checked(only_asks)),
    (
        &["let"],
        Shells::NotPosix,
        Meaning::Doubt(Unparsed::Arithmetic, "it evaluates its arguments, which can run commands"),
    ),
    (&["bind"], Shells::Bash, Meaning::Checked(only_asks)),
    (&["complete", "compopt"], Shells::Bash, COMPLETION),
    (
        &["coproc"],
        Shells::NotPosix,
        Meaning::Doubt(Unparsed::NewerBash, "the bash of macOS doesn’t know `coproc`"),
    ),
    (&["autoload"], Shells::Zsh, Meaning::Doubt(Unparsed::Source, "it runs the commands of a file")),
    (
        &["functions", "unfunction", "unhash", "emulate", "zmodload", "private", "float", "integer"],
        Shells::Zsh,
        NAMES,
    ),
    (
        &[
            "compadd", "comparguments", "compcall", "compctl", "compdescribe", "compfiles", "compgroups",
            "compquote", "compset", "comptags", "comptry", "compvalues", "zle", "bindkey", "zstyle",
            "zformat", "zparseopts", "zregexparse", "vared",
        ],
        Shells::Zsh,
        COMPLETION,
    ),
    (
        &[
            "repeat", "foreach", "end", "always", "r", "sched", "zcompile", "zpty", "zsocket", "zftp",
            "ztcp", "limit", "unlimit", "pushln", "getln", "ttyctl", "log", "echotc", "echoti", "time",
        ],
        Shells::Zsh,
        OWN,
    ),
];
