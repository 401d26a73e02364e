//! `postern setup` in home folders as agents leave them: what is found, changed, imported, tested, and undone.

use postern_tests::{Answer, Postern, agent_command, postern, put_program, texts};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const CLAUDE: &str = "{\n  \"model\" : \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Bash(npm test:*)\", \"Bash(git status)\", \"Bash(*)\", \"mcp__github__get_issue\"],\n    \"deny\": [\"Read(./.env)\"]\n  }\n}\n";

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Starts a host for somebody who uses Claude Code and Codex, and returns where their settings are.
fn used() -> (Postern, PathBuf, PathBuf) {
    let host = Postern::start();
    let (claude, codex) = (host.home().join(".claude/settings.json"), host.home().join(".codex/hooks.json"));
    put(&claude, CLAUDE);
    put(
        &host.home().join(".codex/rules/default.rules"),
        "prefix_rule(pattern=[\"cargo\", \"build\"], decision=\"allow\")\n",
    );
    (host, claude, codex)
}

fn setup(host: &Postern, more: &[&str]) -> Value {
    host.json(&[&["setup"], more].concat())
}

fn row<'a>(rows: &'a Value, kind: &str) -> &'a Value {
    let found = rows.as_array().unwrap().iter().find(|row| row["kind"] == kind);
    found.unwrap_or_else(|| panic!("no {kind} in {rows}"))
}

/// Runs `postern setup` with a path on which nothing else of this computer is found.
fn run(host: &Postern, more: &[&str]) -> Answer {
    host.command(&[&["setup"], more].concat()).env("PATH", "/nowhere").output().unwrap().into()
}

