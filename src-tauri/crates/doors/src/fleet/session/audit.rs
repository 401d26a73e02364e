//! Audit of this host, as it leaves it: its rows, sealed for auditors if its person wants that, and signed heads of their
//! chain. Both go into a stream that nobody may delete from.

use super::super::FleetError;
use super::super::connect::{message_id, publish_confirmed};
use super::super::keep::Folder;
use async_nats::Client;
use postern_fleet::{
    Anchor, AnchorHead, AuditRows, FleetId, FleetMessageBody as _, FleetMessageHeader, Hash, RowHead,
    SealKey, Seed, SentAuditRow, SignKey, SignedEnvelope, Subjects, rows_id,
};
use postern_host::Host;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Rows after which an anchor is due, and the time after which it is due for fewer.
const ROWS: u64 = 100;
const DUE: Duration = Duration::from_mins(1);
/// Rows of a message at most, and bytes of them, so that it fits once it is sealed and signed in base64.
const BATCH: u32 = 256;
const BYTES: usize = 24 << 10;

/// Anchors of this host: the last that the broker confirmed, and one that it may not have.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Anchored {
    last: Option<AnchorHead>,
    pending: Option<(AnchorHead, SignedEnvelope)>,
}

/// Means by which a host's audit is sent. They are moved into the sending, and come back.
pub(super) struct AuditSender {
    host: Host,
    folder: Folder,
    client: Client,
    fleet: FleetId,
    me: FleetId,
    sign: SignKey,
    /// True if its person lets auditors read its rows.
    rows: bool,
    /// Time of the last anchor that was tried.
    tried: Option<Instant>,
}

/// Facts that change while a host is connected.
pub(super) struct AuditContext {
    pub(super) policy: String,
    pub(super) roster: Hash,
    pub(super) auditors: Vec<SealKey>,
}

impl AuditSender {
    pub(super) fn new(
        host: &Host,
        folder: &Folder,
        client: Client,
        (fleet, me, sign): (&FleetId, &FleetId, SignKey),
        rows: bool,
    ) -> Self {
        let (host, folder) = (host.clone(), folder.clone());
        Self { host, folder, client, fleet: fleet.clone(), me: me.clone(), sign, rows, tried: None }
    }

    /// Sends rows, and then the anchor of them: no anchor covers a row that is not there. A broker that does not take them is
    /// tried again later.
    pub(super) async fn send(mut self, context: AuditContext) -> Self {
        if self.rows
            && !context.auditors.is_empty()
            && let Err(error) = self.send_rows(&context.auditors).await
        {
            tracing::warn!(%error, "rows of the audit could not be sent to the fleet's auditors");
        }
        if let Err(error) = self.send_anchor(&context).await {
            tracing::warn!(%error, "the audit could not be anchored at the fleet's broker");
        }
        self
    }

    /// Seals rows for the auditors, from the last one that the broker confirmed.
    async fn send_rows(&self, auditors: &[SealKey]) -> Result<(), FleetError> {
        let mut sent: Option<RowHead> = self.folder.read_json("rows-sent.json")?;
        loop {
            let after = sent.map_or(0, |sent| sent.number);
            let Some((rows, head)) = batch_of(self.host.audit_rows(after, BATCH).await) else {
                return Ok(());
            };
            let previous = sent.map(|sent| sent.hash);
            let rows = AuditRows { first: after + 1, previous, rows };
            let id = rows_id(rows.first, rows.rows.len()).ok_or(FleetError::NoHost)?;
            let header =
                FleetMessageHeader { fleet: self.fleet.clone(), from: self.me.clone(), id: id.clone() };
            let mut seed = Seed::new(super::super::random()?);
            let sealed = header.seal_body(&rows, auditors, &self.sign, &mut seed);
            let bytes = sealed.map_err(FleetError::refused)?.encode();
            if bytes.len() > AuditRows::KIND.max_bytes() {
                return Err(FleetError::Own(format!("{id} has {} bytes", bytes.len())));
            }
            let subject = Subjects::for_fleet(&self.fleet).audit_rows(self.me.as_str());
            publish_confirmed(&self.client, subject, message_id(&self.sign, id.as_str()), bytes).await?;
            self.folder.write_json("rows-sent.json", &head)?;
            sent = Some(head);
        }
    }

