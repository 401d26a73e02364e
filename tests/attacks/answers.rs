//! Approvals that are stretched beyond what was shown.

use postern_client::Control;
use postern_contract::methods::EditQuestion;
use postern_contract::{ConfineChoice, EditParams};
use postern_tests::{Agent, Arena, Watcher, put_program};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Pause of the attacker after a rate limit: the limit counts requests per second, and no event announces room.
const RATE_LIMITED: Duration = Duration::from_millis(100);

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

/// Opens an arena with an agent of these settings, and a terminal that stays: a question that nobody could answer ends after ten
/// seconds.
fn attended(name: &str, settings: &[&str]) -> Option<(Arena, Agent, Watcher)> {
    let (arena, agent) = Arena::with_agent(name, settings)?;
    let terminal = arena.watch();
    Some((arena, agent, terminal))
}

/// Returns the only open question.
fn waiting(arena: &Arena) -> Value {
    let all = arena.json(&["questions"]);
    let list = all.as_array().unwrap();
    assert_eq!(list.len(), 1, "{all}");
    list[0].clone()
}

/// Posts the same request this many times until all wait for one question.
fn post_many(arena: &Arena, agent: &mut Agent, request: &Value, times: usize) -> Vec<Value> {
    let mut posted: Vec<Value> = Vec::new();
    while posted.len() < times {
        let one = agent.post(request.clone());
        if one["error"].is_string() {
            std::thread::sleep(RATE_LIMITED);
        } else {
            posted.push(one);
        }
    }
    for one in &posted {
        agent.asked(one);
    }
    assert_eq!(waiting(arena)["requests"].as_array().unwrap().len(), times);
    posted
}

/// Returns true if a request is asked about (and denies it), false if it runs.
fn is_asked(arena: &Arena, agent: &mut Agent, request: &Value) -> bool {
    let posted = agent.post(request.clone());
    let event = agent.event(&["exec.pending", "exec.finished", "exec.denied"], &posted);
    let asked = event["method"] == "exec.pending";
    if asked {
        let code = waiting(arena)["code"].as_str().unwrap().to_owned();
        arena.ok(&["deny", &code]);
        assert_eq!(agent.end(&posted)["method"], "exec.denied");
    } else {
        assert_eq!(event["method"], "exec.finished", "{event}");
    }
    asked
}

/// Returns a program unknown to Postern, which may obey its input.
fn tool(arena: &Arena) -> String {
    let tool = arena.outside().join("query");
    put_program(&tool, "#!/bin/sh\ncat\n");
    tool.display().to_string()
}

#[test]
fn one_yes_is_one_run_however_often_it_was_asked() {
    let Some((arena, mut agent, _terminal)) = attended("once", &[]) else { return };
    let file = arena.outside().join("count");
    let request = json!({ "shell": format!("date >> {}; true", file.display()) });
    let posted = post_many(&arena, &mut agent, &request, 64);
    let question = waiting(&arena);
    let told = arena.ok(&["questions"]);
    assert!(told.contains("asked 64 times"), "the terminal says how many: {told}");
    assert_eq!(arena.approve(&question, &[]).code, 0);
    assert_eq!(agent.end(&posted[0])["params"]["exitCode"], 0, "the first one ran: it is the one on show");
    let rest = waiting(&arena);
    assert_ne!(rest["id"], question["id"], "the others wait for an answer of their own");
    assert_eq!(rest["requests"].as_array().unwrap().len(), 63);
    assert_eq!(lines(&file), 1, "and none of them ran");
    let few = arena.approve(&rest, &["--all", "62"]);
    assert!(few.code != 0 && few.stderr.contains("63"), "a number that is not the one on show: {few:?}");
    assert_eq!(arena.approve(&rest, &["--all", "63"]).code, 0);
    for one in &posted[1..] {
        let end = agent.end(one);
        assert_eq!(end["params"]["exitCode"], 0, "{end}");
    }
    assert_eq!(lines(&file), 64, "all of them, where the person chose that");
}

