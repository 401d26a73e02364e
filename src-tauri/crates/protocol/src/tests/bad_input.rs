//! Bad input, one by one: each has its own name, keeps its id where that can be read, and harms nobody after it.

use super::read;
use crate::{CallId, ErrorCode, ErrorObject, LineBuffer, ProtocolError, limits};
use serde_json::{Value, json};

const UUID: &str = "0197b1c0-0000-4000-8000-000000000001";

/// Returns a call of `system.run` with these members beside `requestId`.
fn run(mut params: Value) -> Vec<u8> {
    params["requestId"] = UUID.into();
    call("system.run", &params)
}

fn call(method: &str, params: &Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string().into_bytes()
}

fn nested(levels: usize) -> Vec<u8> {
    let (open, close) = ("[".repeat(levels), "]".repeat(levels));
    format!(r#"{{"params":{{"x":{open}{close}}},"jsonrpc":"2.0","id":7,"method":"tool.check"}}"#).into_bytes()
}

fn text(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

/// Line, `data.code`, `data.problem`, and whether the id is known.
type Row = (Vec<u8>, ErrorCode, &'static str, bool);

fn frames() -> Vec<Row> {
    use ErrorCode as E;
    let run_text =
        r#"{"jsonrpc":"2.0","id":7,"method":"system.status","params":{"requestId":"@"}}"#.replace('@', UUID);
    vec![
        (b"\xff\xfe{}".to_vec(), E::NotUtf8, "not-utf8", false),
        (text("hello"), E::NotJson, "not-json", false),
        (text("{"), E::NotJson, "not-json", false),
        (text(r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":1,}}"#), E::NotJson, "not-json", true),
        (text(r#"{"jsonrpc":"2.0","id":7,"method":"x"} {}"#), E::NotJson, "not-json", true),
        (text(r#"{"jsonrpc":"2.0","id":7,"method":"\ud800"}"#), E::NotJson, "not-json", true),
        (text("[]"), E::Batch, "batch-refused", false),
        ([b"[".as_slice(), run_text.as_bytes(), b"]"].concat(), E::Batch, "batch-refused", false),
        (text("3"), E::InvalidRequest, "not-an-object", false),
        (text("null"), E::InvalidRequest, "not-an-object", false),
        (text(r#"{"id":7,"method":"system.which"}"#), E::WrongVersion, "wrong-version", true),
        (text(r#"{"jsonrpc":"1.0","id":7,"method":"system.which"}"#), E::WrongVersion, "wrong-version", true),
        (text(r#"{"jsonrpc":2.0,"id":7,"method":"system.which"}"#), E::WrongVersion, "wrong-version", true),
        (text(r#"{"jsonrpc":"2.0","method":"system.which"}"#), E::InvalidRequest, "no-id", false),
        (text(r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#), E::InvalidRequest, "bad-id", false),
        (text(r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#), E::InvalidRequest, "bad-id", false),
        (text(r#"{"jsonrpc":"2.0","id":7,"method":3}"#), E::InvalidRequest, "not-a-message", true),
        (text(r#"{"jsonrpc":"2.0","id":7}"#), E::InvalidRequest, "not-a-message", true),
        (text(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#), E::InvalidRequest, "not-a-message", true),
        (
            text(r#"{"jsonrpc":"2.0","id":7,"method":"x","extra":1}"#),
            E::InvalidRequest,
            "unknown-member",
            true,
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":7,"method":"x","params":[1]}"#),
            E::InvalidParams,
            "params-not-an-object",
            true,
        ),
        (
            text(r#"{"jsonrpc":"2.0","id":7,"method":"questions.answer"}"#),
            E::UnknownMethod,
            "unknown-method",
            true,
        ),
        (text(r#"{"id":7,"id":8,"jsonrpc":"2.0","method":"x"}"#), E::DuplicateKey, "duplicate-key", true),
        (
            text(r#"{"params":{"a":[{"b":1,"b":2}]},"jsonrpc":"2.0","id":7,"method":"x"}"#),
            E::DuplicateKey,
            "duplicate-key",
            true,
        ),
        (nested(31), E::TooDeep, "too-deep", true),
        (nested(10_000), E::TooDeep, "too-deep", true),
        (vec![b' '; limits::FRAME_IN + 1], E::FrameTooLarge, "frame-too-large", false),
    ]
}

fn params() -> Vec<Row> {
    let long = |bytes| "x".repeat(bytes);
    let many_env: Value =
        (0..=limits::ENV).map(|n| (format!("E{n}"), json!("1"))).collect::<serde_json::Map<_, _>>().into();
    let env = |name: &str, value: &str| json!({"command": ["a"], "env": {name: value}});
    let rows = vec![
        (run(json!({})), "command-or-shell"),
        (run(json!({"command": ["a"], "shell": "a"})), "command-or-shell"),
        (run(json!({"command": []})), "empty-command"),
        (run(json!({"command": [""]})), "empty-command"),
        (run(json!({"shell": " \n"})), "empty"),
        (run(json!({"command": "git push"})), "wrong-type"),
        (run(json!({"command": ["a", 1]})), "wrong-type"),
        (run(json!({"command": ["a", "b\0"]})), "nul-in-argument"),
        (run(json!({"shell": "a\0b"})), "nul"),
        (run(json!({"command": vec!["a"; limits::ARGUMENTS + 1]})), "too-many-arguments"),
        (run(json!({"command": ["a", long(limits::ARGUMENT + 1)]})), "argument-too-long"),
        (run(json!({"command": vec![long(limits::ARGUMENT); 3]})), "arguments-too-long"),
        (run(json!({"command": ["a"], "cwd": "/tmp\0"})), "nul-in-cwd"),
        (run(json!({"command": ["a"], "cwd": ""})), "empty"),
        (run(json!({"command": ["a"], "cwd": long(limits::CWD + 1)})), "too-long"),
        (run(env("", "x")), "bad-env-name"),
        (run(env("A=B", "x")), "bad-env-name"),
        (run(env("1A", "x")), "bad-env-name"),
        (run(env("A B", "x")), "bad-env-name"),
        (run(env("BASH_FUNC_ls%%", "() { :; }")), "bad-env-name"),
        (run(env("\0", "x")), "bad-env-name"),
        (run(env(&long(limits::ENV_NAME + 1), "x")), "bad-env-name"),
        (run(env("A", "x\0y")), "nul-in-env"),
        (run(env("A", &long(limits::ENV_TOTAL))), "too-long"),
        (run(json!({"command": ["a"], "env": many_env})), "too-many-env"),
        (run(json!({"command": ["a"], "env": [["A", "1"]]})), "wrong-type"),
        (run(json!({"command": ["a"], "env": {"A": 1}})), "wrong-type"),
        (run(json!({"command": ["a"], "stdin": long(limits::STDIN + 1)})), "stdin-too-long"),
        (run(json!({"command": ["a"], "stdin": {"stream": false}})), "bad-stdin"),
        (run(json!({"command": ["a"], "stdin": {"stream": true, "x": 1}})), "bad-stdin"),
        (run(json!({"command": ["a"], "stdin": ["x"]})), "bad-stdin"),
        (run(json!({"command": ["a"], "timeoutMs": 0})), "out-of-range"),
        (run(json!({"command": ["a"], "timeoutMs": -1})), "wrong-type"),
        (run(json!({"command": ["a"], "reason": long(limits::REASON + 1)})), "too-long"),
        (run(json!({"command": ["a"], "session": ""})), "empty"),
        (run(json!({"command": ["a"], "wait": "forever"})), "wrong-type"),
        (run(json!({"command": ["a"], "approved": true})), "unknown-field"),
        (run(json!({"command": ["a"], "decision": "allow"})), "unknown-field"),
        (call("system.run", &json!({"command": ["a"]})), "missing-field"),
        (call("system.run", &json!({"command": ["a"], "requestId": "1"})), "wrong-type"),
        (call("system.status", &json!({})), "missing-field"),
        (call("system.kill", &json!({"requestId": UUID, "signal": "NOPE"})), "wrong-type"),
        (call("system.input", &json!({"requestId": UUID, "data": "***", "encoding": "base64"})), "bad-data"),
        (call("system.input", &json!({"requestId": UUID, "data": long(limits::STDIN + 1)})), "too-long"),
        (call("system.which", &json!({"names": vec!["a"; limits::NAMES + 1]})), "too-many"),
        (call("system.which", &json!({"names": ["a\0"]})), "nul"),
        (call("session.open", &json!({"session": "a", "parent": ""})), "empty"),
        (call("tool.check", &json!({"tool": ""})), "empty"),
        (call("events.after", &json!({"sequence": "1"})), "wrong-type"),
    ];
    rows.into_iter().map(|(line, problem)| (line, ErrorCode::InvalidParams, problem, true)).collect()
}

#[test]
fn every_bad_message_is_refused_by_its_name_and_keeps_its_id() {
    for (line, code, problem, id_known) in frames().into_iter().chain(params()) {
        let shown = String::from_utf8_lossy(&line[..line.len().min(120)]).into_owned();
        let refused = read(&line).expect_err(&shown);
        assert_eq!(refused.mistake.name(), problem, "{shown}");
        assert_eq!(refused.mistake.error_code(), code, "{shown}");
        assert_eq!(refused.id, id_known.then_some(CallId::Number(7)), "the id of {shown}");
        let told = ErrorObject::from(refused.mistake);
        assert!(!told.message.is_empty() && !told.message.contains('\n'), "one sentence: {}", told.message);
        assert_eq!(told.kind(), Some(code), "the code can be read back");
    }
}

#[test]
fn the_limits_themselves_are_taken() {
    let long = |bytes| "x".repeat(bytes);
    let good = [
        nested(30),
        run(json!({"command": ["a", long(limits::ARGUMENT)]})),
        run(json!({"command": vec!["a"; limits::ARGUMENTS]})),
        run(json!({"command": ["a"], "stdin": long(limits::STDIN)})),
        run(json!({"command": ["a"], "env": {"_": "", long(limits::ENV_NAME): "x"}})),
        run(json!({"shell": "cd x && make | tee log", "stdin": {"stream": true}})),
    ];
    for line in good {
        let shown = String::from_utf8_lossy(&line[..line.len().min(120)]).into_owned();
        match read(&line) {
            Ok(_) => {}
            // The nested one is no tool.check, but its depth must not be what is wrong with it.
            Err(refused) => assert_eq!(refused.mistake.name(), "unknown-field", "{shown}"),
        }
    }
}

#[test]
fn a_line_over_the_limit_is_told_once_with_its_id_and_the_next_line_is_read() {
    let mut lines = LineBuffer::new(limits::FRAME_IN);
    let huge = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tool.check","params":{{"tool":"{}"#,
        "x".repeat(257 * 1024)
    );
    let mut refused = Vec::new();
    for chunk in huge.as_bytes().chunks(60_000) {
        lines.push(chunk);
        while let Some(line) = lines.next_line() {
            refused.push(line.expect_err("nothing whole came yet"));
        }
    }
    assert_eq!(refused.len(), 1, "told once, as soon as it is clear");
    assert_eq!(refused[0].id, Some(CallId::Number(7)));
    assert_eq!(refused[0].mistake, ProtocolError::FrameTooLarge { limit: limits::FRAME_IN });
    lines.push(b"\"}}\n\n  \n{}\npart");
    let got = lines.next_line();
    assert_eq!(got, Some(Ok(b"{}".as_slice())), "what follows is read, empty lines are passed over");
    assert_eq!(lines.next_line(), None);
    lines.push(b"\n");
    assert_eq!(lines.next_line(), Some(Ok(b"part".as_slice())), "a line had begun");
}

#[test]
fn a_line_of_exactly_the_limit_is_taken_and_one_byte_more_is_not() {
    for (bytes, taken) in [(9, true), (10, false), (11, false)] {
        let mut lines = LineBuffer::new(10);
        lines.push(&[vec![b'x'; bytes], b"\n".to_vec()].concat());
        let line = lines.next_line().expect("a whole line");
        assert_eq!(line.is_ok(), taken, "{bytes} bytes and the line's end");
    }
}
