//! Reads what the menu-bar item and its popover show: the state, what waits, what runs and what ran last.

use crate::backend::Backend;
use postern_contract::methods::{GetStatus, ListAgents, ListQuestions, ListRequests, Nothing, RequestFilter};
use postern_contract::{AgentMark, Overview, RequestRow};
use postern_protocol::RunState;

/// Requests that are listed of those that run, and of those that ended.
const LAST: usize = 5;
/// Requests that are read to find them.
const READ: u32 = 30;

/// Reads everything from the host.
pub(crate) async fn read_overview(backend: &Backend) -> anyhow::Result<Overview> {
    let filter = RequestFilter { limit: Some(READ), ..RequestFilter::default() };
    let requests = backend.invoke::<ListRequests>(&filter).await?.requests;
    let (mut running, mut recent): (Vec<RequestRow>, Vec<_>) = requests
        .into_iter()
        .filter(|row| row.state != RunState::Asking)
        .partition(|row| !row.state.has_ended());
    running.truncate(LAST);
    recent.truncate(LAST);
    let agents = backend.invoke::<ListAgents>(&Nothing {}).await?.agents;
    Ok(Overview {
        status: backend.invoke::<GetStatus>(&Nothing {}).await?,
        agents: agents.into_iter().map(AgentMark::from).collect(),
        questions: backend.invoke::<ListQuestions>(&Nothing {}).await?.questions,
        running,
        recent,
        lost: false,
    })
}
