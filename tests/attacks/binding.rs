//! Files that change between the question and the run: a rule allows only what stays the same, and the question
//! names the rest.

use postern_tests::{Agent, Arena, copy_program, put_program};
use serde_json::{Value, json};

const GOOD: &str = "#!/bin/sh\necho good\n";
const EVIL: &str = "#!/bin/sh\necho evil\n";

/// Returns the number of tries per exchange: a few in each test run, 10,000 by hand
/// (`POSTERN_ATTACK_ROUNDS=10000`).
fn rounds() -> u32 {
    #[expect(clippy::disallowed_methods, reason = "a test asks its environment how long it may take")]
    let told = std::env::var("POSTERN_ATTACK_ROUNDS").ok();
    told.map_or(150, |rounds| rounds.parse().unwrap())
}

/// Starts an agent with a script in its project, and adds the user's rule for the script as it is now.
fn pinned(arena: &Arena, settings: &[&str]) -> Agent {
    let mut agent = arena.agent("main", settings);
    agent.sh("mkdir bin other");
    for (name, text) in
        [("build.sh", GOOD), ("evil.sh", EVIL), ("bin/build.sh", GOOD), ("other/build.sh", EVIL)]
    {
        agent.write(name, text, 0o755);
    }
    for name in ["build.sh", "bin/build.sh"] {
        // For everyone: a pin for this agent alone is refused, because it can change the file.
        arena.allow_everyone(&[&agent.path(name), "--pin"]);
    }
    agent
}

fn output(end: &Value) -> &str {
    end["params"]["stdout"].as_str().unwrap_or_default()
}

#[test]
fn a_later_step_is_shown_as_one_that_the_agent_can_change() {
    let Some((arena, mut agent)) = Arena::with_agent("main", &[]) else { return };
    agent.write("build.sh", GOOD, 0o755);
    let watcher = arena.watch();
    for command in [
        json!({ "shell": "until [ -f go ]; do :; done; ./build.sh" }),
        json!({ "shell": "true && nohup ./build.sh" }),
        json!({ "command": ["./build.sh"] }),
        json!({ "command": ["bash", "build.sh"] }),
        json!({ "command": ["/bin/sh", "-c", "./build.sh"] }),
    ] {
        let posted = agent.post(command.clone());
        let question = watcher.question();
        let files = question["changeable"].to_string();
        assert!(files.contains("build.sh"), "{command}: {question}");
        for offer in question["proposals"].as_array().unwrap() {
            let rules = offer["rules"].as_array().unwrap();
            let own = rules.iter().filter(|rule| rule["text"].to_string().contains("build.sh"));
            let pinned = own.filter(|rule| rule["pinned"] == true).count();
            assert_eq!(pinned, 0, "{command}: nothing is promised of it: {offer}");
        }
        let listed = arena.ok(&["questions"]);
        assert!(listed.contains("the agent can change") && listed.contains("build.sh"), "{listed}");
        agent.call("system.kill", &json!({ "requestId": posted["requestId"] }));
        agent.end(&posted);
    }
    agent.post(json!({ "command": ["/usr/bin/id", "-u"] }));
    let question = watcher.question();
    assert!(question["changeable"].is_null(), "the system's programs stay: {question}");
    let offers = question["proposals"].as_array().unwrap();
    assert!(offers.iter().all(|offer| offer["rules"][0]["pinned"] == true), "{question}");
}

#[test]
fn a_rule_for_a_script_as_it_was_does_not_allow_what_the_agent_can_change() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = pinned(&arena, &[]);
    let watcher = arena.watch();
    agent.post(json!({ "shell": "until [ -f go ]; do :; done; ./build.sh" }));
    let question = watcher.question();
    let asked: Vec<&Value> =
        question["steps"].as_array().unwrap().iter().filter(|step| step["decision"] == "ask").collect();
    assert_eq!((asked.len(), &asked[0]["reason"]), (1, &json!("agent-can-change")), "{question}");
    assert!(question["changeable"].to_string().contains("./build.sh"), "{question}");
}