#[test]
fn an_agent_that_may_work_in_a_folder_is_tested_in_it() {
    let (host, _, _) = used();
    let folder = host.home().join("site");
    fs::create_dir(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    let done = setup(
        &host,
        &["--yes", "--agent", "claude-code", "--no-import", "--let", "work", "--folder", folder],
    );
    assert_eq!(row(&done, "claude-code")["end"], "connected", "{done}");
    let asked = &host.json(&["history", "--agent", "claude-code"])[0];
    assert!(asked["line"] == "uname -s" && asked["ending"] != "cwd-refused", "{asked}");
}

#[test]
fn what_is_here_is_connected_imported_tested_and_taken_back_to_the_letter() {
    let (host, claude, codex) = used();
    let seen = setup(&host, &["--dry-run", "--agent", "claude-code", "--agent", "codex"]);
    assert_eq!(texts(&seen, "kind"), ["claude-code", "codex"]);
    assert!(seen.to_string().contains("PreToolUse"), "the change is shown: {seen}");
    assert_eq!(fs::read_to_string(&claude).unwrap(), CLAUDE, "and not made");
    assert_eq!(host.json(&["agents", "list"]), json!([]));

    let both = ["--yes", "--agent", "claude-code", "--agent", "codex"];
    let done = setup(&host, &both);
    for kind in ["claude-code", "codex"] {
        let row = row(&done, kind);
        assert_eq!(row["end"], "connected", "{row}");
        assert_eq!(row["tested"]["state"], "denied", "its question came here and was answered: {row}");
    }
    let entries = &row(&done, "claude-code")["imported"]["files"][0]["entries"];
    assert_eq!(texts(entries, "taken"), ["rules", "rules", "rules", "left-out", "lines"], "{entries}");
    assert!(row(&done, "codex")["remains"].as_str().unwrap().contains("/hooks"));
    let agents = host.json(&["agents", "list"]);
    assert_eq!(texts(&agents, "name"), ["Claude Code", "Codex"], "names that people recognize");
    let rules = host.ok(&["rules", "list", "--agent", "claude-code"]);
    assert!(rules.contains("npm test"), "{rules}");
    let history = host.json(&["history", "--agent", "claude-code"]);
    assert_eq!(history.as_array().unwrap().len(), 1, "the test went the way of every request: {history}");
    let audit = host.ok(&["audit"]);
    assert!(audit.contains("claude-code"), "{audit}");

    let (with, hooks) = (fs::read_to_string(&claude).unwrap(), fs::read_to_string(&codex).unwrap());
    let again = setup(&host, &both);
    assert!(again.as_array().unwrap().iter().all(|row| row["end"] == "already"), "{again}");
    assert_eq!((fs::read_to_string(&claude).unwrap(), fs::read_to_string(&codex).unwrap()), (with, hooks));

    let declined = run(&host, &["--undo"]);
    assert!(declined.code == 1 && !declined.stdout.contains("a hook that you installed"), "{declined:?}");
    let undone = setup(&host, &["--undo", "--yes"]);
    assert_eq!(texts(&undone, "kind"), ["claude-code", "codex"]);
    assert_eq!(fs::read_to_string(&claude).unwrap(), CLAUDE);
    assert!(!codex.exists(), "there was none");
    assert!(!host.home().join(".claude/settings.json.before-postern").exists(), "nothing is left behind");
    assert_eq!(host.json(&["agents", "list"]), json!([]));
    let nothing = run(&host, &["--undo", "--yes"]);
    assert!(nothing.code == 0 && nothing.stdout.contains("nothing to undo"), "{nothing:?}");
}

/// The host was started without these variables: they come from the terminal in which setup runs.
#[test]
fn agents_whose_settings_are_elsewhere_are_found_by_the_environment_of_the_terminal() {
    let (host, usual, _) = used();
    let (claude, codex) = (host.home().join("elsewhere/claude"), host.home().join("elsewhere/codex"));
    put(&claude.join("settings.json"), "{}\n");
    put(
        &codex.join("rules/default.rules"),
        "prefix_rule(pattern=[\"cargo\", \"test\"], decision=\"allow\")\n",
    );
    let run = |args: &[&str]| -> Answer {
        let mut command = host.command(args);
        command.env("PATH", "/nowhere").env("CLAUDE_CONFIG_DIR", &claude).env("CODEX_HOME", &codex);
        command.output().unwrap().into()
    };
    let done = run(&["setup", "--yes", "--no-test", "--agent", "claude-code", "--agent", "codex", "--json"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(fs::read_to_string(claude.join("settings.json")).unwrap().contains("PreToolUse"));
    assert!(codex.join("hooks.json").exists());
    assert_eq!(fs::read_to_string(&usual).unwrap(), CLAUDE, "the usual place is not theirs");
    let rules = host.ok(&["rules", "list", "--agent", "codex"]);
    assert!(rules.contains("cargo test") && !rules.contains("cargo build"), "{rules}");
    let listed = run(&["import", "--list"]);
    assert!(listed.stdout.contains("elsewhere/codex/rules/default.rules"), "{listed:?}");
    let undone = run(&["setup", "--undo", "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert!(!codex.join("hooks.json").exists(), "there was none");
    assert_eq!(fs::read_to_string(claude.join("settings.json")).unwrap(), "{}\n");
}

#[test]
fn rules_that_the_current_folder_brings_are_imported_only_if_it_is_named() {
    let host = Postern::start();
    host.enrol("main");
    let clone = host.scratch("clone");
    put(&clone.join(".claude/settings.json"), "{\"permissions\": {\"allow\": [\"Bash(cargo build:*)\"]}}");
    let import = |more: &[&str]| -> Answer {
        let args = [&["import", "claude-code", "--agent", "main"], more].concat();
        host.command(&args).current_dir(&clone).output().unwrap().into()
    };
    let unnamed = import(&[]);
    assert_eq!(unnamed.code, 2, "{unnamed:?}");
    assert!(unnamed.stderr.contains("--project"), "{unnamed:?}");
    put(&host.home().join(".claude/settings.json"), "{\"permissions\": {\"allow\": [\"Bash(git status)\"]}}");
    assert_eq!(import(&[]).code, 0);
    let rules = || host.ok(&["rules", "list", "--agent", "main"]);
    assert!(rules().contains("git status") && !rules().contains("cargo build"), "{}", rules());
    let named = import(&["--project", "."]);
    assert!(named.code == 0 && rules().contains("cargo build"), "{named:?}");
}

#[test]
fn what_a_person_imports_by_a_command_of_its_own_stays_when_setup_is_undone() {
    let (host, _, _) = used();
    host.enrol("claude-code");
    let permissions = host.data().join("policy/claude-code/permissions.jsonc");
    let has = || {
        let rules = host.json(&["rules", "list", "--agent", "claude-code"]);
        (rules, fs::read_to_string(&permissions).unwrap())
    };
    let before = has();
    setup(&host, &["--yes", "--agent", "claude-code", "--no-import", "--no-test"]);
    host.ok(&["import", "claude-code", "--agent", "claude-code"]);
    let imported = has();
    assert!(imported.0 != before.0 && imported.1 != before.1, "{imported:?}");
    setup(&host, &["--undo", "--yes"]);
    assert_eq!(has(), imported);
}

#[test]
fn an_agent_that_was_there_before_stays_with_its_own_rules() {
    let (host, claude, _) = used();
    host.enrol("claude-code");
    host.ok(&["rules", "allow", "uname *", "--agent", "claude-code"]);
    let permissions = host.data().join("policy/claude-code/permissions.jsonc");
    let before = fs::read_to_string(&permissions).unwrap();
    let done = setup(&host, &["--yes", "--agent", "claude-code"]);
    assert!(row(&done, "claude-code")["imported"]["added"].as_u64().unwrap() > 0, "{done}");
    assert_ne!(fs::read_to_string(&permissions).unwrap(), before);
    setup(&host, &["--undo", "--yes"]);
    assert_eq!(fs::read_to_string(&claude).unwrap(), CLAUDE);
    assert_eq!(fs::read_to_string(&permissions).unwrap(), before);
    let rules = host.json(&["rules", "list", "--agent", "claude-code"]);
    assert_eq!(texts(&rules, "text"), ["uname *"]);
}

#[test]
fn settings_that_cannot_be_read_stay_as_they_are_and_keep_no_other_agent_out() {
    let (host, claude, codex) = used();
    fs::write(&claude, "{ \"model\": \"opus\", }").unwrap();
    let ended = run(&host, &["--yes", "--no-test"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stderr.contains("settings.json") && ended.stderr.contains("line 1"), "{ended:?}");
    assert_eq!(fs::read_to_string(&claude).unwrap(), "{ \"model\": \"opus\", }");
    assert!(codex.exists(), "Codex is connected: {ended:?}");
    let agents = host.json(&["agents", "list"]);
    assert_eq!(agents.as_array().unwrap().len(), 1, "no agent without a connection: {agents}");
}

#[test]
fn nothing_is_changed_without_a_yes_or_a_host() {
    let (mut host, claude, _) = used();
    let unasked = run(&host, &["--agent", "claude-code"]);
    assert!(unasked.code == 1 && unasked.stderr.contains("--yes"), "{unasked:?}");
    assert!(unasked.stdout.contains("+ ") && unasked.stdout.contains("PreToolUse"), "{unasked:?}");
    let document = run(&host, &["--json"]);
    assert!(document.code == 2 && document.stderr.contains("--dry-run"), "{document:?}");
    host.crash();
    let alone = run(&host, &["--yes"]);
    assert!(alone.code == 3 && alone.stderr.contains("postern serve"), "{alone:?}");
    assert_eq!(fs::read_to_string(&claude).unwrap(), CLAUDE);
}

#[test]
fn a_hook_of_a_postern_elsewhere_is_told_apart_and_replaced() {
    let (host, claude, _) = used();
    let other = json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command",
        "command": "/gone/postern --data /gone hook claude-code --agent old"}]}]}});
    fs::write(&claude, other.to_string()).unwrap();
    let listed = run(&host, &["--dry-run"]);
    assert!(listed.stdout.contains("another Postern"), "{listed:?}");
    let done = setup(&host, &["--yes", "--agent", "claude-code", "--no-test"]);
    assert_eq!(row(&done, "claude-code")["end"], "connected");
    assert_eq!(row(&done, "claude-code")["agent"], "claude-code");
    let now = fs::read_to_string(&claude).unwrap();
    assert!(!now.contains("/gone") && now.contains(host.data().to_str().unwrap()), "{now}");
}

