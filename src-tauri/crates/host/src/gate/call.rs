//! A tool of the agent's own that it wants to use (`tool.check`): a request like any other, which its agent carries out itself.
//! Here is what is its own: how it comes in, and how it is answered.

use super::live::{ConnectionId, LiveRequest};
use super::message::ToolAnswer;
use super::task::{Task, answer};
use crate::ask::ApproverId;
use crate::socket::Reply;
use postern_command::escape;
use postern_contract::methods::ToolQuestion;
use postern_contract::render;
use postern_contract::{
    AnswerParams, ApproverNotification, Attention, RequiredType, ResolvedType, ToolApprovalRequired,
    ToolApprovalResolved,
};
use postern_policy::{AgentId, Decision, Origin, RequestedCommand, Subject};
use postern_protocol::{
    AllowedBy, Confined, Defaults, NoticeEvent, RunParams, SessionKind, ToolCheckParams, ToolCheckResult,
    ToolError, ToolResolved, What,
};
use postern_request::{BoundCall, DenyReason, RequestEnding, Withdrawal};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;
use uuid::Uuid;

/// Time that an agent's calls wait for it after its last connection ended.
///
/// Source 4 clears them at once; the channel lets an agent come back and get what it missed, which takes a
/// moment. An answer later than that would reach nobody: an agent that starts again asks again.
const GRACE: Duration = Duration::from_secs(5);
/// Characters of a call's arguments that its line in lists shows.
const LINE: usize = 200;
/// The offer by which *Always* adds a line to `permissions.jsonc`, for a command: [`ToolApprove`] has no other.
///
/// [`ToolApprove`]: postern_contract::methods::ToolApprove
pub(super) const FILE: &str = "file";

/// Member of the record that has the kind of the session, as on the wire.
const KIND: &str = "sessionKind";

/// The use of a tool, as it was asked for.
#[derive(Debug)]
pub(crate) struct AgentToolCall {
    pub(crate) tool: String,
    /// The MCP server that it is a tool of.
    pub(crate) server: Option<String>,
    pub(crate) arguments: Value,
    pub(crate) session: Option<String>,
    pub(crate) session_kind: SessionKind,
    /// The folder that relative paths among the arguments start in.
    pub(crate) cwd: Option<String>,
    /// Decision if only a default speaks.
    pub(crate) defaults: Option<Defaults>,
    /// True if its agent can run another command instead: one that confines it.
    pub(crate) rewrites: bool,
    pub(crate) subject: Subject,
}

impl AgentToolCall {
    pub(crate) fn new(params: ToolCheckParams) -> Self {
        let ToolCheckParams { tool, server, arguments, session, session_kind, cwd, defaults, rewrites } =
            params;
        let subject = Subject::of_call(&tool, server.as_deref(), &arguments);
        let cwd = cwd.filter(|cwd| cwd.starts_with('/'));
        let arguments = Value::Object(arguments);
        Self { tool, server, arguments, session, session_kind, cwd, defaults, rewrites, subject }
    }

