//! After a restart: what the last host left behind is ended, written down, and told to whom it concerns.

use super::call::resolved;
use super::end::event_of;
use crate::clock::now_millis;
use crate::publish::{About, stored};
use postern_exec::run::{boot_id, end_survivor};
use postern_policy::Origin;
use postern_request::{Outcome, RequestEnding};
use postern_store::requests::{self, RequestChange, StoredRequest};
use postern_store::{Connection, Error, Store, events, recover as recovered};
use uuid::Uuid;

/// Ends what was left behind. Nothing of it runs again.
pub(crate) async fn recover(store: &Store) -> Result<(), Error> {
    let at = now_millis();
    let found = store.write(move |conn| {
        let found = recovered(conn, at)?;
        for (row, ending) in &found.ended {
            record_end(conn, row, ending)?;
        }
        Ok(found)
    });
    for row in found.await?.running {
        end_if_alive(&row);
        let lost = store.write(move |conn| {
            let ending = RequestEnding::Finished { end: Outcome::Lost.into() };
            requests::change(conn, row.summary.id, &RequestChange::from_ending(&ending, at)?)?;
            record_end(conn, &row, &ending)
        });
        lost.await?;
    }
    Ok(())
}

fn end_if_alive(row: &StoredRequest) {
    let Some(process) = &row.process else { return };
    if process.boot == boot_id() && end_survivor(process.pid, process.start_time) {
        tracing::warn!(pid = process.pid, request = %row.summary.id, "ended what an earlier host left running");
    }
}

/// Records the end: nobody is connected yet, so it is sent when the agent asks for what it missed.
fn record_end(conn: &Connection, row: &StoredRequest, ending: &RequestEnding) -> Result<(), Error> {
    let Ok(request_id) = Uuid::parse_str(&row.summary.request_id) else { return Ok(()) };
    let about = About {
        agent: row.summary.agent.clone(),
        id: Some(row.summary.id),
        request_id,
        session: row.summary.session.clone(),
    };
    let event = match row.summary.origin {
        Origin::Host => event_of(ending),
        Origin::AgentShell | Origin::Tool => {
            let confined = row.plan.as_ref().and_then(|plan| plan.confinement.to_confined());
            resolved(row.summary.id, Some(ending), confined)
        }
    };
    match events::append(conn, &stored(&about, now_millis(), &event)) {
        Ok(sequence) => requests::note_end_event(conn, row.summary.id, sequence),
        // An agent that was removed meanwhile hears nothing.
        Err(Error::Missing(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
