//! `postern fleet audit verify`: the anchored audit of hosts, and this Mac's own beside it.

use super::{connected, failure};
use crate::failure::Failure;
use crate::link::Link;
use crate::print;
use postern_command::escape::text as escaped;
use postern_contract::methods::{AuditAsk, ReadAudit};
use postern_doors::fleet::{Approver, Folder, Verified};
use serde_json::json;

pub(super) fn verify(
    folder: &Folder,
    link: impl Fn() -> Result<Link, Failure>,
    host: Option<&str>,
    json: bool,
) -> Result<(), Failure> {
    let membership = folder.membership().map_err(|error| failure(&error))?;
    let all = connected(async { Approver::connect(folder).await?.verify_audit(host).await })?;
    if all.is_empty() {
        return Err(Failure::refused("no such host is in the fleet: postern fleet members"));
    }
    let mut rows = Vec::new();
    for one in &all {
        let mut findings: Vec<String> = one.findings.iter().map(ToString::to_string).collect();
        if membership.own(true) == Some(&one.host) {
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
        print::json(&rows.collect::<Vec<_>>())?;
    } else {
        for (one, findings) in &rows {
            let (anchors, records) = one.last.map_or((0, 0), |last| (last.seq, last.count));
            print::line(format!("{}: {anchors} anchors over {records} rows", escaped(&one.name)))?;
            findings.iter().try_for_each(|finding| print::line(format!("    {finding}")))?;
        }
    }
    if wrong { Err(Failure::no("")) } else { Ok(()) }
}

/// Compares this Mac's own audit with its last anchor: it may have been rewritten since.
fn changed_here(link: &mut Link, one: &Verified) -> Result<Option<String>, Failure> {
    let Some(last) = one.last else { return Ok(None) };
    let number = i64::try_from(last.count).map_err(Failure::own)?;
    let ask = AuditAsk { after: Some(number - 1), limit: Some(1), ..AuditAsk::default() };
    let row = link.call::<ReadAudit>(&ask)?.rows.into_iter().next().filter(|row| row.number == number);
    let same = row.is_some_and(|row| row.hash == last.records.to_string());
    Ok((!same).then(|| format!("row {number} of this Mac's audit is not the one that was anchored")))
}