#[test]
fn an_agent_may_look_around_from_the_first_command() {
    let (host, _, _) = used();
    let done =
        setup(&host, &["--yes", "--agent", "claude-code", "--let", "look", "--no-import", "--no-test"]);
    assert_eq!(row(&done, "claude-code")["end"], "connected");
    let agent = host.json(&["agents", "show", "claude-code"]);
    assert_eq!((&agent["settings"]["look"], &agent["settings"]["files"]), (&json!("allow"), &json!("ask")));
    assert_eq!(host.json(&["rules", "list", "--agent", "claude-code"]), json!([]));
}

#[test]
fn hostile_settings_are_shown_and_never_run() {
    let (host, claude, _) = used();
    let marker = host.home().join("ran");
    let evil = format!(
        "touch {}; postern --data {} hook claude-code --agent claude-code",
        marker.display(),
        host.data().display()
    );
    let settings = json!({"note": "\u{1b}[2J\u{202e}", "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": evil}]}]}});
    fs::write(&claude, settings.to_string()).unwrap();
    let shown = run(&host, &["--dry-run", "--agent", "claude-code"]);
    assert!(!shown.stdout.contains('\u{1b}') || !shown.stdout.contains("[2J"), "{shown:?}");
    assert!(!shown.stdout.contains('\u{202e}'), "{shown:?}");
    let done = setup(&host, &["--yes", "--agent", "claude-code", "--no-import"]);
    assert_eq!(row(&done, "claude-code")["end"], "connected", "it was no connection: {done}");
    assert!(!marker.exists(), "the test starts Postern's own program, not what the settings say");
    assert!(!fs::read_to_string(&claude).unwrap().contains("touch"));
}

