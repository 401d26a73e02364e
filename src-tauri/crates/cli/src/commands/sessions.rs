//! `postern sessions`: what agents have open, and the layers of rules above each.

use super::agents::parse_agent_id;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use crate::shared_args::JsonOutput;
use postern_contract::methods::{CloseSession, ListSessions, SessionFilter, SessionName, SessionRow};

pub(crate) fn run(link: &mut HostLink, agent: Option<&str>, json: JsonOutput) -> Result<(), Failure> {
    let agent = agent.map(parse_agent_id).transpose()?;
    let sessions = link.call_method::<ListSessions>(&SessionFilter { agent })?.sessions;
    if json.json {
        return print::write_json(&sessions);
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
    print::write_table(headings, sessions.iter().map(row).collect(), "no session is open")
}

/// Closes one by the name that the list shows.
pub(crate) fn close_session(link: &mut HostLink, agent: &str, session: String) -> Result<(), Failure> {
    let closed = link.call_method::<CloseSession>(&SessionName { agent: parse_agent_id(agent)?, session })?;
    print::write_line(match closed.denied {
        0 => "closed".to_owned(),
        1 => "closed; what waited in it is denied".to_owned(),
        some => format!("closed; the {some} that waited in it are denied"),
    })
}