/// Somebody answers with what stood on their screen; meanwhile the person took a rule back, so that *Always* would save more.
#[test]
fn always_saves_what_was_shown_and_nothing_that_took_its_place() {
    let Some((arena, mut agent, _terminal)) = attended("offers", &[]) else { return };
    let id = agent.id().to_owned();
    let rules = || arena.ok(&["rules", "list", "--agent", &id]);
    let before = rules();
    let row = arena.json(&["rules", "allow", "cp aa bb", "--agent", &id]);
    let asked = agent.post(json!({ "shell": "touch aa; cp aa bb" }));
    agent.asked(&asked);
    let seen = waiting(&arena);
    let offer = seen["proposals"][0]["id"].as_str().unwrap().to_owned();
    arena.ok(&["rules", "remove", &row["rule"]["id"].to_string()]);
    let late = arena.approve(&seen, &["--always", &offer]);
    assert!(late.code != 0 && late.stderr.contains("look again"), "{late:?}");
    assert_eq!(rules(), before, "nothing was saved");
    let now = waiting(&arena);
    assert_eq!(
        (&now["id"], now["digest"] == seen["digest"]),
        (&seen["id"], false),
        "it still waits, as something else"
    );
    assert_eq!(arena.approve(&now, &["--always", &offer]).code, 0, "what is on show by now can be saved");
    assert_ne!(rules(), before);
    agent.end(&asked);
}

/// The user adds a hook that starts a script of the project, and the agent writes into that script.
#[test]
fn a_hook_that_appears_after_always_is_asked_about_once() {
    let Some((arena, mut agent)) = Arena::with_agent("hooks", &[]) else { return };
    let mark = arena.outside().join("hook-ran");
    agent.sh("git init -q . && git config user.name a && git config user.email a@b");
    let watcher = arena.watch();
    let commit = |agent: &mut Agent, text: &str| {
        agent.sh(&format!("echo {text} > notes.txt && git add ."));
        agent.post(json!({ "command": ["git", "commit", "-m", text] }))
    };
    let always = |question: &Value| {
        let offer = question["proposals"][0]["id"].as_str().unwrap();
        assert_eq!(arena.approve(question, &["--always", offer]).code, 0, "{question}");
    };
    let first = commit(&mut agent, "one");
    always(&watcher.question());
    assert_eq!(agent.end(&first)["params"]["exitCode"], 0);
    let second = commit(&mut agent, "two");
    assert_ne!(second["state"], "asking", "the rule holds: {second}");
    assert_eq!(agent.end(&second)["params"]["exitCode"], 0);

    write_hook(&agent, "pre-commit", "#!/bin/sh\n./check.sh\n");
    agent.write("check.sh", &format!("#!/bin/sh\ntouch '{}'\n", mark.display()), 0o755);
    let third = commit(&mut agent, "three");
    assert_eq!(third["state"], "asking", "{third}");
    let question = watcher.question();
    let shown = question.to_string();
    assert!(shown.contains("repository’s hook") && shown.contains("pre-commit"), "{shown}");
    assert!(!mark.exists(), "nothing of the agent's ran");
    always(&question);
    assert_eq!(agent.end(&third)["params"]["exitCode"], 0);
    assert!(mark.exists(), "the user allowed what was shown");
    let fourth = commit(&mut agent, "four");
    assert_ne!(fourth["state"], "asking", "and is asked no more: {fourth}");
    assert_eq!(agent.end(&fourth)["params"]["exitCode"], 0);
}

/// Writes a program that leaves a mark, as a hook.
fn plant_hook(agent: &Agent, name: &str, mark: &Path) {
    write_hook(agent, name, &format!("#!/bin/sh\ntouch '{}'\n", mark.display()));
}

fn write_hook(agent: &Agent, name: &str, text: &str) {
    let hook = agent.project().join(".git/hooks").join(name);
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    put_program(&hook, text);
}

#[test]
fn a_setting_by_which_git_starts_a_program_is_asked_about() {
    let Some((arena, mut agent)) = Arena::with_agent("settings", &[]) else { return };
    let mark = arena.outside().join("setting-ran");
    agent.sh("git init -q . && git remote add origin ssh://host.invalid/x");
    let watcher = arena.watch();
    let fetch = json!({ "command": ["git", "fetch", "origin"] });
    let first = agent.post(fetch.clone());
    assert_eq!(arena.approve(&watcher.question(), &["--always", "exact"]).code, 0);
    assert_eq!(agent.end(&first)["method"], "exec.finished");
    agent.sh(&format!("git config core.sshCommand 'touch {}; false'", mark.display()));
    let second = agent.post(fetch);
    assert_eq!(second["state"], "asking", "it would start what nobody saw: {second}");
    let question = watcher.question();
    assert!(question.to_string().contains("core.sshcommand="), "{question}");
    agent.call("system.kill", &json!({ "requestId": second["requestId"] }));
    agent.end(&second);
    assert!(!mark.exists());
}