#[test]
fn agents_without_settings_of_their_own_get_lines() {
    let host = Postern::start();
    let ended = run(&host, &["--yes", "--agent", "containers", "--no-test"]);
    assert!(ended.code == 0 && ended.stdout.contains("docker run"), "{ended:?}");
    let claw = run(&host, &["--yes", "--agent", "openclaw", "--no-test"]);
    assert!(claw.code == 0 && claw.stdout.contains("approvals.json"), "{claw:?}");
    let doors = host.json(&["doors", "list"]);
    assert!(doors.to_string().contains("\"agent\":\"openclaw\""), "{doors}");
    host.ok(&["setup", "--undo", "--yes"]);
    assert_eq!(host.json(&["agents", "list"]), json!([]));
    fs::create_dir_all(host.home().join(".config/Code/User")).unwrap();
    let code = setup(&host, &["--yes", "--agent", "vs-code", "--no-test"]);
    assert_eq!(row(&code, "vs-code")["end"], "connected", "{code}");
    let servers: Value =
        serde_json::from_str(&fs::read_to_string(host.home().join(".config/Code/User/mcp.json")).unwrap())
            .unwrap();
    assert_eq!(servers["servers"]["postern"]["type"], "stdio");
}

#[test]
fn a_new_agent_finds_programs_where_the_users_shell_does() {
    let (host, _, _) = used();
    let bin = host.home().join("tools/bin");
    put(&bin.join("hello"), "#!/bin/sh\necho hello\n");
    let path = format!("{}:/nowhere:/usr/bin:/bin", bin.display());
    let found = format!("{}:/usr/bin:/bin", bin.display());
    let in_shell = |arguments: &[&str]| -> Answer {
        host.command(arguments).env("PATH", &path).output().unwrap().into()
    };
    let done = in_shell(&["setup", "--agent", "claude-code", "--yes", "--no-test", "--no-import"]);
    assert!(done.code == 0 && done.stdout.contains(&found), "{done:?}");
    let searched = || host.json(&["agents", "show", "claude-code"])["settings"]["searchPath"].clone();
    let expected: Vec<&str> = found.split(':').collect();
    assert_eq!(searched(), json!(expected));

    host.ok(&["agents", "set", "claude-code", "search-path=none"]);
    assert_eq!(searched(), json!([]));
    let set = in_shell(&["agents", "set", "claude-code", "search-path=shell"]);
    assert!(set.code == 0 && searched() == json!(expected), "{set:?}");
    let mut elsewhere = host.command(&["agents", "set", "claude-code", "search-path=shell"]);
    let none: Answer = elsewhere.env("PATH", "/nowhere").output().unwrap().into();
    assert!(none.code != 0 && none.stderr.contains("no folder"), "{none:?}");
    assert_eq!(searched(), json!(expected), "and nothing was changed");
}

