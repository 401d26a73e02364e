//! Tests of coding agents' own published programs, each with its hook as `postern hook install` writes it.
//!
//! In a home of the test's own, and with a model on this machine that has it run one command. They are large:
//! they are installed where `POSTERN_AGENTS=1` says so, and used where they are.

use super::installed::{large, or_skip, script};
use postern_tests::{Answer, OwnedChild, Postern, Watcher, answer_args, lines_of, start};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Time that a test waits for what must happen.
const PATIENCE: Duration = Duration::from_mins(2);

/// A coding agent, as it is published.
struct Agent {
    /// Name in `postern hook install`.
    kind: &'static str,
    package: &'static str,
    /// The version that these tests were made with.
    version: &'static str,
    /// Returns its program, in the folder of its package.
    program: fn(&Path) -> Command,
    /// The argument of its shell tool that names the folder to run in, if it has one.
    folder: Option<&'static str>,
    /// Completes its command line: with whose model it speaks, and what it is asked.
    ask: fn(&mut Command, &str, &str),
}

const CLAUDE_CODE: Agent = Agent {
    kind: "claude-code",
    package: "@anthropic-ai/claude-code",
    version: "2.1.330",
    folder: None,
    program: |package| node(&package.join("cli-wrapper.cjs")),
    ask: |command, model, prompt| {
        command.env("ANTHROPIC_BASE_URL", model).env("ANTHROPIC_API_KEY", "none");
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").args(["-p", prompt]);
    },
};