#[test]
fn what_git_would_obey_is_part_of_what_is_approved() {
    let Some((arena, mut agent)) = Arena::with_agent("digest-of-hooks", &[]) else { return };
    let mark = arena.outside().join("joined-ran");
    agent.sh("git init -q . && git config user.name a && git config user.email a@b");
    let watcher = arena.watch();
    let commit = json!({ "command": ["git", "commit", "--allow-empty", "-m", "x"] });
    let first = agent.post(commit.clone());
    let shown = watcher.question();
    plant_hook(&agent, "pre-commit", &mark);
    let second = agent.post(commit);
    let other = watcher.question();
    assert_ne!((&shown["id"], &shown["digest"]), (&other["id"], &other["digest"]), "it runs something else");
    assert_eq!(arena.approve(&shown, &[]).code, 0);
    let end = agent.end(&first);
    assert_eq!((&end["method"], mark.exists()), (&json!("exec.denied"), false), "{end}");
    agent.call("system.kill", &json!({ "requestId": second["requestId"] }));
    agent.end(&second);
}

#[test]
fn a_git_obeys_no_hook_and_no_setting_that_comes_after_its_line_started() {
    let Some((arena, mut agent)) = Arena::with_agent("planted", &["ask=off"]) else { return };
    let mark = arena.outside().join("planted-ran");
    agent.sh(
        "git init -q . && git config user.name a && git config user.email a@b && mkfifo go && echo x > x",
    );
    for rule in ["cat *", "git add *", "git commit *"] {
        arena.ok(&["rules", "allow", rule, "--agent", agent.id()]);
    }
    let posted = agent.post(json!({ "shell": "cat go && git add x && git commit -qm x" }));
    let started = agent.event(&["exec.started"], &posted);
    assert!(started["params"]["profile"].is_null(), "with the person's rights: {started}");
    plant_hook(&agent, "pre-commit", &mark);
    agent.sh(&format!("git config core.fsmonitor 'touch {}; false'", mark.display()));
    drop(std::fs::File::options().write(true).open(agent.project().join("go")).unwrap());
    let end = agent.end(&posted);
    assert_eq!((&end["params"]["exitCode"], mark.exists()), (&json!(0), false), "{end}");
    // What was there is run as it was shown.
    agent.sh("git config --unset core.fsmonitor");
    let end = agent.request(json!({ "command": ["git", "commit", "-q", "--allow-empty", "-m", "y"] }));
    assert_eq!((&end["params"]["exitCode"], mark.exists()), (&json!(0), true), "{end}");
}

#[test]
fn a_hook_that_appears_while_a_command_waits_for_its_turn_is_not_run() {
    let Some((arena, mut agent)) = Arena::with_agent("turns", &["max-running=1"]) else { return };
    let mark = arena.outside().join("hook-ran");
    agent.sh("git init -q . && git config user.name a && git config user.email a@b && mkfifo go");
    arena.ok(&["rules", "allow", "/usr/bin/cat", "--agent", agent.id()]);
    let watcher = arena.watch();
    let commit = json!({ "command": ["git", "commit", "--allow-empty", "-m", "x"] });
    let first = agent.post(commit.clone());
    // Without a profile: a confined one would run the hook, too, but with no rights.
    let question = watcher.question();
    let offers = question["proposals"].as_array().unwrap();
    let offer = offers.iter().find(|offer| offer["id"] == "exact").unwrap_or_else(|| panic!("{question}"));
    assert_eq!(arena.approve(&question, &["--always", offer["id"].as_str().unwrap()]).code, 0);
    assert_eq!(agent.end(&first)["params"]["exitCode"], 0);

    let running = agent.post(json!({ "command": ["/usr/bin/cat", "go"] }));
    assert_eq!(agent.event(&["exec.started"], &running)["method"], "exec.started");
    let waiting = agent.post(commit);
    assert_ne!(waiting["state"], "asking", "the rule holds: {waiting}");
    plant_hook(&agent, "pre-commit", &mark);
    drop(std::fs::File::options().write(true).open(agent.project().join("go")).unwrap());
    agent.end(&running);
    let end = agent.end(&waiting);
    assert_eq!((&end["method"], mark.exists()), (&json!("exec.denied"), false), "{end}");
}

