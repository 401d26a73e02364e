//! Wrappers, interpreters and unsafe arguments, program by program.

use rstest::rstest;

use super::{bash, reads_clear};
use crate::{ArgFact, Power, UnsafeArg};

#[rstest]
#[case("env ls", Power::Transparent)]
#[case("env -i -u X ls", Power::Transparent)]
#[case("env -P /x ls", Power::Elsewhere)]
#[case("sudo -n -u root ls", Power::Elevated)]
#[case("sudo --user=root -- ls", Power::Elevated)]
#[case("doas -u root ls", Power::Elevated)]
#[case("nohup ls", Power::Transparent)]
#[case("nice -n 5 ls", Power::Transparent)]
#[case("nice -10 ls", Power::Transparent)]
#[case("nice --adj=5 ls", Power::Transparent)]
#[case("timeout -k 1 --sig 9 5 ls", Power::Transparent)]
#[case("stdbuf -oL -e 0 ls", Power::Transparent)]
#[case("setsid -w ls", Power::Transparent)]
#[case("ionice -c3 ls", Power::Transparent)]
#[case("caffeinate -it 5 ls", Power::Transparent)]
#[case("arch -x86_64 ls", Power::Transparent)]
#[case("xcrun --sdk macosx ls", Power::Elsewhere)]
#[case("command -p ls", Power::Elsewhere)]
#[case("command -- ls", Power::Transparent)]
#[case("exec -cl ls", Power::Transparent)]
#[case("busybox ls", Power::Elsewhere)]
#[case("xargs -n1 -P 4 ls", Power::Transparent)]
#[case("watch -x -n 1 ls", Power::Transparent)]
#[case("watch ls", Power::Transparent)]
#[case("script -q /dev/null ls", Power::Transparent)]
#[case("su -c ls root", Power::Elevated)]
#[case("parallel -j 4 ls ::: a b", Power::Transparent)]
#[case("flock -w 5 lock ls", Power::Transparent)]
#[case("sandbox-exec -f p ls", Power::Transparent)]
#[case("sh -c ls", Power::Transparent)]
#[case("bash --norc -o pipefail -c -- ls", Power::Transparent)]
#[case("sh -c 'exec -- \"$0\"' ls", Power::Transparent)]
#[case("sh -c '\"$@\"' _ ls", Power::Transparent)]
#[case("eval ls", Power::Transparent)]
#[case("env -S 'ls build'", Power::Transparent)]
#[case("env -iS'ls build'", Power::Transparent)]
#[case("env --split-string='-u X ls'", Power::Transparent)]
#[case("env -u X -S 'LANG=C ls'", Power::Transparent)]
#[case("/usr/bin/time -f %e ls", Power::Transparent)]
#[case("chrt -b 0 ls", Power::Transparent)]
#[case("taskset -c 0-3 ls", Power::Transparent)]
#[case("flock -n lock -c ls", Power::Transparent)]
#[case("script -qec ls /dev/null", Power::Transparent)]
#[case("script /dev/null -c 'ls -l'", Power::Transparent)]
#[case("strace -f -s 99 ls", Power::Transparent)]
#[case("valgrind --leak-check=full ls", Power::Transparent)]
#[case("setarch x86_64 -R ls", Power::Transparent)]
#[case("linux64 ls", Power::Transparent)]
#[case("prlimit --nofile=99 ls", Power::Transparent)]
#[case("xvfb-run -a ls", Power::Transparent)]
#[case("unbuffer ls", Power::Transparent)]
#[case("entr -r ls", Power::Transparent)]
#[case("gtimeout 5 ls", Power::Transparent)]
#[case("gnice -n 5 ls", Power::Transparent)]
#[case("fd -e rs -x ls", Power::Transparent)]
#[case("fd -HX ls -l", Power::Transparent)]
#[case("ksh -c 'ls build'", Power::Transparent)]
#[case("fish -c 'ls build'", Power::Transparent)]
#[case("runuser -u nobody -- ls", Power::Elevated)]
#[case("runuser -l nobody -c ls", Power::Elevated)]
#[case("su - nobody --command='ls -l'", Power::Elevated)]
#[case("su -lc ls", Power::Elevated)]
#[case("pkexec ls", Power::Elevated)]
#[case("gosu nobody ls", Power::Elevated)]
#[case("chroot / ls", Power::Elsewhere)]
#[case("unshare -rn ls", Power::Elsewhere)]
#[case("nsenter -t 1 -m ls", Power::Elsewhere)]
#[case("systemd-run --scope ls", Power::Elsewhere)]
#[case("coreutils --coreutils-prog=ls -l", Power::Elsewhere)]
#[case("xcrun -sdk macosx ls", Power::Elsewhere)]
fn wrappers_are_peeled(#[case] line: &str, #[case] power: Power) {
    let reading = bash(line);
    let step = reading.steps.last().unwrap();
    assert_eq!(step.program(), Some("ls"), "{line:?}: {reading:#?}");
    assert!(reading.is_clear(), "{line:?}: {reading:#?}");
    assert_eq!(step.via.iter().map(|via| via.power).find(|found| *found == power), Some(power), "{line:?}");
}

