//! Tests of peeling: the words that are left of a line when its wrappers are taken off.

use super::{bash, heads};
use crate::{Dialect, Dir, ParsedCommand, Role, Step, read_argv_at, read_shell};
use rstest::rstest;

/// Returns the steps' words; those known only at run time in angle brackets.
fn told(reading: &ParsedCommand) -> String {
    let word = |word: &crate::Word| word.value.clone().unwrap_or_else(|| format!("<{}>", word.raw));
    let step = |step: &Step| step.argv.iter().map(word).collect::<Vec<_>>().join(" ");
    reading.steps.iter().map(step).collect::<Vec<_>>().join(" ; ")
}

/// Returns the wrappers' words of the last step.
fn wrappers(reading: &ParsedCommand) -> String {
    let via = reading.steps.last().unwrap().via.iter().flat_map(|via| via.argv.iter());
    via.map(|word| word.value.as_deref().unwrap_or(&word.raw)).collect::<Vec<_>>().join(" ")
}

#[rstest]
#[case("find . -exec ls a \\; -exec wc b \\;", "find . -exec ls a ; -exec wc b ; ; ls a ; wc b")]
#[case("find . -exec chmod + x \\;", "find . -exec chmod + x ; ; chmod + x")]
#[case("find . -exec ls {} +", "find . -exec ls {} + ; ls <{}>")]
#[case("fd x -x ls", "fd x -x ls ; ls <{}>")]
#[case("fd x -x ls {}", "fd x -x ls {} ; ls <{}>")]
#[case("fd x --exec ls {}", "fd x --exec ls {} ; ls <{}>")]
#[case("fd a -x ls {} \\; -x wc {}", "fd a -x ls {} ; -x wc {} ; ls <{}> ; wc <{}>")]
#[case("fd -- -x ls", "fd -- -x ls")]
#[case("fd --hidden x", "fd --hidden x")]
#[case("fd --extension=rs x", "fd --extension=rs x")]
#[case("xargs -I{} ls {} x", "ls <{}> x")]
#[case("xargs -I % ls %", "ls <%>")]
#[case("xargs -n 1 ls", "ls <…>")]
#[case("parallel ls -l ::: a b", "ls -l <…>")]
#[case("runuser -u x -- ls", "ls")]
#[case("runuser --user x -- ls", "ls")]
#[case("su - u -c 'ls x'", "ls x")]
#[case("script -q f ls x", "ls x")]
#[case("arch -arch arm64 ls x", "ls x")]
#[case("arch -e A=1 ls x", "ls x")]
#[case("watch -x ls 'a;b'", "ls a;b")]
#[case("xargs -n 1", "echo <…>")]
#[case("arch -arm64 -e A=1 ls x", "ls x")]
#[case("env -S 'A=1 ls -l' x", "ls -l x")]
#[case("env - ls x", "ls x")]
#[case("env -iS 'ls -l' x", "ls -l x")]
#[case("bash -c 'ls \"$1\" \"$2\"' name -l x", "ls -l x")]
#[case("fish -c 'ls x'", "ls x")]
#[case("flock f -c 'ls x'", "ls x")]
#[case("watch -n 1 'ls x'", "ls x")]
#[case("watch -x ls x", "ls x")]
#[case("bash --version", "bash --version")]
#[case("crontab -l", "crontab -l")]
#[case("/lib64/ld-linux-x86-64.so.2 /bin/ls x", "/bin/ls x")]
fn a_wrapper_leaves_the_words_that_it_hands_on(#[case] line: &str, #[case] expected: &str) {
    let reading = bash(line);
    assert_eq!(told(&reading), expected, "{line}: {reading:#?}");
    assert!(reading.is_clear(), "{line}: {reading:#?}");
}

#[rstest]
#[case("find . -exec \\;")]
#[case("fd -x \\;")]
#[case("fd a -xls")]
#[case("fd a -xls wc")]
#[case("fd a --exec=ls")]
#[case("fd a --exec-b ls")]
#[case("/lib64/ld-linux-x86-64.so.2 ls x")]
#[case("/lib64/ld-linux-x86-64.so.2 --preload=/x.so ls")]
#[case("parallel -I % ls % ::: a")]
#[case("parallel 'ls; wc' ::: a")]
#[case("parallel ::: ls wc")]
#[case("su u extra -c ls")]
#[case("script -q f")]
#[case("script")]
#[case("arch -arch $X ls")]
#[case("env a-b=1 ls")]
#[case("env =x ls")]
#[case("env 'BASH_FUNC_ls%%=() { wc; }' bash -c ls")]
#[case("bash -s x")]
#[case("fish -c 'ls; wc'")]
#[case("fish -c 'set x'")]
#[case("fish -c -x")]
#[case("tcsh -f x")]
#[case("crontab")]
#[case("crontab x")]
#[case("crontab -l x")]
#[case("flock f -c ls x")]
fn what_cannot_be_peeled_is_not_understood(#[case] line: &str) {
    let reading = bash(line);
    assert!(!reading.is_clear(), "{line}: {reading:#?}");
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
