//! Wrappers, interpreters and unsafe arguments, program by program.

use super::{bash, reads_clear};
use crate::{ArgFact, Power, UnsafeArg};

#[test]
fn wrappers_are_peeled() {
    for (power, lines) in [
        (
            Power::Transparent,
            &[
                "env ls", "env -i -u X ls", "nohup ls", "nice -n 5 ls", "nice -10 ls", "nice --adj=5 ls",
                "timeout -k 1 --sig 9 5 ls", "stdbuf -oL -e 0 ls", "setsid -w ls", "ionice -c3 ls",
                "caffeinate -it 5 ls", "arch -x86_64 ls", "command -- ls", "exec -cl ls",
                "xargs -n1 -P 4 ls", "watch -x -n 1 ls", "watch ls", "script -q /dev/null ls",
                "parallel -j 4 ls ::: a b", "flock -w 5 lock ls", "sandbox-exec -f p ls", "sh -c ls",
                "bash --norc -o pipefail -c -- ls", "sh -c 'exec -- \"$0\"' ls", "sh -c '\"$@\"' _ ls",
                "eval ls", "env -S 'ls build'", "env -iS'ls build'", "env --split-string='-u X ls'",
                "env -u X -S 'LANG=C ls'", "/usr/bin/time -f %e ls", "chrt -b 0 ls", "taskset -c 0-3 ls",
                "flock -n lock -c ls", "script -qec ls /dev/null", "script /dev/null -c 'ls -l'",
                "strace -f -s 99 ls", "valgrind --leak-check=full ls", "setarch x86_64 -R ls", "linux64 ls",
                "prlimit --nofile=99 ls", "xvfb-run -a ls", "unbuffer ls", "entr -r ls", "gtimeout 5 ls",
                "gnice -n 5 ls", "fd -e rs -x ls", "fd -HX ls -l", "ksh -c 'ls build'", "fish -c 'ls build'",
            ][..],
        ),
        (
            Power::Elsewhere,
            &[
                "env -P /x ls", "xcrun --sdk macosx ls", "command -p ls", "busybox ls", "chroot / ls",
                "unshare -rn ls", "nsenter -t 1 -m ls", "systemd-run --scope ls",
                "coreutils --coreutils-prog=ls -l", "xcrun -sdk macosx ls",
            ],
        ),
        (
            Power::Elevated,
            &[
                "sudo -n -u root ls", "sudo --user=root -- ls", "doas -u root ls", "su -c ls root",
                "runuser -u nobody -- ls", "runuser -l nobody -c ls", "su - nobody --command='ls -l'",
                "su -lc ls", "pkexec ls", "gosu nobody ls",
            ],
        ),
    ] {
        for line in lines {
            let reading = bash(line);
            let step = reading.steps.last().unwrap();
            assert_eq!(step.program(), Some("ls"), "{line:?}: {reading:#?}");
            assert!(reading.is_clear(), "{line:?}: {reading:#?}");
            assert_eq!(
                step.via.iter().map(|via| via.power).find(|found| *found == power),
                Some(power),
                "{line:?}"
            );
        }
    }
}

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
fn ways_out_are_named() {
    for line in [
        "git -c a.b=c status", "git --exec-path=x status", "git log --output=x",
        "git ls-remote --upload-pa=x .", "git fetch ext::x", "git -C /tmp/x status",
        "git config core.pager x", "git bisect run x", "git submodule foreach x", "git rebase -x make main",
        "git grep -Oless x", "rg --pre x y", "rg -nz x", "find . -delete", "find . -fprintf x y",
        "sort -uo x y", "sort --compress-prog x y", "tar xf a --to-command=x", "tar -I x -xf a",
        "tar --checkpoint-action=exec=x -cf a b", "sed -i s/a/b/ f", "sed 's/a/b/w f' g", "sed '1e id' f",
        "less +'!id' f", "curl -o x y", "curl -sSLO y", "curl -K x", "ssh -o ProxyCommand=x h",
        "rsync -e x a b", "make SHELL=x", "npm --script-shell=x test", "go build -toolexec x",
        "cargo --config x build", "docker run -v /:/h alpine", "kubectl exec pod -- ls", "jq -f x f",
        "tee f", "bun -e x", "deno eval x", "launchctl submit -l x -- y", "xargs git log", "npx tsc",
        "swift -e x", "sqlite3 db .shell",
    ] {
        let reading = bash(line);
        assert!(reading.steps.iter().any(|step| !step.ways_out.is_empty()), "{line:?}: {reading:#?}");
        for way in reading.steps.iter().flat_map(|step| step.ways_out.iter().map(move |way| (step, way))) {
            assert!(way.1.argument < way.0.argv.len(), "{line:?} points at an argument");
        }
    }
}

#[test]
fn the_script_of_an_interpreter_is_found() {
    for (line, script) in [
        ("python3 -u tool.py --flag", Some(2)),
        ("bash -x ./tool.sh a", Some(2)),
        ("node --max-old-space-size=99 tool.js", Some(2)),
        ("ruby tool.rb", Some(1)),
        ("awk -f tool.awk x", Some(2)),
        ("python3 --version", None),
        ("bash -n ./tool.sh", None),
        ("bash -n -x ./tool.sh", Some(3)),
        ("bash -n +n ./tool.sh", Some(3)),
        ("node --check tool.js", None),
        ("node --check --no-warnings tool.js", Some(3)),
        ("php -l tool.php", None),
        ("php -l tool.php more.php", Some(2)),
        ("ruby -c tool.rb", Some(2)),
        ("ruby -v tool.rb", Some(2)),
        ("lua -v tool.lua", Some(2)),
        ("racket --version tool.rkt", Some(2)),
    ] {
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
