//! The messages of the approval protocol: an envelope around a payload, named by its action.

use postern_contract::{Closed, Question, Shown};
use postern_policy::RiskLevel;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

/// What is sent: who speaks to whom, about what.
#[derive(Debug, Serialize)]
struct Outgoing<'a> {
    id: Uuid,
    from: &'a str,
    to: &'a str,
    action: &'static str,
    payload: Value,
}

/// What a client sends.
#[derive(Debug, Deserialize)]
pub(super) struct Incoming {
    /// Whom it says it is from; must be the client itself where it says so.
    pub(super) from: Option<String>,
    /// Whom it is for; must be the hub where it says so.
    pub(super) to: Option<String>,
    /// What it is: `request` alone.
    pub(super) action: String,
    /// What it is about.
    #[serde(default)]
    pub(super) payload: Value,
}

/// A call of a client.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Call {
    #[serde(rename = "requestId")]
    _request_id: String,
    pub(super) method: String,
    #[serde(default)]
    pub(super) params: Value,
}

/// What `resolveExecApproval` takes.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resolve {
    pub(super) approval_id: String,
    pub(super) decision: Decision,
}

/// A person's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Decision {
    AllowOnce,
    AllowAlways,
    Deny,
}

/// Why a call did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// It was answered already, has expired, or never was.
    pub(super) fn not_found() -> Self {
        Self::new("NOT_FOUND", "Approval request not found or already resolved")
    }
}

/// The two ends of a connection.
#[derive(Debug, Clone)]
pub(super) struct Ends {
    pub(super) hub: String,
    pub(super) client: String,
}

impl Ends {
    fn message(&self, action: &'static str, payload: Value) -> String {
        let outgoing = Outgoing { id: Uuid::now_v7(), from: &self.hub, to: &self.client, action, payload };
        // Strings and values of JSON: there is nothing in it that has no text.
        serde_json::to_string(&outgoing).unwrap_or_default()
    }

    /// Its key, told once, after a pairing code.
    pub(super) fn paired(&self, key: &str) -> String {
        self.message("paired", json!({"deviceId": self.client, "deviceKey": key}))
    }

    /// A question that waits.
    pub(super) fn question(&self, question: &Question) -> String {
        let mut payload = json!({
            "approvalId": question.id,
            "agentId": question.asker.agent.as_str(),
            "command": question.line,
            "riskLevel": level(question.risk.level),
            "riskReasons": question.risk.reasons,
            "expiresAtMs": question.expires_at,
        });
        let cwd = plain(&question.cwd);
        if !cwd.is_empty() {
            payload["cwd"] = Value::String(cwd);
        }
        if !question.changeable.is_empty() {
            payload["changeable"] = question.changeable.iter().map(plain).collect();
        }
        self.message("exec-approval-request", payload)
    }

    /// A question that waits no more, and was not answered by this client.
    pub(super) fn resolved(&self, closed: &Closed) -> String {
        let payload = json!({"approvalId": closed.id, "outcome": closed.how, "by": closed.face});
        self.message("exec-approval-resolved", payload)
    }

    /// The answer to a call.
    pub(super) fn response(&self, request_id: &str, outcome: Result<(), Refusal>) -> String {
        let payload = match outcome {
            Ok(()) => json!({"requestId": request_id, "ok": true, "payload": {"ok": true}}),
            Err(refusal) => json!({
                "requestId": request_id,
                "ok": false,
                "error": {"code": refusal.code, "message": refusal.message},
            }),
        };
        self.message("response", payload)
    }
}

fn level(level: RiskLevel) -> &'static str {
    match level {
        RiskLevel::Safe => "safe",
        RiskLevel::NeedsReview => "needs-review",
        RiskLevel::Dangerous => "dangerous",
    }
}

/// Shown text as one string: it was escaped when it was formed.
fn plain(shown: &Shown) -> String {
    shown.iter().map(|piece| piece.text.as_str()).collect()
}
