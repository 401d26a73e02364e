//! Audit of hosts, as approvers compare it. They keep the last head of each: an administrator of the broker may delete
//! what no member may.

use super::FleetError;
use super::approver::FleetApprover;
use super::keep::Folder;
use postern_fleet::{AnchorFinding, AnchorHead, FleetId, Member, MemberRole, Subjects, verify};
use std::collections::BTreeMap;
use std::time::Duration;

/// Longest time for the broker to send the next anchor.
const CONFIRM: Duration = Duration::from_secs(5);

/// Result of a comparison of one host's audit.
#[derive(Debug, Clone)]
pub struct Verified {
    /// Human-readable label of the host.
    pub name: String,
    /// The host.
    pub host: FleetId,
    /// The last anchor that holds.
    pub last: Option<AnchorHead>,
    /// Faults that were found; empty if there are none.
    pub findings: Vec<AnchorFinding>,
}

impl Folder {
    fn heads(&self) -> Result<BTreeMap<FleetId, AnchorHead>, FleetError> {
        Ok(self.read_json("heads.json")?.unwrap_or_default())
    }
}

impl FleetApprover {
    /// Compares the audit of hosts with what was seen of it before: of one by name or id, or of all. What holds is kept.
    pub async fn verify_audit(&self, named: Option<&str>) -> Result<Vec<Verified>, FleetError> {
        let pinned = self.pinned();
        let is = |host: &&Member| named.is_none_or(|named| host.name == named || host.id.as_str() == named);
        let mut heads = self.folder.heads()?;
        let mut all = Vec::new();
        for host in pinned.roster.members_with(MemberRole::Host).filter(is) {
            let entries = self.anchors(host).await?;
            let kept = heads.get(&host.id).copied();
            let entries = entries.iter().map(Vec::as_slice);
            let report = verify(&self.fleet, &host.id, &host.sign, entries, kept);
            if let (true, Some(last)) = (report.findings.is_empty(), report.last) {
                heads.insert(host.id.clone(), last);
            }
            let (name, host) = (host.name.clone(), host.id.clone());
            all.push(Verified { name, host, last: report.last, findings: report.findings });
        }
        self.folder.write_json("heads.json", &heads)?;
        Ok(all)
    }

    /// Reads what the broker has of a host's audit, in its order.
    async fn anchors(&self, host: &Member) -> Result<Vec<Vec<u8>>, FleetError> {
        let names = Subjects::for_fleet(&self.fleet);
        let entries =
            self.link.read_stream(names.audit_stream(), names.audit(host.id.as_str()), CONFIRM).await?;
        Ok(entries.into_iter().map(|message| message.payload.to_vec()).collect())
    }
}
