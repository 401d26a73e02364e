//! The messages of the approval protocol: an envelope around a payload, named by its action.

use postern_contract::{Answer, Closed, Part, Proposal, Question, Shown, ShownInput, ShownScript};
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
    /// How many identical requests an *allow-once* is for, where it is for all that wait; otherwise it is for one.
    pub(super) all: Option<usize>,
}

/// What `declareShows` takes: the parts of a question that this client shows its person.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Declare {
    pub(super) shows: Vec<Part>,
}

/// A call, read.
#[derive(Debug)]
pub(super) enum Wanted {
    Resolve(Resolve),
    Declare(Declare),
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
            // Their word for the session; an agent that names none is known by its own.
            "agentId": question.asker.session.as_ref().map_or_else(|| question.asker.agent.to_string(), plain),
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
        if let (Value::Object(payload), Value::Object(more)) = (&mut payload, everything(question)) {
            payload.extend(more);
        }
        self.message("exec-approval-request", payload)
    }

    /// A question that waits no more, and was not answered by this client.
    pub(super) fn resolved(&self, closed: &Closed) -> String {
        let payload = json!({"approvalId": closed.id, "outcome": closed.how, "by": closed.face});
        self.message("exec-approval-resolved", payload)
    }

    /// The answer to a call.
    pub(super) fn response(&self, request_id: &str, outcome: Result<Value, Refusal>) -> String {
        let payload = match outcome {
            Ok(result) => json!({"requestId": request_id, "ok": true, "payload": result}),
            Err(refusal) => json!({
                "requestId": request_id,
                "ok": false,
                "error": {"code": refusal.code, "message": refusal.message},
            }),
        };
        self.message("response", payload)
    }
}

/// What the protocol has no members for, and an answer binds: beside its own, which stay as they are.
fn everything(question: &Question) -> Value {
    let maybe = |shown: &Option<Shown>| shown.as_ref().map(plain);
    let changes = question.env.iter().map(|change| {
        json!({"kind": change.kind, "name": plain(&change.name), "value": plain(&change.value), "was": maybe(&change.was)})
    });
    let script = |script: &ShownScript| {
        let preview: Vec<String> = script.preview.iter().map(plain).collect();
        json!({"path": plain(&script.path), "shortHash": script.short_hash, "preview": preview})
    };
    let programs = question.programs.iter().map(|program| {
        json!({
            "name": plain(&program.name), "path": plain(&program.path), "realPath": maybe(&program.real_path),
            "version": program.version, "shortHash": program.short_hash, "signer": maybe(&program.signer),
            "remarks": program.remarks, "script": program.script.as_ref().map(script),
        })
    });
    let stdin = question.stdin.as_ref().map(|input| {
        let lines: Vec<String> = input.lines().iter().map(plain).collect();
        match input {
            ShownInput::Text { bytes, .. } => json!({"kind": "text", "bytes": bytes, "lines": lines}),
            ShownInput::Stream => json!({"kind": "stream", "warning": input.words()}),
        }
    });
    let always = offer(question).map(|offer| {
        json!({"label": plain(&offer.label), "rules": offer.rules.iter().map(|rule| &rule.text).collect::<Vec<_>>()})
    });
    json!({
        "agent": question.asker.agent.as_str(),
        "session": maybe(&question.asker.session),
        "reason": maybe(&question.asker.says),
        "tool": maybe(&question.tool),
        "why": plain(&question.why),
        "policy": question.policy,
        "environment": changes.collect::<Vec<_>>(),
        "stdin": stdin,
        "programs": programs.collect::<Vec<_>>(),
        "asked": question.requests.len(),
        "always": always,
        "needs": question.parts_for(Answer::Once),
    })
}

/// What *allow-always* saves: the words of the command where that is offered, else what is narrowest. Nothing that would hold in
/// every folder: that is for the person to choose where they can see it.
pub(super) fn offer(question: &Question) -> Option<&Proposal> {
    let placed = |offer: &&Proposal| question.tool.is_some() || offer.folder.is_some();
    let mut offers = question.proposals.iter().filter(placed);
    offers.clone().find(|offer| offer.id == "command").or_else(|| offers.next())
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
