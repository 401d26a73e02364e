//! Every bad input has its own name, and the next request works.

use crate::support::{Lab, Wire};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use uuid::Uuid;

async fn works(wire: &mut Wire) {
    let done = wire.run(&["basename", "/a/fine"]).await;
    assert_eq!(done["stdout"], "fine\n", "the next request works: {done}");
}

#[tokio::test]
async fn a_message_that_is_none_is_an_error_of_its_own() {
    let (_lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    let run = |more: &str| {
        let id = Uuid::new_v4();
        format!(r#"{{"jsonrpc":"2.0","id":99,"method":"system.run","params":{{"requestId":"{id}",{more}}}}}"#)
    };
    let deep = format!(r#""command":["true"],"reason":{}{}"#, "[".repeat(40), "]".repeat(40));
    let large = format!(r#""command":["true"],"reason":"{}""#, "x".repeat(257 * 1024));
    let stdin = format!(r#""command":["cat"],"stdin":"{}""#, "x".repeat(129 * 1024));
    let cases = [
        ("not JSON", "noise".to_owned(), "not-json", ""),
        ("wrong version", r#"{"jsonrpc":"1.0","id":99,"method":"x"}"#.to_owned(), "wrong-version", ""),
        ("257 KiB", run(&large), "frame-too-large", ""),
        ("deep nesting", run(&deep), "too-deep", ""),
        ("a key twice", run(r#""command":["a"],"command":["b"]"#), "duplicate-key", ""),
        ("NUL in argv", run(r#""command":["echo","a\u0000b"]"#), "invalid-params", "nul-in-argument"),
        ("empty argv", run(r#""command":[]"#), "invalid-params", "empty-command"),
        ("an unknown field", run(r#""command":["true"],"approved":true"#), "invalid-params", "unknown-field"),
        ("too much inline stdin", run(&stdin), "invalid-params", "stdin-too-long"),
        (
            "no such method",
            r#"{"jsonrpc":"2.0","id":99,"method":"rules.add"}"#.to_owned(),
            "unknown-method",
            "",
        ),
    ];
    for (what, line, code, problem) in cases {
        wire.send(format!("{line}\n").as_bytes()).await;
        let error = wire.answer(99).await.unwrap_err();
        assert_eq!(error["data"]["code"], code, "{what}: {error}");
        if !problem.is_empty() {
            assert_eq!(error["data"]["problem"], problem, "{what}: {error}");
        }
        works(&mut wire).await;
    }
}

#[tokio::test]
async fn what_cannot_be_run_is_denied_by_its_reason() {
    let lab = Lab::start().await;
    lab.set("main", &[("preset", "allow"), ("requestsPerSecond", "1000")]).await;
    let home = lab.home();
    let at = |name: &str| home.join(name).to_str().unwrap().to_owned();
    std::fs::write(home.join("plain"), "#!/bin/sh\n").unwrap();
    std::fs::write(home.join("magic"), "no format").unwrap();
    std::fs::set_permissions(home.join("magic"), std::fs::Permissions::from_mode(0o755)).unwrap();
    #[cfg(target_os = "linux")]
    rustix::fs::mkfifoat(rustix::fs::CWD, home.join("fifo"), rustix::fs::Mode::from_raw_mode(0o755)).unwrap();
    let mut wire = lab.connect("main").await;
    let env = |name: &str| json!({"env": {name: "/tmp/x"}});
    let cases: [(&str, Vec<String>, Value, &str); 12] = [
        ("missing cwd", vec!["true".into()], json!({"cwd": at("nowhere")}), "cwd-refused"),
        ("cwd a file", vec!["true".into()], json!({"cwd": at("plain")}), "cwd-refused"),
        ("cwd relative", vec!["true".into()], json!({"cwd": "here"}), "cwd-refused"),
        ("no such program", vec!["no-such-program".into()], json!({}), "not-found"),
        ("a folder", vec![at("")], json!({}), "not-found"),
        ("a FIFO", vec![at("fifo")], json!({}), "not-found"),
        ("not executable", vec![at("plain")], json!({}), "not-found"),
        ("no magic", vec![at("magic")], json!({}), "not-found"),
        ("LD_PRELOAD", vec!["true".into()], env("LD_PRELOAD"), "env-refused"),
        ("PATH", vec!["true".into()], env("PATH"), "env-refused"),
        ("DYLD_INSERT_LIBRARIES", vec!["true".into()], env("DYLD_INSERT_LIBRARIES"), "env-refused"),
        ("GIT_SSH_COMMAND", vec!["true".into()], env("GIT_SSH_COMMAND"), "env-refused"),
    ];
    for (what, argv, more, reason) in cases {
        let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
        let (_, call) = wire.post_run(&argv, more).await;
        let denied = wire.answer(call).await.unwrap();
        assert_eq!(denied["reason"], reason, "{what}: {denied}");
        if reason == "env-refused" {
            assert!(denied["message"].as_str().unwrap().contains(what), "{what} is named: {denied}");
        }
        works(&mut wire).await;
    }
}

#[tokio::test]
async fn folders_of_an_agent_hold_for_real_paths() {
    let lab = Lab::start().await;
    let inside = lab.home().join("inside");
    std::fs::create_dir(&inside).unwrap();
    std::os::unix::fs::symlink("/usr", inside.join("out")).unwrap();
    lab.set("main", &[("preset", "allow"), ("folders", "~/inside")]).await;
    let mut wire = lab.connect("main").await;
    let out = inside.join("out");
    let cases = [
        (None, "exited"),
        (Some(inside.to_str().unwrap()), "exited"),
        (Some(out.to_str().unwrap()), "cwd-refused"),
        (Some("/usr"), "cwd-refused"),
    ];
    for (cwd, expected) in cases {
        let more = cwd.map_or(json!({}), |cwd| json!({"cwd": cwd}));
        let (_, call) = wire.post_run(&["pwd"], more).await;
        let got = wire.answer(call).await.unwrap();
        let outcome = got.get("outcome").or_else(|| got.get("reason")).unwrap();
        assert_eq!(outcome, expected, "{cwd:?}: {got}");
    }
}

#[tokio::test]
async fn ten_mebibytes_of_streamed_input_arrive() {
    let (_lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    let (request_id, call) = wire.post_run(&["wc", "-c"], json!({"stdin": {"stream": true}})).await;
    let piece = "x".repeat(128 * 1024);
    for number in 0..80 {
        let params = json!({"requestId": request_id, "data": piece, "eof": number == 79});
        let written = wire.call("system.input", params).await.unwrap();
        assert_eq!(written["written"], 128 * 1024);
    }
    let done = wire.answer(call).await.unwrap();
    assert_eq!(done["stdout"].as_str().unwrap().trim(), (10 * 1024 * 1024).to_string());
}
