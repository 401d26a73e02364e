//! The messages of the approval protocol: an envelope around a payload, named by its action.

use postern_contract::methods::AuditRow;
use postern_contract::render::nothing_to_save;
use postern_contract::{
    Answer, Answered, Closed, Part, Proposal, Question, Renewal, Saved, SavedPlace, ShownInput, ShownScript,
    ShownText, join_pieces, not_saved, pieces_to_text,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

/// Message to a client: from whom, to whom, about what.
#[derive(Debug, Serialize)]
struct ApprovalEnvelope<'a> {
    id: Uuid,
    from: &'a str,
    to: &'a str,
    action: &'static str,
    payload: Value,
}

/// Message of a client.
#[derive(Debug, Deserialize)]
pub(super) struct Incoming {
    /// Name of the sender; must be the client itself if set.
    pub(super) from: Option<String>,
    /// Name of the receiver; must be the hub if set.
    pub(super) to: Option<String>,
    /// Action: `request` alone.
    pub(super) action: String,
    #[serde(default)]
    pub(super) payload: Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClientCall {
    #[serde(rename = "requestId")]
    _request_id: String,
    pub(super) method: String,
    #[serde(default)]
    pub(super) params: Value,
}

/// Parameters of `resolveExecApproval`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resolve {
    pub(super) approval_id: String,
    pub(super) decision: ClientDecision,
    /// Id of the proposal that an *allow-always* saves, if not `always`.
    pub(super) proposal: Option<String>,
    /// Number of identical requests an *allow-once* is for, if it is for all that wait; otherwise it is for
    /// one.
    pub(super) all: Option<usize>,
}

/// Parameters of `declareShows`: the parts of a question that this client shows its person.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Declare {
    pub(super) shows: Vec<Part>,
}

