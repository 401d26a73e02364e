//! Files that change between the question and the run: a rule allows only what stays the same, and the question
//! names the rest.

use postern_tests::{Agent, Arena};
use serde_json::{Value, json};

const GOOD: &str = "#!/bin/sh\necho good\n";
const EVIL: &str = "#!/bin/sh\necho evil\n";

/// Number of tries per exchange: a few in each test run, 10,000 by hand (`POSTERN_ATTACK_ROUNDS=10000`).
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
    let Some(arena) = Arena::open() else { return };
    let mut agent = arena.agent("main", &[]);
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
    let Some(arena) = Arena::open() else { return };
    let mut agent = arena.agent("main", &[]);
    agent.write("build.sh", GOOD, 0o755);
    let watcher = arena.watch();
    let posted = agent.post(json!({ "command": ["./build.sh"] }));
    let question = watcher.question();
    let label = question["proposals"][0]["label"].to_string();
    assert!(label.contains("build.sh, whatever is in it by then"), "{label}");
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
