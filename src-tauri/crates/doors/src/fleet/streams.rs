//! Streams of a fleet at its broker. Of what hosts write each one has a share of its own, so that a host that never stops
//! loses what is its own.

use super::FleetError;
use super::connect::{ask_for_stream, jet_stream};
use async_nats::Client;
use async_nats::jetstream::stream;
use postern_fleet::{FleetId, FleetMessageKind, MemberRole, Roster, Subjects};
use std::time::Duration;

/// Versions of each entry of the bucket that are kept.
const HISTORY: i64 = 10;
const LARGEST: i32 = 1 << 20;
/// Largest size of the bucket: with the other streams it fits the 4 GiB that the broker keeps. A server that runs takes no other
/// limit.
const BUCKET: i64 = 2 << 30;
/// Longest time for which a question is kept, and the time in which a repeated message is recognized.
pub(super) const QUESTIONS_LAST: Duration = Duration::from_mins(31);
const REPEATED: Duration = Duration::from_mins(10);
/// Space for questions, and the most of a host that are kept.
const QUESTIONS_SPACE: i64 = 768 << 20;
const QUESTIONS: i64 = 128;
/// Space for anchors, and the most of a host that are kept: those of a busy week.
const ANCHORS_SPACE: i64 = 512 << 20;
const ANCHORS: i64 = 10_000;
/// Space for rows, and the most messages with rows of a host that are kept.
const ROWS_SPACE: i64 = 640 << 20;
const ROWS: i64 = 10_000;
/// Bytes of headers that a message may have, and bytes that the broker may write beside each message.
const HEADERS: i32 = 512;
const BESIDE: i64 = 512;

/// Returns the size that the bucket cannot exceed: every entry that members may write, with each of its versions as large as
/// may be. A member that fills its entries leaves room for the roster by which it is revoked.
fn size_of_bucket(groups: usize) -> i64 {
    let entries = i64::try_from(3 * groups + 5).unwrap_or(i64::MAX);
    // An eighth for what the broker writes beside each.
    let each = HISTORY * i64::from(LARGEST) / 8 * 9;
    entries.saturating_mul(each).min(BUCKET)
}

fn largest_of(kind: FleetMessageKind) -> i32 {
    i32::try_from(kind.max_bytes()).map_or(LARGEST, |bytes| bytes.saturating_add(HEADERS))
}

/// Returns how many of the largest messages of a kind fit a space for each of so many hosts, and at most so many.
fn share_of(space: i64, hosts: i64, (kind, most): (FleetMessageKind, i64)) -> i64 {
    let each = space / (i64::from(largest_of(kind)) + BESIDE) / hosts.max(1);
    each.clamp(1, most)
}

pub(super) fn streams(fleet: &FleetId, roster: &Roster) -> [stream::Config; 4] {
    let hosts = i64::try_from(roster.members_with(MemberRole::Host).count()).unwrap_or(i64::MAX);
    streams_for(fleet, hosts, roster.all_groups().len())
}

fn streams_for(fleet: &FleetId, hosts: i64, groups: usize) -> [stream::Config; 4] {
    let names = Subjects::for_fleet(fleet);
    // The subjects are those of hosts alone, each of which writes its own: no stream can be larger than all shares.
    let anchors = stream::Config {
        name: names.audit_stream(),
        subjects: vec![names.audit("*")],
        max_bytes: ANCHORS_SPACE,
        max_messages_per_subject: share_of(ANCHORS_SPACE, hosts, (FleetMessageKind::Anchor, ANCHORS)),
        max_message_size: largest_of(FleetMessageKind::Anchor),
        ..kept_for_good()
    };
    let rows = stream::Config {
        name: names.audit_row_stream(),
        subjects: vec![names.audit_rows("*")],
        max_bytes: ROWS_SPACE,
        max_messages_per_subject: share_of(ROWS_SPACE, hosts, (FleetMessageKind::AuditRows, ROWS)),
        max_message_size: largest_of(FleetMessageKind::AuditRows),
        ..kept_for_good()
    };
    let questions = stream::Config {
        name: names.question_stream(),
        subjects: vec![names.all_questions()],
        max_age: QUESTIONS_LAST,
        max_messages_per_subject: share_of(QUESTIONS_SPACE, hosts, (FleetMessageKind::Question, QUESTIONS)),
        max_bytes: QUESTIONS_SPACE,
        max_message_size: largest_of(FleetMessageKind::Question),
        duplicate_window: REPEATED,
        ..stream::Config::default()
    };
    [bucket(fleet, groups), anchors, questions, rows]
}

