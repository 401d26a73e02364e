//! Lines of shell text, class by class: what must be understood, and what must not.

use super::{bash, heads, reads_clear};
use crate::RedirectionKind::{Append, Descriptor, Read, ReadWrite, Write};
use crate::{Dialect, Dir, RedirectionKind, Role, read_argv, read_shell};

/// Each of these runs `id` in some shell, and at least one published parser or gate does not see it.
#[test]
fn a_hidden_command_is_a_step_or_is_not_allowed() {
    for line in super::rows::<String>(include_str!("hidden.jsonl")) {
        let reading = bash(&line);
        let seen = heads(&reading).iter().any(|head| head == "id");
        assert!(seen || !reads_clear(&reading), "{line:?} hides id: {reading:#?}");
    }
}

/// Asserts that text which dash and bash read differently is not clear to `sh`, which is not one shell.
#[test]
fn bash_syntax_is_doubtful_in_sh() {
    for line in ["ls &> f", "ls <(id)", "[[ a ]]", "{ls,-l}", "$'ls'", "cat <<< x", "function f { ls; }; f"] {
        assert!(!reads_clear(&read_shell(line, Dialect::Posix)), "{line:?}");
        let own: &[&str] = &["ls &> f", "[[ a ]]", "$'ls'", "cat <<< x"];
        if own.contains(&line) {
            assert!(reads_clear(&bash(line)), "{line:?} is fine in bash");
        }
    }
}

#[test]
fn cd_is_followed() {
    let dir = |line: &str, step: usize| bash(line).steps[step].dir.clone();
    let under = |path: &str| Dir::Under(path.to_owned());
    assert_eq!(dir("cd src && ls", 1), under("src"));
    assert_eq!(dir("cd src && cd bin && ls", 2), under("src/bin"));
    let either = |paths: &[&str]| Dir::OneOf(paths.iter().map(|path| (*path).to_owned()).collect());
    assert_eq!(dir("cd src; ls", 1), either(&[".", "src"]), "it may have failed");
    assert_eq!(dir("cd src\ncd bin\nls", 2), either(&[".", "bin", "src", "src/bin"]));
    assert_eq!(dir("cd src; cd /tmp && ls", 2), under("/tmp"));
    assert_eq!(dir("pushd src && ls", 1), under("src"));
    assert_eq!(dir("cd src & ls", 1), Dir::Same, "in a shell of its own");
    assert_eq!(dir("cd src | ls; pwd", 2), Dir::Same);
    assert_eq!(dir("cd; ls", 1), Dir::Unknown, "where home is, is not known here");
    assert_eq!(dir("cd src || exit 1; ls", 2), under("src"), "here it has not");
    assert_eq!(dir("cd src && ls && cd .. && pwd", 3), either(&[".", "src"]));
    assert_eq!(dir("cd src; ls; cd ..; pwd", 3), Dir::Unknown, "above, if the first one failed");
    assert_eq!(dir("cd src && env -C .. ls", 1), Dir::Unknown, "where a link leads");
    assert_eq!(dir("(cd src); ls", 1), Dir::Same);
    assert_eq!(dir("cd $x && ls", 1), Dir::Unknown);
    assert_eq!(dir("cd /tmp && ls | wc", 2), under("/tmp"));
    assert_eq!(dir("env -C src ls", 0), under("src"));
    let got = dir("for x in a; do ls; cd ..; done", 0);
    assert_eq!(got, Dir::Unknown, "the second time round it is elsewhere");
    assert_eq!(dir("bash -c 'cd src && ls'", 1), under("src"));
    assert_eq!(dir("c\\d src && ls", 1), under("src"));
}

