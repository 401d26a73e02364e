//! The messages of the approval protocol: an envelope around a payload, named by its action.

use postern_contract::methods::AuditRow;
use postern_contract::render::nothing_to_save;
use postern_contract::{
    Answer, Answered, Closed, Part, Proposal, Question, Renewal, Saved, SavedPlace, Shown, ShownInput,
    ShownScript, not_saved, plain, text,
};
use postern_policy::RiskLevel;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

/// Message to a client: from whom, to whom, about what.
#[derive(Debug, Serialize)]
struct Envelope<'a> {
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

/// Parameters of `resolveExecApproval`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resolve {
    pub(super) approval_id: String,
    pub(super) decision: Decision,
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

/// Reason why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl Refusal {
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
        let outgoing = Envelope { id: Uuid::now_v7(), from: &self.hub, to: &self.client, action, payload };
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
        let by = json!({"face": change.by.face, "name": change.by.name, "words": change.by.words()});
        let payload =
            json!({"number": change.number, "atMs": change.at, "summary": change.summary, "by": by});
        self.message("policy-widened", payload)
    }

    /// Returns a question that waits no more, and was not answered by this client.
    pub(super) fn resolved(&self, closed: &Closed) -> String {
        let payload = json!({"approvalId": closed.id, "outcome": closed.how, "by": closed.face});
        self.message("exec-approval-resolved", payload)
    }

    /// Returns the answer to a call.
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

/// Encodes a question: the protocol's own members, then everything else that a window shows.
pub(super) fn payload(question: &Question) -> Value {
    let mut payload = json!({
        "approvalId": question.id,
        // Their word for the session; an agent that names none is known by its own.
        "agentId": question.asker.session.as_ref().map_or_else(|| question.asker.agent.to_string(), |shown| plain(shown)),
        "command": question.line,
        "riskLevel": level(question.risk.level),
        "riskReasons": question.risk.reasons.iter().map(|reason| text(reason)).collect::<Vec<_>>(),
        "expiresAtMs": question.expires_at,
    });
    let cwd = plain(&question.cwd);
    if !cwd.is_empty() {
        payload["cwd"] = Value::String(cwd);
    }
    if !question.changeable.is_empty() {
        payload["changeable"] = texts(&question.changeable).into();
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
        let pattern = postern_command::escape::text(&rule.pattern);
        json!({"pattern": pattern, "source": postern_command::escape::text(&rule.source)})
    });
    let recent = question
        .recent
        .iter()
        .map(|past| json!({"command": plain(&past.line), "outcome": text(&past.outcome), "atMs": past.at}));
    json!({
        "code": question.code,
        "agent": question.asker.agent.as_str(),
        "agentName": plain(&question.asker.name),
        "session": maybe(question.asker.session.as_ref()),
        "reason": maybe(question.asker.says.as_ref()),
        "tool": maybe(question.tool.as_ref()),
        "headline": text(&question.headline),
        "why": text(&question.why),
        "policy": text(&question.policy),
        "rule": rule,
        "recent": recent.collect::<Vec<_>>(),
        "askedAtMs": question.asked_at,
    })
}

/// Encodes the plan beyond its command line.
fn what_would_run(question: &Question) -> Value {
    let changes = question.env.iter().map(|change| {
        let was = maybe(change.was.as_ref());
        json!({"kind": change.kind, "name": plain(&change.name), "value": plain(&change.value), "was": was})
    });
    let script = |script: &ShownScript| json!({"path": plain(&script.path), "shortHash": script.short_hash, "preview": texts(&script.preview)});
    let programs = question.programs.iter().map(|program| {
        json!({
            "name": plain(&program.name), "path": plain(&program.path), "realPath": maybe(program.real_path.as_ref()),
            "version": program.version, "shortHash": program.short_hash, "signer": maybe(program.signer.as_ref()),
            "remarks": program.remarks.iter().map(|remark| text(remark)).collect::<Vec<_>>(), "script": program.script.as_ref().map(script),
        })
    });
    let stdin = question.stdin.as_ref().map(|input| match input {
        ShownInput::Text { bytes, lines } => json!({"kind": "text", "bytes": bytes, "lines": texts(lines)}),
        ShownInput::Stream => json!({"kind": "stream", "warning": input.words()}),
    });
    let steps = question
        .steps
        .iter()
        .map(|step| json!({"text": step.text, "decision": step.decision, "why": text(&step.why)}));
    json!({
        "argv": question.argv.as_ref().map(|argv| texts(argv)),
        "shell": question.shell,
        "edited": maybe(question.edited.as_ref()),
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
        let folder = maybe(offer.folder.as_ref());
        let (label, renews) = (plain(&offer.label), offer.renews);
        json!({"id": offer.id, "label": label, "rules": rules, "folder": folder, "pinned": pinned, "renews": renews})
    };
    let offers = question.placed();
    json!({
        "proposals": offers.iter().flatten().map(|offer| proposal(offer)).collect::<Vec<_>>(),
        "always": offer(question, None).map(proposal),
        "nothingToSave": offers.err().map(|why| {
            let message = question.unsaved_words().unwrap_or_else(|| nothing_to_save(why).to_owned());
            json!({"reason": why, "message": message})
        }),
        "asked": question.requests.len(),
        "queued": question.queued,
        "atZero": text(&question.at_zero),
        "renews": renews(question),
        "needs": question.parts_for(Answer::Once),
    })
}

/// Returns the offer that *allow-always* saves: the named one, else a default.
///
/// The default is the renewal of a changed program's rules if it is the first, else the narrowest kind that
/// answers the next question as well.
pub(super) fn offer<'a>(question: &'a Question, named: Option<&str>) -> Option<&'a Proposal> {
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
        json!({"program": plain(&renewal.program), "change": renewal.change, "count": renewal.count, "rules": rules})
    };
    question.renews.iter().map(renewal).collect()
}

/// Encodes the result of an answer that counted, with the rules that an *allow-always* saved or the reason why it saved none.
pub(super) fn answered(answered: &Answered, always: bool) -> Value {
    let mut result = json!({"ok": true});
    if always {
        result["saved"] = answered.saved.iter().map(saved).collect();
    }
    if let Some(why) = answered.not_saved {
        result["notSaved"] = json!({"reason": why, "message": not_saved(why)});
    }
    if let Some(problem) = &answered.reason {
        result["problem"] = json!(problem);
    }
    result
}

fn saved(saved: &Saved) -> Value {
    let folder = match &saved.place {
        SavedPlace::Folder { path } => Some(path),
        SavedPlace::Anywhere | SavedPlace::Permissions | SavedPlace::Renewed { .. } => None,
    };
    json!({"rule": saved.rule, "folder": folder, "pinned": saved.pinned, "words": saved.to_string()})
}

fn level(level: RiskLevel) -> &'static str {
    match level {
        RiskLevel::Safe => "safe",
        RiskLevel::NeedsReview => "needs-review",
        RiskLevel::Dangerous => "dangerous",
    }
}

fn maybe(shown: Option<&Shown>) -> Option<String> {
    shown.map(|shown| plain(shown))
}

fn texts(shown: &[Shown]) -> Vec<String> {
    shown.iter().map(|shown| plain(shown)).collect()
}