#[test]
fn always_saves_what_it_says_and_says_that_anything_in_the_script_may_run() {
    let Some((arena, mut agent)) = Arena::with_agent("main", &[]) else { return };
    agent.write("build.sh", GOOD, 0o755);
    let watcher = arena.watch();
    let posted = agent.post(json!({ "command": ["./build.sh"] }));
    let question = watcher.question();
    let label = question["proposals"][0]["label"].to_string();
    assert!(label.contains("everything build.sh does") && label.contains("even if it changes"), "{label}");
    let answered = arena.approve(&question, &["--always", "path"]);
    assert_eq!(answered.code, 0, "{answered:?}");
    assert_eq!(output(&agent.end(&posted)), "good\n");
    agent.write("build.sh", EVIL, 0o755);
    let end = agent.request(json!({ "command": ["./build.sh"] }));
    assert_eq!(output(&end), "evil\n", "the person said so: {end}");
}

/// Sends the same request repeatedly while two names are exchanged; none may ever run.
fn never_runs(command: &Value, exchanged: (&str, &str)) {
    let Some(arena) = Arena::open() else { return };
    let mut agent = pinned(&arena, &["ask=off", "requests-per-second=10000"]);
    agent.sh("ln -s /usr/bin/true link; ln -s ../evil.sh bin/evil; ln -s evil.sh bad; touch go");
    arena.ok(&["rules", "allow", "/usr/bin/true", "--agent", agent.id(), "--pin"]);
    let mut exchanges = 0;
    for round in 0..rounds() {
        let raced = agent.race(command.clone(), exchanged, u64::from(round % 17) * 20);
        let end = agent.end(&raced["reply"]);
        assert_eq!(end["method"], "exec.denied", "round {round}: {command}: {end}");
        exchanges += raced["times"].as_u64().unwrap();
    }
    assert!(exchanges > 0, "the names were exchanged");
    let held = agent.request(json!({ "command": ["/usr/bin/true"] }));
    assert_eq!(
        held["method"], "exec.finished",
        "the same kind of rule holds where nobody can change the file: {held}"
    );
}

#[test]
fn a_script_that_is_exchanged_never_runs_by_a_rule_for_its_content() {
    never_runs(&json!({ "command": ["./build.sh"] }), ("build.sh", "evil.sh"));
}

#[test]
fn a_script_whose_folder_is_exchanged_never_runs_by_a_rule_for_its_content() {
    never_runs(&json!({ "command": ["bin/build.sh"] }), ("bin", "other"));
}

#[test]
fn a_later_step_that_is_exchanged_never_runs_by_a_rule_for_its_content() {
    never_runs(&json!({ "shell": "true && ./build.sh" }), ("build.sh", "evil.sh"));
}

#[test]
fn a_step_behind_a_loop_never_runs_by_a_rule_for_its_content() {
    never_runs(&json!({ "shell": "until [ -f go ]; do :; done; bin/build.sh" }), ("bin", "other"));
}

#[test]
fn a_link_that_is_exchanged_never_runs_by_a_rule_for_where_it_led() {
    never_runs(&json!({ "command": ["./link"] }), ("link", "bad"));
}

/// Returns a program of the user's that an agent cannot change, approved as it is, and its folder.
fn approved_tool(arena: &Arena, agent: &Agent, like: &str) -> tempfile::TempDir {
    // Not below the temporary folder, where every agent can write.
    let bin = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for (name, of) in [("tool", like), ("exchanged", if like == GOOD { EVIL } else { "/usr/bin/id" })] {
        let path = bin.path().join(name);
        match of.strip_prefix("#!") {
            Some(_) => put_program(&path, of),
            None => copy_program(of, &path),
        }
    }
    for rule in [&["/usr/bin/cat"][..], &[bin.path().join("tool").to_str().unwrap(), "--pin"]] {
        arena.ok(&[&["rules", "allow"], rule, &["--agent", agent.id()]].concat());
    }
    bin
}

/// Exchanges an approved program while the first step of a line still waits; returns how the line ends.
fn exchanged_between_steps(line: &str, like: &str) -> Option<Value> {
    let arena = Arena::open()?;
    let mut agent = arena.agent("main", &["ask=off"]);
    agent.sh("mkfifo go");
    let bin = approved_tool(&arena, &agent, like);
    let tool = bin.path().join("tool").display().to_string();
    let posted = agent.post(json!({ "shell": line.replace("TOOL", &tool) }));
    // It opens once the first step reads, and that step ends when it is closed.
    let go = std::fs::File::options().write(true).open(agent.project().join("go")).unwrap();
    std::fs::rename(bin.path().join("exchanged"), &tool).unwrap();
    drop(go);
    Some(agent.end(&posted))
}