#[test]
fn a_file_may_export_what_it_sets() {
    let is_understood = |line: &str| {
        let steps = bash(line).steps;
        let mut sets = steps.iter().filter(|step| step.program() == Some("set"));
        sets.all(|step| step.opaque.is_none())
    };
    for line in [
        "set -a; source .env; set +a; npm start", "set -a && . ./.env && set +a && CI=1 npm start",
        "set -o allexport\nsource .env\nset +o allexport\nnpm start",
    ] {
        assert!(is_understood(line), "{line}");
    }
    for line in [
        "set -a; npm start", "set -a; X=1; npm start", "set -a; source .env; LD_PRELOAD=./x; npm start",
        "LD_PRELOAD=./x; set -a; . ./.env; LD_PRELOAD+=y; ls", "set -a; . ./.env; read X < f; ls",
        "set -a; . ./.env; for X in a; do ls; done", "set -a; . ./.env; : ${X:=./y}; ls",
        "set -a; . ./.env; eval X=1; ls", "set -a; . ./.env; ((X=1)); ls", "eval 'set -a; . ./.env'; ls",
        "set -a; . ./.env; X=1 export Y; ls", "set -a; . ./.env; printf -v X y; ls",
    ] {
        assert!(!is_understood(line), "{line}");
    }
}

#[test]
fn redirections_are_told_apart() {
    let reading = bash("{ ls; } < in > out 2>> log 2>&1 &> all <> rw");
    let kinds: Vec<RedirectionKind> =
        reading.steps[0].redirections.iter().map(|redirection| redirection.kind).collect();
    assert_eq!(
        kinds,
        [Read, Write, Append, Descriptor, Write, ReadWrite],
        "those of a group belong to what is inside"
    );
    assert!(!bash("ls > $HOME/x").is_clear() && !bash("ls < /dev/tcp/h/80").is_clear());
    assert!(bash("ls > out").steps[0].redirections[0].writes());
    assert!(!bash("ls > /dev/null").steps[0].redirections[0].writes());
}

#[test]
fn spans_point_at_what_was_written() {
    let text = "ls -l && sh -c 'git status; rm x' > out";
    let reading = bash(text);
    let parts: Vec<&str> = reading.steps.iter().map(|step| &text[step.span.clone()]).collect();
    assert_eq!(parts, ["ls -l", "git status", "rm x"], "also inside the quoted text");
    let text = "r\\\nm -rf b";
    assert_eq!(&text[bash(text).steps[0].span.clone()], text, "a continuation belongs to the name");
}

#[test]
fn one_simple_command_needs_no_shell() {
    assert_eq!(bash("git 'log' -1").plain, Some(vec!["git".into(), "log".into(), "-1".into()]));
    for line in [
        "git log; ls", "git log > x", "X=1 git log", "git log $x", "echo a", "! git log", "git log &",
        "exec git", "time git",
    ] {
        assert_eq!(bash(line).plain, None, "{line:?} needs a shell");
    }
}