const CODEX: Agent = Agent {
    kind: "codex",
    package: "@openai/codex",
    version: "0.169.0",
    folder: Some("workdir"),
    program: |package| node(&package.join("bin/codex.js")),
    ask: |command, model, prompt| {
        let provider =
            format!(r#"{{name="here",base_url="{model}/v1",wire_api="responses",env_key="NO_KEY"}}"#);
        command.env("NO_KEY", "none").args(["exec", "--skip-git-repo-check", "-s", "danger-full-access"]);
        command.args(["-c", "model=none", "-c", "model_provider=here", "-c"]);
        command.arg(format!("model_providers.here={provider}")).arg(prompt);
    },
};

const COPILOT_CLI: Agent = Agent {
    kind: "copilot-cli",
    package: "@github/copilot",
    version: "1.0.102",
    folder: None,
    program: |package| node(&package.join("npm-loader.js")),
    ask: |command, model, prompt| {
        command.env("COPILOT_OFFLINE", "true").env("COPILOT_MODEL", "none");
        command.env("COPILOT_PROVIDER_BASE_URL", model).env("COPILOT_PROVIDER_TYPE", "anthropic");
        command.args(["-p", prompt]);
    },
};

const GEMINI_CLI: Agent = Agent {
    kind: "gemini-cli",
    package: "@google/gemini-cli",
    version: "0.61.0",
    folder: Some("dir_path"),
    program: |package| node(&package.join("bundle/gemini.js")),
    ask: |command, model, prompt| {
        command.env("GOOGLE_GEMINI_BASE_URL", model).env("GEMINI_API_KEY", "none");
        // Without a person at its terminal it has no shell tool in any other mode.
        command.args(["--skip-trust", "--approval-mode", "yolo", "-m", "gemini-2.5-flash", "-p", prompt]);
    },
};

const OPENCODE: Agent = Agent {
    kind: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    folder: Some("workdir"),
    // What its package starts is in a package beside it, which the installation's own script would copy.
    program: |package| {
        let os = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
        let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        start(package.with_file_name(format!("opencode-{os}-{machine}")).join("bin/opencode"))
    },
    ask: |command, model, prompt| {
        let options = json!({"baseURL": format!("{model}/v1"), "apiKey": "none"});
        let here = json!({"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"none": {}}});
        let config = json!({"provider": {"here": here}, "model": "here/none"});
        command.env("OPENCODE_CONFIG_CONTENT", config.to_string()).env("OPENCODE_DISABLE_AUTOUPDATE", "1");
        command.args(["run", prompt]);
    },
};

fn node(script: &Path) -> Command {
    let mut node = start("node");
    node.arg(script);
    node
}

/// The model: one call of the agent's shell tool for each `run this: …`, and what it is told then.
struct Model {
    _child: OwnedChild,
    told: Receiver<String>,
    url: String,
}

impl Model {
    fn start() -> Self {
        let mut node = start("node");
        node.arg(script("agents/model.mjs"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = node.spawn().unwrap();
        let told = lines_of(child.stdout.take().unwrap());
        let port = next_json(&told).unwrap()["port"].as_u64().unwrap();
        Self { _child: OwnedChild(child), told, url: format!("http://127.0.0.1:{port}") }
    }
}

/// Returns the next line of JSON that a program writes; what else it writes is left out.
fn next_json(lines: &Receiver<String>) -> Result<Value, RecvTimeoutError> {
    loop {
        if let Ok(value) = serde_json::from_str(&lines.recv_timeout(PATIENCE)?) {
            return Ok(value);
        }
    }
}

/// A host, and the agent with its hook in the folder that it works in.
struct Scene {
    host: Postern,
    watcher: Watcher,
    model: Model,
    agent: &'static Agent,
    package: PathBuf,
    work: PathBuf,
    log: PathBuf,
}

impl Scene {
    /// Returns the scene, and what the installation said; `None` if the agent is not there.
    fn open(agent: &'static Agent) -> Option<(Self, String)> {
        let package = large(agent.package, agent.version, "POSTERN_AGENTS", &[]);
        let package = or_skip(agent.package, package)?;
        let host = Postern::start();
        let work = host.scratch("project").canonicalize().unwrap();
        let mut install = host.command(&["hook", "install", agent.kind, "--agent", "main", "--yes"]);
        let installed: Answer = install.current_dir(&work).output().unwrap().into();
        assert_eq!(installed.code, 0, "{installed:?}");
        let log = host.scratch("log").join(agent.kind);
        let (watcher, model) = (host.watch(), Model::start());
        Some((Self { host, watcher, model, agent, package, work, log }, installed.stdout))
    }

    /// Returns the agent's program, with nothing of this machine's own settings.
    #[expect(clippy::disallowed_methods, reason = "node and the agents' tools are found by it")]
    fn program(&self) -> Command {
        let mut command = (self.agent.program)(&self.package);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.host.home());
        command.current_dir(&self.work);
        command
    }

    fn run(&self, line: &str) -> OwnedChild {
        self.ask(&format!("run this: {line}"))
    }

    fn ask(&self, prompt: &str) -> OwnedChild {
        let mut command = self.program();
        (self.agent.ask)(&mut command, &self.model.url, prompt);
        let log = File::create(&self.log).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        OwnedChild(command.spawn().unwrap())
    }

    /// Returns the result that the model was told.
    fn told(&self) -> String {
        let told = next_json(&self.model.told).unwrap_or_else(|error| {
            panic!("{}: {error}: {}", self.agent.kind, std::fs::read_to_string(&self.log).unwrap())
        });
        told["result"].as_str().unwrap().to_owned()
    }

    /// Returns the question about exactly this command.
    fn question(&self, line: &str, folder: &Path) -> Value {
        let question = self.watcher.question();
        assert_eq!(question["line"], line, "{question}");
        assert_eq!(question["asker"]["agent"], "main", "{question}");
        assert_eq!(question["cwd"][0]["text"], folder.to_str().unwrap(), "{question}");
        question
    }

    fn is_there(&self, file: &str) -> bool {
        self.work.join(file).exists()
    }
}

/// Asserts that the decision of a person, and of a rule, is the fate of the agent's command.
fn obeys(scene: &Scene) {
    let working = scene.run("touch allowed");
    scene.host.approve(&scene.question("touch allowed", &scene.work));
    let told = scene.told();
    assert!(scene.is_there("allowed"), "{told}");
    drop(working);

    let working = scene.run("touch denied");
    let question = scene.question("touch denied", &scene.work);
    scene.host.ok(&answer_args("deny", &question, &["--feedback", "not on Fridays"]));
    let told = scene.told();
    assert!(told.contains("not on Fridays"), "the person's words reach the model: {told}");
    assert!(!scene.is_there("denied"), "{told}");
    drop(working);

    scene.host.ok(&["rules", "deny", "touch", "--command", "--agent", "main"]);
    let working = scene.run("touch ruled-out");
    let told = scene.told();
    assert!(!scene.is_there("ruled-out") && told.contains("touch"), "{told}");
    assert!(!scene.watcher.saw_one(), "a rule decides: {told}");
    drop(working);
}

/// Asserts that a command is asked about, and judged, in the folder where the agent runs it, by any words of
/// the model beside it.
fn shows_the_folder(scene: &Scene) {
    if let Some(argument) = scene.agent.folder {
        let folder = scene.work.join("within");
        std::fs::create_dir(&folder).unwrap();
        let _working = scene.ask(&format!("run this with {argument}=within: touch there"));
        scene.host.approve(&scene.question("touch there", &folder));
        let told = scene.told();
        assert!(scene.is_there("within/there"), "{told}");
    }
    let _working = scene.ask("run this with cwd=/: touch elsewhere");
    let told = scene.told();
    assert!(!scene.is_there("elsewhere") && !scene.watcher.saw_one(), "{told}");
    assert!(told.contains("cwd"), "{told}");
}

/// Asserts that the agent runs nothing when there is no Postern.
fn fails_closed(mut scene: Scene) {
    scene.host.crash();
    let _working = scene.run("touch alone");
    let told = scene.told();
    assert!(!scene.is_there("alone") && told.contains("postern serve"), "{told}");
}

fn plays(agent: &'static Agent) {
    let Some((scene, _)) = Scene::open(agent) else { return };
    shows_the_folder(&scene);
    obeys(&scene);
    fails_closed(scene);
}

#[test]
fn claude_code_does_what_is_decided() {
    plays(&CLAUDE_CODE);
}

#[test]
fn copilot_cli_does_what_is_decided() {
    plays(&COPILOT_CLI);
}

#[test]
fn gemini_cli_does_what_is_decided() {
    // Which way of signing in it takes is asked by its own first dialog.
    let Some((scene, _)) = Scene::open(&GEMINI_CLI) else { return };
    let file = scene.host.home().join(".gemini/settings.json");
    let mut settings: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    settings["security"] = json!({"auth": {"selectedType": "gemini-api-key"}});
    std::fs::write(&file, settings.to_string()).unwrap();
    shows_the_folder(&scene);
    obeys(&scene);
    fails_closed(scene);
}

#[test]
fn opencode_does_what_is_decided() {
    plays(&OPENCODE);
}

/// Codex runs no hook that its person has not trusted, and does not say so where nobody looks.
#[test]
fn codex_does_what_is_decided_once_its_person_trusts_the_hook() {
    let Some((scene, installed)) = Scene::open(&CODEX) else { return };
    assert!(installed.contains("/hooks") && installed.contains("without asking Postern"), "{installed}");
    drop({
        let working = scene.run("touch untrusted");
        let told = scene.told();
        assert!(scene.is_there("untrusted") && !scene.watcher.saw_one(), "Codex asked: {told}");
        working
    });
    trust(&scene);
    obeys(&scene);
    fails_closed(scene);
}

/// Trusts every hook that Codex has, as its own `/hooks` does.
fn trust(scene: &Scene) {
    let mut server = scene.program();
    server.arg("app-server").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = OwnedChild(server.spawn().unwrap());
    let mut stdin = server.0.stdin.take().unwrap();
    let said = lines_of(server.0.stdout.take().unwrap());
    let mut call = |method: &str, params: Value| {
        writeln!(stdin, "{}", json!({"id": method, "method": method, "params": params})).unwrap();
        loop {
            let answer = next_json(&said).unwrap();
            if answer["id"] == method {
                return answer["result"].clone();
            }
        }
    };
    call("initialize", json!({"clientInfo": {"name": "test", "version": "1"}}));
    let listed = call("hooks/list", json!({"cwds": [scene.work]}));
    let hooks = listed["data"][0]["hooks"].as_array().unwrap();
    assert_eq!((hooks.len(), &hooks[0]["trustStatus"]), (1, &json!("untrusted")), "{listed}");
    let mut trusted = json!({});
    trusted[hooks[0]["key"].as_str().unwrap()] = json!({"trusted_hash": hooks[0]["currentHash"]});
    let edit = json!({"keyPath": "hooks.state", "value": trusted, "mergeStrategy": "upsert"});
    assert_eq!(call("config/batchWrite", json!({"edits": [edit]}))["status"], "ok");
}
