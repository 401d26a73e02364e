//! The two messages of OpenClaw's companion socket, and their answers.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use uuid::Uuid;

/// A line of a client. One that is neither is closed upon in silence.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum OpenclawLine {
    /// Asks for a decision alone: OpenClaw runs the command itself.
    Request { token: String, id: String, request: OpenclawQuestion },
    /// Asks for a run.
    #[serde(rename_all = "camelCase")]
    Exec { id: String, nonce: String, ts: i64, hmac: String, request_json: String },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OpenclawQuestion {
    pub(super) command: String,
    pub(super) cwd: Option<String>,
    pub(super) session_key: Option<String>,
    pub(super) agent_id: Option<String>,
    /// Permitted answers; a value that is not a list of names is ignored.
    #[serde(default, deserialize_with = "decision_names")]
    pub(super) allowed_decisions: Vec<String>,
}

/// Request to run. Unknown members are skipped, as OpenClaw's own app does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Exec {
    pub(super) command: Vec<String>,
    pub(super) raw_command: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) env: Option<BTreeMap<String, String>>,
    pub(super) timeout_ms: Option<u64>,
    pub(super) needs_screen_recording: Option<bool>,
    pub(super) agent_id: Option<String>,
    pub(super) session_key: Option<String>,
    pub(super) approval_decision: Option<OpenclawDecision>,
    pub(super) approval_source: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OpenclawDecision {
    AllowOnce,
    AllowAlways,
    Deny,
}

/// Reason why a command was not run, in OpenClaw's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenclawRefusal {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) reason: String,
}

impl OpenclawRefusal {
    /// Makes the refusal of something that is not a request.
    pub(super) fn invalid(message: impl Into<String>, reason: &str) -> Self {
        Self { code: "INVALID_REQUEST", message: message.into(), reason: reason.to_owned() }
    }

    /// Makes the refusal of a request of which nothing was run.
    pub(super) fn unavailable(message: impl Into<String>, reason: &str) -> Self {
        Self { code: "UNAVAILABLE", message: message.into(), reason: reason.to_owned() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OpenclawRunResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exit_code: Option<i32>,
    pub(super) timed_out: bool,
    pub(super) success: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) error: Option<String>,
}

pub(super) fn exec_line(id: &str, answer: &Result<OpenclawRunResult, OpenclawRefusal>) -> String {
    let line = match answer {
        Ok(ran) => json!({"type": "exec-res", "id": id, "ok": true, "payload": ran}),
        Err(refusal) => json!({
            "type": "exec-res",
            "id": id,
            "ok": false,
            "error": {"code": refusal.code, "message": refusal.message, "reason": refusal.reason},
        }),
    };
    format!("{line}\n")
}

pub(super) fn decision_line(id: &str, decision: OpenclawDecision) -> String {
    format!("{}\n", json!({"type": "decision", "id": id, "decision": decision}))
}

/// Returns the answer for another user, to any request.
pub(super) fn stranger_line() -> String {
    decision_line(&Uuid::new_v4().to_string(), OpenclawDecision::Deny)
}

fn decision_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(all.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::{
        OpenclawDecision, OpenclawLine, OpenclawRefusal, OpenclawRunResult, decision_line, exec_line,
    };
    use serde_json::{Value, json};

    #[test]
    fn lines_of_other_types_are_none() {
        for text in ["{}", "[]", r#"{"type":"other"}"#, r#"{"type":"exec","id":"x"}"#, "exec"] {
            assert!(serde_json::from_str::<OpenclawLine>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_wrong_list_of_decisions_is_as_if_it_were_not_there() {
        let line = json!({"type": "request", "token": "t", "id": "i",
            "request": {"command": "ls", "allowedDecisions": "deny", "host": "gateway"}});
        let OpenclawLine::Request { request, .. } = serde_json::from_value(line).unwrap() else {
            panic!("a request")
        };
        assert!(request.allowed_decisions.is_empty());
        assert_eq!(request.command, "ls");
    }

    #[test]
    fn answers_have_openclaws_shape() {
        let ran = OpenclawRunResult {
            exit_code: None,
            timed_out: true,
            success: false,
            stdout: "a".into(),
            stderr: String::new(),
            error: None,
        };
        let of = |line: String| serde_json::from_str::<Value>(&line).unwrap();
        assert_eq!(
            of(exec_line("7", &Ok(ran))),
            json!({"type":"exec-res","id":"7","ok":true,
                "payload":{"timedOut":true,"success":false,"stdout":"a","stderr":"","error":null}})
        );
        assert_eq!(
            of(exec_line("7", &Err(OpenclawRefusal::invalid("invalid auth", "hmac")))),
            json!({"type":"exec-res","id":"7","ok":false,
                "error":{"code":"INVALID_REQUEST","message":"invalid auth","reason":"hmac"}})
        );
        let got = of(decision_line("8", OpenclawDecision::AllowOnce));
        assert_eq!(got, json!({"type":"decision","id":"8","decision":"allow-once"}));
    }
}
