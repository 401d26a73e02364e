//! An event as it is written down, and as a line.

use super::About;
use postern_policy::Millis;
use postern_protocol::{ExecOutput, NoticeEvent};
use postern_store::events::{EventRow, NewEvent};
use serde::Serialize;

pub(super) const OUTPUT: &str = "exec.output";

/// Stored part of an event: everything but its number and time; of an output, not its data.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StoredEventPart<'a> {
    request_id: uuid::Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(flatten)]
    event: StoredBody<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum StoredBody<'a> {
    Whole(&'a NoticeEvent),
    Output { stream: postern_protocol::OutputStream, offset: u64, length: usize },
}

/// Returns an event as it is written down.
pub(crate) fn stored(about: &About, at: Millis, event: &NoticeEvent) -> NewEvent {
    row(about, at, event.method(), StoredBody::Whole(event)).pack_fields()
}

/// Returns a piece of output, of this many bytes, as it is written down.
pub(super) fn stored_output(about: &About, at: Millis, output: &ExecOutput, length: usize) -> NewEvent {
    row(about, at, OUTPUT, StoredBody::Output { stream: output.stream, offset: output.offset, length })
}

fn row(about: &About, at: Millis, method: &str, body: StoredBody<'_>) -> NewEvent {
    let stored =
        StoredEventPart { request_id: about.request_id, session: about.session.as_deref(), event: body };
    NewEvent {
        agent: about.agent.clone(),
        at,
        request: about.id,
        method: method.to_owned(),
        // Texts and numbers only: it cannot fail to serialise.
        params: serde_json::to_string(&stored).unwrap_or_else(|_| "{}".to_owned()),
        packed: None,
    }
}

/// Returns a time as agents read it: RFC 3339, milliseconds, UTC.
pub fn format_time(at: Millis) -> String {
    let at = jiff::Timestamp::from_millisecond(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{at:.3}")
}

/// Returns a written event as it was told; `None` if it cannot be read back.
pub(crate) fn notice_again(row: &EventRow) -> Option<postern_protocol::Notice> {
    let line = event_line(row, &row.event.params);
    let frame = postern_protocol::decode(line.trim_ascii_end(), postern_protocol::limits::FRAME_OUT).ok()?;
    match frame {
        postern_protocol::Frame::Notification(told) => postern_protocol::Notice::of_notification(told).ok(),
        postern_protocol::Frame::Request(_) | postern_protocol::Frame::Response(_) => None,
    }
}

/// Returns a written event as a line, `\n` included.
pub(super) fn event_line(row: &EventRow, members: &str) -> Vec<u8> {
    let (sequence, at, method) = (row.sequence, format_time(row.event.at), &row.event.method);
    let members = members.strip_prefix('{').unwrap_or("}");
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{{\"sequence\":{sequence},\"at\":\"{at}\",{members}}}\n"
    )
    .into_bytes()
}
