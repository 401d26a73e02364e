//! The gate for tools that are no commands: the agent's `permissions.jsonc`, and a question like any other.

use super::calls::word;
use super::denial;
use super::live::ToolCheck;
use super::message::ToolAnswer;
use super::show::{self, AskedTool};
use super::task::{Task, answer};
use crate::ask::FaceId;
use crate::ask::questions::Waiter;
use crate::book::{ToolRemember, now};
use crate::publish::About;
use crate::socket::Reply;
use postern_command::escape;
use postern_contract::methods::ToolQuestion;
use postern_contract::{Answer, AnswerParams, Answered, Scope, Told};
use postern_policy::permissions::{ToolVerdict, check_tool};
use postern_policy::{AgentId, Decision};
use postern_protocol::{
    Decision as Word, ErrorCode, ErrorObject, Event as Notice, ToolCheckParams, ToolCheckResult, ToolResolved,
};
use postern_request::Denial;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;
use uuid::Uuid;

impl Task {
    pub(super) fn tool_check(&mut self, agent: &AgentId, params: ToolCheckParams, reply: Reply) {
        let Some(policy) = self.parts.book.policy(agent) else {
            reply.refuse(ErrorCode::Unauthenticated, "this agent is not enrolled any more");
            return;
        };
        if let Err(after) = self.agent(agent).flood.request(&policy.settings, Instant::now()) {
            let error = ErrorObject::new(ErrorCode::RateLimited, "this agent sends too many requests");
            reply.error(&error.retry_after(after.millis()));
            return;
        }
        let check = ToolCheck {
            agent: agent.clone(),
            session: params.session,
            tool: params.tool,
            arguments: serde_json::Value::Object(params.arguments),
        };
        let home = &self.parts.world.home;
        let verdict = check_tool(&policy, check.session.as_deref(), &check.tool, &check.arguments, home);
        let (decision, message, check_id) = match verdict.decision {
            Decision::Deny => (Decision::Deny, verdict.message, None),
            Decision::Allow | Decision::Ask if self.is_paused() => {
                (Decision::Deny, denial::paused().message, None)
            }
            Decision::Allow => (Decision::Allow, verdict.message, None),
            Decision::Ask => match self.ask_about_tool(check, &verdict) {
                Ok(id) => (Decision::Ask, verdict.message, Some(id)),
                Err(denial) => (Decision::Deny, denial.message, None),
            },
        };
        reply.ok(&ToolCheckResult { decision: word(decision), check_id, message: Some(message) });
    }

