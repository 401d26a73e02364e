//! Anchors of this host: it signs the head of its own audit's chain, and puts it into a stream that nobody may delete from.

use super::super::FleetError;
use super::super::keep::Folder;
use super::FleetHostSession;
use async_nats::HeaderMap;
use async_nats::jetstream;
use postern_fleet::{Anchor, AnchorHead, Hash, SignedEnvelope};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Rows after which an anchor is due, and the time after which it is due for fewer.
const ROWS: u64 = 100;
const DUE: Duration = Duration::from_mins(1);
/// Longest time for the broker to confirm an anchor.
const CONFIRM: Duration = Duration::from_secs(5);

/// Anchors of this host: the last that the broker confirmed, and one that it may not have.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Anchored {
    last: Option<AnchorHead>,
    pending: Option<(AnchorHead, SignedEnvelope)>,
}

impl Folder {
    fn anchored(&self) -> Result<Anchored, FleetError> {
        Ok(self.read_json("anchored.json")?.unwrap_or_default())
    }
}

impl FleetHostSession {
    /// Anchors the audit, if there is enough that no anchor covers. A broker that does not take it is tried again later.
    pub(super) async fn anchor_audit(&mut self) {
        if let Err(error) = self.try_anchor().await {
            tracing::warn!(%error, "the audit could not be anchored at the fleet's broker");
        }
    }

    async fn try_anchor(&mut self) -> Result<(), FleetError> {
        let mut anchored = self.folder.anchored()?;
        if let Some((head, envelope)) = anchored.pending.take() {
            // It was on its way when this host, or the connection, ended.
            self.send_anchor(&head, &envelope).await?;
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
            policy: self.policy.in_force(),
            roster: self.fleet.roster(),
        };
        let (seq, records) = (anchor.seq, anchor.head);
        let envelope = super::super::header(&self.fleet.id, &self.fleet.me)?.sign_body(anchor, &[&self.sign]);
        let head = AnchorHead { seq, hash: Hash::of_bytes(&envelope.payload), count, records };
        // Kept before it is sent: no second anchor has its number.
        anchored.pending = Some((head, envelope.clone()));
        self.folder.write_json("anchored.json", &anchored)?;
        self.send_anchor(&head, &envelope).await?;
        self.folder.write_json("anchored.json", &Anchored { last: Some(head), pending: None })
    }

    async fn send_anchor(&self, head: &AnchorHead, envelope: &SignedEnvelope) -> Result<(), FleetError> {
        let context = jetstream::new(self.link.client.clone());
        let subject = self.names.audit(self.fleet.me.as_str());
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Msg-Id", format!("{}:{}", self.fleet.me, head.seq).as_str());
        let sent = async {
            let sent = context.publish_with_headers(subject, headers, envelope.encode().into()).await;
            sent.map_err(FleetError::broker)?.await.map_err(FleetError::broker)
        };
        timeout(CONFIRM, sent)
            .await
            .map_err(|_| FleetError::Unreachable("it confirms nothing".to_owned()))??;
        Ok(())
    }
}
