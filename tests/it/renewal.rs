//! A program that changed: one answer renews the rules that were given for it as it was, and one command undoes that.

use postern_tests::{Answer, Postern, Watcher, answer_args, joined, postern_run, put_program, start};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Two agents with rules for a program that neither of them can change.
struct Kept {
    host: Postern,
    watcher: Watcher,
    /// Outside of temporary folders, which every agent can change.
    bin: TempDir,
    project: PathBuf,
    main: PathBuf,
}

impl Kept {
    fn start() -> Self {
        let host = Postern::start();
        let bin = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::set_permissions(bin.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let project = host.scratch("project").canonicalize().unwrap();
        let (main, _) = (host.enrol("main"), host.enrol("other"));
        let path = format!("search-path={}:/usr/bin:/bin", bin.path().display());
        let folders = format!("folders={}", project.display());
        let watcher = host.watch();
        let kept = Self { host, watcher, bin, project, main };
        kept.install("one");
        for agent in ["main", "other"] {
            kept.host.ok(&["agents", "set", agent, &path, &folders]);
        }
        for rule in ["tool log *", "tool status *", "tool diff *", "tool fetch *"] {
            kept.host.ok(&["rules", "allow", rule, "--agent", "main", "--pin"]);
        }
        kept.host.ok(&["rules", "allow", "tool push *", "--agent", "other", "--pin"]);
        kept.host.ok(&["rules", "allow", "uname *", "--agent", "main", "--pin"]);
        kept
    }

    /// Puts another program in place, as an upgrade does.
    fn install(&self, says: &str) {
        let new = self.bin.path().join("new");
        put_program(&new, format!("#!/bin/sh\necho {says} \"$@\"\n"));
        fs::rename(new, self.bin.path().join("tool")).unwrap();
    }

    fn asks(&self, command: &[&str]) -> Child {
        let stdio = [Stdio::piped(), Stdio::piped()];
        let [out, err] = stdio;
        run(&self.main, &self.project, command).stdout(out).stderr(err).spawn().unwrap()
    }

    fn runs(&self, command: &[&str]) -> Answer {
        run(&self.main, &self.project, command).output().unwrap().into()
    }

    fn decision(&self, agent: &str, command: &[&str]) -> String {
        let folder = self.project.to_str().unwrap();
        let explain = ["explain", "--agent", agent, "--cwd", folder, "--json", "--"];
        let text = self.host.ok(&[&explain[..], command].concat());
        serde_json::from_str::<Value>(&text).unwrap()["decision"].as_str().unwrap().to_owned()
    }

    fn answers(&self, question: &Value, how: &[&str]) -> String {
        self.host.ok(&answer_args("approve", question, how))
    }
}

fn run(channel: &Path, folder: &Path, command: &[&str]) -> Command {
    let mut run = start(postern_run());
    run.arg("--").args(command).env_clear().stdin(Stdio::null());
    run.env("POSTERN_SOCKET", channel.join("agent.sock")).env("POSTERN_KEY_FILE", channel.join("agent.key"));
    run.current_dir(folder);
    run
}

fn label(question: &Value, id: &str) -> Option<String> {
    let offer = question["proposals"].as_array().unwrap().iter().find(|offer| offer["id"] == id)?;
    Some(joined(&offer["label"]))
}

#[test]
fn one_answer_renews_every_rule_of_the_agent_and_one_command_undoes_it() {
    let kept = Kept::start();
    assert_eq!(kept.runs(&["tool", "log"]).stdout, "one log\n");
    kept.install("two");
    let asking = kept.asks(&["tool", "log", "-1"]);
    let question = kept.watcher.question();
    let why = joined(&question["why"]);
    assert!(why.starts_with("tool changed ") && why.ends_with(", last allowed just now."), "{why}");
    assert_eq!(question["renews"][0]["count"], 5, "of both agents: {question}");
    assert_eq!(question["proposals"][0]["id"], "renew", "the first choice: {question}");
    assert_eq!(label(&question, "renew").unwrap(), "renew all 4 rules of tool");
    assert_eq!(label(&question, "renew-everyone").unwrap(), "renew all 5 rules of tool, of every agent");
    let seen = kept.host.ok(&["questions"]);
    for part in
        ["--always renew ", "renew all 4 rules of tool", "5 rules were given for it as it was: tool log *"]
    {
        assert!(seen.contains(part), "{part}: {seen}");
    }

    let told = kept.answers(&question, &["--always", "renew"]);
    let renewed = told.lines().filter(|line| line.contains(" renewed")).count();
    assert_eq!(renewed, 4, "each is named: {told}");
    let answer: Answer = asking.wait_with_output().unwrap().into();
    assert_eq!(answer.stdout, "two log -1\n", "{answer:?}");
    for verb in ["log", "status", "diff", "fetch"] {
        assert_eq!(kept.runs(&["tool", verb]).stdout, format!("two {verb}\n"), "without another question");
    }
    assert_eq!(kept.decision("other", &["tool", "push"]), "ask", "the other agent's was not renewed");

    kept.host.ok(&["audit", "--verify"]);
    let audit = kept.host.ok(&["audit"]);
    let entries: Vec<&str> = audit.lines().filter(|line| line.contains("renewed for")).collect();
    assert_eq!(entries.len(), 1, "one entry: {audit}");
    assert!(entries[0].contains("rules 1, 2, 3, 4 renewed for"), "{audit}");
    assert!(!audit.contains("rule 2 changed"), "its parts are not told twice: {audit}");
    let undo = told.lines().find_map(|line| line.split("postern ").nth(1)).expect("it says how to undo it");
    let undone = kept.host.ok(&undo.split(' ').collect::<Vec<_>>());
    assert_eq!(undone, "the rules are as before the renewal: 1, 2, 3, 4\n");
    assert_eq!(kept.decision("main", &["tool", "status"]), "ask", "they hold for what it was");
    let again = kept.host.run(&undo.split(' ').collect::<Vec<_>>());
    assert!(again.code == 4 && again.stderr.contains("nothing to undo"), "{again:?}");
}

#[test]
fn those_of_every_agent_are_renewed_where_the_person_says_so() {
    let kept = Kept::start();
    kept.install("two");
    let asking = kept.asks(&["tool", "log"]);
    let question = kept.watcher.question();
    kept.answers(&question, &["--always", "renew", "--everyone"]);
    assert_eq!(asking.wait_with_output().unwrap().status.code(), Some(0));
    assert_eq!(kept.decision("other", &["tool", "push"]), "allow");
    assert_eq!(kept.decision("main", &["tool", "fetch"]), "allow");
}

#[test]
fn once_renews_nothing_and_what_waits_with_it_is_answered_by_the_renewal() {
    let kept = Kept::start();
    kept.install("two");
    let asking = kept.asks(&["tool", "log"]);
    let told = kept.answers(&kept.watcher.question(), &[]);
    assert_eq!(told, "allowed once\n");
    assert_eq!(asking.wait_with_output().unwrap().status.code(), Some(0));
    for verb in ["log", "status"] {
        assert_eq!(kept.decision("main", &["tool", verb]), "ask", "{verb}: once is once");
    }
    let first = kept.asks(&["tool", "log"]);
    let one = kept.watcher.question();
    let second = kept.asks(&["tool", "diff"]);
    let two = kept.watcher.question();
    let told = kept.answers(&one, &["--always", "renew"]);
    let code = two["code"].as_str().unwrap();
    assert!(told.contains(&format!("also answered {code}")), "by its code: {told}");
    for asked in [first, second] {
        assert_eq!(asked.wait_with_output().unwrap().status.code(), Some(0));
    }
    kept.host.fails(&["rules", "undo", "1"], 4, "no renewal 1");
}
