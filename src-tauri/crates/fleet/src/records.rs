//! Rows of a host's audit, sealed for auditors: the chain whose heads its anchors sign.
//!
//! The id of a message names its rows, so that a message for others hides no row that is missing.

use crate::anchor::AnchorHead;
use crate::id::{FleetId, Hash};
use crate::keys::{OpenKey, VerifyKey};
use crate::message::{FleetMessageBody, FleetMessageKind, signed_payload};
use crate::seal::Sealed;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// Hash input of the first row, in place of a row's hash (`docs/AUDIT.md`).
const BEGINNING: &[u8] = b"postern audit 1";
/// Fewest messages with rows of a host that its broker keeps. A log that begins later than with the first row has as many.
pub const LEAST_ROW_MESSAGES: usize = 7;

/// Rows of a host's audit, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditRows {
    /// Number of the first one; the audit begins with 1.
    pub first: u64,
    /// Hash of the row before it; absent before the first of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Hash>,
    pub rows: Vec<SentAuditRow>,
}

/// Row of a host's audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SentAuditRow {
    /// Content, as the chain covers it.
    Content(String),
    /// Hash of a row that is too long to be sent.
    Hash(Hash),
}

impl FleetMessageBody for AuditRows {
    const KIND: FleetMessageKind = FleetMessageKind::AuditRows;
}

/// Fault in the rows of a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowFinding {
    #[error("entry {0} of its rows is not one that this host signed")]
    Foreign(usize),
    #[error("rows {from} to {to} are missing")]
    Gap {
        /// The first that is missing.
        from: u64,
        /// The last that is missing.
        to: u64,
    },
    #[error("there are two rows {0}")]
    Fork(u64),
    #[error("row {0} follows another row than the one before it")]
    Broken(u64),
    #[error("row {0} is not the one that was anchored")]
    NotAnchored(u64),
    #[error("row {0} is not the one that was seen before")]
    Replaced(u64),
}

/// The last row that an auditor saw of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowHead {
    pub number: u64,
    pub hash: Hash,
}

/// Rows of a host that were opened, and what is wrong with them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowReport {
    /// Rows that this auditor can open, by their numbers, with their hashes.
    pub rows: BTreeMap<u64, (Hash, SentAuditRow)>,
    /// Number of rows that are sealed for other auditors alone.
    pub for_others: u64,
    /// Faults that were found; empty if there are none.
    pub findings: Vec<RowFinding>,
    /// Number of the last row that is there.
    last: u64,
    /// Row before the first that is there, if it was seen.
    before: Option<RowHead>,
}

/// Returns the id of the message with so many rows from one on.
pub fn rows_id(first: u64, rows: usize) -> Option<FleetId> {
    let last = first.checked_add(u64::try_from(rows).ok()?.checked_sub(1)?)?;
    format!("rows-{first}-{last}").parse().ok()
}

/// Message with rows that a host signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRows {
    /// Numbers of its first and its last row.
    numbers: (u64, u64),
    /// The rows, unless they are for others.
    rows: Option<AuditRows>,
}

impl SentRows {
    /// Opens an entry of a host's log; `None` if it is not a message with rows that this host signed.
    pub fn from_entry(
        fleet: &FleetId,
        (host, key): (&FleetId, &VerifyKey),
        open: &OpenKey,
        entry: &[u8],
    ) -> Option<Self> {
        let (_, sealed) = signed_payload::<Sealed>(entry, FleetMessageKind::AuditRows, fleet, (host, key))?;
        let (first, last) = sealed.id.as_str().strip_prefix("rows-")?.split_once('-')?;
        let numbers: (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        // The last number of all leaves none for the row after it.
        (numbers.1 < u64::MAX && (1..=numbers.1).contains(&numbers.0)).then_some(())?;
        if !sealed.body.is_for(open) {
            return Some(Self { numbers, rows: None });
        }
        let rows: AuditRows = sealed.open_body(open).ok()?;
        let named = rows_id(rows.first, rows.rows.len())?;
        (named == sealed.id).then_some(Self { numbers, rows: Some(rows) })
    }
}

/// Follows the rows of a host, in the order of the log. An entry that is no message of its rows is `None`.
///
/// They are compared with each other, with its anchors, and with the last row seen. A log of [`LEAST_ROW_MESSAGES`] may begin later
/// than with the first: with the row after the last seen at the latest.
pub fn follow_rows(
    entries: Vec<Option<SentRows>>,
    (anchors, kept): (&[AnchorHead], Option<RowHead>),
) -> RowReport {
    let mut report = RowReport::default();
    let is_long = entries.len() >= LEAST_ROW_MESSAGES;
    for (index, entry) in entries.into_iter().enumerate() {
        match entry {
            Some(SentRows { numbers, rows }) => {
                if is_long && report.last == 0 {
                    report.begin_with(numbers.0, kept);
                }
                report.follow_message(numbers, rows);
            }
            None => report.findings.push(RowFinding::Foreign(index)),
        }
    }
    report.compare(anchors, kept);
    report
}

impl RowReport {
    /// Returns the last row, to be kept.
    pub fn head(&self) -> Option<RowHead> {
        self.rows.last_key_value().map(|(number, (hash, _))| RowHead { number: *number, hash: *hash })
    }

