//! Contents of the broker for all members: the sealed roster, and the statement of what is current.

use super::FleetError;
use super::connect::{BrokerLink, ask_for_stream, jet_stream};
use super::entries;
use super::keep::{Folder, Keys};
use async_nats::Client;
use async_nats::jetstream::kv;
use postern_fleet::{
    FleetId, FleetProposal, Fresh, Hash, OpenKey, PinnedRoster, SealKey, Seed, SignKey, SignedEnvelope,
    Subjects, open_document, seal_document,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Keys of the bucket.
pub(super) const ROSTER: &str = "roster";
const FRESH: &str = "fresh";
pub(super) const BUNDLE: &str = "bundle";
pub(super) const STAGE: &str = "stage";
pub(super) const PROPOSAL: &str = "proposal";
/// Key of the roster that waits for signatures of further owners.
pub(super) const ROSTER_PROPOSAL: &str = "proposal.roster";
/// Longest time for the broker to send the next entry.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bucket of a fleet, as the member with this key reads it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket<'a> {
    pub(super) client: &'a Client,
    pub(super) fleet: &'a FleetId,
    pub(super) open: &'a OpenKey,
}

/// The person's member of this Mac, connected, with the roster that counts now.
pub(super) struct PersonConnection {
    pub(super) link: BrokerLink,
    pub(super) fleet: FleetId,
    pub(super) me: FleetId,
    pub(super) keys: Keys,
    pub(super) pinned: PinnedRoster,
}

impl PersonConnection {
    /// Connects, and follows the rosters that the broker has.
    pub(super) async fn open(folder: &Folder) -> Result<Self, FleetError> {
        let membership = folder.membership()?;
        let me = membership.own_member_id(false).ok_or(FleetError::NoApprover)?.clone();
        let keys = folder.read_keys(&me)?;
        let link = BrokerLink::open_as_member(folder, &membership, (&me, &keys.nkey)).await?;
        let fleet = membership.fleet;
        let pinned = follow(Bucket { client: &link.client, fleet: &fleet, open: &keys.open }, folder).await?;
        Ok(Self { link, fleet, me, keys, pinned })
    }
}

/// Revision of each entry of the bucket, and the time when it was written: what is the same was read.
pub(super) type Revisions = BTreeMap<String, (u64, i128)>;

/// Reads which entries the bucket has, without their values.
pub(super) async fn revisions(link: &BrokerLink, fleet: &FleetId) -> Result<Revisions, FleetError> {
    let names = Subjects::for_fleet(fleet);
    let about = (names.bucket_stream(), names.key_subject(">"));
    let newest = entries::read_newest_headers(&link.client, about, PATIENCE).await?;
    let mut all = Revisions::new();
    for message in newest {
        let info = message.info().map_err(FleetError::broker)?;
        let written = info.published.unix_timestamp_nanos();
        let key = message.subject.strip_prefix(names.key_subject("").as_str()).unwrap_or_default();
        all.insert(key.to_owned(), (info.stream_sequence, written));
    }
    Ok(all)
}

/// Returns those revisions that a host of these groups reads: of others it knows nothing.
pub(super) fn of_groups(mut all: Revisions, fleet: &FleetId, groups: &[FleetId]) -> Revisions {
    let names = Subjects::for_fleet(fleet);
    let keys = groups.iter().flat_map(|group| names.policy_keys(group));
    let keys: BTreeSet<String> = keys.chain([ROSTER, FRESH].map(ToOwned::to_owned)).collect();
    all.retain(|key, _| keys.contains(key));
    all
}

#[derive(Debug)]
pub(super) struct Document {
    pub(super) envelope: SignedEnvelope,
    /// Revision in the bucket, for the next write.
    pub(super) revision: u64,
}

/// Returns the newest document under a key; `None` if there is none that this member can open.
pub(super) async fn newest(bucket: Bucket<'_>, key: &str) -> Result<Option<Document>, FleetError> {
    let (revision, envelope) = newest_entry(bucket, key).await?;
    Ok(envelope.map(|envelope| Document { envelope, revision }))
}