#[test]
fn what_cannot_be_judged_is_invalid() {
    let code = |reading: crate::ParsedCommand| reading.invalid.map(|invalid| invalid.code);
    let argv = |words: &[&str]| read_argv(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    assert_eq!(code(argv(&[])), Some("empty-argv"));
    assert_eq!(code(argv(&[""])), Some("empty-program"));
    assert_eq!(code(argv(&["ls", "a\0"])), Some("nul"));
    assert_eq!(code(argv(&vec!["a"; 1025])), Some("too-long"));
    assert_eq!(code(argv(&vec!["a"; 1024])), None);
    assert_eq!(code(bash("ls\0")), Some("nul"));
    assert_eq!(code(bash(" \n\t")), Some("empty-text"));
    assert_eq!(code(bash("# nothing")), Some("empty-text"));
    assert_eq!(code(bash(&format!("ls {}", "a".repeat(32 * 1024)))), Some("too-long"));
}

#[test]
fn an_argv_is_not_shell_text() {
    let words = ["git", "commit", "-m", "$(rm -rf /) `id`; rm *"].map(String::from);
    let reading = read_argv(&words);
    assert!(reading.is_clear());
    assert_eq!(
        reading.steps[0].literal_argv().unwrap(),
        words.iter().map(String::as_str).collect::<Vec<_>>()
    );
    let reading = read_argv(&["sh".into(), "-c".into(), "ls | rm x".into()]);
    assert_eq!(heads(&reading), ["ls", "rm"]);
    assert_eq!(reading.steps[1].role, Role::Program);
    assert_eq!(read_argv(&["cd".into(), "x".into()]).steps[0].role, Role::Program, "no shell, no builtin");
}

#[test]
fn deny_rules_see_into_what_is_not_understood() {
    for line in [
        "echo 'rm -rf build' | sh", "sh <<E\nrm -rf build\nE", "repeat 3 rm x", "alias ls='rm x'",
        "ls; (rm x", "{rm,-rf,build} ;;", "git submodule foreach 'rm x'", "rg --pre=rm x", "fish -c 'rm x'",
        "PROMPT_COMMAND='rm x'; ls", "ls\r\nrm x", "uv run rm x",
    ] {
        let reading = bash(line);
        let opaque =
            reading.opaque.iter().chain(reading.steps.iter().filter_map(|step| step.opaque.as_ref()));
        let ways = reading.steps.iter().flat_map(|step| &step.ways_out).flat_map(|way| &way.candidates);
        let mut candidates = opaque.flat_map(|opaque| &opaque.candidates).chain(ways);
        let seen = heads(&reading).iter().any(|head| head == "rm") || candidates.any(|argv| argv[0] == "rm");
        assert!(seen, "{line:?}: {reading:#?}");
    }
    let long = format!("{}rm -rf build", "true && ".repeat(3000));
    let reading = bash(&long);
    assert!(
        !reading.is_clear() && reading.opaque[0].candidates.iter().any(|argv| argv[0] == "rm"),
        "no cap drops it"
    );
}

#[test]
fn no_character_ends_the_process() {
    // The scanner of one of the parsers read outside of a table for them.
    for c in ['\u{100}', '\u{3164}', '\u{1f600}', '\u{10ffff}', 'é'] {
        for form in [
            "${@}", "a{@..3}", "a@{1..3}", "{1@..3}", "{@", "{1@", "{1..@", "$@", "1@>f", "@>f",
            "a <<@\nx\n@\n", "[[ a =~ @ ]]", "((@))", "a[@]=1", "${x@}", "=@", "$(@)", "#@",
        ] {
            let text = form.replace('@', &c.to_string());
            assert_eq!(read_shell(&text, Dialect::Bash).text, text, "it was read");
        }
    }
}

#[test]
fn of_a_text_without_a_command_what_would_read_it_is_told() {
    let argv = |words: &[&str]| read_argv(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    for words in [
        &["sh", "-c", ""][..],
        &["bash", "-c", " "],
        &["zsh", "-c", "# x"],
        &["watch", " "],
        &["watch", "# x"],
        &["su", "-c", "# x"],
        &["script", "-c", " ", "f"],
        &["flock", "f", "-c", "# x"],
        &["bash", "-c", "eval ''"],
        &["bash", "-c", "eval '# x'"],
        &["bash", "-c", "trap '# x' EXIT"],
    ] {
        let reading = argv(words);
        assert!(!reading.steps.is_empty() || !reading.opaque.is_empty(), "nothing is said about {words:?}");
    }
    let told = |words: &[&str]| argv(words).steps.first().and_then(|step| step.program().map(str::to_owned));
    assert_eq!(told(&["watch", "# x"]).as_deref(), Some("watch"));
    assert_eq!(told(&["sh", "-c", ""]).as_deref(), Some("sh"));
}

#[test]
fn an_argv_may_hold_so_many_bytes_and_no_more() {
    let with = |bytes: usize| read_argv(&["echo".to_owned(), "a".repeat(bytes - 4)]).invalid;
    assert_eq!(with(crate::LONGEST_ARGV), None);
    for over in [1, 1000] {
        assert!(with(crate::LONGEST_ARGV + over).is_some_and(|invalid| invalid.code == "too-long"));
    }
}
