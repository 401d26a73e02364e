//! Sessions: a subagent's own layer of rules, and the end of what waits in it.

use super::message::GateTaskResult;
use super::task::Task;
use crate::book::{NewSession, PolicyStoreError};
use crate::socket::Reply;
use postern_policy::AgentId;
use postern_protocol::{ErrorCode, SessionCloseParams, SessionOpenParams, SessionResult};
use postern_request::{NotSo, Withdrawal};
use uuid::Uuid;

/// Reason to refuse requests in a session that is being opened or closed.
pub(super) const OPENING: &str = "this session is being opened or closed: wait for the answer to that";

impl Task {
    pub(super) fn session_open(&mut self, agent: &AgentId, params: SessionOpenParams, reply: Reply) {
        let opening = self.agent_state(agent).sessions.begin_open(&params.session, params.parent.as_deref());
        if let Err(why) = opening {
            let (code, message) = match why {
                NotSo::NoParent => {
                    let parent = params.parent.unwrap_or_default();
                    let message = format!("there is no open session {parent:?} to stand under");
                    (ErrorCode::UnknownSession, message)
                }
                NotSo::OpenAlready | NotSo::NotOpen => {
                    let message = "this session is open already: close it first, or choose another name";
                    (ErrorCode::InvalidParams, message.to_owned())
                }
            };
            reply.refuse(code, message);
            return;
        }
        let book = self.parts.book.clone();
        let (agent, messages) = (agent.clone(), self.messages.clone());
        tokio::spawn(async move {
            let session = params.session;
            let rules = params.rules.map(|rules| serde_json::Value::Object(rules).to_string());
            let elevated = params.elevated;
            let new = NewSession { session: session.clone(), parent: params.parent, rules, elevated };
            let outcome = book.open_session(&agent, new).await;
            if let Some(messages) = messages.upgrade() {
                let (session, done) = (session.clone(), outcome.is_ok());
                let opened = GateTaskResult::SessionChanged { agent, session, open: true, done };
                // A gate that is gone has no sessions.
                _ = messages.send(super::GateMessage::Told(Box::new(opened))).await;
            }
            match outcome {
                Ok(()) => reply.send_result(&SessionResult { session, denied: 0 }),
                Err(error) => reply.refuse(ErrorCode::InvalidParams, error.to_string()),
            }
        });
    }

    /// Returns true if a session's layers are not in force yet: nothing may be judged in it.
    pub(super) fn is_opening(&mut self, agent: &AgentId, session: Option<&str>) -> bool {
        session.is_some_and(|session| self.agent_state(agent).sessions.is_changing(session))
    }

    /// Closes a session: its waiting requests are denied; what runs goes on.
    pub(super) fn session_close(&mut self, agent: &AgentId, params: SessionCloseParams, reply: Reply) {
        let session = params.session;
        if !self.agent_state(agent).sessions.is_open(&session) {
            reply.refuse(ErrorCode::UnknownSession, "this agent has no open session of that name");
            return;
        }
        self.close_session(agent, session.clone(), |outcome| match outcome {
            Ok(denied) => reply.send_result(&SessionResult { session, denied }),
            Err(error) => reply.refuse(ErrorCode::Internal, error.to_string()),
        });
    }

    /// Denies what waits in a session, takes its layers away, and tells how many requests that denied.
    pub(super) fn close_session(
        &mut self,
        agent: &AgentId,
        session: String,
        then: impl FnOnce(Result<u64, PolicyStoreError>) + Send + 'static,
    ) {
        if self.agent_state(agent).sessions.begin_close(&session).is_err() {
            then(Err(PolicyStoreError::Invalid(OPENING.to_owned())));
            return;
        }
        let waiting: Vec<Uuid> = self
            .requests
            .values()
            .filter(|request| {
                request.agent == *agent
                    && request.run.session.as_ref() == Some(&session)
                    && request.pid().is_none()
            })
            .map(|request| request.id)
            .collect();
        let denied = u64::try_from(waiting.len()).unwrap_or(u64::MAX);
        for id in waiting {
            self.withdraw(id, Withdrawal::SessionClosed);
        }
        let (book, agent, messages) = (self.parts.book.clone(), agent.clone(), self.messages.clone());
        tokio::spawn(async move {
            let outcome = book.close_session(&agent, &session).await;
            if let Some(messages) = messages.upgrade() {
                let closed =
                    GateTaskResult::SessionChanged { agent, session, open: false, done: outcome.is_ok() };
                // A gate that is gone has no sessions.
                _ = messages.send(super::GateMessage::Told(Box::new(closed))).await;
            }
            then(outcome.map(|()| denied));
        });
    }
}