    /// Reads a call back as it was written down ([`Self::record_json`]); `None` if it was not kept.
    pub(crate) fn of_asked(asked: &str) -> Option<Self> {
        let asked: Value = serde_json::from_str(asked).ok()?;
        let text = |name: &str| asked.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self::new(ToolCheckParams {
            tool: text("tool")?,
            server: text("server"),
            arguments: asked.get("arguments")?.as_object()?.clone(),
            session: text("session"),
            session_kind: text(KIND).and_then(|kind| SessionKind::from_name(&kind)).unwrap_or_default(),
            cwd: text("cwd"),
            defaults: serde_json::from_value(asked.get("defaults").cloned().unwrap_or_default()).ok()?,
            rewrites: asked.get("rewrites").and_then(Value::as_bool).unwrap_or_default(),
        }))
    }

    /// Returns the actor that carries it out.
    pub(crate) fn origin(&self) -> Origin {
        self.subject.origin_of_call()
    }

    pub(crate) fn named_arguments(&self) -> &Map<String, Value> {
        static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        self.arguments.as_object().unwrap_or(&NONE)
    }

    /// Returns the folder that a command of it would run in, where it names one.
    pub(crate) fn folder(&self) -> Option<&str> {
        let named = self.arguments.get("cwd").and_then(Value::as_str).filter(|cwd| cwd.starts_with('/'));
        named.or(self.cwd.as_deref())
    }

    /// Returns everything that an answer to it is about.
    pub(crate) fn bound_call(&self) -> BoundCall {
        // A JSON value: it cannot fail to serialise.
        let arguments = Sha256::digest(serde_json::to_vec(&self.arguments).unwrap_or_default());
        let arguments = postern_protocol::encode_hex(&arguments);
        BoundCall { tool: self.tool.clone(), server: self.server.clone(), arguments, cwd: self.cwd.clone() }
    }

    /// Returns it as one line of escaped text, for lists: its subject, without the text it would write.
    fn summary_line(&self) -> String {
        let (tool, quote) = (&self.tool, |text: &str| postern_command::quote_word(text));
        let line = match &self.subject {
            Subject::Command(RequestedCommand::Shell(text)) => text.clone(),
            Subject::Command(RequestedCommand::Argv(argv)) => postern_command::quote_argv(argv),
            Subject::FileEdit { path, .. } => format!("{tool} {}", quote(path)),
            Subject::FileRead { paths } => format!("{tool} {}", postern_command::quote_argv(paths)),
            Subject::Fetch { url } => format!("{tool} {}", quote(url)),
            Subject::McpCall { .. } | Subject::Other { .. } => {
                let arguments = self.arguments.to_string();
                let mut beginning: String = arguments.chars().take(LINE).collect();
                if beginning.len() < arguments.len() {
                    beginning.push('…');
                }
                format!("{tool} {beginning}")
            }
        };
        escape::visible_text(&line)
    }

    /// Returns the call for the record: a command as every command is, with the tool beside it.
    pub(super) fn record_json(&self, run: &RunParams) -> String {
        let mut asked = json!({ "tool": self.tool, "arguments": self.arguments });
        if let What::Shell(text) = &run.what {
            asked["shell"] = json!(text);
        }
        let (server, session) = (self.server.as_deref(), self.session.as_deref());
        let reason = run.reason.as_deref();
        for (name, value) in
            [("server", server), ("cwd", self.folder()), ("session", session), ("reason", reason)]
        {
            if let Some(value) = value {
                asked[name] = json!(value);
            }
        }
        if let Some(defaults) = self.defaults {
            asked["defaults"] = json!(defaults);
        }
        if !self.session_kind.is_name() {
            asked[KIND] = json!(self.session_kind);
        }
        if self.rewrites {
            asked["rewrites"] = json!(true);
        }
        asked.to_string()
    }

    /// Returns the call as the parameters of a request.
    ///
    /// Of a tool that runs no command it has the name alone: the rest is in the subject.
    fn run_params(&self, id: Uuid) -> RunParams {
        let (what, reason) = match &self.subject {
            Subject::Command(RequestedCommand::Shell(text)) => {
                let says = self.arguments.get("description").and_then(Value::as_str);
                (What::Shell(text.clone()), says.map(str::to_owned))
            }
            Subject::Command(RequestedCommand::Argv(argv)) => (What::Command(argv.clone()), None),
            Subject::FileEdit { .. }
            | Subject::FileRead { .. }
            | Subject::Fetch { .. }
            | Subject::McpCall { .. }
            | Subject::Other { .. } => (What::Command(vec![self.tool.clone()]), None),
        };
        let (session, cwd) = (self.session.clone(), self.folder().map(str::to_owned));
        RunParams { session, session_kind: self.session_kind, cwd, reason, ..RunParams::new(id, what) }
    }
}

impl LiveRequest {
    /// Returns the use of a tool.
    fn of_call(connection: ConnectionId, agent: &AgentId, call: AgentToolCall, output_cap: u64) -> Self {
        let id = Uuid::now_v7();
        let run = call.run_params(id);
        let fingerprint = run.fingerprint();
        let line = call.summary_line();
        let request = super::calls::new_request(id, connection, agent, run, fingerprint, output_cap);
        Self { line, origin: call.origin(), call: Some(Arc::new(call)), ..request }
    }

    /// Returns true if its agent was told that a person is asked, and waits for the answer.
    pub(super) fn is_call_that_waits(&self) -> bool {
        self.call.is_some() && self.accepted.is_empty() && self.ending().is_none()
    }
}

impl Task {
    pub(super) fn tool_check(
        &mut self,
        connection: ConnectionId,
        agent: &AgentId,
        params: ToolCheckParams,
        reply: Reply,
    ) {
        let policy = match self.admit_request(agent, params.session.as_deref()) {
            Ok(policy) => policy,
            Err(error) => {
                reply.send_error(&error);
                return;
            }
        };
        let cap = policy.settings.output_cap_bytes;
        let mut request = LiveRequest::of_call(connection, agent, AgentToolCall::new(params), cap);
        request.accepted.push(reply);
        self.take_in(request);
    }

