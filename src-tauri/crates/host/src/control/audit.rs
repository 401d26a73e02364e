//! `audit`: the changes to what may run, and their verification.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_command::escape;
use postern_contract::ApproverNotification;
use postern_contract::methods::{Audit, AuditAsk, AuditBy, AuditRow, AuditVerified, ControlError, ReadAudit};
use postern_contract::render;
use postern_store::audit::{self, AuditEntry, ChainFault, Verified};
use postern_store::renewals;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// Subject of messages of the fleet that this host refused.
pub(crate) const REFUSED: &str = "refused";

/// Largest number of rows on a page.
const PAGE: u32 = 500;
/// Largest number of changes of one moment that watchers are notified of; the audit has all of them.
const TOLD: usize = 8;

impl Handle<ReadAudit> for HostControl {
    async fn handle(&self, _: ApproverId, params: AuditAsk) -> MethodResult<ReadAudit> {
        let (after, since) = (params.after.unwrap_or(0), params.since.unwrap_or(i64::MIN));
        let limit = params.limit.unwrap_or(PAGE).min(PAGE);
        let rows = self.read_record(move |conn| audit::entries_after(conn, after, since, limit)).await?;
        let mut renewed = Vec::new();
        if rows.first().is_some_and(|row| row.subject == "rules") {
            // The page begins among the parts of one.
            let before = self.read_record(move |conn| renewals::before(conn, after)).await?;
            renewed = before.map(|entry| renewal_parts(&entry)).unwrap_or_default();
        }
        let verified =
            if params.verify == Some(true) { Some(verified(self.look_at_audit().await?)) } else { None };
        let mut told = Vec::with_capacity(rows.len());
        for entry in rows {
            let is_part = |(_, at, key): &(i64, i64, String)| {
                entry.subject == "rules" && (*at, key) == (entry.at, &entry.key)
            };
            let part_of = renewed.iter().find(|part| is_part(part)).map(|part| part.0);
            if entry.subject == renewals::SUBJECT {
                renewed = renewal_parts(&entry);
            }
            told.push(AuditRow { part_of, ..audit_row(entry) });
        }
        Ok(Audit { rows: told, verified })
    }
}

impl HostControl {
    /// Returns the known fault of the audit, if there is one.
    pub(super) fn audit_problem(&self) -> Option<String> {
        self.audited.lock().clone()
    }

    async fn look_at_audit(&self) -> Result<Verified, ControlError> {
        let store = self.parts.book.store().clone();
        let path = store.path().to_owned();
        let found = self.read_record(move |conn| audit::verify(conn, &path)).await?;
        let problem = found.broken.as_ref().map(|broken| broken_words(broken).1);
        let problem = problem.or_else(|| found.strayed.first().map(strayed_words));
        let problem = problem.map(|problem| format!("the audit: {problem} (postern audit --verify)"));
        *self.audited.lock() = problem;
        Ok(found)
    }

    /// Verifies the audit once, then notifies watchers of every change that lets more run.
    pub(crate) fn tell_of_changes(&self, closed: &CancellationToken) {
        let (control, closed) = (self.clone(), closed.clone());
        let mut recorded = self.parts.book.store().recorded();
        tokio::spawn(async move {
            let newest =
                control.read_record(|conn| Ok(audit::newest(conn)?.map_or(0, |row| row.number))).await;
            let mut told = newest.unwrap_or(0);
            if let Err(error) = control.look_at_audit().await {
                tracing::warn!(%error, "the audit cannot be looked at");
            }
            loop {
                tokio::select! {
                    changed = recorded.changed() => if changed.is_err() { return },
                    () = closed.cancelled() => return,
                }
                let newest = *recorded.borrow_and_update();
                let from = told;
                let rows =
                    control.read_record(move |conn| audit::entries_after(conn, from, i64::MIN, PAGE)).await;
                told = newest;
                for change in rows.unwrap_or_default().into_iter().filter(|row| row.widens).take(TOLD) {
                    control
                        .notify_approvers(ApproverNotification::PolicyWidened(Box::new(audit_row(change))));
                }
            }
        });
    }
}

