//! After a restart: what the last host left behind is ended, written down, and told to whom it concerns.

use super::end::event_of;
use crate::book::now;
use crate::publish::{About, Publisher};
use crate::run::{boot_id, end_survivor};
use postern_request::{Ending, Outcome};
use postern_store::requests::{self, Change, RequestRow};
use postern_store::{Error, Recovered, Store, recover as recovered};
use uuid::Uuid;

/// Ends what was left behind. Nothing of it runs again.
pub(crate) async fn recover(store: &Store, publisher: &Publisher) -> Result<(), Error> {
    let at = now();
    let Recovered { ended, running, .. } = store.write(move |conn| recovered(conn, at)).await?;
    for (row, ending) in ended {
        tell(publisher, row, ending, |_| Ok(())).await?;
    }
    for row in running {
        end_if_alive(&row);
        let ending = Ending::Finished { outcome: Outcome::Lost };
        let (id, change) = (row.summary.id, Change::ended(&ending, at)?);
        let work = move |conn: &postern_store::Connection| requests::change(conn, id, &change).map(drop);
        tell(publisher, row, ending, work).await?;
    }
    Ok(())
}

fn end_if_alive(row: &RequestRow) {
    let Some(process) = &row.process else { return };
    if process.boot == boot_id() && end_survivor(process.pid, process.start_time) {
        tracing::warn!(pid = process.pid, request = %row.summary.id, "ended what an earlier host left running");
    }
}

async fn tell(
    publisher: &Publisher,
    row: RequestRow,
    ending: Ending,
    work: impl FnOnce(&postern_store::Connection) -> Result<(), Error> + Send + 'static,
) -> Result<(), Error> {
    let Ok(request_id) = Uuid::parse_str(&row.summary.request_id) else { return Ok(()) };
    let about = About {
        agent: row.summary.agent,
        id: Some(row.summary.id),
        request_id,
        session: row.summary.session,
    };
    match publisher.publish(&about, now(), event_of(&ending), work).await {
        Ok(Ok(_)) => Ok(()),
        // An agent that was removed meanwhile hears nothing.
        Ok(Err(Error::Missing(_))) => Ok(()),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(Error::Closed),
    }
}