/// Returns the revision of the newest entry under a key, 0 if there is none, and its document if this member can open it.
pub(super) async fn newest_entry(
    bucket: Bucket<'_>,
    key: &str,
) -> Result<(u64, Option<SignedEnvelope>), FleetError> {
    newest_value(bucket, key, |value| read_sealed(bucket, key, value)).await
}

/// Returns the revision of the newest entry under a key, 0 if there is none, and what is read of its value.
async fn newest_value<T>(
    bucket: Bucket<'_>,
    key: &str,
    read: impl FnOnce(&[u8]) -> Option<T>,
) -> Result<(u64, Option<T>), FleetError> {
    let entry = open_bucket(bucket).await?.entry(key).await.map_err(FleetError::broker)?;
    Ok(entry.map_or((0, None), |entry| (entry.revision, read(&entry.value))))
}

/// Returns the rosters that a member may lack, oldest first: of all that the bucket keeps no more than is needed.
async fn rosters_after(bucket: Bucket<'_>, pinned: &PinnedRoster) -> Result<Vec<SignedEnvelope>, FleetError> {
    match newest(bucket, ROSTER).await?.map(|newest| newest.envelope) {
        Some(ours) if Hash::of_bytes(&ours.payload) == pinned.hash => Ok(Vec::new()),
        Some(next) if pinned.verify_next(&next, bucket.fleet).is_ok() => Ok(vec![next]),
        _ => versions(bucket, ROSTER).await,
    }
}

/// Returns all versions of a document that the bucket keeps, oldest first.
pub(super) async fn versions(bucket: Bucket<'_>, key: &str) -> Result<Vec<SignedEnvelope>, FleetError> {
    let names = Subjects::for_fleet(bucket.fleet);
    let about = (names.bucket_stream(), names.key_subject(key));
    let kept = entries::read_to_end(bucket.client, about, PATIENCE).await?;
    Ok(kept.iter().filter_map(|message| read_sealed(bucket, key, &message.payload)).collect())
}

/// Reads the document under a key; `None` if it is not for this member.
fn read_sealed(bucket: Bucket<'_>, key: &str, value: &[u8]) -> Option<SignedEnvelope> {
    let bytes = open_document((bucket.fleet, key), value, bucket.open).ok()?;
    SignedEnvelope::decode(&bytes, postern_fleet::FleetMessageKind::Bundle.max_bytes()).ok()
}

/// Seals a document for members and stores it, if the newest one is still the one of this revision (0: none).
pub(super) async fn replace(
    bucket: Bucket<'_>,
    key: &str,
    envelope: &SignedEnvelope,
    (to, revision): (&[SealKey], u64),
) -> Result<(), FleetError> {
    replace_bytes(bucket, key, &envelope.encode(), (to, revision)).await.map(drop)
}

async fn replace_bytes(
    bucket: Bucket<'_>,
    key: &str,
    bytes: &[u8],
    (to, revision): (&[SealKey], u64),
) -> Result<u64, FleetError> {
    let mut seed = Seed::new(super::random()?);
    let bytes = seal_document((bucket.fleet, key), bytes, to, &mut seed).map_err(FleetError::refused)?;
    // Nobody else wrote meanwhile: compare and set.
    let stored = open_bucket(bucket).await?.update(key, bytes.into(), revision).await;
    stored.map_err(|error| match error.kind() {
        kv::UpdateErrorKind::WrongLastRevision => overtaken(),
        _ => FleetError::broker(error),
    })
}

/// Returns the revision of the entry of a proposal, 0 if there is none, and what waits there for this member's signature.
pub(super) async fn newest_proposal(
    bucket: Bucket<'_>,
    key: &str,
) -> Result<(u64, Option<FleetProposal>), FleetError> {
    let read =
        |value: &[u8]| FleetProposal::decode(&open_document((bucket.fleet, key), value, bucket.open).ok()?);
    newest_value(bucket, key, read).await
}

