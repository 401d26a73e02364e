//! The main job: a shell in a real sandbox asks, a person answers, the command runs on the host.

use postern_tests::{
    Answer, Postern, answer_args, bubblewrap_works, copy_program, host_for_sandbox, in_sandbox, postern_run,
    start,
};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Starts a host with an agent that has its own folder. Its programs come from a folder that it cannot write,
/// in which `git` is a copy.
fn with_own_git() -> (Postern, PathBuf, TempDir) {
    let (host, channel) = Postern::with_agent();
    // Not below the temporary folder, where every agent can write.
    let bin = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    copy_program("/usr/bin/git", &bin.path().join("git"));
    let folder = format!("folders={}", host.scratch("work").display());
    host.ok(&["agents", "set", "main", &format!("searchPath={}", bin.path().display()), &folder]);
    (host, channel, bin)
}

/// Returns the command that the agent types.
fn ask(host: &Postern) -> String {
    let folder = host.scratch("work");
    format!("postern-run --cwd {} --reason 'which git is there' -- git --version", folder.display())
}

#[test]
fn allow_once_runs_it_once() {
    if !bubblewrap_works() {
        return;
    }
    let (host, channel, bin) = with_own_git();
    let watcher = host.watch();
    let asked = in_sandbox(&channel, &ask(&host));
    let question = watcher.question();
    assert_eq!(question["asker"]["agent"], "main");
    assert_eq!(question["line"], "git --version", "the person sees the command");
    let path = bin.path().join("git").display().to_string();
    assert!(
        question["programs"][0]["path"].to_string().contains(&path),
        "and what would really run: {question}"
    );
    assert!(
        question["asker"]["says"].to_string().contains("which git is there"),
        "and the agent's own words"
    );
    host.approve(&question);
    let answer = asked.end();
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.starts_with("git version "), "the command's own output: {answer:?}");

    let again = in_sandbox(&channel, &ask(&host));
    let second = watcher.question();
    assert_ne!(second["id"], question["id"], "once is once: it asks again");
    host.ok(&["deny", second["code"].as_str().unwrap(), "--feedback", "use the sandbox's own git"]);
    let answer = again.end();
    assert_eq!(answer.code, 126, "denied is 126: {answer:?}");
    assert!(
        answer.stderr.contains("use the sandbox's own git"),
        "the person's words reach the agent: {answer:?}"
    );
    assert!(answer.stdout.is_empty(), "a denied command prints nothing: {answer:?}");
}

#[test]
fn always_asks_again_only_when_the_program_changed() {
    if !bubblewrap_works() {
        return;
    }
    let (host, channel, bin) = with_own_git();
    let watcher = host.watch();
    let asked = in_sandbox(&channel, &ask(&host));
    let question = watcher.question();
    host.ok(&answer_args("approve", &question, &["--always", "path"]));
    assert_eq!(asked.end().code, 0);

    let answer = in_sandbox(&channel, &ask(&host)).end();
    assert_eq!(answer.code, 0, "the rule covers it: {answer:?}");
    assert!(!watcher.saw_one(), "and nobody is asked");

    replace(&bin.path().join("git"), Path::new("/usr/bin/env"));
    let asked = in_sandbox(&channel, &ask(&host));
    let question = watcher.question();
    let why = question["why"].to_string();
    assert!(why.contains("changed"), "the question says that the program changed: {why}");
    host.ok(&["deny", question["code"].as_str().unwrap()]);
    assert_eq!(asked.end().code, 126);
}

/// Replaces a program as an upgrade does: a new file under the old name.
fn replace(program: &Path, by: &Path) {
    let new = program.with_extension("new");
    copy_program(by, &new);
    std::fs::rename(&new, program).unwrap();
}

#[test]
fn nobody_answers_and_it_expires() {
    if !bubblewrap_works() {
        return;
    }
    let (host, channel, _bin) = with_own_git();
    host.ok(&["agents", "set", "main", "approvalTimeout=10s"]);
    let watcher = host.watch();
    let asked = in_sandbox(&channel, &ask(&host));
    let question = watcher.question();
    assert_eq!(question["atZero"][0]["text"], "Denied", "the question says what happens when nobody answers");
    let answer = asked.end();
    assert_eq!(answer.code, 126, "{answer:?}");
    assert!(answer.stderr.contains("expired"), "no answer is told apart from no: {answer:?}");
    let late = host.run(&answer_args("approve", &question, &[]));
    assert_ne!(late.code, 0, "a late yes changes nothing: {late:?}");
}

#[test]
fn exit_codes_streams_and_stdin_are_the_commands_own() {
    let Some(host) = host_for_sandbox() else { return };
    let channel = host.enrol_allowed("main");
    let cases = [
        ("postern-run --cwd / --shell 'echo out; echo err >&2; exit 7'", 7, "out\n", "err\n"),
        ("echo fed | postern-run --cwd / -- cat", 0, "fed\n", ""),
        ("postern-run --cwd / -- no-such-program-at-all", 127, "", "not-found"),
        ("postern-run --cwd / --timeout 1s -- sleep 60", 124, "", ""),
        ("postern-run --cwd / --shell 'kill -9 $$'", 137, "", ""),
        ("ln -s /run/bin/postern-run /tmp/uname; cd /; /tmp/uname -s", 0, "Linux\n", ""),
    ];
    for (script, code, stdout, stderr) in cases {
        let answer = in_sandbox(&channel, script).end();
        assert_eq!((answer.code, answer.stdout.as_str()), (code, stdout), "{script}: {answer:?}");
        assert!(answer.stderr.contains(stderr), "{script}: {answer:?}");
    }
}

#[test]
fn where_nothing_listens_it_says_what_to_start() {
    let Some(mut host) = host_for_sandbox() else { return };
    let channel = host.enrol("main");
    host.crash();
    let answer = in_sandbox(&channel, "postern-run -- git --version").end();
    assert_eq!(answer.code, 125, "{answer:?}");
    assert!(answer.stderr.contains("companion app") && answer.stderr.contains("Postern"), "{answer:?}");
}

#[test]
fn the_printed_sandbox_writes_nothing_that_the_users_git_obeys() {
    let Some(host) = host_for_sandbox() else { return };
    host.enrol("main");
    let folder = host.scratch("clone");
    std::fs::create_dir_all(folder.join(".git/hooks")).unwrap();
    for file in [".git/config", ".git/HEAD", ".envrc"] {
        std::fs::write(folder.join(file), "one\n").unwrap();
    }
    let printed = host.ok(&["agents", "channel", "main", "--for", "bwrap"]);
    let attack = "for file in .git/config .git/hooks/pre-commit .git/commondir .envrc; do echo evil >> $file; done; \
                  mv .git moved; echo ran > file";
    let script = printed.replace("postern-run -- uname -a", attack);
    assert_ne!(script, printed, "it is run in the printed sandbox");
    let folders = [postern_run().parent().unwrap(), Path::new("/usr/bin"), Path::new("/bin")];
    let ended: Answer = start("/bin/sh")
        .args(["-c", &script])
        .current_dir(&folder)
        .env("PATH", std::env::join_paths(folders).unwrap())
        .output()
        .unwrap()
        .into();
    assert_eq!(std::fs::read_to_string(folder.join("file")).unwrap(), "ran\n", "{ended:?}");
    for file in [".git/config", ".envrc"] {
        assert_eq!(std::fs::read_to_string(folder.join(file)).unwrap(), "one\n", "{file}: {ended:?}");
    }
    for file in [".git/hooks/pre-commit", ".git/commondir", "moved"] {
        assert!(!folder.join(file).exists(), "{file}: {ended:?}");
    }
}