/// A call, read.
#[derive(Debug)]
pub(super) enum ClientRequest {
    Resolve(Resolve),
    Declare(Declare),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ClientDecision {
    AllowOnce,
    AllowAlways,
    Deny,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClientCallRefusal {
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl ClientCallRefusal {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Makes the refusal for a question that was answered, has expired, or never was.
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
        let outgoing =
            ApprovalEnvelope { id: Uuid::now_v7(), from: &self.hub, to: &self.client, action, payload };
        // Strings and values of JSON: there is nothing in it that has no text.
        serde_json::to_string(&outgoing).unwrap_or_default()
    }

    /// Returns the client's key, sent once, after a pairing code.
    pub(super) fn paired(&self, key: &str) -> String {
        self.message("paired", json!({"deviceId": self.client, "deviceKey": key}))
    }

    /// Wraps a question that waits, made by [`payload`].
    pub(super) fn question(&self, payload: Value) -> String {
        self.message("exec-approval-request", payload)
    }

    /// Reports a change that lets more run.
    pub(super) fn widened(&self, change: &AuditRow) -> String {
        let by = json!({"face": change.by.face, "name": change.by.name, "words": change.by.describe()});
        let payload =
            json!({"number": change.number, "atMs": change.at, "summary": change.summary, "by": by});
        self.message("policy-widened", payload)
    }

    /// Returns a question that waits no more, and was not answered by this client.
    pub(super) fn resolved(&self, closed: &Closed) -> String {
        let payload = json!({"approvalId": closed.id, "outcome": closed.how, "by": closed.face});
        self.message("exec-approval-resolved", payload)
    }

    pub(super) fn response(&self, request_id: &str, outcome: Result<Value, ClientCallRefusal>) -> String {
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

/// Encodes a question: the protocol's own members, then everything else that a window shows.
pub(super) fn payload(question: &Question) -> Value {
    let mut payload = json!({
        "approvalId": question.id,
        // Their word for the session; an agent that names none is known by its own.
        "agentId": question.asker.session.as_ref().map_or_else(|| question.asker.agent.to_string(), |shown| join_pieces(shown)),
        "command": question.line,
        "riskLevel": question.risk.level.name(),
        "riskReasons": question.risk.reasons.iter().map(|reason| pieces_to_text(reason)).collect::<Vec<_>>(),
        "expiresAtMs": question.expires_at,
    });
    let cwd = join_pieces(&question.cwd);
    if !cwd.is_empty() {
        payload["cwd"] = Value::String(cwd);
    }
    if !question.changeable.is_empty() {
        payload["changeable"] = plain_texts(&question.changeable).into();
    }
    for more in [who_and_why(question), what_would_run(question), what_a_yes_does(question)] {
        if let (Value::Object(payload), Value::Object(more)) = (&mut payload, more) {
            payload.extend(more);
        }
    }
    payload
}

/// Encodes the agent, its reason, and the policy or rule that asks.
fn who_and_why(question: &Question) -> Value {
    let rule = question.rule.as_ref().map(|rule| {
        let pattern = postern_command::escape::visible_text(&rule.pattern);
        json!({"pattern": pattern, "source": postern_command::escape::visible_text(&rule.source)})
    });
    let recent = question
        .recent
        .iter()
        .map(|past| json!({"command": join_pieces(&past.line), "outcome": pieces_to_text(&past.outcome), "atMs": past.at}));
    json!({
        "code": question.code,
        "agent": question.asker.agent.as_str(),
        "agentName": join_pieces(&question.asker.name),
        "session": optional_text(question.asker.session.as_ref()),
        "sessionKind": question.asker.session.as_ref().map(|_| question.asker.session_kind),
        "reason": optional_text(question.asker.says.as_ref()),
        "tool": optional_text(question.tool.as_ref()),
        "headline": pieces_to_text(&question.headline),
        "why": pieces_to_text(&question.why),
        "policy": pieces_to_text(&question.policy),
        "rule": rule,
        "recent": recent.collect::<Vec<_>>(),
        "askedAtMs": question.asked_at,
    })
}

/// Encodes the plan beyond its command line.
fn what_would_run(question: &Question) -> Value {
    let changes = question.env.iter().map(|change| {
        let was = optional_text(change.was.as_ref());
        json!({"kind": change.kind, "name": join_pieces(&change.name), "value": join_pieces(&change.value), "was": was})
    });
    let script = |script: &ShownScript| json!({"path": join_pieces(&script.path), "sha256": script.sha256, "preview": plain_texts(&script.preview), "more": script.more, "state": script.state});
    let programs = question.programs.iter().map(|program| {
        json!({
            "name": join_pieces(&program.name), "path": join_pieces(&program.path), "realPath": optional_text(program.real_path.as_ref()),
            "version": program.version, "shortHash": program.short_hash, "signer": optional_text(program.signer.as_ref()),
            "remarks": program.remarks.iter().map(|remark| pieces_to_text(remark)).collect::<Vec<_>>(), "script": program.script.as_ref().map(script),
        })
    });
    let stdin = question.stdin.as_ref().map(|input| match input {
        ShownInput::Text { bytes, lines } => {
            json!({"kind": "text", "bytes": bytes, "lines": plain_texts(lines)})
        }
        ShownInput::Stream => json!({"kind": "stream", "warning": input.describe()}),
    });
    let steps = question
        .steps
        .iter()
        .map(|step| json!({"text": step.text, "decision": step.decision, "why": pieces_to_text(&step.why)}));
    json!({
        "argv": question.argv.as_ref().map(|argv| plain_texts(argv)),
        "shell": question.shell,
        "edited": optional_text(question.edited.as_ref()),
        "steps": steps.collect::<Vec<_>>(),
        "origin": question.origin,
        "subject": question.subject,
        "environment": changes.collect::<Vec<_>>(),
        "stdin": stdin,
        "programs": programs.collect::<Vec<_>>(),
    })
}

/// Encodes the offers, the number of requests, and the outcome without an answer.
fn what_a_yes_does(question: &Question) -> Value {
    let proposal = |offer: &Proposal| {
        let rules: Vec<&str> = offer.rules.iter().map(|rule| rule.text.as_str()).collect();
        let pinned = !offer.rules.is_empty() && offer.rules.iter().all(|rule| rule.pinned);
        let folder = optional_text(offer.folder.as_ref());
        let (label, renews) = (join_pieces(&offer.label), offer.renews);
        json!({"id": offer.id, "label": label, "rules": rules, "folder": folder, "pinned": pinned, "renews": renews})
    };
    let offers = question.placed();
    json!({
        "proposals": offers.iter().flatten().map(|offer| proposal(offer)).collect::<Vec<_>>(),
        "always": offer_to_save(question, None).map(proposal),
        "nothingToSave": offers.err().map(|why| {
            let message = question.unsaved_words().unwrap_or_else(|| nothing_to_save(why).to_owned());
            json!({"reason": why, "message": message})
        }),
        "asked": question.requests.len(),
        "queued": question.queued,
        "atZero": pieces_to_text(&question.at_zero),
        "renews": renews(question),
        "needs": question.parts_for(Answer::Once),
    })
}

/// Returns the offer that *allow-always* saves: the named one, else a default.
///
/// The default is the renewal of a changed program's rules if it is the first, else the narrowest kind that
/// answers the next question as well.
pub(super) fn offer_to_save<'a>(question: &'a Question, named: Option<&str>) -> Option<&'a Proposal> {
    let offers = question.placed().unwrap_or_default();
    let of = |id: &str| offers.iter().find(|offer| offer.id == id).copied();
    if let Some(id) = named {
        return of(id);
    }
    let renewal = question.proposals.first().filter(|first| first.renews > 0);
    let useful = ["read", "confined", "command"].into_iter().find_map(of);
    renewal.or(useful).or_else(|| offers.first().copied())
}

/// Encodes the programs that changed, with the rules that were given for them.
fn renews(question: &Question) -> Value {
    let renewal = |renewal: &Renewal| {
        let rules: Vec<&String> = renewal.rules.iter().map(|rule| &rule.text).collect();
        json!({"program": join_pieces(&renewal.program), "change": renewal.change, "count": renewal.count, "rules": rules})
    };
    question.renews.iter().map(renewal).collect()
}

/// Encodes the result of an answer that counted, with the rules that an *allow-always* saved or the reason why it saved none.
pub(super) fn answered(answered: &Answered, always: bool) -> Value {
    let mut result = json!({"ok": true});
    if always {
        result["saved"] = answered.saved.iter().map(saved_json).collect();
    }
    if let Some(why) = answered.not_saved {
        result["notSaved"] = json!({"reason": why, "message": not_saved(why)});
    }
    if let Some(problem) = &answered.reason {
        result["problem"] = json!(problem);
    }
    result
}

fn saved_json(saved: &Saved) -> Value {
    let folder = match &saved.place {
        SavedPlace::Folder { path } => Some(path),
        SavedPlace::Anywhere | SavedPlace::Permissions | SavedPlace::Renewed { .. } => None,
    };
    json!({"rule": saved.rule, "folder": folder, "pinned": saved.pinned, "words": saved.to_string()})
}

fn optional_text(shown: Option<&ShownText>) -> Option<String> {
    shown.map(|shown| join_pieces(shown))
}

fn plain_texts(shown: &[ShownText]) -> Vec<String> {
    shown.iter().map(|shown| join_pieces(shown)).collect()
}