    /// Returns the calls that wait, oldest first.
    pub(super) fn waiting_tools(&self) -> Vec<ToolQuestion> {
        let waiting = self.requests.values().filter(|request| request.is_call_that_waits());
        let mut waiting: Vec<ToolQuestion> = waiting.filter_map(waiting_tool).collect();
        // Version 7: in the order in which they came.
        waiting.sort_unstable_by(|one, other| one.approval_id.cmp(&other.approval_id));
        waiting
    }

    /// Sends source 4's event for a call that a person is asked about.
    pub(super) fn tell_required(&self, id: Uuid) {
        if let Some(waiting) = self.requests.get(&id).and_then(waiting_tool) {
            self.notify_approvers(ApproverNotification::ToolApprovalRequired(Box::new(required(&waiting))));
        }
    }

    /// Applies an answer that names the call's id instead of the question's.
    pub(super) fn answer_tool(&mut self, wanted: ToolAnswer, face: ApproverId, reply: oneshot::Sender<bool>) {
        let ToolAnswer { session, id, answer: said, feedback } = wanted;
        let id = Uuid::parse_str(&id).unwrap_or_default();
        let theirs = self.requests.get(&id).filter(|request| request.call.is_some());
        let theirs =
            theirs.is_some_and(|request| request.run.session.as_deref().unwrap_or_default() == session);
        let Some(waiting) = self.questions.question_of(id).filter(|_| theirs) else {
            answer(reply, false);
            return;
        };
        let (requests, proposal) = (vec![id.to_string()], Some(FILE.to_owned()));
        let params = AnswerParams {
            feedback,
            requests,
            proposal,
            ..AnswerParams::for_question(&waiting.shown.question, said)
        };
        let (answered, told) = oneshot::channel();
        self.answer(params, face, answered);
        let watchers = self.parts.told.clone();
        tokio::spawn(async move {
            let answered = told.await.ok();
            // Source 4's answer has no room for what was not saved, and why.
            let unsaved = answered.as_ref().filter(|answered| answered.applied).and_then(|answered| {
                answered.reason.clone().or_else(|| answered.not_saved.map(postern_contract::not_saved))
            });
            if let Some(message) = unsaved {
                watchers.send(ApproverNotification::Attention(Attention { message }));
            }
            answer(reply, answered.is_some_and(|answered| answered.applied));
        });
    }

    /// Returns the time at which the next agent that went away is not waited for any more.
    pub(super) fn next_gone(&self) -> Option<Instant> {
        let waits = |agent: &AgentId| {
            self.requests.values().any(|request| request.is_call_that_waits() && request.agent == *agent)
        };
        let gone = self.agents.iter().filter_map(|(agent, state)| Some((agent, state.gone_at?)));
        gone.filter(|(agent, _)| waits(agent)).map(|(_, at)| at + GRACE).min()
    }

    /// Takes back the calls of agents that did not come back.
    pub(super) fn forget_gone(&mut self) {
        let now = Instant::now();
        let is_gone = |agent: &AgentId| {
            self.agents.get(agent).and_then(|state| state.gone_at).is_some_and(|at| at + GRACE <= now)
        };
        let waiting = self.requests.values().filter(|request| request.is_call_that_waits());
        let theirs: Vec<Uuid> =
            waiting.filter(|request| is_gone(&request.agent)).map(|request| request.id).collect();
        for id in theirs {
            self.withdraw(id, Withdrawal::AgentGone);
        }
    }

    /// Tells the end of a call: answers those who wait for the verdict. Who was told that a person is asked got the event.
    pub(super) fn tell_call_ended(&self, request: &mut LiveRequest) {
        if request.accepted.is_empty() {
            self.notify_approvers(ApproverNotification::ToolApprovalResolved(ToolApprovalResolved {
                kind: ResolvedType::ToolApprovalResolved,
                approval_id: request.id.to_string(),
                session_id: request.run.session.clone().unwrap_or_default(),
                approved: request.ending() == Some(&RequestEnding::Allowed),
            }));
        }
        let result = ended_result(request);
        for reply in std::mem::take(&mut request.accepted) {
            reply.send_result(&result);
        }
    }
}

/// Returns the answer to a call that a person is asked about.
pub(super) fn asked_result(request: &LiveRequest) -> ToolCheckResult {
    ToolCheckResult {
        decision: Decision::Ask,
        by_default: false,
        check_id: Some(request.id),
        message: request.judged.as_ref().map(|judged| render::cause_text(&judged.verdict.cause)),
        error: None,
        confined: None,
    }
}