#[test]
fn a_program_that_is_exchanged_after_the_line_started_does_not_run() {
    for (line, like) in [
        ("cat go && TOOL", "/usr/bin/true"),
        ("cat go; TOOL | cat", "/usr/bin/true"),
        ("cat go | cat\nTOOL -u || cat go", "/usr/bin/true"),
        ("cat go && TOOL", GOOD),
    ] {
        let Some(end) = exchanged_between_steps(line, like) else { return };
        assert_eq!(end["method"], "exec.finished", "{line}: the first step ran: {end}");
        assert_eq!((&end["params"]["outcome"], output(&end)), (&json!("drifted"), ""), "{line}: {end}");
        let message = end["params"]["message"].to_string();
        assert!(message.contains("/tool") && message.contains("after it was judged"), "{line}: {message}");
    }
}

#[test]
fn the_steps_of_a_line_run_if_nothing_changed() {
    let Some((arena, mut agent)) = Arena::with_agent("main", &["ask=off"]) else { return };
    agent.sh("mkfifo go");
    let bin = approved_tool(&arena, &agent, GOOD);
    let posted = agent.post(json!({ "shell": format!("cat go && {}/tool | cat", bin.path().display()) }));
    drop(std::fs::File::options().write(true).open(agent.project().join("go")).unwrap());
    let end = agent.end(&posted);
    assert_eq!((&end["params"]["outcome"], output(&end)), (&json!("exited"), "good\n"), "{end}");
}

#[test]
fn what_an_earlier_step_builds_in_the_agents_folder_runs() {
    let Some((_arena, mut agent)) = Arena::with_agent("main", &["preset=allow"]) else { return };
    agent.write("tool", GOOD, 0o755);
    agent.write("new", EVIL, 0o755);
    let end = agent.request(json!({ "shell": "./tool && cp new tool && ./tool" }));
    assert_eq!(output(&end), "good\nevil\n", "nothing was promised about it: {end}");
}

/// Returns the script that a question names, and the number of its lines on show.
fn script_of(question: &Value) -> (&Value, usize) {
    let programs = question["programs"].as_array().unwrap();
    let script = programs.iter().map(|program| &program["script"]).find(|script| script.is_object());
    let script = script.unwrap_or_else(|| panic!("{question}"));
    (script, script["preview"].as_array().unwrap().len())
}

#[test]
fn a_script_that_nobody_allowed_as_it_is_shows_what_it_does() {
    let Some((arena, mut agent)) = Arena::with_agent("main", &[]) else { return };
    let watcher = arena.watch();
    let long = format!("{GOOD}{}", "# nothing\n".repeat(60));
    for (command, name) in [(json!(["sh", "report.sh"]), "report.sh"), (json!(["./own.sh"]), "own.sh")] {
        let mut ask = |arena: &Arena, text: &str| {
            agent.write(name, text, 0o755);
            let posted = agent.post(json!({ "command": command }));
            let question = watcher.question();
            let listed = arena.ok(&["questions"]);
            assert_eq!(arena.approve(&question, &[]).code, 0);
            agent.end(&posted);
            (question, listed)
        };
        let (question, listed) = ask(&arena, &long);
        let (script, lines) = script_of(&question);
        assert_eq!((&script["state"], lines, &script["more"]), (&json!("new"), 40, &json!(true)));
        assert!(listed.contains("| echo good") && listed.contains("· new"), "{listed}");
        let (question, listed) = ask(&arena, &long);
        assert_eq!(script_of(&question).0["state"], "unchanged", "{name}");
        assert!(!listed.contains("| echo good"), "it is known: {listed}");
        let (question, listed) = ask(&arena, EVIL);
        let (script, lines) = script_of(&question);
        assert_eq!((&script["state"], lines, &script["more"]), (&json!("changed"), 2, &json!(false)));
        assert!(listed.contains("| echo evil") && listed.contains("· changed"), "{listed}");
    }
}
