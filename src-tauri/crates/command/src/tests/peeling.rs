//! Tests of peeling: the words that are left of a line when its wrappers are taken off.

use super::{bash, heads};
use crate::{Dialect, Dir, ParsedCommand, Role, Step, read_argv_at, read_shell};

/// Returns the steps' words; those known only at run time in angle brackets.
fn told(reading: &ParsedCommand) -> String {
    let word = |word: &crate::Word| word.value.clone().unwrap_or_else(|| format!("<{}>", word.raw));
    let step = |step: &Step| step.argv.iter().map(word).collect::<Vec<_>>().join(" ");
    reading.steps.iter().map(step).collect::<Vec<_>>().join(" ; ")
}

/// Returns the wrappers' words of the last step.
fn wrappers(reading: &ParsedCommand) -> String {
    let via = reading.steps.last().unwrap().via.iter().flat_map(|via| via.argv.iter());
    via.map(crate::Word::text).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_wrapper_leaves_the_words_that_it_hands_on() {
    for (line, expected) in [
        ("find . -exec ls a \\; -exec wc b \\;", "find . -exec ls a ; -exec wc b ; ; ls a ; wc b"),
        ("find . -exec chmod + x \\;", "find . -exec chmod + x ; ; chmod + x"),
        ("find . -exec ls {} +", "find . -exec ls {} + ; ls <{}>"),
        ("fd x -x ls", "fd x -x ls ; ls <{}>"),
        ("fd x -x ls {}", "fd x -x ls {} ; ls <{}>"),
        ("fd x --exec ls {}", "fd x --exec ls {} ; ls <{}>"),
        ("fd a -x ls {} \\; -x wc {}", "fd a -x ls {} ; -x wc {} ; ls <{}> ; wc <{}>"),
        ("fd -- -x ls", "fd -- -x ls"),
        ("fd --hidden x", "fd --hidden x"),
        ("fd --extension=rs x", "fd --extension=rs x"),
        ("xargs -I{} ls {} x", "ls <{}> x"),
        ("xargs -I % ls %", "ls <%>"),
        ("xargs -n 1 ls", "ls <…>"),
        ("parallel ls -l ::: a b", "ls -l <…>"),
        ("runuser -u x -- ls", "ls"),
        ("runuser --user x -- ls", "ls"),
        ("su - u -c 'ls x'", "ls x"),
        ("script -q f ls x", "ls x"),
        ("arch -arch arm64 ls x", "ls x"),
        ("arch -e A=1 ls x", "ls x"),
        ("watch -x ls 'a;b'", "ls a;b"),
        ("xargs -n 1", "echo <…>"),
        ("arch -arm64 -e A=1 ls x", "ls x"),
        ("env -S 'A=1 ls -l' x", "ls -l x"),
        ("env - ls x", "ls x"),
        ("env -iS 'ls -l' x", "ls -l x"),
        ("bash -c 'ls \"$1\" \"$2\"' name -l x", "ls -l x"),
        ("fish -c 'ls x'", "ls x"),
        ("flock f -c 'ls x'", "ls x"),
        ("watch -n 1 'ls x'", "ls x"),
        ("watch -x ls x", "ls x"),
        ("bash --version", "bash --version"),
        ("crontab -l", "crontab -l"),
        ("/lib64/ld-linux-x86-64.so.2 /bin/ls x", "/bin/ls x"),
    ] {
        let reading = bash(line);
        assert_eq!(told(&reading), expected, "{line}: {reading:#?}");
        assert!(reading.is_clear(), "{line}: {reading:#?}");
    }
}

#[test]
fn what_cannot_be_peeled_is_not_understood() {
    for line in [
        "find . -exec \\;", "fd -x \\;", "fd a -xls", "fd a -xls wc", "fd a --exec=ls", "fd a --exec-b ls",
        "/lib64/ld-linux-x86-64.so.2 ls x", "/lib64/ld-linux-x86-64.so.2 --preload=/x.so ls",
        "parallel -I % ls % ::: a", "parallel 'ls; wc' ::: a", "parallel ::: ls wc", "su u extra -c ls",
        "script -q f", "script", "arch -arch $X ls", "env a-b=1 ls", "env =x ls",
        "env 'BASH_FUNC_ls%%=() { wc; }' bash -c ls", "bash -s x", "fish -c 'ls; wc'", "fish -c 'set x'",
        "fish -c -x", "tcsh -f x", "crontab", "crontab x", "crontab -l x", "flock f -c ls x",
    ] {
        let reading = bash(line);
        assert!(!reading.is_clear(), "{line}: {reading:#?}");
    }
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
    assert_eq!(told(&bash("ls | entr wc /_")), "ls ; wc </_>");
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
