//! `sessions.*`.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_command::escape;
use postern_contract::methods::{
    CloseSession, ControlError, ListSessions, SessionClosed, SessionFilter, SessionName, SessionRow, Sessions,
};
use postern_policy::permissions::FileLayer;

impl Handle<ListSessions> for HostControl {
    async fn handle(&self, _: ApproverId, params: SessionFilter) -> MethodResult<ListSessions> {
        let book = &self.parts.book;
        if let Some(agent) = &params.agent {
            book.require_agent(agent)?;
        }
        let only = params.agent.as_ref();
        let open = book.sessions().into_iter().filter(|(agent, ..)| only.is_none_or(|only| only == agent));
        let row = |(agent, session, layers): (_, String, postern_policy::SessionLayers)| SessionRow {
            elevated: !layers.confined && book.policy(&agent).is_some_and(|policy| policy.settings.elevated),
            agent,
            session: escape::visible_text(&session),
            layers: layers.parents.iter().map(layer_lines).collect(),
            runtime: layer_lines(&layers.runtime),
        };
        Ok(Sessions { sessions: open.map(row).collect() })
    }
}

impl Handle<CloseSession> for HostControl {
    async fn handle(
        &self,
        _: ApproverId,
        SessionName { agent, session }: SessionName,
    ) -> MethodResult<CloseSession> {
        let book = &self.parts.book;
        book.require_agent(&agent)?;
        let named =
            |(whose, name, _): &(_, String, _)| *whose == agent && escape::visible_text(name) == session;
        let Some((_, name, _)) = book.sessions().into_iter().find(named) else {
            let message = format!("{agent} has no session {session:?} open");
            return Err(ControlError::not_found(message));
        };
        let denied = self.parts.gate.close_session(agent, name).await??;
        Ok(SessionClosed { denied })
    }
}

fn layer_lines(layer: &FileLayer) -> Vec<String> {
    let line = |entry: &postern_policy::permissions::PermissionEntry| {
        let effect = entry.effect.name();
        format!("{} {}: {effect}", escape::visible_text(&entry.tool), escape::visible_text(&entry.written))
    };
    layer.entries().iter().map(line).collect()
}