/// Seals a proposal for those who may sign it and stores it, if the newest entry is still the one of this revision (0: none).
///
/// Returns the revision that it has.
pub(super) async fn replace_proposal(
    bucket: Bucket<'_>,
    key: &str,
    proposal: &FleetProposal,
    (to, revision): (&[SealKey], u64),
) -> Result<u64, FleetError> {
    let (bytes, most) = (proposal.encode(), postern_fleet::FleetMessageKind::Bundle.max_bytes());
    if bytes.len() > most {
        return Err(too_large(bytes.len(), most));
    }
    replace_bytes(bucket, key, &bytes, (to, revision)).await
}

fn overtaken() -> FleetError {
    FleetError::Refused("somebody else published meanwhile: look again".to_owned())
}

async fn open_bucket(bucket: Bucket<'_>) -> Result<kv::Store, FleetError> {
    let (context, name) = (jet_stream(bucket.client), Subjects::for_fleet(bucket.fleet).bucket());
    ask_for_stream(|| context.get_key_value(&name)).await
}

/// Refuses what no member would read.
pub(super) fn require_size<B: postern_fleet::FleetMessageBody>(
    envelope: &SignedEnvelope,
) -> Result<(), FleetError> {
    let (bytes, most) = (envelope.encode().len(), B::KIND.max_bytes());
    if bytes <= most {
        return Ok(());
    }
    Err(too_large(bytes, most))
}

fn too_large(bytes: usize, most: usize) -> FleetError {
    FleetError::Refused(format!("it is too large for the fleet: {bytes} bytes, at most {most}"))
}

/// Stores a signed roster for its members, and says that it is current. A fleet has no two rosters of a version.
pub(super) async fn publish(
    bucket: Bucket<'_>,
    by: (&FleetId, &SignKey),
    (before, pinned): (&PinnedRoster, &PinnedRoster),
    envelope: &SignedEnvelope,
) -> Result<(), FleetError> {
    let to: Vec<_> = pinned.roster.members.iter().map(|member| member.seal).collect();
    let newest = open_bucket(bucket).await?.entry(ROSTER).await.map_err(FleetError::broker)?;
    let stored = newest.as_ref().and_then(|entry| read_sealed(bucket, ROSTER, &entry.value));
    if stored.is_some_and(|stored| before.verify_later(&stored, bucket.fleet).is_ok()) {
        return Err(overtaken());
    }
    let revision = newest.map_or(0, |entry| entry.revision);
    replace(bucket, ROSTER, envelope, (&to, revision)).await?;
    say_fresh(bucket, by, pinned).await
}

/// Stores the roster that counts again if the broker's newest entry is none, or an older one. Returns true if it did.
///
/// A member can have the broker overwrite it, and a broker may lose what it stored.
pub(super) async fn restore_roster(
    bucket: Bucket<'_>,
    owner: &FleetId,
    (pinned, signed): (&PinnedRoster, &SignedEnvelope),
) -> Result<bool, FleetError> {
    let (revision, newest) = newest_entry(bucket, ROSTER).await?;
    let is_replaced = revision == 0 || pinned.is_replaced_by(newest.as_ref(), bucket.fleet, owner);
    if is_replaced {
        let to: Vec<_> = pinned.roster.members.iter().map(|member| member.seal).collect();
        replace(bucket, ROSTER, signed, (&to, revision)).await?;
    }
    Ok(is_replaced)
}

/// Says that a roster is current.
pub(super) async fn say_fresh(
    bucket: Bucket<'_>,
    (owner, key): (&FleetId, &SignKey),
    pinned: &PinnedRoster,
) -> Result<(), FleetError> {
    let (version, roster, at) = (pinned.roster.version, pinned.hash, super::wall_clock());
    let fresh = Fresh { version, roster, policy: BTreeMap::new(), at };
    let header = super::header(bucket.fleet, owner)?;
    let store = open_bucket(bucket).await?;
    store.put(FRESH, header.sign_body(fresh, &[key]).encode().into()).await.map_err(FleetError::broker)?;
    Ok(())
}