/// Converts a row for clients, with all text escaped.
pub(super) fn audit_row(entry: AuditEntry) -> AuditRow {
    let by: AuditBy = serde_json::from_str(&entry.who).unwrap_or_default();
    let escaped = |text: Option<String>| text.as_deref().map(escape::visible_text);
    let by = AuditBy {
        face: escape::visible_text(&by.face),
        name: escaped(by.name),
        program: escaped(by.program),
        ..by
    };
    AuditRow {
        number: entry.number,
        at: entry.at,
        by,
        summary: summary(&entry),
        subject: entry.subject,
        key: escape::visible_text(&entry.key),
        before: entry.before,
        after: entry.after,
        widens: entry.widens,
        part_of: None,
        hash: postern_protocol::encode_hex(&entry.hash),
    }
}

/// Reads a row of another host's audit from its content, with its hash, as it is shown; `None` if it is none.
pub fn read_audit_row(content: &str, hash: &[u8; 32]) -> Option<AuditRow> {
    audit::read_content(content, hash).map(audit_row)
}

/// Returns the rows that a renewal tells of too: its number, when it was, and the key of each.
fn renewal_parts(renewal: &AuditEntry) -> Vec<(i64, i64, String)> {
    let rules = renewals::parse_bound(renewal.after.as_deref()).into_iter().flat_map(|bound| bound.rules);
    rules.map(|rule| (renewal.number, renewal.at, rule.to_string())).collect()
}

/// Returns a renewal in a line of words.
fn renewal(entry: &AuditEntry) -> String {
    let pairs = renewals::parse_bound(entry.before.as_deref())
        .into_iter()
        .zip(renewals::parse_bound(entry.after.as_deref()));
    let of = |(was, now): (renewals::BoundRules, renewals::BoundRules)| {
        let numbers: Vec<String> = now.rules.iter().map(ToString::to_string).collect();
        let rules = if numbers.len() == 1 { "rule" } else { "rules" };
        let change = render::difference(&postern_policy::changes(&was.program, &now.program));
        let change = postern_contract::pieces_to_text(&change);
        format!(
            "{} renewed for {} ({change})",
            [rules, &numbers.join(", ")].join(" "),
            escape::visible_text(&now.path)
        )
    };
    pairs.map(of).collect::<Vec<_>>().join("; ")
}

/// Returns a refused message of the fleet in a line of words.
fn refusal(entry: &AuditEntry) -> String {
    let noted = entry.after.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let said = |name: &str| {
        let text = noted.as_ref().and_then(|noted| noted[name].as_str()).unwrap_or_default();
        escape::visible_text(text)
    };
    format!("{} of {} refused: {}", said("message"), escape::visible_text(&entry.key), said("why"))
}

/// Describes the change in one line.
fn summary(entry: &AuditEntry) -> String {
    let read =
        |text: &Option<String>| text.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    match entry.subject.as_str() {
        renewals::SUBJECT => renewal(entry),
        REFUSED => refusal(entry),
        subject => {
            let (before, after) = (read(&entry.before), read(&entry.after));
            render::change(subject, &entry.key, before.as_ref(), after.as_ref())
        }
    }
}

fn verified(found: Verified) -> AuditVerified {
    let broken = found.broken.as_ref().map(broken_words);
    AuditVerified {
        rows: found.rows,
        head: found.head,
        row: broken.as_ref().and_then(|(row, _)| *row),
        problem: broken.map(|(_, words)| words),
        strayed: found.strayed.iter().map(strayed_words).collect(),
    }
}

fn broken_words(broken: &ChainFault) -> (Option<i64>, String) {
    match broken {
        ChainFault::Changed(row) => (Some(*row), format!("row {row} was changed after it was written")),
        ChainFault::Missing(row) => (Some(*row), format!("row {row} is missing")),
        ChainFault::Shortened { kept, found } => {
            (Some(found + 1), format!("it was cut short: it had {kept} rows and has {found}"))
        }
        ChainFault::Replaced(row) => (Some(*row), format!("row {row} is not the one that was written")),
        ChainFault::NoHead => (None, "the file with its head, beside the database, is missing".to_owned()),
        ChainFault::Recorded(row) => (
            Some(*row),
            format!("row {row} records that rows were removed or replaced while Postern was not running"),
        ),
    }
}

fn strayed_words((subject, key): &(String, String)) -> String {
    format!("{subject} {} differs from the audit: another program changed it", escape::visible_text(key))
}
