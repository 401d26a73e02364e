//! Contents of the broker for all members: the sealed roster, and the statement of what is current.

use super::FleetError;
use super::keep::Folder;
use async_nats::Client;
use async_nats::jetstream::{self, kv, stream};
use futures_util::TryStreamExt as _;
use postern_fleet::{Envelope, Fresh, Id, Pinned, Roster, Sealed, Seed, SignKey, Subjects};
use std::time::Duration;

/// Keys of the bucket.
const ROSTER: &str = "roster";
const FRESH: &str = "fresh";
/// Versions of each that are kept.
const HISTORY: i64 = 10;
/// Largest value.
const LARGEST: i32 = 1 << 20;
/// Limits of the stream of questions: their age, their number for each host, and the time in which a repeated one is
/// recognized.
const QUESTIONS_LAST: Duration = Duration::from_mins(31);
const QUESTIONS: i64 = 128;
const REPEATED: Duration = Duration::from_mins(10);

/// Makes the bucket and the stream of questions, or brings them up to date. Only an owner may.
pub(super) async fn prepare(client: &Client, fleet: &Id) -> Result<(), FleetError> {
    let (context, names) = (jetstream::new(client.clone()), Subjects::of(fleet));
    // A bucket as every client makes it. Made as a stream, because 2.9 does not say what the client wants to know before.
    let bucket = stream::Config {
        name: format!("KV_{}", names.bucket()),
        subjects: vec![names.key(">")],
        max_messages_per_subject: HISTORY,
        max_message_size: LARGEST,
        max_bytes: 64 << 20,
        discard: stream::DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        ..stream::Config::default()
    };
    context.create_stream(bucket).await.map_err(FleetError::broker)?;
    let questions = stream::Config {
        name: names.question_stream(),
        subjects: vec![names.all_questions()],
        max_age: QUESTIONS_LAST,
        max_messages_per_subject: QUESTIONS,
        max_bytes: 512 << 20,
        max_message_size: LARGEST,
        duplicate_window: REPEATED,
        ..stream::Config::default()
    };
    context.create_stream(questions).await.map_err(FleetError::broker)?;
    Ok(())
}

fn bound(fleet: &Id) -> Vec<u8> {
    format!("postern-fleet document 1\n{fleet}\n{ROSTER}\n").into_bytes()
}

async fn bucket(client: &Client, fleet: &Id) -> Result<kv::Store, FleetError> {
    let context = jetstream::new(client.clone());
    context.get_key_value(Subjects::of(fleet).bucket()).await.map_err(FleetError::broker)
}

/// Signs the next roster, stores it for its members, and says that it is current.
pub(super) async fn publish(
    client: &Client,
    fleet: &Id,
    (owner, key): (&Id, &SignKey),
    before: &Pinned,
    roster: Roster,
) -> Result<(Envelope, Pinned), FleetError> {
    let header = super::header(fleet, owner)?;
    let to: Vec<_> = roster.members.iter().map(|member| member.seal).collect();
    let envelope = header.sign(roster, &[key]);
    let pinned = before.next(&envelope, fleet).map_err(FleetError::refused)?;
    let mut seed = Seed::new(super::random()?);
    let sealed =
        Sealed::seal(&bound(fleet), &envelope.encode(), &to, &mut seed).map_err(FleetError::refused)?;
    let bytes = serde_json::to_vec(&sealed).map_err(FleetError::own)?;
    let store = bucket(client, fleet).await?;
    // Nobody else published meanwhile: compare and set.
    let newest = store.entry(ROSTER).await.map_err(FleetError::broker)?;
    let revision = newest.map_or(0, |entry| entry.revision);
    store.update(ROSTER, bytes.into(), revision).await.map_err(FleetError::broker)?;
    say_fresh(client, fleet, (owner, key), &pinned).await?;
    Ok((envelope, pinned))
}

/// Says that a roster is current.
pub(super) async fn say_fresh(
    client: &Client,
    fleet: &Id,
    (owner, key): (&Id, &SignKey),
    pinned: &Pinned,
) -> Result<(), FleetError> {
    let (version, roster, at) = (pinned.roster.version, pinned.hash, super::wall());
    let fresh = Fresh { version, roster, policy: std::collections::BTreeMap::new(), at };
    let header = super::header(fleet, owner)?;
    let store = bucket(client, fleet).await?;
    store.put(FRESH, header.sign(fresh, &[key]).encode().into()).await.map_err(FleetError::broker)?;
    Ok(())
}

/// Something that the bucket keeps, as it came.
#[derive(Debug)]
pub(super) enum Stored {
    /// An envelope with a roster.
    Roster(Vec<u8>),
    /// An envelope with word of what is current.
    Fresh(Vec<u8>),
}

/// Opens a value of the bucket; `None` if it is none of ours.
pub(super) fn opened(
    fleet: &Id,
    key: &postern_fleet::OpenKey,
    subject: &str,
    value: &[u8],
) -> Option<Stored> {
    let names = Subjects::of(fleet);
    if subject == names.key(FRESH) {
        return Some(Stored::Fresh(value.to_vec()));
    }
    let sealed: Sealed = serde_json::from_slice(value).ok().filter(|_| subject == names.key(ROSTER))?;
    sealed.open(&bound(fleet), key).ok().map(Stored::Roster)
}

/// Reads everything that the bucket keeps, rosters first, oldest first.
pub(super) async fn read(
    client: &Client,
    fleet: &Id,
    key: &postern_fleet::OpenKey,
) -> Result<Vec<Stored>, FleetError> {
    let store = bucket(client, fleet).await?;
    let history = store.history(ROSTER).await.map_err(FleetError::broker)?;
    let entries: Vec<kv::Entry> = history.try_collect().await.map_err(FleetError::broker)?;
    let subject = Subjects::of(fleet).key(ROSTER);
    let mut all: Vec<Stored> =
        entries.iter().filter_map(|entry| opened(fleet, key, &subject, &entry.value)).collect();
    if let Some(fresh) = store.get(FRESH).await.map_err(FleetError::broker)? {
        all.push(Stored::Fresh(fresh.to_vec()));
    }
    Ok(all)
}

/// Follows the rosters that the broker has and pins the newest one that counts.
pub(super) async fn follow(
    client: &Client,
    fleet: &Id,
    key: &postern_fleet::OpenKey,
    folder: &Folder,
) -> Result<Pinned, FleetError> {
    let mut pinned = folder.pinned()?;
    for stored in read(client, fleet, key).await? {
        let Stored::Roster(bytes) = stored else { continue };
        let Ok(envelope) = Envelope::decode(&bytes, postern_fleet::Kind::Roster.limit()) else { continue };
        if let Ok(next) = pinned.next(&envelope, fleet) {
            folder.pin(&next, &envelope)?;
            pinned = next;
        }
    }
    Ok(pinned)
}