/// Something that the bucket keeps, as it came.
#[derive(Debug)]
pub(super) enum StoredFleetEntry {
    Roster(Vec<u8>),
    /// An envelope with word of what is current.
    Fresh(Vec<u8>),
    /// An envelope with a bundle or a stage of a group.
    Policy(Vec<u8>),
}

impl StoredFleetEntry {
    /// Returns the envelope of a roster; `None` for what is none.
    pub(super) fn as_roster(&self) -> Option<&[u8]> {
        match self {
            Self::Roster(bytes) => Some(bytes),
            Self::Fresh(_) | Self::Policy(_) => None,
        }
    }
}

/// Opens a value of the bucket, as the broker repeats it; `None` if it is none of ours. A proposal is nobody's yet.
pub(super) fn opened(
    fleet: &FleetId,
    open: &OpenKey,
    subject: &str,
    value: &[u8],
) -> Option<StoredFleetEntry> {
    let names = Subjects::for_fleet(fleet);
    let key = subject.strip_prefix(names.stored("").as_str())?;
    if key == FRESH {
        return Some(StoredFleetEntry::Fresh(value.to_vec()));
    }
    if key.split('.').next() == Some(PROPOSAL) {
        return None;
    }
    let bytes = open_document((fleet, key), value, open).ok()?;
    Some(if key == ROSTER { StoredFleetEntry::Roster(bytes) } else { StoredFleetEntry::Policy(bytes) })
}

/// Reads the rosters that a member may lack, oldest first, and word of what is current: what of both `is_new`.
pub(super) async fn read_entries(
    bucket: Bucket<'_>,
    (pinned, is_new): (&PinnedRoster, &impl Fn(&str) -> bool),
) -> Result<Vec<StoredFleetEntry>, FleetError> {
    let rosters = if is_new(ROSTER) { rosters_after(bucket, pinned).await? } else { Vec::new() };
    let mut all: Vec<StoredFleetEntry> =
        rosters.iter().map(|roster| StoredFleetEntry::Roster(roster.encode())).collect();
    let fresh = open_bucket(bucket).await?.get(FRESH).await.map_err(FleetError::broker)?;
    all.extend(fresh.map(|fresh| StoredFleetEntry::Fresh(fresh.to_vec())));
    Ok(all)
}

/// Reads the newest bundle and stage of each of these groups: what of them `is_new`.
pub(super) async fn read_policy(
    bucket: Bucket<'_>,
    (groups, is_new): (&[FleetId], &impl Fn(&str) -> bool),
) -> Result<Vec<StoredFleetEntry>, FleetError> {
    let names = Subjects::for_fleet(bucket.fleet);
    let keys = groups.iter().flat_map(|group| names.policy_keys(group));
    let keys: Vec<String> = keys.filter(|key| is_new(key)).collect();
    let mut all = Vec::new();
    for key in keys {
        let document = newest(bucket, &key).await?;
        all.extend(document.map(|document| StoredFleetEntry::Policy(document.envelope.encode())));
    }
    Ok(all)
}

/// Follows the rosters that the broker has and pins the newest one that counts.
pub(super) async fn follow(bucket: Bucket<'_>, folder: &Folder) -> Result<PinnedRoster, FleetError> {
    follow_from(bucket, folder, folder.pinned()?).await.map(|(pinned, _)| pinned)
}

/// Follows the rosters after one, pins them, and returns the newest and all of them as their owners signed them.
pub(super) async fn follow_from(
    bucket: Bucket<'_>,
    folder: &Folder,
    mut pinned: PinnedRoster,
) -> Result<(PinnedRoster, Vec<SignedEnvelope>), FleetError> {
    let mut followed = Vec::new();
    for envelope in rosters_after(bucket, &pinned).await? {
        if let Ok(next) = pinned.verify_later(&envelope, bucket.fleet) {
            folder.pin_roster(&next, &envelope)?;
            pinned = next;
            followed.push(envelope);
        }
    }
    Ok((pinned, followed))
}