    fn ask_about_tool(&mut self, check: ToolCheck, verdict: &ToolVerdict) -> Result<Uuid, Denial> {
        let agent = check.agent.clone();
        let Some(entry) = self.parts.book.agent(&agent) else { return Err(denial::no_record()) };
        let settings = entry.policy.settings.clone();
        if let Some(left) = self.denied_for(&agent) {
            return Err(denial::denied_for_now(left));
        }
        let id = Uuid::now_v7();
        let asked_at = now();
        let question = show::tool_question(&AskedTool {
            id: Uuid::now_v7(),
            code: self.questions.fresh_code(Uuid::new_v4()),
            entry: &entry,
            check: &check,
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
            if !self.questions.has_room(&agent) {
                return Err(denial::queue_full());
            }
            let asked = self.agent(&agent).flood.question(&settings, Instant::now());
            asked.map_err(|after| denial::asked_too_often(after.millis()))?;
            let expires = Instant::now() + Duration::from_millis(settings.approval_timeout_ms);
            self.questions.open(question.clone(), waiter, expires);
            if let Some(row) = super::judged::row_of(&question) {
                drop(self.parts.store.write(move |conn| postern_store::questions::open(conn, &row)));
            }
            self.tell(Told::QuestionOpened(Box::new(question)));
        }
        self.checks.insert(id, check);
        Ok(id)
    }

    /// The checks that wait, oldest first.
    pub(super) fn waiting_tools(&self) -> Vec<ToolQuestion> {
        let mut waiting: Vec<(&Uuid, &ToolCheck)> = self.checks.iter().collect();
        waiting.sort_unstable_by_key(|(id, _)| **id);
        let question = |(id, check): (&Uuid, &ToolCheck)| ToolQuestion {
            approval_id: id.to_string(),
            agent: check.agent.clone(),
            tool_name: escape::text(&check.tool),
            arguments: escape::text(&check.arguments.to_string()),
            session_id: check.session.clone().unwrap_or_default(),
        };
        waiting.into_iter().map(question).collect()
    }

    /// A person answered by the check's id instead of the question's.
    pub(super) fn answer_tool(&mut self, wanted: ToolAnswer, face: FaceId, reply: oneshot::Sender<bool>) {
        let ToolAnswer { session, id, answer: said, feedback } = wanted;
        let id = Uuid::parse_str(&id).unwrap_or_default();
        let theirs =
            self.checks.get(&id).is_some_and(|check| check.session.as_deref().unwrap_or_default() == session);
        let Some(waiting) = self.questions.of(Waiter::Tool(id)).filter(|_| theirs) else {
            answer(reply, false);
            return;
        };
        let params = AnswerParams {
            question_id: waiting.question.id.clone(),
            digest: waiting.question.digest.clone(),
            answer: said,
            scope: Scope::Agent,
            proposal: None,
            edited: None,
            lifetime: None,
            feedback,
        };
        let (answered, told) = oneshot::channel();
        self.answer(params, face, answered);
        tokio::spawn(async move {
            answer(reply, told.await.is_ok_and(|answered| answered.applied));
        });
    }

    /// A person answered a tool's question.
    pub(super) fn tool_answered(
        &mut self,
        id: Uuid,
        params: &AnswerParams,
        reply: Option<oneshot::Sender<Answered>>,
    ) {
        let yes = matches!(params.answer, Answer::Once | Answer::Always);
        let Some(check) = self.checks.get(&id) else { return };
        let remember = (params.answer == Answer::Always).then(|| self.tool_rule(check)).flatten();
        let agent = check.agent.clone();
        let (book, messages) = (self.parts.book.clone(), self.messages.clone());
        let told = self.resolve_tool(id, if yes { Word::Allow } else { Word::Deny }, params.feedback.clone());
        // Behind everything that was written because of it.
        let kept = reply.is_some().then(|| self.parts.store.write_durable(|_| Ok(())));
        tokio::spawn(async move {
            let mut reason = None;
            if let Some(remember) = remember {
                reason = book.remember_tool(remember).await.err().map(|error| error.to_string());
                if let Some(messages) = messages.upgrade() {
                    // A gate that is gone has nothing to judge again.
                    _ = messages.send(super::Message::Rejudge { agent: Some(agent) }).await;
                }
            }
            if let Some(told) = told {
                // Written, or logged as not.
                drop(told.await);
            }
            if let Some(kept) = kept
                && let Err(error) = kept.await
            {
                tracing::error!(%error, "an answer about a tool was not made durable");
            }
            if let Some(reply) = reply {
                answer(reply, Answered { applied: true, reason, also: Vec::new() });
            }
        });
    }

    fn tool_rule(&self, check: &ToolCheck) -> Option<ToolRemember> {
        let policy = self.parts.book.policy(&check.agent)?;
        let home = &self.parts.world.home;
        let verdict = check_tool(&policy, check.session.as_deref(), &check.tool, &check.arguments, home);
        Some(ToolRemember {
            agent: check.agent.clone(),
            session: check.session.clone(),
            tool: check.tool.clone(),
            patterns: verdict.always,
        })
    }

    /// A tool's question ended with a no.
    pub(super) fn tool_denied(&mut self, id: Uuid, feedback: Option<String>) {
        drop(self.resolve_tool(id, Word::Deny, feedback));
    }

    /// The session of a check closed.
    pub(super) fn withdraw_check(&mut self, id: Uuid) {
        self.leave_question(Waiter::Tool(id), &id.to_string(), "withdrawn");
        self.tool_denied(id, None);
    }

    /// The file changed: what waits is compared with it again.
    pub(super) fn rejudge_tools(&mut self, agent: Option<&AgentId>) {
        let home = self.parts.world.home.clone();
        let decided: Vec<(Uuid, Word)> = self
            .checks
            .iter()
            .filter(|(_, check)| agent.is_none_or(|agent| check.agent == *agent))
            .filter_map(|(id, check)| {
                let policy = self.parts.book.policy(&check.agent);
                let verdict = policy.map(|policy| {
                    check_tool(&policy, check.session.as_deref(), &check.tool, &check.arguments, &home)
                        .decision
                });
                match verdict {
                    Some(Decision::Ask) => None,
                    Some(Decision::Allow) => Some((*id, Word::Allow)),
                    Some(Decision::Deny) | None => Some((*id, Word::Deny)),
                }
            })
            .collect();
        for (id, decision) in decided {
            self.leave_question(Waiter::Tool(id), &id.to_string(), "rule");
            drop(self.resolve_tool(id, decision, None));
        }
    }

    fn resolve_tool(
        &mut self,
        id: Uuid,
        decision: Word,
        feedback: Option<String>,
    ) -> Option<oneshot::Receiver<Result<postern_protocol::Notice, postern_store::Error>>> {
        let check = self.checks.remove(&id)?;
        let about = About { agent: check.agent, id: None, request_id: id, session: check.session };
        let event = Notice::ToolResolved(ToolResolved { check_id: id, decision, feedback });
        Some(self.parts.publisher.publish(&about, now(), event, |_| Ok(())))
    }
}
