//! The gate for tools that are no commands: the agent's `permissions.jsonc`, and a question like any other.

use super::denial;
use super::live::ToolCheck;
use super::message::Told as Done;
use super::show::{self, AskedTool};
use super::task::Task;
use super::tool_command::ToolFacts;
use crate::ask::questions::Waiter;
use crate::book::now;
use crate::lanes::Lane;
use crate::socket::Reply;
use postern_command::escape;
use postern_contract::methods::ToolQuestion;
use postern_contract::{RequiredType, Told, ToolApprovalRequired};
use postern_policy::permissions::ToolVerdict;
use postern_policy::{AgentId, AgentPolicy, Decision};
use postern_protocol::{ErrorCode, ErrorObject, ToolCheckParams, ToolCheckResult, ToolError};
use postern_request::Denial;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use uuid::Uuid;

impl Task {
    pub(super) fn tool_check(&mut self, agent: &AgentId, params: ToolCheckParams, reply: Reply) {
        let Some(policy) = self.parts.book.policy(agent) else {
            reply.refuse(ErrorCode::Unauthenticated, "this agent is not enrolled any more");
            return;
        };
        if self.is_opening(agent, params.session.as_deref()) {
            reply.refuse(ErrorCode::UnknownSession, super::session::OPENING);
            return;
        }
        let clock = self.clock();
        if let Err(after) = self.agent(agent).limits.request(&policy.settings, clock) {
            let error = ErrorObject::new(ErrorCode::RateLimited, "this agent sends too many requests");
            reply.error(&error.retry_after(after.millis()));
            return;
        }
        let check = ToolCheck {
            agent: agent.clone(),
            session: params.session,
            tool: params.tool,
            arguments: serde_json::Value::Object(params.arguments),
            cwd: params.cwd.filter(|cwd| cwd.starts_with('/')),
            defaults: params.defaults,
            found: Box::default(),
        };
        self.look_up_tool(policy, check, reply);
    }

    /// Looks a tool's call up on a thread that may block.
    fn look_up_tool(&mut self, policy: Arc<AgentPolicy>, check: ToolCheck, reply: Reply) {
        let world = Arc::clone(&self.parts.world);
        let was_open = self.is_open(&check);
        let (lanes, agent) = (self.parts.lanes.clone(), check.agent.clone());
        self.spawn(async move {
            let looked_up = lanes.run(&agent, Lane::LookUps, move |allowance, _| {
                let world = world.within(allowance);
                let found = Box::new(ToolFacts::look_up(&world, &policy.settings, check.call()));
                match world.resolver.identities().overrun() {
                    None => Ok(ToolCheck { found, ..check }),
                    Some(overrun) => Err(denial::too_much(overrun)),
                }
            });
            let check = looked_up.await.unwrap_or_else(|why| Err(denial::unanswered(why))).map(Box::new);
            Done::ToolLookedUp { check, was_open, reply }
        });
    }

    /// A tool's command was looked up. Its session is as it was, or nothing is judged in it.
    pub(super) fn tool_looked_up(
        &mut self,
        check: Result<Box<ToolCheck>, Denial>,
        was_open: bool,
        reply: Reply,
    ) {
        let check = match check {
            Ok(check) => *check,
            Err(denial) => {
                let (decision, error) = (Decision::Deny, Some(ToolError::ToolDeniedError));
                let message = Some(super::end::text(&denial));
                reply.ok(&ToolCheckResult { decision, check_id: None, message, error, by_default: false });
                return;
            }
        };
        let Some(policy) = self.parts.book.policy(&check.agent) else {
            reply.refuse(ErrorCode::Unauthenticated, "this agent is not enrolled any more");
            return;
        };
        if self.is_open(&check) != was_open {
            reply.refuse(ErrorCode::UnknownSession, "this session was opened or closed meanwhile");
            return;
        }
        self.tool_judged(&policy, check, reply);
    }

    fn is_open(&mut self, check: &ToolCheck) -> bool {
        let Some(session) = &check.session else { return false };
        self.agent(&check.agent).sessions.is_open(session)
    }

    /// Everything is known that a tool is judged by.
    fn tool_judged(&mut self, policy: &AgentPolicy, check: ToolCheck, reply: Reply) {
        let verdict = self.judge_tool(policy, &check);
        let by_default = verdict.by_default;
        let agent = check.agent.clone();
        let (decision, message, check_id) = match verdict.decision {
            Decision::Deny => (Decision::Deny, verdict.message, None),
            Decision::Allow | Decision::Ask if self.is_paused() => {
                (Decision::Deny, super::end::text(&denial::paused()), None)
            }
            Decision::Allow => match self.denied_for(&agent) {
                Some(left) => (Decision::Deny, super::end::text(&denial::denied_for_now(left)), None),
                None => (Decision::Allow, verdict.message, None),
            },
            Decision::Ask => match self.ask_about_tool(check, &verdict) {
                Ok(id) => (Decision::Ask, verdict.message, Some(id)),
                Err(denial) => (Decision::Deny, super::end::text(&denial), None),
            },
        };
        let error = (decision == Decision::Deny).then_some(ToolError::ToolDeniedError);
        reply.ok(&ToolCheckResult {
            decision,
            by_default: by_default && decision == Decision::Allow,
            check_id,
            message: Some(message),
            error,
        });
    }