/// Returns the bucket as every client makes it. Made as a stream, because 2.9 does not say what the client wants to know before.
fn bucket(fleet: &FleetId, groups: usize) -> stream::Config {
    let names = Subjects::for_fleet(fleet);
    stream::Config {
        name: names.bucket_stream(),
        subjects: vec![names.key_subject(">")],
        max_messages_per_subject: HISTORY,
        max_message_size: LARGEST,
        max_bytes: size_of_bucket(groups),
        discard: stream::DiscardPolicy::New,
        republish: Some(stream::Republish {
            source: names.key_subject(">"),
            destination: names.stored(">"),
            headers_only: false,
        }),
        // Nobody empties it: a member may write its entries, and a header could ask for more.
        allow_rollup: false,
        deny_purge: true,
        deny_delete: true,
        allow_direct: true,
        ..stream::Config::default()
    }
}

/// Returns what the streams with the audit have in common: no member deletes from them.
fn kept_for_good() -> stream::Config {
    stream::Config {
        duplicate_window: REPEATED,
        deny_delete: true,
        deny_purge: true,
        allow_direct: true,
        ..stream::Config::default()
    }
}

/// Makes the streams, or brings them up to date. Only an owner may.
pub(super) async fn prepare(client: &Client, fleet: &FleetId, roster: &Roster) -> Result<(), FleetError> {
    let context = jet_stream(client);
    let [bucket, anchors, questions, rows] = streams(fleet, roster);
    for config in [bucket, anchors, questions] {
        ask_for_stream(|| context.create_or_update_stream(config.clone())).await?;
    }
    // Rights that a broker gave before there was this stream don't cover it: all else works.
    let made = ask_for_stream(|| context.create_or_update_stream(rows.clone())).await;
    if let Err(error) = made {
        tracing::warn!(%error, "the stream for rows of the audit could not be made");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BESIDE, HEADERS, streams_for};
    use postern_fleet::{FleetMessageKind, LEAST_ANCHORS, LEAST_ROW_MESSAGES};

    const SPACE: i64 = 4 << 30;

    /// Checks that no hosts can take the share of another one. Returns how many anchors, questions and messages with rows of each
    /// are kept.
    fn shares(hosts: i64, groups: usize) -> (i64, i64, i64) {
        let all = streams_for(&"fleet-1".parse().unwrap(), hosts, groups);
        assert!(all.iter().map(|stream| stream.max_bytes).sum::<i64>() <= SPACE, "{groups} groups");
        let [_, anchors, questions, rows] = &all;
        for (stream, kind) in [
            (anchors, FleetMessageKind::Anchor),
            (questions, FleetMessageKind::Question),
            (rows, FleetMessageKind::AuditRows),
        ] {
            let largest = i32::try_from(kind.max_bytes()).unwrap() + HEADERS;
            assert_eq!(stream.max_message_size, largest, "{}: what a host sends is taken", stream.name);
            let full = hosts * stream.max_messages_per_subject * (i64::from(largest) + BESIDE);
            assert!(full <= stream.max_bytes, "{hosts} hosts fill {}", stream.name);
        }
        let [anchors, questions, rows] =
            [anchors, questions, rows].map(|stream| stream.max_messages_per_subject);
        (anchors, questions, rows)
    }

    #[test]
    fn each_host_has_a_share_that_no_others_can_take() {
        let [least, least_rows] =
            [LEAST_ANCHORS, LEAST_ROW_MESSAGES].map(|least| i64::try_from(least).unwrap());
        for (hosts, rows) in [(1, 10_000), (10, 1_008)] {
            assert_eq!(shares(hosts, 1), (10_000, 128, rows));
        }
        for hosts in [64, 90, 100, 377, 1000, 1280] {
            let (anchors, questions, rows) = shares(hosts, 100);
            assert!(anchors >= least && questions >= 9, "{hosts}: {anchors}, {questions}");
            assert!(rows >= least_rows, "{hosts}: {rows}");
        }
    }
}