    /// Begins with a later row than the first, after what was seen.
    fn begin_with(&mut self, first: u64, kept: Option<RowHead>) {
        self.last = kept.map_or(first - 1, |kept| kept.number.min(first - 1));
        self.before = kept.filter(|kept| kept.number == first - 1);
    }

    /// Takes the rows of a message, or the numbers of those that are for others.
    fn follow_message(&mut self, (first, last): (u64, u64), rows: Option<AuditRows>) {
        if first > self.last + 1 {
            self.findings.push(RowFinding::Gap { from: self.last + 1, to: first - 1 });
        }
        match rows {
            Some(rows) => self.follow_rows(rows),
            None => self.for_others += last.saturating_sub(self.last.max(first - 1)),
        }
        self.last = self.last.max(last);
    }

    fn follow_rows(&mut self, batch: AuditRows) {
        let seen = self.before.filter(|before| before.number == batch.first - 1).map(|before| before.hash);
        let before = self.rows.get(&(batch.first - 1)).map(|(hash, _)| *hash).or(seen);
        if before.is_some() && before != batch.previous || (batch.first == 1 && batch.previous.is_some()) {
            self.findings.push(RowFinding::Broken(batch.first));
        }
        let mut previous = batch.previous;
        for (number, row) in (batch.first..).zip(batch.rows) {
            let hash = match &row {
                SentAuditRow::Content(content) => row_hash(previous, content),
                SentAuditRow::Hash(hash) => *hash,
            };
            previous = Some(hash);
            // The same row twice says nothing; another one of the same number is a fork.
            match self.rows.get(&number) {
                Some((known, _)) if *known != hash => self.findings.push(RowFinding::Fork(number)),
                Some(_) => {}
                None => _ = self.rows.insert(number, (hash, row)),
            }
        }
    }

    /// Compares the rows with the host's anchors, and with the last one seen. A host need not send rows.
    fn compare(&mut self, anchors: &[AnchorHead], kept: Option<RowHead>) {
        let differs = |rows: &BTreeMap<u64, (Hash, SentAuditRow)>, number: u64, hash: Hash| {
            rows.get(&number).is_some_and(|(known, _)| *known != hash)
        };
        for anchor in anchors.iter().filter(|anchor| differs(&self.rows, anchor.count, anchor.records)) {
            self.findings.push(RowFinding::NotAnchored(anchor.count));
        }
        let anchored = anchors.iter().map(|anchor| anchor.count).max().filter(|_| self.last > 0);
        let seen = kept.map(|kept| kept.number);
        if let Some(to) = anchored.max(seen).filter(|to| *to > self.last) {
            self.findings.push(RowFinding::Gap { from: self.last + 1, to });
        }
        let replaced = kept.filter(|kept| differs(&self.rows, kept.number, kept.hash));
        self.findings.extend(replaced.map(|kept| RowFinding::Replaced(kept.number)));
    }
}

/// Returns the hash of a row, as the host's own audit has it.
fn row_hash(previous: Option<Hash>, content: &str) -> Hash {
    let mut sha = Sha256::new();
    match &previous {
        Some(previous) => sha.update(previous.as_bytes()),
        None => sha.update(BEGINNING),
    }
    sha.update(content.as_bytes());
    Hash::from_bytes(sha.finalize().into())
}
