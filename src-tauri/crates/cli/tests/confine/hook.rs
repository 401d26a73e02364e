//! Hooks of coding agents with a real host: what is allowed confined comes back as a command that is.

use super::world::{SECRET, said};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

/// A host, and the agent `main` that looks, changes files and builds in the project.
struct Hosted {
    folder: tempfile::TempDir,
    host: Option<Child>,
}

impl Hosted {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("pst").tempdir_in("/var/tmp").unwrap();
        let mut hosted = Self { folder, host: None };
        for name in ["home/.ssh", "outside", "project/src"] {
            fs::create_dir_all(hosted.path(name)).unwrap();
        }
        fs::write(hosted.path("home/.ssh/id_rsa"), SECRET).unwrap();
        fs::write(hosted.path("project/notes.txt"), "one\n").unwrap();
        assert!(hosted.command("git").args(["init", "-q"]).status().unwrap().success());
        let mut host = hosted.postern(&["serve"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(host.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        hosted.host = Some(host);
        assert!(ready.starts_with("ready "), "{ready}");
        let folders = format!("folders={}", hosted.path("project").display());
        hosted.ok(&["agents", "add", "main"]);
        hosted.ok(&["agents", "set", "main", &folders, "look=allow", "files=allow", "build=allow", "--yes"]);
        hosted
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a program in the project, with the environment of the user's shell.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.stdin(Stdio::null()).current_dir(self.path("project")).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("W", self.folder.path());
        command.env("HOME", self.path("home")).env("POSTERN_DATA", self.path("hosted"));
        command
    }

    fn postern(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_postern"));
        command.args(args);
        command
    }

    /// Runs a line in the agent's shell.
    fn shell(&self, text: &str) -> Output {
        self.command("/bin/bash").args(["-c", text]).output().unwrap()
    }

    fn ok(&self, args: &[&str]) -> String {
        let output = self.postern(args).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", said(&output));
        said(&output)
    }

    /// Returns what the hook answers to an event; questions go to the agent's own prompt.
    fn hook(&self, kind: &str, event: &Value) -> String {
        let mut command = self.postern(&["hook", kind, "--agent", "main", "--passthrough"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn claude(&self, text: &str) -> Value {
        let event = json!({"session_id": "s", "cwd": self.path("project"), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": text, "timeout": 1000}});
        let answer: Value = serde_json::from_str(&self.hook("claude-code", &event)).unwrap();
        answer["hookSpecificOutput"].clone()
    }

    /// Runs a command as Claude Code does that its hook answered about.
    fn run(&self, text: &str) -> Output {
        let answer = self.claude(text);
        assert_eq!(answer["permissionDecision"], "allow", "{text}: {answer}");
        let input = &answer["updatedInput"];
        assert_eq!(input["timeout"], 1000, "the rest of the input stays: {answer}");
        self.shell(input["command"].as_str().unwrap())
    }
}

impl Drop for Hosted {
    fn drop(&mut self) {
        if let Some(host) = &mut self.host {
            drop(host.kill());
            drop(host.wait());
        }
    }
}

#[test]
fn a_build_that_is_allowed_runs_and_reaches_nothing_else() {
    let hosted = Hosted::new();
    let project = hosted.path("project");
    let rules = "all:\n\techo built > out\n\t-echo x > $(W)/outside/made\n\t-echo x > .git/hooks/pre-commit\n\
                 \t-echo x > $(W)/home/.bashrc\n\t-cat $(W)/home/.ssh/id_rsa > key\n\t-cat $(W)/hosted/agents/main/agent.key > key\n";
    fs::write(project.join("Makefile"), rules).unwrap();
    let output = hosted.run("make all && cd src && echo \"it's $((1 + 1))\" > a");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(fs::read_to_string(project.join("out")).unwrap(), "built\n");
    assert_eq!(fs::read_to_string(project.join("src/a")).unwrap(), "it's 2\n");
    for path in ["outside/made", "project/.git/hooks/pre-commit", "home/.bashrc"] {
        assert!(!hosted.path(path).exists(), "{path}");
    }
    assert_eq!(fs::read_to_string(project.join("key")).unwrap(), "", "no key was read");
    let shown = hosted.ok(&["show", "last"]);
    let confined = format!("Confined: it writes in `{}`", project.display());
    assert!(shown.contains(&confined), "the record says how it was confined: {shown}");
}

#[test]
fn its_end_is_the_commands_own_and_says_how_it_was_confined() {
    let hosted = Hosted::new();
    fs::write(hosted.path("project/Makefile"), "all:\n\texit 7\n").unwrap();
    let failed = hosted.run("make -s all; exit 3");
    assert_eq!(failed.status.code(), Some(3), "{}", said(&failed));
    assert!(said(&failed).contains("postern: ran confined (project)"), "{}", said(&failed));
    let fine = hosted.run("cat notes.txt");
    assert_eq!((fine.status.code(), said(&fine).as_str()), (Some(0), "one\n"));
}

#[test]
fn a_folder_that_became_a_link_is_refused() {
    let hosted = Hosted::new();
    let answer = hosted.claude("make");
    let (project, moved) = (hosted.path("project"), hosted.path("moved"));
    fs::rename(&project, &moved).unwrap();
    std::os::unix::fs::symlink(hosted.path("outside"), &project).unwrap();
    let output = hosted.shell(answer["updatedInput"]["command"].as_str().unwrap());
    assert_ne!(output.status.code(), Some(0));
    assert!(said(&output).contains("outside now"), "{}", said(&output));
}

#[test]
fn other_agents_and_other_lines_are_asked_about() {
    let hosted = Hosted::new();
    let cwd = hosted.path("project");
    let old = json!({"session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "make"}});
    assert!(hosted.hook("claude-code", &old).contains(r#""permissionDecision":"ask""#), "an old version");
    assert!(hosted.hook("vs-code", &old).contains(r#""permissionDecision":"ask""#));
    let cursor = json!({"conversation_id": "s", "cwd": cwd, "hook_event_name": "beforeShellExecution", "command": "make"});
    assert!(hosted.hook("cursor", &cursor).contains(r#""permission":"ask""#));
    for line in ["make; cd src", "make > /tmp/log", "curl https://example.com"] {
        assert_eq!(hosted.claude(line)["permissionDecision"], "ask", "{line}");
    }
    let own = hosted.claude("postern confine project --folder / -- /bin/bash -c 'echo x > /etc/x'");
    assert_eq!(own["permissionDecision"], "deny", "{own}");
}

#[test]
fn each_agent_gets_the_command_in_its_own_words() {
    let hosted = Hosted::new();
    let cwd = hosted.path("project");
    let gemini = json!({"session_id": "s", "cwd": cwd, "hook_event_name": "BeforeTool", "timestamp": "2026-01-01T00:00:00Z",
        "tool_name": "run_shell_command", "tool_input": {"command": "cat notes.txt"}});
    let opencode = |rewrites: Value| {
        json!({"session_id": "s", "cwd": cwd, "hook_event_name": "tool.execute.before", "tool_name": "bash",
            "tool_input": {"command": "cat notes.txt"}, "rewrites": rewrites})
    };
    let answer = |kind, event: &Value| -> Value { serde_json::from_str(&hosted.hook(kind, event)).unwrap() };
    let commands = [
        answer("gemini-cli", &gemini)["hookSpecificOutput"]["tool_input"]["command"].clone(),
        answer("opencode", &opencode(json!(true)))["args"]["command"].clone(),
    ];
    for command in commands {
        let output = hosted.shell(command.as_str().unwrap());
        assert_eq!(said(&output), "one\n", "{command}");
    }
}