/// Asserts that a step with an unknown flag, or a value that could be one, stays opaque, and deny rules see
/// what may run.
#[rstest]
#[case("nice --unheard ls")]
#[case("timeout -z 5 ls")]
#[case("time -o out ls")]
#[case("sudo -s ls")]
#[case("xargs --unheard ls")]
#[case("strace -e inject=all ls")]
#[case("exec -a x ls")]
#[case("firejail ls")]
#[case("nice -n 5 -Q ls")]
#[case("env $X ls")]
#[case("chroot --unheard / ls")]
#[case("flock f -x ls")]
#[case("timeout $T ls")]
#[case("timeout -s $T 5 ls")]
#[case("chrt ls ls")]
#[case("gdb --args ls")]
#[case("ld-linux-x86-64.so.2 --preload x /bin/ls ls")]
#[case("sudo -e ls")]
#[case("script -q f -t ls")]
fn unknown_flags_are_not_guessed(#[case] line: &str) {
    let reading = bash(line);
    let candidates =
        reading.steps.iter().filter_map(|step| step.opaque.as_ref()).flat_map(|opaque| &opaque.candidates);
    let sees = candidates.map(|argv| argv[0].as_str()).any(|head| head == "ls");
    assert!(!reading.is_clear() && sees, "{line:?}: {reading:#?}");
}

#[test]
fn wrappers_in_wrappers_keep_their_order() {
    let reading = bash("nohup nice -n 5 timeout 5 env sh -c 'ls build'");
    let step = &reading.steps[0];
    let names: Vec<&str> = step.via.iter().map(|via| via.argv[0].raw.as_str()).collect();
    assert_eq!(names, ["nohup", "nice", "timeout", "env", "sh"], "outermost first");
    assert_eq!(step.literal_argv(), Some(vec!["ls", "build"]));
}

#[rstest]
#[case("git -c a.b=c status")]
#[case("git --exec-path=x status")]
#[case("git log --output=x")]
#[case("git ls-remote --upload-pa=x .")]
#[case("git fetch ext::x")]
#[case("git -C /tmp/x status")]
#[case("git config core.pager x")]
#[case("git bisect run x")]
#[case("git submodule foreach x")]
#[case("git rebase -x make main")]
#[case("git grep -Oless x")]
#[case("rg --pre x y")]
#[case("rg -nz x")]
#[case("find . -delete")]
#[case("find . -fprintf x y")]
#[case("sort -uo x y")]
#[case("sort --compress-prog x y")]
#[case("tar xf a --to-command=x")]
#[case("tar -I x -xf a")]
#[case("tar --checkpoint-action=exec=x -cf a b")]
#[case("sed -i s/a/b/ f")]
#[case("sed 's/a/b/w f' g")]
#[case("sed '1e id' f")]
#[case("less +'!id' f")]
#[case("curl -o x y")]
#[case("curl -sSLO y")]
#[case("curl -K x")]
#[case("ssh -o ProxyCommand=x h")]
#[case("rsync -e x a b")]
#[case("make SHELL=x")]
#[case("npm --script-shell=x test")]
#[case("go build -toolexec x")]
#[case("cargo --config x build")]
#[case("docker run -v /:/h alpine")]
#[case("kubectl exec pod -- ls")]
#[case("jq -f x f")]
#[case("tee f")]
#[case("bun -e x")]
#[case("deno eval x")]
#[case("launchctl submit -l x -- y")]
#[case("xargs git log")]
#[case("npx tsc")]
#[case("swift -e x")]
#[case("sqlite3 db .shell")]
fn ways_out_are_named(#[case] line: &str) {
    let reading = bash(line);
    assert!(reading.steps.iter().any(|step| !step.ways_out.is_empty()), "{line:?}: {reading:#?}");
    for way in reading.steps.iter().flat_map(|step| step.ways_out.iter().map(move |way| (step, way))) {
        assert!(way.1.argument < way.0.argv.len(), "{line:?} points at an argument");
    }
}

