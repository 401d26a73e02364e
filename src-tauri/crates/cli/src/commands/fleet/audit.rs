//! `postern fleet audit verify`: the anchored audit of hosts, and this Mac's own beside it.

use super::{connected, failure};
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use postern_command::escape::visible_text as escaped;
use postern_contract::methods::{AuditAsk, ReadAudit};
use postern_doors::fleet::{FleetApprover, Folder, Verified};
use serde_json::json;

pub(super) fn verify(
    folder: &Folder,
    link: impl Fn() -> Result<HostLink, Failure>,
    host: Option<&str>,
    json: bool,
) -> Result<(), Failure> {
    let membership = folder.membership().map_err(|error| failure(&error))?;
    let all = connected(async { FleetApprover::connect(folder).await?.verify_audit(host).await })?;
    if all.is_empty() {
        return Err(Failure::refused("no such host is in the fleet: postern fleet members"));
    }
    let mut rows = Vec::new();
    for one in &all {
        let mut findings: Vec<String> = one.findings.iter().map(ToString::to_string).collect();
        if membership.own_member_id(true) == Some(&one.host) {
            findings.extend(changed_here(&mut link()?, one)?);
        }
        rows.push((one, findings));
    }
    let wrong = rows.iter().any(|(_, findings)| !findings.is_empty());
    if json {
        let rows = rows.iter().map(|(one, findings)| {
            json!({"host": one.host, "name": one.name, "anchors": one.last.map(|last| last.seq),
                "rows": one.last.map(|last| last.count), "findings": findings})
        });
        print::write_json(&rows.collect::<Vec<_>>())?;
    } else {
        for (one, findings) in &rows {
            let (anchors, records) = one.last.map_or((0, 0), |last| (last.seq, last.count));
            print::write_line(format!("{}: {anchors} anchors over {records} rows", escaped(&one.name)))?;
            findings.iter().try_for_each(|finding| print::write_line(format!("    {finding}")))?;
        }
    }
    if wrong { Err(Failure::negative("")) } else { Ok(()) }
}

/// Compares this Mac's own audit with its last anchor: it may have been rewritten since.
fn changed_here(link: &mut HostLink, one: &Verified) -> Result<Option<String>, Failure> {
    let Some(last) = one.last else { return Ok(None) };
    let number = i64::try_from(last.count).map_err(Failure::from_error)?;
    let ask = AuditAsk { after: Some(number - 1), limit: Some(1), ..AuditAsk::default() };
    let row = link.call_method::<ReadAudit>(&ask)?.rows.into_iter().next().filter(|row| row.number == number);
    let same = row.is_some_and(|row| row.hash == last.records.to_string());
    Ok((!same).then(|| format!("row {number} of this Mac's audit is not the one that was anchored")))
}
