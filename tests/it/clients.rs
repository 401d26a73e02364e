//! The clients in docs/clients, as they stand there, each on the channel of a real host.

use postern_tests::{Answer, Postern, repository, start};
use std::path::Path;
use std::process::{Command, Stdio};

/// The page's clients are short enough to be read in one go.
const LINES: usize = 40;

#[test]
fn the_python_client_asks_and_hears_the_end() {
    let client = repository().join("docs/clients/postern.py");
    plays(&client, &|| {
        let mut command = start("python3");
        command.arg(&client);
        command
    });
}

#[test]
fn the_typescript_client_asks_and_hears_the_end() {
    let client = repository().join("docs/clients/postern.mts");
    let compiled = tempfile::tempdir().unwrap();
    let script = compile(&client, compiled.path());
    plays(&client, &|| {
        let mut command = start("node");
        command.arg(&script);
        command
    });
}

/// Checks its types and compiles it, for a Node that does not take TypeScript as it is.
fn compile(client: &Path, into: &Path) -> std::path::PathBuf {
    let modules = repository().join("ui/node_modules");
    let compiler = modules.join("typescript/bin/tsc");
    assert!(compiler.exists(), "the pages' packages are not there: npm --prefix ui ci");
    let tsc = start("node")
        .arg(compiler)
        .args(["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", "--typeRoots"])
        .arg(modules.join("@types"))
        .arg("--outDir")
        .arg(into)
        .arg(client)
        .current_dir(into)
        .output();
    let said = Answer::from(tsc.unwrap());
    assert_eq!(said.code, 0, "{said:?}");
    into.join("postern.mjs")
}

/// Plays a command that needs an approval, one that is denied, and a host that does not have its key.
fn plays(client: &Path, program: &dyn Fn() -> Command) {
    let lines = std::fs::read_to_string(client).unwrap().lines().count();
    assert!(lines <= LINES, "{} has {lines} lines", client.display());
    let (host, channel) = Postern::with_agent();
    let watcher = host.watch();
    let ask = |key: Option<&Path>| {
        let mut command = program();
        command.args(["uname", "-s"]).env("POSTERN_SOCKET", channel.join("agent.sock")).current_dir("/");
        // Beside the socket, where it is not named.
        command.env_remove("POSTERN_KEY_FILE").envs(key.map(|key| ("POSTERN_KEY_FILE", key)));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let asked = ask(None);
    let question = watcher.question();
    host.approve(&question);
    let answer = Answer::from(asked.wait_with_output().unwrap());
    assert_eq!(answer.code, 0, "the command's own code: {answer:?}");
    let events: Vec<&str> = answer.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(events, ["exec.pending", "exec.started", "exec.finished"], "{answer:?}");
    assert!(answer.stdout.contains(r#""Linux\n""#), "and what it wrote: {answer:?}");

    let asked = ask(Some(&channel.join("agent.key")));
    let question = watcher.question();
    host.ok(&["deny", question["code"].as_str().unwrap(), "--feedback", "look at your own"]);
    let answer = Answer::from(asked.wait_with_output().unwrap());
    assert_eq!(answer.code, 126, "{answer:?}");
    assert!(answer.stdout.contains("exec.denied"), "{answer:?}");
    assert!(answer.stdout.contains("look at your own"), "{answer:?}");

    let wrong = host.scratch("wrong").join("agent.key");
    std::fs::write(&wrong, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap();
    let answer = Answer::from(ask(Some(&wrong)).wait_with_output().unwrap());
    assert!(
        answer.code != 0 && answer.stderr.contains("not the Postern"),
        "it asks nobody it does not know: {answer:?}"
    );
}
