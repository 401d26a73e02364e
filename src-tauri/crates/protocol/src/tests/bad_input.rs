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

/// Line, `data.code`, `data.problem`, and whether the id is known.
type Row = (Vec<u8>, ErrorCode, String, bool);

fn frames() -> Vec<Row> {
    use ErrorCode as E;
    let mut all = vec![
        (b"\xff\xfe{}".to_vec(), E::NotUtf8, "not-utf8".to_owned(), false),
        (nested(31), E::TooDeep, "too-deep".to_owned(), true),
        (nested(10_000), E::TooDeep, "too-deep".to_owned(), true),
        (vec![b' '; limits::FRAME_IN + 1], E::FrameTooLarge, "frame-too-large".to_owned(), false),
    ];
    for row in include_str!("bad_frames.jsonl").lines() {
        let (line, code, problem, id_known): (String, String, String, bool) =
            serde_json::from_str(row).unwrap();
        all.push((line.into_bytes(), E::from_name(&code).unwrap(), problem, id_known));
    }
    all
}

fn params() -> Vec<Row> {
    let long = |bytes| "x".repeat(bytes);
    let many_env: Value =
        (0..=limits::ENV).map(|n| (format!("E{n}"), json!("1"))).collect::<serde_json::Map<_, _>>().into();
    let env = |name: &str, value: &str| json!({"command": ["a"], "env": {name: value}});
    let mut rows = vec![
        (run(json!({"command": vec!["a"; limits::ARGUMENTS + 1]})), "too-many-arguments".to_owned()),
        (run(json!({"command": ["a", long(limits::ARGUMENT + 1)]})), "argument-too-long".to_owned()),
        (run(json!({"command": vec![long(limits::ARGUMENT); 3]})), "arguments-too-long".to_owned()),
        (run(json!({"command": ["a"], "cwd": long(limits::CWD + 1)})), "too-long".to_owned()),
        (run(env(&long(limits::ENV_NAME + 1), "x")), "bad-env-name".to_owned()),
        (run(env("A", &long(limits::ENV_TOTAL))), "too-long".to_owned()),
        (run(json!({"command": ["a"], "env": many_env})), "too-many-env".to_owned()),
        (run(json!({"command": ["a"], "stdin": long(limits::STDIN + 1)})), "stdin-too-long".to_owned()),
        (run(json!({"command": ["a"], "reason": long(limits::REASON + 1)})), "too-long".to_owned()),
        (
            call("system.input", &json!({"requestId": UUID, "data": long(limits::STDIN + 1)})),
            "too-long".to_owned(),
        ),
        (call("system.which", &json!({"names": vec!["a"; limits::NAMES + 1]})), "too-many".to_owned()),
    ];
    for row in include_str!("bad_params.jsonl").lines() {
        let (method, params, problem): (String, Value, String) = serde_json::from_str(row).unwrap();
        rows.push((call(&method, &params), problem));
    }
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
