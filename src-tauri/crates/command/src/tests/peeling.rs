//! Tests of peeling: the words that are left of a line when its wrappers are taken off.

use super::{bash, heads, told};
use crate::{Dialect, Dir, ParsedCommand, Role, read_argv_at, read_shell};

/// Returns the wrappers' words of the last step.
fn wrappers(reading: &ParsedCommand) -> String {
    let via = reading.steps.last().unwrap().via.iter().flat_map(|via| via.argv.iter());
    via.map(crate::Word::text).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_split_text_takes_the_place_of_its_option() {
    for (line, expected) in [
        ("env -S 'ls -l'", "env"),
        ("env -iS 'ls -l'", "env -i"),
        ("env --split-string='ls -l'", "env"),
        ("env -u A -S 'B=1 ls'", "env -u A B=1"),
    ] {
        assert_eq!(wrappers(&bash(line)), expected, "{line}");
    }
}

#[test]
fn a_shell_keeps_its_flag_and_its_text() {
    assert_eq!(wrappers(&bash("bash -c 'ls x' name")), "bash -c ls x");
}

#[test]
fn what_a_wrapper_starts_is_no_builtin_and_what_zsh_runs_itself_is() {
    let role = |line: &str, dialect| read_shell(line, dialect).steps.last().map(|step| step.role);
    assert_eq!(role("env cd x", Dialect::Bash), Some(Role::Program));
    assert_eq!(role("cd x", Dialect::Bash), Some(Role::HarmlessBuiltin));
    assert_eq!(role("noglob cd x", Dialect::Zsh), Some(Role::HarmlessBuiltin));
    assert_eq!(role("builtin cd x", Dialect::Bash), Some(Role::HarmlessBuiltin));
    assert_eq!(role("command cd x", Dialect::Bash), Some(Role::HarmlessBuiltin));
    assert_eq!(role("command cd x", Dialect::Zsh), Some(Role::Program), "zsh's runs programs only");
    assert_eq!(role("exec cd x", Dialect::Bash), Some(Role::Program), "bash's too");
    assert_eq!(role("exec cd x", Dialect::Zsh), Some(Role::HarmlessBuiltin));
    assert_eq!(role("exec > log", Dialect::Bash), Some(Role::Nothing));
    assert_eq!(role("eval ''", Dialect::Bash), Some(Role::HarmlessBuiltin));
    assert_eq!(role("sh -c ''", Dialect::Bash), Some(Role::Program), "a shell is started all the same");
    assert_eq!(role("env --version", Dialect::Bash), Some(Role::Program));
    assert_eq!(heads(&bash("nice")), ["nice"], "a wrapper without a program is what runs");
    assert_eq!(told(&bash("ls | entr wc /_")), "ls ; wc <{}>");
}

#[test]
fn wrappers_are_followed_to_a_bounded_depth() {
    let chain = |count: usize| bash(&format!("{}ls x", "env ".repeat(count)));
    assert!(chain(5).is_clear(), "{:#?}", chain(5));
    for count in [20, 200, 5000] {
        let reading = chain(count);
        assert!(!reading.is_clear(), "{count} wrappers");
        assert!(heads(&reading).len() <= 1, "{count} wrappers");
    }
}

#[test]
fn a_found_file_s_folder_is_not_known() {
    let dir = |line: &str| bash(line).steps.last().map(|step| step.dir.clone());
    assert_eq!(dir("find . -execdir ls {} \\;"), Some(Dir::Unknown));
    assert_eq!(dir("find . -exec ls {} \\;"), Some(Dir::Same));
}

#[test]
fn another_user_s_home_is_another() {
    let last = |argv: &[&str]| {
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        let reading = read_argv_at(&argv, "/Users/u");
        reading.steps.last().and_then(|step| step.argv[1].value.clone())
    };
    assert_eq!(last(&["sh", "-c", "ls ~/x"]).as_deref(), Some("/Users/u/x"));
    assert_ne!(last(&["sudo", "sh", "-c", "ls ~/x"]).as_deref(), Some("/Users/u/x"));
}