#[test]
fn what_only_the_users_shell_finds_is_a_question_that_says_so() {
    let mut host = Postern::start();
    let bin = host.home().join("tools/bin");
    fs::create_dir_all(&bin).unwrap();
    put_program(&bin.join("hello"), "#!/bin/sh\necho hello from $0\n");
    let in_shell = format!("{}:/usr/bin:/bin", bin.display());
    let shown: Answer = host.command(&["setup", "--path"]).env("PATH", in_shell).output().unwrap().into();
    let own = format!("{}  (not in the built-in search path)", bin.display());
    assert!(shown.code == 0 && shown.stdout.contains(&own), "{shown:?}");
    let channel = host.enrol("main");
    let run = |name: &str| agent_command(&channel, &["--quiet", "--", name]).spawn().unwrap();
    let says = format!("`hello` is in `{}`, where your shell finds it", bin.display());
    for _ in 0..2 {
        let watcher = host.watch();
        let asked = run("hello");
        let question = watcher.question();
        let seen = host.ok(&["questions"]);
        assert!(seen.contains(&says), "{seen}");
        host.approve(&question);
        let ended = Answer::from(asked.wait_with_output().unwrap());
        let got = (ended.code, ended.stdout.as_str());
        assert_eq!(got, (0, format!("hello from {}/hello\n", bin.display()).as_str()));
        // It is remembered.
        host.crash();
        host.start_again();
    }
    let nowhere = Answer::from(run("no-such-program").wait_with_output().unwrap());
    assert_eq!(nowhere.code, 127, "what nobody finds is said at once: {nowhere:?}");
}

/// Starts at login, links and hooks are of the home folder, so all of them lie in the test's own.
#[test]
fn uninstalling_leaves_the_data_until_that_is_to_go_too() {
    let (mut host, claude, codex) = used();
    setup(&host, &["--yes", "--no-test", "--no-import", "--agent", "claude-code", "--agent", "codex"]);
    let starter = host.home().join(".config/autostart/Postern.desktop");
    put(&starter, "[Desktop Entry]\nType=Application\nExec=/opt/postern-desktop --background\n");
    let broker = host.home().join(".config/systemd/user/postern-broker.service");
    put(&broker, "[Service]\nExecStart=/usr/sbin/nats-server -c broker.conf\n");
    let other = host.home().join(".config/autostart/other.desktop");
    put(&other, "[Desktop Entry]\nType=Application\nExec=/opt/other\n");
    let link = host.home().join(".local/bin/postern");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(postern(), &link).unwrap();
    let foreign = host.home().join(".local/bin/postern-run");
    symlink("/bin/true", &foreign).unwrap();

    let (cline, project) = (
        host.home().join("Documents/Cline/Hooks/PreToolUse"),
        host.home().join("site/.claude/settings.json"),
    );
    fs::create_dir_all(project.parent().unwrap()).unwrap();
    host.ok(&["hook", "install", "cline", "--agent", "clyde", "--yes"]);
    let of_project = ["claude-code", "--file", project.to_str().unwrap(), "--yes"];
    host.ok(&[&["hook", "install", "--agent", "claude-code"][..], &of_project].concat());

    let shown = host.ok(&["uninstall", "--dry-run"]);
    let socket = host.data().join("control.sock");
    for there in [&claude, &codex, &starter, &broker, &link, &socket, &cline, &project] {
        assert!(shown.contains(there.to_str().unwrap()), "{shown}");
    }
    assert!(!shown.contains("other.desktop") && !shown.contains("postern-run"), "{shown}");
    assert!(fs::read_to_string(&claude).unwrap().contains("PreToolUse"), "nothing was changed");
    host.refuses(&["uninstall"], "--yes");

    host.ok(&["uninstall", "--yes"]);
    assert_eq!(fs::read_to_string(&claude).unwrap(), CLAUDE);
    assert!(!codex.exists() && !starter.exists() && !broker.exists() && link.symlink_metadata().is_err());
    assert!(!cline.exists() && !project.exists(), "hooks outside of setup go too");
    assert!(other.exists() && foreign.symlink_metadata().is_ok(), "what is not ours stays");
    assert!(!host.data().join("control.sock").exists());
    assert_eq!(host.run(&["status"]).code, 3, "the host has ended");
    host.crash();
    host.start_again();
    assert!(host.ok(&["agents", "list"]).contains("claude-code"), "agents stay");

    host.ok(&["uninstall", "--zap", "--yes"]);
    assert!(!host.data().exists());
    let nothing = host.ok(&["uninstall"]);
    assert!(nothing.contains("nothing of Postern"), "{nothing}");
}

