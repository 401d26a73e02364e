//! Each builtin of the shells, and each argument by which a harmless one is not.

use super::{Ruling, is_builtin, judge_builtin};
use crate::Dialect;
use crate::call::{Arg, CommandCall};

fn call(line: &str, shell: Dialect) -> CommandCall {
    let arg = |word: &str| match word.strip_prefix('$') {
        Some(name) => Arg { several: name == "@", chosen: false, ..Arg::unknown(word, 0..0, true) },
        None if word.contains('$') => {
            Arg { several: false, chosen: false, ..Arg::unknown(word, 0..0, false) }
        }
        None => Arg::from_value(word, 0..0),
    };
    CommandCall { args: line.split(' ').map(arg).collect(), shell: Some(shell), ..CommandCall::default() }
}

fn rules(line: &str, shell: Dialect) -> Ruling {
    judge_builtin(&call(line, shell))
}

/// `compgen -b` of bash 5.2.
const BASH: &str = ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo \
    enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read \
    readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait";

/// `${(k)builtins}` of zsh 5.9 with `-f`.
const ZSH: &str = ". : [ alias autoload bg bindkey break builtin bye cd chdir command compadd comparguments compcall compctl \
    compdescribe compfiles compgroups compquote compset comptags comptry compvalues continue declare dirs disable disown echo echotc \
    echoti emulate enable eval exec exit export false fc fg float functions getln getopts hash history integer jobs kill let limit \
    local log logout noglob popd print printf private pushd pushln pwd r read readonly rehash return sched set setopt shift source \
    suspend test times trap true ttyctl type typeset ulimit umask unalias unfunction unhash unlimit unset unsetopt vared wait whence \
    where which zcompile zformat zle zmodload zparseopts zregexparse zstyle";

/// POSIX special builtins and the others that dash has.
const POSIX: &str = "break : continue . eval exec exit export readonly return set shift times trap unset alias bg cd command false fg \
    getopts hash jobs kill printf pwd read test [ true type ulimit umask unalias wait local echo";

#[test]
fn every_builtin_of_every_shell_is_known() {
    // Judged like the programs of those names: a rule can name `/bin/echo`.
    const PROGRAMS: &[&str] = &["echo", "pwd", "kill", "printf"];
    for (names, shell) in [(BASH, Dialect::Bash), (ZSH, Dialect::Zsh), (POSIX, Dialect::Posix)] {
        for name in names.split_whitespace() {
            assert!(is_builtin(name), "{name}");
            let ruling = judge_builtin(&call(name, shell));
            assert!(ruling != Ruling::Program || PROGRAMS.contains(&name), "{name} in {shell:?}: {ruling:?}");
        }
    }
}

/// Calls in one shell with one meaning.
#[derive(serde::Deserialize)]
struct BuiltinCase {
    shell: String,
    ruling: String,
    lines: Vec<String>,
}

/// Each doubt runs or changes something in a real shell (tried), or is named at run time.
#[test]
fn calls_have_the_meaning_that_their_case_says() {
    for case in crate::tests::rows::<BuiltinCase>(include_str!("tests.jsonl")) {
        let shell = match case.shell.as_str() {
            "bash" => Dialect::Bash,
            "zsh" => Dialect::Zsh,
            _ => Dialect::Posix,
        };
        for line in &case.lines {
            let got = match rules(line, shell) {
                Ruling::Program => "program",
                Ruling::Harmless => "harmless",
                Ruling::Doubt(..) => "doubt",
                Ruling::Runs => "runs",
            };
            assert_eq!(got, case.ruling, "{line} in {shell:?}");
        }
    }
}

#[test]
fn what_another_shell_has_is_a_program_or_a_doubt() {
    assert_eq!(rules("log show", Dialect::Bash), Ruling::Program, "macOS has a program of that name");
    assert_eq!(rules("which git", Dialect::Bash), Ruling::Program);
    assert_eq!(rules("printf %d -5.5", Dialect::Zsh), Ruling::Program, "what is a number is not evaluated");
    assert_eq!(rules("noglob ls", Dialect::Zsh), Ruling::Runs);
}
