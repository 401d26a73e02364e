//! How a tool's check ends: a person's answer, a rule, time, or an agent that went away.

use super::denial;
use super::judged::Closing;
use super::live::ToolCheck;
use super::message::ToolAnswer;
use super::task::{Task, answer};
use crate::ask::FaceId;
use crate::ask::questions::Waiter;
use crate::book::{ToolRemember, now};
use crate::publish::About;
use postern_contract::{
    Answer, AnswerParams, Answered, Attention, ResolvedType, Saved, SavedPlace, Told, ToolApprovalResolved,
};
use postern_policy::{AgentId, Decision};
use postern_protocol::{Event as Notice, ToolError, ToolResolved};
use postern_request::{Denial, DenyReason};
use postern_store::audit;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;
use uuid::Uuid;

/// How long an agent's checks wait for it after its last connection ended. Source 4 clears them at once; the channel lets
/// an agent come back and hear what it missed, which takes a moment. An answer later than that would reach nobody: whoever
/// starts anew asks anew.
const GRACE: Duration = Duration::from_secs(5);

/// What a check ends with.
pub(super) struct End {
    decision: Decision,
    feedback: Option<String>,
    error: Option<ToolError>,
    message: Option<String>,
}

impl End {
    fn allowed() -> Self {
        Self { decision: Decision::Allow, feedback: None, error: None, message: None }
    }

    /// The message is what the agent gives its model as the tool's result: the person's words are in it.
    fn denied(denial: &Denial) -> Self {
        let rejected = denial.reason == DenyReason::User;
        let error = if rejected { ToolError::ToolRejectedError } else { ToolError::ToolDeniedError };
        Self {
            decision: Decision::Deny,
            feedback: denial.feedback.clone(),
            error: Some(error),
            message: Some(super::end::text(denial)),
        }
    }

    fn ruled(message: String) -> Self {
        let error = Some(ToolError::ToolDeniedError);
        Self { decision: Decision::Deny, feedback: None, error, message: Some(message) }
    }
}

/// Describes the lines that will be saved for a tool.
fn saved_of(remember: &ToolRemember) -> Vec<Saved> {
    let rule = |pattern: &String| postern_command::escape::text(&format!("{} {pattern}", remember.tool));
    let saved = |pattern| Saved { rule: rule(pattern), place: SavedPlace::Permissions, pinned: false };
    remember.patterns.iter().map(saved).collect()
}

type Written = oneshot::Receiver<Result<Option<postern_protocol::Notice>, postern_store::Error>>;

impl Task {
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
        let requests = vec![id.to_string()];
        let params = AnswerParams { feedback, requests, ..AnswerParams::to(&waiting.question, said) };
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
                // Nobody may be watching.
                _ = watchers.send(Told::Attention(Attention { message }));
            }
            answer(reply, answered.is_some_and(|answered| answered.applied));
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
        let end = if yes { End::allowed() } else { End::denied(&denial::user(params.feedback.clone())) };
        let told = self.resolve_tool(id, end);
        // Behind everything that was written because of it.
        let kept = reply.is_some().then(|| self.parts.store.write_durable(|_| Ok(())));
        tokio::spawn(audit::carry(async move {
            let mut answered = Answered::done();
            if let Some(remember) = remember {
                let saved = saved_of(&remember);
                match book.remember_tool(remember).await {
                    Ok(()) => answered.saved = saved,
                    Err(error) => {
                        let what = "allowed this once; what was to be saved from it could not be";
                        answered.reason = Some(format!("{what}: {error}"));
                    }
                }
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
                answer(reply, answered);
            }
        }));
    }

    fn tool_rule(&self, check: &ToolCheck) -> Option<ToolRemember> {
        let policy = self.parts.book.policy(&check.agent)?;
        Some(ToolRemember {
            agent: check.agent.clone(),
            session: check.session.clone(),
            tool: check.tool.clone(),
            patterns: self.judge_tool(&policy, check).always,
        })
    }

    /// A tool's question ended with a no.
    pub(super) fn tool_denied(&mut self, id: Uuid, denial: &Denial) {
        drop(self.resolve_tool(id, End::denied(denial)));
    }

    /// A check is taken back: nobody needs its answer any more.
    pub(super) fn withdraw_check(&mut self, id: Uuid, why: &str) {
        self.leave_question(Waiter::Tool(id), &id.to_string(), Closing::Withdrawn);
        self.tool_denied(id, &denial::cancelled(&format!("It was taken back: {why}.")));
    }

    /// When the next agent that went away is not waited for any more.
    pub(super) fn next_gone(&self) -> Option<Instant> {
        let waits = |agent: &AgentId| self.checks.values().any(|check| check.agent == *agent);
        let gone = self.agents.iter().filter_map(|(agent, state)| Some((agent, state.gone_at?)));
        gone.filter(|(agent, _)| waits(agent)).map(|(_, at)| at + GRACE).min()
    }

    /// Takes back the checks of agents that did not come back.
    pub(super) fn forget_gone(&mut self) {
        let now = Instant::now();
        let is_gone = |agent: &AgentId| {
            self.agents.get(agent).and_then(|state| state.gone_at).is_some_and(|at| at + GRACE <= now)
        };
        let theirs: Vec<Uuid> =
            self.checks.iter().filter(|(_, check)| is_gone(&check.agent)).map(|(id, _)| *id).collect();
        for id in theirs {
            self.withdraw_check(id, "its agent went away");
        }
    }

    /// The file changed: what waits is compared with it again.
    pub(super) fn rejudge_tools(&mut self, agent: Option<&AgentId>) {
        let decided: Vec<(Uuid, End)> = self
            .checks
            .iter()
            .filter(|(_, check)| agent.is_none_or(|agent| check.agent == *agent))
            .filter_map(|(id, check)| {
                let Some(policy) = self.parts.book.policy(&check.agent) else {
                    return Some((*id, End::ruled("The agent is not enrolled any more.".to_owned())));
                };
                let verdict = self.judge_tool(&policy, check);
                match verdict.decision {
                    Decision::Ask => None,
                    Decision::Allow => Some((*id, End::allowed())),
                    Decision::Deny => Some((*id, End::ruled(verdict.message))),
                }
            })
            .collect();
        for (id, end) in decided {
            self.leave_question(Waiter::Tool(id), &id.to_string(), Closing::Rule);
            drop(self.resolve_tool(id, end));
        }
    }

    fn resolve_tool(&mut self, id: Uuid, end: End) -> Option<Written> {
        let check = self.checks.remove(&id)?;
        self.tell(Told::ToolApprovalResolved(ToolApprovalResolved {
            kind: ResolvedType::ToolApprovalResolved,
            approval_id: id.to_string(),
            session_id: check.session.clone().unwrap_or_default(),
            approved: end.decision == Decision::Allow,
        }));
        let about = About { agent: check.agent, id: None, request_id: id, session: check.session };
        let End { decision, feedback, error, message } = end;
        let event = Notice::ToolResolved(ToolResolved { check_id: id, decision, feedback, error, message });
        let (done, told) = oneshot::channel();
        // Who wanted to know may be gone by then.
        let done = move |outcome| _ = done.send(outcome);
        self.parts.publisher.publish(&about, now(), event, |_, _| Ok(true), done);
        Some(told)
    }
}