    pub(super) fn judge_tool(&self, policy: &AgentPolicy, check: &ToolCheck) -> ToolVerdict {
        let session = check.session.as_deref();
        super::judge_tool(&self.parts.world, policy, session, check.call(), &check.found, check.defaults)
    }

    fn ask_about_tool(&mut self, check: ToolCheck, verdict: &ToolVerdict) -> Result<Uuid, Denial> {
        let id = Uuid::now_v7();
        self.checks.insert(id, check);
        match self.open_tool(id, verdict) {
            Ok(()) => Ok(id),
            Err(denial) => {
                self.checks.remove(&id);
                Err(denial)
            }
        }
    }

    /// A check's turn has come: by now it may be clear.
    pub(super) fn tool_turn(&mut self, id: Uuid) {
        let Some(check) = self.checks.get(&id) else { return };
        let Some(policy) = self.parts.book.policy(&check.agent) else { return };
        let verdict = self.judge_tool(&policy, check);
        let agent = check.agent.clone();
        if verdict.decision != Decision::Ask {
            self.rejudge_tools(Some(&agent));
        } else if let Err(denial) = self.open_tool(id, &verdict) {
            self.tool_denied(id, &denial);
        }
        self.agent(&agent).turns.taken();
    }

    /// Opens the question about a check, or joins the one that shows the same; or it waits for its turn.
    fn open_tool(&mut self, id: Uuid, verdict: &ToolVerdict) -> Result<(), Denial> {
        let Some(check) = self.checks.get(&id) else { return Err(denial::no_record()) };
        let agent = check.agent.clone();
        let Some(entry) = self.parts.book.agent(&agent) else { return Err(denial::no_record()) };
        let settings = entry.policy.settings.clone();
        if let Some(left) = self.denied_for(&agent) {
            return Err(denial::denied_for_now(left));
        }
        let asked_at = now();
        let question = show::tool_question(&AskedTool {
            id: Uuid::now_v7(),
            code: self.questions.fresh_code(Uuid::new_v4()),
            entry: &entry,
            check,
            home: &self.parts.world.home,
            verdict,
            at: asked_at,
            expires_at: asked_at.saturating_add_unsigned(settings.approval_timeout_ms),
            waiter: id,
            recent: self.recent(&agent, check.session.as_deref(), None),
        });
        let question = question.ok_or_else(denial::too_long_to_show)?;
        let waiter = Waiter::Tool(id);
        let joined = self.questions.join(&agent, &question.digest, waiter, &id.to_string());
        if let Some(question) = joined.map(|waiting| waiting.question.clone()) {
            self.tell(Told::QuestionChanged(Box::new(question)));
        } else {
            self.may_wait()?;
            if !self.has_turn(&agent, waiter)? {
                return Ok(());
            }
            let expires = Instant::now() + Duration::from_millis(settings.approval_timeout_ms);
            self.questions.open(question.clone(), vec![waiter], expires);
            if let Some(row) = super::judged::row_of(&question) {
                drop(self.parts.store.write(move |conn| postern_store::questions::keep(conn, &row)));
            }
            self.tell(Told::QuestionOpened(Box::new(self.among_others(question))));
        }
        if let Some(check) = self.checks.get(&id) {
            self.tell(Told::ToolApprovalRequired(Box::new(required(&waiting_tool(id, check)))));
        }
        Ok(())
    }

    /// The checks that wait, oldest first.
    pub(super) fn waiting_tools(&self) -> Vec<ToolQuestion> {
        let mut waiting: Vec<_> = self.checks.iter().map(|(id, check)| waiting_tool(*id, check)).collect();
        // Version 7: in the order in which they came.
        waiting.sort_unstable_by(|one, other| one.approval_id.cmp(&other.approval_id));
        waiting
    }
}

fn waiting_tool(id: Uuid, check: &ToolCheck) -> ToolQuestion {
    ToolQuestion {
        approval_id: id.to_string(),
        agent: check.agent.clone(),
        tool_name: escape::text(&check.tool),
        arguments: visible_json(&check.arguments),
        session_id: check.session.clone().unwrap_or_default(),
    }
}

/// The event that source 4 has for it.
pub(crate) fn required(waiting: &ToolQuestion) -> ToolApprovalRequired {
    ToolApprovalRequired {
        kind: RequiredType::ToolApprovalRequired,
        approval_id: waiting.approval_id.clone(),
        tool_name: waiting.tool_name.clone(),
        arguments: waiting.arguments.clone(),
        session_id: waiting.session_id.clone(),
    }
}

/// A value as JSON text that is still JSON, and in which everything can be seen: outside of its strings JSON is ASCII, and
/// inside them any character can be written as an escape.
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