    /// Anchors the audit, if there is enough that no anchor covers.
    async fn send_anchor(&mut self, context: &AuditContext) -> Result<(), FleetError> {
        let mut anchored: Anchored = self.folder.read_json("anchored.json")?.unwrap_or_default();
        if let Some((head, envelope)) = anchored.pending.take() {
            // It was on its way when this host, or the connection, ended.
            self.publish_anchor(&head, &envelope).await?;
            anchored.last = Some(head);
            self.folder.write_json("anchored.json", &anchored)?;
        }
        let Some((count, row)) = self.host.audit_head().await else { return Ok(()) };
        let covered = anchored.last.map_or(0, |last| last.count);
        let soon = self.tried.is_some_and(|tried| tried.elapsed() < DUE) && count < covered + ROWS;
        if count <= covered || soon {
            return Ok(());
        }
        self.tried = Some(Instant::now());
        let anchor = Anchor {
            seq: anchored.last.map_or(1, |last| last.seq + 1),
            count,
            head: Hash::from_bytes(row),
            previous: anchored.last.map_or(Hash::NONE, |last| last.hash),
            policy: context.policy.clone(),
            roster: context.roster,
        };
        let (seq, records) = (anchor.seq, anchor.head);
        let envelope = super::super::header(&self.fleet, &self.me)?.sign_body(anchor, &[&self.sign]);
        let head = AnchorHead { seq, hash: Hash::of_bytes(&envelope.payload), count, records };
        // Kept before it is sent: no second anchor has its number.
        anchored.pending = Some((head, envelope.clone()));
        self.folder.write_json("anchored.json", &anchored)?;
        self.publish_anchor(&head, &envelope).await?;
        self.folder.write_json("anchored.json", &Anchored { last: Some(head), pending: None })
    }

    async fn publish_anchor(&self, head: &AnchorHead, envelope: &SignedEnvelope) -> Result<(), FleetError> {
        let subject = Subjects::for_fleet(&self.fleet).audit(self.me.as_str());
        let message = message_id(&self.sign, &format!("anchor {}", head.seq));
        publish_confirmed(&self.client, subject, message, envelope.encode()).await
    }
}

/// Returns as many rows as fit a message, with the last of them; `None` if there are none. One that is too long leaves its hash.
fn batch_of(rows: Vec<(u64, String, [u8; 32])>) -> Option<(Vec<SentAuditRow>, RowHead)> {
    let (mut batch, mut bytes, mut head) = (Vec::new(), 0, None);
    for (number, content, hash) in rows {
        let hash = Hash::from_bytes(hash);
        // As it is in JSON, where a quotation mark is two bytes.
        let length = serde_json::to_string(&content).map_or(usize::MAX, |text| text.len());
        let row = if length > BYTES { SentAuditRow::Hash(hash) } else { SentAuditRow::Content(content) };
        bytes += length.min(BYTES);
        if bytes > BYTES && !batch.is_empty() {
            break;
        }
        batch.push(row);
        head = Some(RowHead { number, hash });
    }
    Some((batch, head?))
}

#[cfg(test)]
mod tests {
    use super::{BYTES, batch_of};
    use postern_fleet::SentAuditRow;

    #[test]
    fn a_message_has_the_rows_that_fit_and_one_that_never_fits_is_its_hash() {
        let row = |number: u64, bytes: usize| (number, "x".repeat(bytes), [7; 32]);
        let (rows, head) = batch_of(vec![row(1, 10), row(2, BYTES), row(3, 10)]).unwrap();
        assert_eq!((rows.len(), head.number), (1, 1), "the next message begins with the long one");
        let (rows, head) = batch_of(vec![row(2, BYTES), row(3, 10)]).unwrap();
        assert_eq!((rows.len(), head.number), (1, 2));
        assert!(matches!(rows[0], SentAuditRow::Hash(_)));
        let (rows, head) = batch_of(vec![row(1, BYTES / 2), row(2, BYTES / 4), row(3, BYTES / 2)]).unwrap();
        assert_eq!((rows.len(), head.number), (2, 2));
        assert!(batch_of(Vec::new()).is_none());
    }
}