#[test]
fn all_of_them_are_held_to_the_digest_that_was_shown() {
    let Some((arena, mut agent, _terminal)) = attended("digests", &[]) else { return };
    let (tool, mark) = (tool(&arena), arena.outside().join("mark"));
    let posted = post_many(&arena, &mut agent, &json!({ "command": [tool] }), 3);
    let question = waiting(&arena);
    // Another input, another environment and another folder are other plans: they wait for answers of their own.
    let sub = arena.outside().display().to_string();
    for other in [
        json!({ "command": [tool], "stdin": "drop everything\n" }),
        json!({ "command": [tool], "env": { "MODE": "drop" } }),
        json!({ "command": [tool], "cwd": sub }),
        json!({ "command": [tool], "confine": "project" }),
    ] {
        let one = agent.post(other);
        agent.asked(&one);
    }
    let all = arena.json(&["questions"]);
    let digests: std::collections::BTreeSet<&str> =
        all.as_array().unwrap().iter().map(|one| one["digest"].as_str().unwrap()).collect();
    assert_eq!(digests.len(), 5, "{all}");
    let more = arena.approve(&question, &["--all", "7"]);
    assert!(more.code != 0, "{more:?}");
    // The program is another one when the answer comes: none of the three is what was shown.
    let next = arena.outside().join("next");
    put_program(&next, format!("#!/bin/sh\necho x >> {}\n", mark.display()));
    std::fs::rename(&next, &tool).unwrap();
    assert_eq!(arena.approve(&question, &["--all", "3"]).code, 0);
    for one in &posted {
        let end = agent.end(one);
        assert_eq!(end["method"], "exec.denied", "{end}");
    }
    assert!(!mark.exists(), "what was put in its place did not run");
    assert_eq!(arena.json(&["questions"]).as_array().unwrap().len(), 4, "the others still wait");
}

#[test]
fn who_joins_after_the_question_was_seen_is_not_covered() {
    let Some((arena, mut agent, _terminal)) = attended("joiner", &[]) else { return };
    let file = arena.outside().join("count");
    let request = json!({ "shell": format!("date >> {}; true", file.display()) });
    drop(post_many(&arena, &mut agent, &request, 2));
    let seen = waiting(&arena);
    let third = agent.post(request);
    agent.asked(&third);
    assert_eq!(waiting(&arena)["requests"].as_array().unwrap().len(), 3);
    let late = arena.approve(&seen, &["--all", "2"]);
    assert!(late.code != 0 && late.stderr.contains("3 identical requests"), "{late:?}");
    assert_eq!(lines(&file), 0);
}

#[test]
fn what_was_allowed_in_one_folder_deletes_in_no_other() {
    let Some((arena, mut agent, _terminal)) = attended("folder", &[]) else { return };
    let important = arena.outside().join("important");
    std::fs::create_dir_all(important.join("build")).unwrap();
    agent.sh("mkdir -p build sub/build");
    let posted = agent.post(json!({ "command": ["rm", "-rf", "build"] }));
    agent.asked(&posted);
    let question = waiting(&arena);
    let label: String = question["proposals"][0]["label"]
        .as_array()
        .unwrap()
        .iter()
        .map(|piece| piece["text"].as_str().unwrap())
        .collect();
    assert!(label.contains("and below"), "the offer says where it would hold: {label}");
    let done = arena.approve(&question, &["--always", "exact"]);
    assert!(done.code == 0 && done.stdout.contains("and below"), "{done:?}");
    assert_eq!(agent.end(&posted)["params"]["exitCode"], 0);
    assert!(arena.ok(&["rules", "list"]).contains("and below"), "the list says so too");
    let sub = agent.path("sub");
    assert!(
        !is_asked(&arena, &mut agent, &json!({ "command": ["rm", "-rf", "build"], "cwd": sub })),
        "below, it holds"
    );
    // Elsewhere by its own folder, by a link, by dots, and by a line that changes its folder.
    agent.sh(&format!("ln -s {} link", important.display()));
    let (link, dots) = (agent.path("link"), format!("{}/../important", agent.project().display()));
    for cwd in [important.display().to_string(), link.clone(), dots] {
        let request = json!({ "command": ["rm", "-rf", "build"], "cwd": cwd });
        assert!(is_asked(&arena, &mut agent, &request), "{cwd} is another folder");
    }
    for text in [
        format!("cd {} && rm -rf build", important.display()),
        format!("cd {link} && rm -rf build"),
        "cd link && rm -rf build".to_owned(),
    ] {
        assert!(is_asked(&arena, &mut agent, &json!({ "shell": text })), "{text}");
    }
    assert!(important.join("build").is_dir(), "nothing was deleted there");
}