/// A hook that leads to another data folder is another Postern's.
#[test]
fn uninstalling_leaves_the_hooks_of_another_postern() {
    let (host, claude, _) = used();
    let another = Postern::start();
    setup(&host, &["--yes", "--no-test", "--no-import", "--agent", "claude-code"]);
    let with = fs::read_to_string(&claude).unwrap();
    let mut elsewhere = another.command(&["uninstall", "--yes"]);
    let ended: Answer = elsewhere.env("HOME", host.home()).output().unwrap().into();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(fs::read_to_string(&claude).unwrap(), with);
}

/// The path of a socket has 103 bytes at most, and a Mac's data folder takes most of them.
#[test]
fn the_channels_of_a_macs_data_folder_lie_in_a_short_one() {
    let host = Postern::start_as_on_a_mac();
    let agent = "an-agent-with-a-name-as-long-as-names-may-be";
    let channel = host.enrol(agent);
    let short = host.home().canonicalize().unwrap().join(".postern/s");
    assert_eq!(channel, short.join(agent));
    assert!(host.data().join("agents").symlink_metadata().is_err(), "no other place has one");
    for folder in [&short, &channel] {
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700, "{folder:?}");
    }
    let event = |command: &str| {
        json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "Bash",
               "tool_input": {"command": command}})
    };
    let hook = |command: &str| {
        let ended =
            host.hook(&["claude-code", "--agent", agent], &event(command)).wait_with_output().unwrap();
        let told: Value = serde_json::from_slice(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
        told["hookSpecificOutput"].clone()
    };
    host.ok(&["agents", "set", agent, "preset=allow", "--yes"]);
    let reading = hook(&format!("cat {}", channel.join("agent.key").display()));
    assert_eq!(reading["permissionDecision"], "deny", "{reading}");
    assert!(reading["permissionDecisionReason"].as_str().unwrap().contains("Postern"), "{reading}");

    let caches = host.home().join("Library/Caches/postern");
    std::fs::create_dir_all(caches.join("of-a-run")).unwrap();
    let shown = host.ok(&["uninstall", "--dry-run"]);
    assert!(shown.contains(short.to_str().unwrap()), "{shown}");
    host.ok(&["uninstall", "--yes"]);
    assert!(!caches.exists(), "no confined run needs it any more");
    assert!(!host.home().join(".postern").exists() && host.data().join("policy").join(agent).exists());
}

/// A Postern with another data folder has its channels there.
#[test]
fn uninstalling_leaves_the_short_folder_of_another_postern() {
    let (mac, other) = (Postern::start_as_on_a_mac(), Postern::start());
    let channel = mac.enrol("main");
    let ended: Answer =
        other.command(&["uninstall", "--yes"]).env("HOME", mac.home()).output().unwrap().into();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(channel.join("agent.sock").exists());
}
