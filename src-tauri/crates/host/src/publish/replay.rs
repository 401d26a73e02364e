//! Replay of the events that an agent missed.

use super::line::{OUTPUT, event_line};
use crate::socket::Outbox;
use base64::Engine as _;
use postern_policy::AgentId;
use postern_store::events::EventRow;
use postern_store::{Error, Store, events, outputs};
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

/// Number of events that are read at once.
const PAGE: u32 = 256;

/// Returns the number of events after `sequence`, up to `newest`.
pub(super) async fn count_missed(
    store: &Store,
    agent: &AgentId,
    sequence: u64,
    newest: u64,
) -> Result<u64, Error> {
    let (store, agent) = (store.clone(), agent.clone());
    let read = tokio::task::spawn_blocking(move || store.read(|conn| events::oldest(conn, &agent)));
    let oldest = read.await.map_err(|_| Error::Closed)??;
    Ok(oldest.map_or(0, |oldest| newest.saturating_sub(sequence.max(oldest.saturating_sub(1)))))
}

/// Puts every event behind `sequence`, up to `newest`, on its way to `outbox`, as fast as that is read.
pub(super) async fn replay(store: &Store, agent: &AgentId, outbox: &Outbox, sequence: u64, newest: u64) {
    let mut after = sequence;
    while after < newest && !outbox.is_gone() {
        let (reading, whose) = (store.clone(), agent.clone());
        let page = tokio::task::spawn_blocking(move || {
            let rows = reading.read(|conn| events::events_after(conn, &whose, after, PAGE))?;
            Ok::<_, Error>(
                rows.iter().map(|row| (row.sequence, replay_line(&reading, row))).collect::<Vec<_>>(),
            )
        });
        let page = match page.await {
            Ok(Ok(page)) if !page.is_empty() => page,
            Ok(Err(error)) => {
                tracing::error!(%agent, %error, "events cannot be sent again");
                outbox.drop_connection();
                return;
            }
            Ok(Ok(_)) | Err(_) => return,
        };
        for (sequence, line) in page {
            if sequence > newest {
                return;
            }
            after = sequence;
            outbox.push(line.into());
            outbox.wait_for_room().await;
        }
    }
}

#[derive(Deserialize)]
struct StoredOutput {
    stream: postern_protocol::OutputStream,
    offset: u64,
    length: u64,
}

fn replay_line(store: &Store, row: &EventRow) -> Vec<u8> {
    if row.event.method != OUTPUT {
        return event_line(row, &row.event.params);
    }
    let members = with_data(store, row).unwrap_or_else(|| row.event.params.clone());
    event_line(row, &members)
}

/// Returns an output with the data that is still kept of it, and how much is not.
fn with_data(store: &Store, row: &EventRow) -> Option<String> {
    let mut members: Map<String, Value> = serde_json::from_str(&row.event.params).ok()?;
    let written: StoredOutput = serde_json::from_str(&row.event.params).ok()?;
    let bytes =
        row.event.request.and_then(|request| stored_bytes(store, request, &written)).unwrap_or_default();
    members.remove("length");
    let left_out = written.length.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    if left_out > 0 {
        members.insert("leftOut".to_owned(), left_out.into());
    }
    match String::from_utf8(bytes) {
        Ok(text) => {
            members.insert("data".to_owned(), text.into());
        }
        Err(error) => {
            let data = base64::engine::general_purpose::STANDARD.encode(error.as_bytes());
            members.insert("data".to_owned(), data.into());
            members.insert("encoding".to_owned(), "base64".into());
        }
    }
    serde_json::to_string(&members).ok()
}

/// Returns the bytes of an output, where all of them are still kept.
fn stored_bytes(store: &Store, request: Uuid, written: &StoredOutput) -> Option<Vec<u8>> {
    let output = store.read(|conn| outputs::get_output(conn, request, written.stream)).ok()??;
    let whole = |part: &[u8], start: u64| {
        let from = usize::try_from(written.offset.checked_sub(start)?).ok()?;
        let length = usize::try_from(written.length).ok()?;
        part.get(from..from.checked_add(length)?).map(<[u8]>::to_vec)
    };
    let tail_start = output.bytes.saturating_sub(u64::try_from(output.tail.len()).unwrap_or(u64::MAX));
    whole(&output.head, 0).or_else(|| whole(&output.tail, tail_start))
}
