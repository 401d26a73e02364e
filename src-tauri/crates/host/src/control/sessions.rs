//! `sessions.*`.

use super::{Answer, Control, Handle, gone};
use crate::ask::FaceId;
use postern_command::escape;
use postern_contract::methods::{
    CloseSession, ControlError, ListSessions, SessionClosed, SessionFilter, SessionName, SessionRow, Sessions,
};
use postern_policy::Effect;
use postern_policy::permissions::FileLayer;

impl Handle<ListSessions> for Control {
    async fn handle(&self, _: FaceId, params: SessionFilter) -> Answer<ListSessions> {
        let book = &self.parts.book;
        if let Some(agent) = &params.agent {
            book.entry(agent)?;
        }
        let only = params.agent.as_ref();
        let open = book.sessions().into_iter().filter(|(agent, ..)| only.is_none_or(|only| only == agent));
        let row = |(agent, session, layers): (_, String, postern_policy::SessionLayers)| SessionRow {
            elevated: !layers.confined && book.policy(&agent).is_some_and(|policy| policy.settings.elevated),
            agent,
            session: escape::text(&session),
            layers: layers.parents.iter().map(lines).collect(),
            runtime: lines(&layers.runtime),
        };
        Ok(Sessions { sessions: open.map(row).collect() })
    }
}

impl Handle<CloseSession> for Control {
    async fn handle(&self, _: FaceId, SessionName { agent, session }: SessionName) -> Answer<CloseSession> {
        let book = &self.parts.book;
        book.entry(&agent)?;
        let named = |(whose, name, _): &(_, String, _)| *whose == agent && escape::text(name) == session;
        let Some((_, name, _)) = book.sessions().into_iter().find(named) else {
            let message = format!("{agent} has no session {session:?} open");
            return Err(ControlError::not_found(message));
        };
        let denied = self.parts.gate.close_session(agent, name).await.map_err(gone)??;
        Ok(SessionClosed { denied })
    }
}

fn lines(layer: &FileLayer) -> Vec<String> {
    let line = |entry: &postern_policy::permissions::Entry| {
        let effect = match entry.effect {
            Effect::Allow => "allow",
            Effect::Deny => "deny",
            Effect::Ask => "ask",
        };
        format!("{} {}: {effect}", escape::text(&entry.tool), escape::text(&entry.written))
    };
    layer.entries().iter().map(line).collect()
}