fn ended_result(request: &LiveRequest) -> ToolCheckResult {
    let verdict = request.judged.as_ref().map(|judged| &judged.verdict);
    match request.ending() {
        Some(RequestEnding::Allowed) => ToolCheckResult {
            decision: Decision::Allow,
            by_default: request.by == Some(AllowedBy::Default),
            check_id: None,
            message: verdict.map(|verdict| render::cause_text(&verdict.cause)),
            error: None,
            confined: confined(request),
        },
        ending => {
            let (error, message) = denied(ending);
            let decision = Decision::Deny;
            ToolCheckResult {
                decision,
                by_default: false,
                check_id: None,
                message,
                error: Some(error),
                confined: None,
            }
        }
    }
}

/// Returns the event that ends a call for an agent that was told that a person is asked.
///
/// `None` if the answer itself is the end.
pub(super) fn ended_event(request: &LiveRequest) -> Option<NoticeEvent> {
    request.accepted.is_empty().then(|| resolved(request.id, request.ending(), confined(request)))
}

/// Returns how its agent has to confine what is allowed; `None` if it runs as the agent asked.
fn confined(request: &LiveRequest) -> Option<Confined> {
    request.judged.as_ref().and_then(|judged| judged.plan.confinement.to_confined())
}

/// Makes the notification of a call's end.
pub(super) fn resolved(
    check_id: Uuid,
    ending: Option<&RequestEnding>,
    confined: Option<Confined>,
) -> NoticeEvent {
    NoticeEvent::ToolResolved(match ending {
        Some(RequestEnding::Allowed) => ToolResolved {
            check_id,
            decision: Decision::Allow,
            feedback: None,
            error: None,
            message: None,
            confined,
        },
        ending => {
            let (error, message) = denied(ending);
            let feedback = match ending {
                Some(RequestEnding::Denied(denial)) => denial.feedback.clone(),
                _ => None,
            };
            ToolResolved {
                check_id,
                decision: Decision::Deny,
                feedback,
                error: Some(error),
                message,
                confined: None,
            }
        }
    })
}

/// Returns the error that ends a call that was not allowed, and the tool's result for the agent's model.
///
/// The person's words are in it; if nobody refused it, it says what to do about it.
fn denied(ending: Option<&RequestEnding>) -> (ToolError, Option<String>) {
    let Some(RequestEnding::Denied(denial)) = ending else { return (ToolError::ToolDeniedError, None) };
    let rejected = denial.reason == DenyReason::User;
    let error = if rejected { ToolError::ToolRejectedError } else { ToolError::ToolDeniedError };
    (error, Some(super::end::denial_text(denial)))
}

fn waiting_tool(request: &LiveRequest) -> Option<ToolQuestion> {
    let call = request.call.as_ref()?;
    Some(ToolQuestion {
        approval_id: request.id.to_string(),
        agent: request.agent.clone(),
        tool_name: escape::visible_text(&call.tool),
        arguments: visible_json(&call.arguments),
        session_id: request.run.session.clone().unwrap_or_default(),
    })
}

/// Returns the event that source 4 has for it.
pub(crate) fn required(waiting: &ToolQuestion) -> ToolApprovalRequired {
    ToolApprovalRequired {
        kind: RequiredType::ToolApprovalRequired,
        approval_id: waiting.approval_id.clone(),
        tool_name: waiting.tool_name.clone(),
        arguments: waiting.arguments.clone(),
        session_id: waiting.session_id.clone(),
    }
}

/// Returns a value as JSON text that is still JSON, and in which everything can be seen.
///
/// Outside of its strings JSON is ASCII, and inside them any character can be written as an escape.
fn visible_json(value: &serde_json::Value) -> String {
    let text = value.to_string();
    let mut shown = String::with_capacity(text.len());
    let mut buffer = [0; 4];
    for c in text.chars() {
        if escape::is_visible(c.encode_utf8(&mut buffer)) {
            shown.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                _ = write!(shown, "\\u{unit:04x}");
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::visible_json;
    use serde_json::{Value, json};

    #[test]
    fn arguments_stay_json_and_nothing_in_them_hides() {
        for value in [
            json!({"a": "x\u{202e}y\u{200b}"}),
            json!({"\u{e0041}": "\n\u{7f}"}),
            json!({"a b": ["é", 1.5, null]}),
        ] {
            let text = visible_json(&value);
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value, "{text}");
            assert!(!text.contains(['\u{202e}', '\u{200b}', '\u{e0041}', '\u{7f}']), "{text}");
        }
    }
}
