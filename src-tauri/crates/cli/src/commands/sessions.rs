//! `postern sessions`: what agents have open, and the layers of rules above each.

use super::agents::named;
use crate::args::Json;
use crate::failure::Failure;
use crate::link::Link;
use crate::print;
use postern_contract::methods::{CloseSession, ListSessions, SessionFilter, SessionName, SessionRow};

pub(crate) fn run(link: &mut Link, agent: Option<&str>, json: Json) -> Result<(), Failure> {
    let agent = agent.map(named).transpose()?;
    let sessions = link.call::<ListSessions>(&SessionFilter { agent })?.sessions;
    if json.json {
        return print::json(&sessions);
    }
    let row = |session: &SessionRow| {
        [
            session.agent.to_string(),
            session.session.clone(),
            if session.elevated { "on".to_owned() } else { "off".to_owned() },
            session.layers.iter().map(|layer| layer.join(", ")).collect::<Vec<_>>().join(" | "),
            session.runtime.join(", "),
        ]
    };
    let headings = ["AGENT", "SESSION", "ELEVATED", "LAYERS ABOVE", "ALWAYS"];
    print::table(headings, sessions.iter().map(row).collect(), "no session is open")
}

/// Closes one by the name that the list shows.
pub(crate) fn close(link: &mut Link, agent: &str, session: String) -> Result<(), Failure> {
    let closed = link.call::<CloseSession>(&SessionName { agent: named(agent)?, session })?;
    print::line(match closed.denied {
        0 => "closed".to_owned(),
        1 => "closed; what waited in it is denied".to_owned(),
        some => format!("closed; the {some} that waited in it are denied"),
    })
}
