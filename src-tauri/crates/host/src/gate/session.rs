//! Sessions: a subagent's own layer of rules, and the end of what waits in it.

use super::task::Task;
use crate::book::NewSession;
use crate::socket::Reply;
use postern_policy::AgentId;
use postern_protocol::{ErrorCode, SessionCloseParams, SessionOpenParams, SessionResult};
use uuid::Uuid;

impl Task {
    pub(super) fn session_open(&mut self, agent: &AgentId, params: SessionOpenParams, reply: Reply) {
        let open = &mut self.agent(agent).sessions;
        if let Some(parent) = params.parent.as_ref().filter(|parent| !open.contains(*parent)) {
            let message = format!("there is no open session {parent:?} to stand under");
            reply.refuse(ErrorCode::UnknownSession, message);
            return;
        }
        if open.contains(&params.session) {
            let message = "this session is open already: close it first, or choose another name";
            reply.refuse(ErrorCode::InvalidParams, message);
            return;
        }
        open.insert(params.session.clone());
        let book = self.parts.book.clone();
        let (agent, messages) = (agent.clone(), self.messages.clone());
        tokio::spawn(async move {
            let session = params.session;
            let rules = params.rules.map(|rules| serde_json::Value::Object(rules).to_string());
            let new = NewSession { session: session.clone(), parent: params.parent, rules };
            match book.open_session(&agent, new).await {
                Ok(()) => reply.ok(&SessionResult { session, denied: 0 }),
                Err(error) => {
                    if let Some(messages) = messages.upgrade() {
                        let refused = super::message::Told::SessionRefused { agent, session };
                        // A gate that is gone has no sessions.
                        _ = messages.send(super::Message::Told(Box::new(refused))).await;
                    }
                    reply.refuse(ErrorCode::InvalidParams, error.to_string());
                }
            }
        });
    }

    /// What waits in a session is denied with it; what runs goes on.
    pub(super) fn session_close(&mut self, agent: &AgentId, params: SessionCloseParams, reply: Reply) {
        if !self.agent(agent).sessions.remove(&params.session) {
            reply.refuse(ErrorCode::UnknownSession, "this agent has no open session of that name");
            return;
        }
        let session = params.session;
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
            self.withdraw_check(id);
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
