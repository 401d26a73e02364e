//! Wrappers, interpreters and unsafe arguments, program by program.

use super::{bash, reads_clear};
use crate::{ArgFact, UnsafeArg};

/// Asserts that a step with an unknown flag, or a value that could be one, stays opaque, and deny rules see
/// what may run.
#[test]
fn unknown_flags_are_not_guessed() {
    for line in [
        "nice --unheard ls", "timeout -z 5 ls", "time -o out ls", "sudo -s ls", "xargs --unheard ls",
        "strace -e inject=all ls", "exec -a x ls", "firejail ls", "nice -n 5 -Q ls", "env $X ls",
        "chroot --unheard / ls", "flock f -x ls", "timeout $T ls", "timeout -s $T 5 ls", "chrt ls ls",
        "gdb --args ls", "ld-linux-x86-64.so.2 --preload x /bin/ls ls", "sudo -e ls", "script -q f -t ls",
    ] {
        let reading = bash(line);
        let candidates = reading
            .steps
            .iter()
            .filter_map(|step| step.opaque.as_ref())
            .flat_map(|opaque| &opaque.candidates);
        let sees = candidates.map(|argv| argv[0].as_str()).any(|head| head == "ls");
        assert!(!reading.is_clear() && sees, "{line:?}: {reading:#?}");
    }
}

#[test]
fn wrappers_in_wrappers_keep_their_order() {
    let reading = bash("nohup nice -n 5 timeout 5 env sh -c 'ls build'");
    let step = &reading.steps[0];
    let names: Vec<&str> = step.via.iter().map(|via| via.argv[0].raw.as_str()).collect();
    assert_eq!(names, ["nohup", "nice", "timeout", "env", "sh"], "outermost first");
    assert_eq!(step.literal_argv(), Some(vec!["ls", "build"]));
}

#[test]
fn the_script_of_an_interpreter_is_found() {
    for (line, script) in crate::tests::rows::<(&str, Option<usize>)>(include_str!("scripts.jsonl")) {
        let reading = bash(line);
        assert!(reading.is_clear(), "{reading:#?}");
        assert_eq!(reading.steps[0].script, script, "{line:?}");
    }
}

#[test]
fn what_writes_or_runs_is_told_from_what_only_looks_alike() {
    for (harmless, way_out) in [
        // Behind `--` an operand is an operand, and the first one the first; for find it ends nothing that matters.
        ("uniq a", "uniq a b"),
        ("uniq -- a", "uniq -- a b"),
        ("uniq -", "uniq - b"),
        ("find .", "find -- . -delete"),
        // Of these only the beginning is known: `-o` and any place, `--text` or `--textconv`.
        ("gcc -o out x.c", "gcc -o\"$X\" x.c"),
        ("git diff --text a", "git diff \"--text$X\" a"),
        ("rg --pretty a", "rg \"--pre$X\" a"),
        ("sort -k 1 -u f", "sort -k 1 \"-u$X\" f"),
        ("git config get a.b", "git config a.b c"),
        ("git config --get a.b c", "git config --type bool a.b c"),
        ("chmod 755 x", "chmod 4755 x"),
        ("tar -c -f out.tar d", "tar -c -f \"out$X\" d"),
        ("make all", "make \"CC=$X\""),
        ("java Main.java", "java com.example.Main"),
    ] {
        assert!(reads_clear(&bash(harmless)), "{harmless}: {:#?}", bash(harmless));
        assert!(!reads_clear(&bash(way_out)), "{way_out}");
    }
}

/// A rule has to name the word that is not known, not the option before it.
#[test]
fn of_an_option_s_value_the_value_is_told() {
    let told = |line: &str| bash(line).steps[0].ways_out.iter().map(|way| way.argument).collect::<Vec<_>>();
    assert_eq!(told("sort -k $X f"), [2]);
    assert_eq!(told("tar -t -f *.tar"), [3]);
}

#[test]
fn the_mark_that_matched_is_told() {
    let told = |line: &str| match bash(line).steps[0].ways_out.first().map(UnsafeArg::fact) {
        Some(ArgFact::Mark { mark, .. }) => mark.clone(),
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(told("docker --context c rm -f x"), "--context");
    assert_eq!(told("docker -H ssh://h ps"), "-H");
}