#[test]
fn what_is_saved_of_a_line_that_changes_its_folder_is_held_to_none_silently() {
    let Some((arena, mut agent, _terminal)) = attended("moves", &[]) else { return };
    agent.sh("mkdir -p sub/build");
    let posted = agent.post(json!({ "shell": "cd sub && rm -rf build" }));
    agent.asked(&posted);
    let question = waiting(&arena);
    let answered = arena.approve(&question, &["--always", "exact"]);
    assert!(answered.code == 0 && answered.stdout.contains("nothing was saved"), "{answered:?}");
    assert!(is_asked(&arena, &mut agent, &json!({ "command": ["rm", "-rf", "sub/build"] })));
    assert!(is_asked(&arena, &mut agent, &json!({ "shell": "cd sub && rm -rf build" })));
}

#[test]
fn a_rule_that_was_given_with_one_input_covers_no_other() {
    let Some((arena, mut agent, _terminal)) = attended("input", &[]) else { return };
    let tool = tool(&arena);
    let request = |stdin: &str| json!({ "command": [tool], "stdin": stdin });
    let posted = agent.post(request("1+1\n"));
    agent.asked(&posted);
    let question = waiting(&arena);
    assert_eq!(
        question["stdin"]["lines"][0][0]["text"], "1+1",
        "all of the text is shown: {}",
        question["stdin"]
    );
    assert!(arena.ok(&["questions"]).contains("| 1+1"), "in the terminal as well");
    assert_eq!(arena.approve(&question, &["--always", "exact"]).code, 0);
    drop(agent.end(&posted));
    assert!(!is_asked(&arena, &mut agent, &request("1+1\n")), "the same input again is covered");
    assert!(is_asked(&arena, &mut agent, &request("2+2\n")), "another one is not");
}

#[test]
fn a_rule_that_was_given_without_input_covers_none() {
    let Some((arena, mut agent, _terminal)) = attended("noinput", &[]) else { return };
    let path = tool(&arena);
    arena.ok(&["rules", "allow", &path, "--agent", agent.id()]);
    let with = |stdin: Value| json!({ "command": [path], "stdin": stdin });
    assert!(!is_asked(&arena, &mut agent, &json!({ "command": [path] })), "as it was written");
    assert!(is_asked(&arena, &mut agent, &with(json!("drop everything\n"))), "not with a text");
    assert!(!is_asked(&arena, &mut agent, &with(json!(""))), "an empty text is none");
    arena.ok(&["rules", "allow", &path, "--agent", agent.id(), "--any-input"]);
    assert!(!is_asked(&arena, &mut agent, &with(json!("drop everything\n"))), "where the person says so");
}

#[test]
fn an_ordinary_command_does_not_ask_because_a_pipe_stands_open() {
    let Some((arena, mut agent)) = Arena::with_agent("pipe", &[]) else { return };
    arena.ok(&["rules", "allow", "git --version", "--agent", agent.id()]);
    let told = agent.sh("sleep 5 | timeout 100 postern-run -- git --version");
    assert!(told.contains("git version"), "{told}");
    let told = agent.sh("postern-run -- git --version < /dev/null");
    assert!(told.contains("git version"), "{told}");
}

#[test]
fn input_that_is_too_long_to_be_shown_cannot_be_allowed() {
    let Some((arena, mut agent)) = Arena::with_agent("long", &[]) else { return };
    let end = agent.request(json!({ "command": ["tee", "/dev/null"], "stdin": "x".repeat(64 * 1024) }));
    assert_eq!(end["method"], "exec.denied", "{end}");
    assert_eq!(arena.json(&["questions"]), json!([]));
}

