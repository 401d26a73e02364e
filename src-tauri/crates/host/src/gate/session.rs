//! Sessions: a subagent's own layer of rules, and the end of what waits in it.

use super::task::Task;
use crate::book::NewSession;
use crate::socket::Reply;
use postern_policy::AgentId;
use postern_protocol::{ErrorCode, SessionCloseParams, SessionOpenParams, SessionResult};
use uuid::Uuid;

/// What is asked for in a session before it is open is refused.
pub(super) const OPENING: &str = "this session is not open yet: wait for the answer to session.open";

impl Task {
    pub(super) fn session_open(&mut self, agent: &AgentId, params: SessionOpenParams, reply: Reply) {
        let open = &mut self.agent(agent).sessions;
        if let Some(parent) = params.parent.as_ref().filter(|parent| open.get(*parent) != Some(&true)) {
            let message = format!("there is no open session {parent:?} to stand under");
            reply.refuse(ErrorCode::UnknownSession, message);
            return;
        }
        if open.contains_key(&params.session) {
            let message = "this session is open already: close it first, or choose another name";
            reply.refuse(ErrorCode::InvalidParams, message);
            return;
        }
        open.insert(params.session.clone(), false);
        let book = self.parts.book.clone();
        let (agent, messages) = (agent.clone(), self.messages.clone());
        tokio::spawn(async move {
            let session = params.session;
            let rules = params.rules.map(|rules| serde_json::Value::Object(rules).to_string());
            let elevated = params.elevated;
            let new = NewSession { session: session.clone(), parent: params.parent, rules, elevated };
            let outcome = book.open_session(&agent, new).await;
            if let Some(messages) = messages.upgrade() {
                let is_open = outcome.is_ok();
                let opened = super::message::Told::SessionOpened { agent, session: session.clone(), is_open };
                // A gate that is gone has no sessions.
                _ = messages.send(super::Message::Told(Box::new(opened))).await;
            }
            match outcome {
                Ok(()) => reply.ok(&SessionResult { session, denied: 0 }),
                Err(error) => reply.refuse(ErrorCode::InvalidParams, error.to_string()),
            }
        });
    }

    /// The layers of a session are in force, or it could not be opened.
    pub(super) fn session_opened(&mut self, agent: &AgentId, session: String, is_open: bool) {
        let open = &mut self.agent(agent).sessions;
        if is_open {
            open.insert(session, true);
        } else {
            open.remove(&session);
        }
    }

    /// Whether a session's layers are not in force yet: nothing may be judged in it.
    pub(super) fn is_opening(&mut self, agent: &AgentId, session: Option<&str>) -> bool {
        session.is_some_and(|session| self.agent(agent).sessions.get(session) == Some(&false))
    }

    /// What waits in a session is denied with it; what runs goes on.
    pub(super) fn session_close(&mut self, agent: &AgentId, params: SessionCloseParams, reply: Reply) {
        if self.agent(agent).sessions.get(&params.session) != Some(&true) {
            reply.refuse(ErrorCode::UnknownSession, "this agent has no open session of that name");
            return;
        }
        let session = params.session;
        self.agent(agent).sessions.remove(&session);
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
        let mut denied = u64::try_from(waiting.len()).unwrap_or(u64::MAX);
        for id in waiting {
            self.withdraw(id, "its session closed");
        }
        let checks: Vec<Uuid> = self
            .checks
            .iter()
            .filter(|(_, check)| check.agent == *agent && check.session.as_ref() == Some(&session))
            .map(|(id, _)| *id)
            .collect();
        denied = denied.saturating_add(u64::try_from(checks.len()).unwrap_or(u64::MAX));
        for id in checks {
            self.withdraw_check(id, "its session closed");
        }
        let (book, agent) = (self.parts.book.clone(), agent.clone());
        tokio::spawn(async move {
            match book.close_session(&agent, &session).await {
                Ok(()) => reply.ok(&SessionResult { session, denied }),
                Err(error) => reply.refuse(ErrorCode::Internal, error.to_string()),
            }
        });
    }
}
