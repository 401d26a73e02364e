//! `sessions.*`.

use super::{Answer, Control, Handle};
use crate::ask::FaceId;
use postern_command::escape;
use postern_contract::methods::{ListSessions, SessionFilter, SessionRow, Sessions};
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