#[test]
fn a_yes_to_a_skills_program_approves_nothing_for_good() {
    let Some((arena, mut agent, _terminal)) = attended("skills", &["allow-skills=on"]) else { return };
    agent.sh("mkdir -p skills/helper; printf -- '---\\nname: helper\\ndescription: d\\nclis: [git]\\n---\\n' > skills/helper/SKILL.md");
    // An agent without folders could write anywhere in the home folder.
    arena.run(&["skills", "add-folder", &agent.path("skills")]);
    let before = arena.ok(&["rules", "list"]);
    let posted = agent.post(json!({ "command": ["git", "--version"] }));
    agent.asked(&posted);
    assert_eq!(arena.approve(&waiting(&arena), &[]).code, 0);
    assert_eq!(agent.end(&posted)["params"]["exitCode"], 0);
    assert_eq!(arena.ok(&["rules", "list"]), before, "no rule came of it");
    assert!(is_asked(&arena, &mut agent, &json!({ "command": ["git", "push", "--force"] })));
    let refused = arena.run(&["skills", "approve", "helper"]);
    assert_ne!(refused.code, 0, "and git is approved for no skill: {refused:?}");
}

#[test]
fn a_folder_of_an_agent_holds_no_skills() {
    let Some((arena, agent)) = Arena::with_agent("watched", &[]) else { return };
    let folders = format!("folders={}", agent.project().display());
    arena.ok(&["agents", "set", agent.id(), &folders]);
    let refused = arena.run(&["skills", "add-folder", &agent.project().display().to_string()]);
    assert!(refused.code != 0 && refused.stderr.contains(agent.id()), "{refused:?}");
}

/// Gives the question that waits other rights, as a person does, and returns it as it is shown then.
fn confine(arena: &Arena, person: &mut Control, question: &Value, choice: ConfineChoice) -> Value {
    let text = |name: &str| question[name].as_str().unwrap().to_owned();
    let (question_id, digest) = (text("id"), text("digest"));
    let change = EditParams { question_id, digest, text: None, confine: Some(choice) };
    let edited = person.call_method::<EditQuestion>(&change).unwrap();
    assert!(edited.applied, "{edited:?}");
    waiting(arena)
}

#[test]
fn what_a_person_confines_before_they_allow_it_runs_confined() {
    let Some(arena) = Arena::open_own() else { return };
    let _terminal = arena.watch();
    let folder = format!("folders={}", arena.outside().join("project-main").display());
    let mut agent = arena.agent("main", &[&folder]);
    std::fs::write(arena.home().join("kept.txt"), "THE-PERSONS-OWN").unwrap();
    let mut person = Control::connect(arena.data()).unwrap();
    let line = format!("cat {}/kept.txt; echo made > made", arena.home().display());
    let posted = agent.post(json!({ "shell": line }));
    agent.asked(&posted);
    let asked = waiting(&arena);
    assert_eq!(asked["tighter"], json!(["look", "project"]), "{asked}");
    let looks = confine(&arena, &mut person, &asked, ConfineChoice::Look);
    assert_eq!((&looks["tighter"], &looks["confinedByPerson"]), (&Value::Null, &json!(true)));
    let back = confine(&arena, &mut person, &looks, ConfineChoice::AsAsked);
    assert_eq!((&back["digest"], &back["confinedByPerson"]), (&asked["digest"], &Value::Null));
    let confined = confine(&arena, &mut person, &back, ConfineChoice::Project);
    let said = confined["confinement"].to_string();
    assert!(said.contains("no network") && confined["edited"].is_null(), "{confined}");
    assert_ne!(arena.approve(&asked, &[]).code, 0, "what was shown before is not what would run");
    assert_eq!(arena.approve(&confined, &[]).code, 0);
    let started = agent.event(&["exec.started"], &posted);
    assert_eq!(started["params"]["profile"], "project", "{started}");
    let end = agent.end(&posted);
    assert!(!end.to_string().contains("THE-PERSONS-OWN"), "{end}");
    assert!(agent.project().join("made").exists(), "it writes in its project: {end}");
}

#[test]
fn denials_without_words_are_counted_for_the_next_question() {
    let Some(arena) = Arena::open_own() else { return };
    let _terminal = arena.watch();
    let mut agent = arena.agent("main", &[]);
    let mut refused = |how: &[&str]| {
        let posted = agent.post(json!({ "command": ["/usr/bin/env", "true"] }));
        agent.asked(&posted);
        let question = waiting(&arena);
        arena.ok(&[&["deny", question["code"].as_str().unwrap()], how].concat());
        agent.end(&posted);
        question["refused"].as_u64().unwrap_or(0)
    };
    let told = [refused(&[]), refused(&["--feedback", "use id"]), refused(&[]), refused(&[]), refused(&[])];
    assert_eq!(told, [0, 1, 1, 2, 3], "guidance counts against nobody");
}
