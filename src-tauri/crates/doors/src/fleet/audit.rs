//! Audit of hosts, as approvers compare it and auditors read it. They keep the last head of each: an administrator of the
//! broker may delete what no member may.

use super::FleetError;
use super::approver::FleetApprover;
use super::entries::read_each;
use super::keep::Folder;
use postern_fleet::{
    AnchorFinding, AnchorHead, FleetId, Member, MemberRole, RowFinding, RowHead, RowReport, SentRows,
    SignedAnchor, Subjects, follow_rows, verify,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// Longest time for the broker to send the next entry. It may have a hundred thousand, on a computer that does other things.
const CONFIRM: Duration = Duration::from_secs(20);

/// Result of a comparison of one host's audit.
#[derive(Debug, Clone)]
pub struct Verified {
    /// Human-readable label of the host.
    pub name: String,
    pub host: FleetId,
    pub last: Option<AnchorHead>,
    /// Faults of its anchors; empty if there are none.
    pub findings: Vec<AnchorFinding>,
    /// Rows that it sent, if an auditor looks.
    pub rows: RowReport,
}

impl Verified {
    /// Returns every fault, in words.
    pub fn problems(&self) -> Vec<String> {
        let rows = self.rows.findings.iter().map(RowFinding::to_string);
        self.findings.iter().map(AnchorFinding::to_string).chain(rows).collect()
    }
}

/// Heads that were seen, by host.
type Seen<T> = BTreeMap<FleetId, T>;

impl Folder {
    fn anchors_seen(&self) -> Result<Seen<AnchorHead>, FleetError> {
        Ok(self.read_json("heads.json")?.unwrap_or_default())
    }

    fn rows_seen(&self) -> Result<Seen<RowHead>, FleetError> {
        Ok(self.read_json("rows.json")?.unwrap_or_default())
    }
}

impl FleetApprover {
    /// Compares the audit of hosts with what was seen of it before: of one by name or id, or of all. What holds is kept.
    pub async fn verify_audit(&self, named: Option<&str>) -> Result<Vec<Verified>, FleetError> {
        let pinned = self.pinned();
        let is = |host: &&Member| named.is_none_or(|named| host.name == named || host.id.as_str() == named);
        let hosts: Vec<&Member> = pinned.roster.members_with(MemberRole::Host).filter(is).collect();
        if hosts.is_empty() {
            return Ok(Vec::new());
        }
        let (mut anchors_seen, mut rows_seen) = (self.folder.anchors_seen()?, self.folder.rows_seen()?);
        let (names, some) = (Subjects::for_fleet(&self.fleet), subject_of(&hosts));
        // Rows are read after the anchors: none of them is anchored and not there yet.
        let about = (names.audit_stream(), names.audit(some));
        let mut anchors = self.entries_by_host(about, &hosts, Self::read_anchor).await?;
        let audits = self.own_member(&pinned).is_some_and(|member| member.has_role(MemberRole::Auditor));
        let mut rows = BTreeMap::new();
        if audits {
            let about = (names.audit_row_stream(), names.audit_rows(some));
            rows = self.entries_by_host(about, &hosts, Self::open_rows).await?;
        }
        let mut all = Vec::new();
        for host in hosts {
            let entries = anchors.remove(host.id.as_str()).unwrap_or_default();
            let report = verify(&entries, anchors_seen.get(&host.id).copied());
            if let (true, Some(last)) = (report.findings.is_empty(), report.last) {
                anchors_seen.insert(host.id.clone(), last);
            }
            let mut opened = RowReport::default();
            if audits {
                let compared = (report.anchors.as_slice(), rows_seen.get(&host.id).copied());
                opened = follow_rows(rows.remove(host.id.as_str()).unwrap_or_default(), compared);
            }
            if let (true, Some(head)) = (opened.findings.is_empty(), opened.head()) {
                rows_seen.insert(host.id.clone(), head);
            }
            let (name, host) = (host.name.clone(), host.id.clone());
            all.push(Verified { name, host, last: report.last, findings: report.findings, rows: opened });
        }
        self.folder.write_json("heads.json", &anchors_seen)?;
        if audits {
            self.folder.write_json("rows.json", &rows_seen)?;
        }
        Ok(all)
    }

    /// Reads what a stream of the audit has, in its order, by host: at once for all of them. What nobody signed is not held, so
    /// that a host that fills its share costs little memory here.
    async fn entries_by_host<T>(
        &self,
        about: (String, String),
        hosts: &[&Member],
        read: fn(&Self, &Member, &[u8]) -> Option<T>,
    ) -> Result<BTreeMap<String, Vec<Option<T>>>, FleetError> {
        let hosts: BTreeMap<&str, &Member> = hosts.iter().map(|host| (host.id.as_str(), *host)).collect();
        let mut entries: BTreeMap<String, Vec<Option<T>>> = BTreeMap::new();
        read_each(&self.link.client, about, CONFIRM, |message| {
            let id = message.subject.rsplit('.').next().unwrap_or_default();
            if let Some(host) = hosts.get(id) {
                entries.entry(id.to_owned()).or_default().push(read(self, host, &message.payload));
            }
        })
        .await?;
        Ok(entries)
    }

    fn read_anchor(&self, host: &Member, entry: &[u8]) -> Option<SignedAnchor> {
        SignedAnchor::from_entry(&self.fleet, (&host.id, &host.sign), entry)
    }

    fn open_rows(&self, host: &Member, entry: &[u8]) -> Option<SentRows> {
        SentRows::from_entry(&self.fleet, (&host.id, &host.sign), self.open_key(), entry)
    }
}

/// Returns what stands for these hosts in a subject.
fn subject_of<'a>(hosts: &[&'a Member]) -> &'a str {
    match hosts {
        [one] => one.id.as_str(),
        _ => "*",
    }
}