#[rstest]
#[case("git commit -m 'x' -- f")]
#[case("git -C sub status")]
#[case("git --no-pager log -1")]
#[case("git commit -c HEAD")]
#[case("sort -u -k 2 f")]
#[case("tar xzf a.tgz")]
#[case("curl -s https://example.com")]
#[case("rg -n 'x' -g '*.rs' src")]
#[case("find . -name x -type f")]
#[case("sed -n '1,40p' f")]
#[case("for n in 3 9; do sed -n \"$((n-2)),$((n))p\" f; done")]
#[case("npm run build")]
#[case("tee /dev/null")]
#[case("git config --get user.name")]
#[case("ls -o -f")]
fn near_misses_are_no_ways_out(#[case] line: &str) {
    let reading = bash(line);
    assert!(reads_clear(&reading), "{line:?}: {reading:#?}");
}

#[rstest]
#[case("python3 -u tool.py --flag", Some(2))]
#[case("bash -x ./tool.sh a", Some(2))]
#[case("node --max-old-space-size=99 tool.js", Some(2))]
#[case("ruby tool.rb", Some(1))]
#[case("awk -f tool.awk x", Some(2))]
#[case("python3 --version", None)]
#[case("bash -n ./tool.sh", None)]
#[case("bash -n -x ./tool.sh", Some(3))]
#[case("bash -n +n ./tool.sh", Some(3))]
#[case("node --check tool.js", None)]
#[case("node --check --no-warnings tool.js", Some(3))]
#[case("php -l tool.php", None)]
#[case("php -l tool.php more.php", Some(2))]
#[case("ruby -c tool.rb", Some(2))]
#[case("ruby -v tool.rb", Some(2))]
#[case("lua -v tool.lua", Some(2))]
#[case("racket --version tool.rkt", Some(2))]
fn the_script_of_an_interpreter_is_found(#[case] line: &str, #[case] script: Option<usize>) {
    let reading = bash(line);
    assert!(reading.is_clear(), "{reading:#?}");
    assert_eq!(reading.steps[0].script, script, "{line:?}");
}

#[rstest]
#[case("python3")]
#[case("python3 -")]
#[case("python3 -X importtime x.py")]
#[case("node -r ./x a.js")]
#[case("node -p 1")]
#[case("perl -ne print f")]
#[case("perl -Mx a.pl")]
#[case("ruby -e x")]
#[case("osascript -e x")]
#[case("cat x | python3")]
#[case("awk 'BEGIN{system(\"id\")}'")]
#[case("vim -c x f")]
#[case("bash")]
#[case("bash -i -c ls")]
fn code_that_is_in_no_file_is_opaque(#[case] line: &str) {
    assert!(!bash(line).is_clear(), "{line:?}");
}

#[rstest]
// Behind `--` an operand is an operand, and the first one the first; for find it ends nothing that matters.
#[case("uniq a", "uniq a b")]
#[case("uniq -- a", "uniq -- a b")]
#[case("uniq -", "uniq - b")]
#[case("find .", "find -- . -delete")]
// Of these only the beginning is known: `-o` and any place, `--text` or `--textconv`.
#[case("gcc -o out x.c", "gcc -o\"$X\" x.c")]
#[case("git diff --text a", "git diff \"--text$X\" a")]
#[case("rg --pretty a", "rg \"--pre$X\" a")]
#[case("sort -k 1 -u f", "sort -k 1 \"-u$X\" f")]
#[case("git config get a.b", "git config a.b c")]
#[case("git config --get a.b c", "git config --type bool a.b c")]
#[case("chmod 755 x", "chmod 4755 x")]
#[case("tar -c -f out.tar d", "tar -c -f \"out$X\" d")]
#[case("make all", "make \"CC=$X\"")]
#[case("java Main.java", "java com.example.Main")]
fn what_writes_or_runs_is_told_from_what_only_looks_alike(#[case] harmless: &str, #[case] way_out: &str) {
    assert!(reads_clear(&bash(harmless)), "{harmless}: {:#?}", bash(harmless));
    assert!(!reads_clear(&bash(way_out)), "{way_out}");
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
