//! `postern fleet audit`: the audit of hosts, compared or read, and this host's own beside it.

use super::connected;
use crate::commands::audit::row_lines;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use postern_command::escape::visible_text as escaped;
use postern_contract::THIS_COMPUTER;
use postern_contract::methods::{AuditAsk, AuditRow, ReadAudit};
use postern_doors::fleet::{FleetApprover, Folder, Hash, SentAuditRow, Verified};
use serde_json::json;

/// Findings of a host that are printed: one that floods the broker makes thousands.
const PRINTED: usize = 20;

fn print_findings(findings: &[String]) -> Result<(), Failure> {
    findings.iter().take(PRINTED).try_for_each(|finding| print::say!("    {finding}"))?;
    match findings.len().saturating_sub(PRINTED) {
        0 => Ok(()),
        more => print::say!("    and {more} more"),
    }
}

pub(super) fn verify(
    folder: &Folder,
    link: impl Fn() -> Result<HostLink, Failure>,
    host: Option<&str>,
    json: bool,
) -> Result<(), Failure> {
    let membership = folder.membership()?;
    let all = verified(folder, host)?;
    let mut rows = Vec::new();
    for one in &all {
        let mut findings = one.problems();
        if membership.own_member_id(true) == Some(&one.host) {
            findings.extend(changed_here(&mut link()?, one)?);
        }
        rows.push((one, findings));
    }
    let wrong = rows.iter().any(|(_, findings)| !findings.is_empty());
    if json {
        let rows = rows.iter().map(|(one, findings)| {
            json!({"host": one.host, "name": one.name, "anchors": one.last.map(|last| last.seq),
                "rows": one.last.map(|last| last.count), "opened": one.rows.rows.len(), "findings": findings})
        });
        print::write_json(&rows.collect::<Vec<_>>())?;
    } else {
        for (one, findings) in &rows {
            let (anchors, records) = one.last.map_or((0, 0), |last| (last.seq, last.count));
            let opened = match one.rows.rows.len() {
                0 => String::new(),
                rows => format!(", {rows} rows opened"),
            };
            print::say!("{}: {anchors} anchors over {records} rows{opened}", escaped(&one.name))?;
            print_findings(findings)?;
        }
    }
    if wrong { Err(Failure::negative("")) } else { Ok(()) }
}

/// Prints the rows that hosts sealed for this auditor, and what is wrong with them.
pub(super) fn read(folder: &Folder, host: Option<&str>, json: bool) -> Result<(), Failure> {
    let all = verified(folder, host)?;
    if json {
        let hosts = all.iter().map(|one| {
            let rows: Vec<_> = one.rows.rows.iter().filter_map(row_of).collect();
            let rows: Vec<_> = rows.iter().map(crate::commands::audit::for_programs).collect();
            json!({"host": one.host, "name": one.name, "rows": rows, "forOthers": one.rows.for_others,
                "findings": one.problems()})
        });
        print::write_json(&hosts.collect::<Vec<_>>())?;
    } else {
        all.iter().try_for_each(print_rows)?;
    }
    let wrong = all.iter().any(|one| !one.problems().is_empty());
    if wrong { Err(Failure::negative("")) } else { Ok(()) }
}

fn print_rows(one: &Verified) -> Result<(), Failure> {
    let name = escaped(&one.name);
    print::say!("{name}: {} rows", one.rows.rows.len())?;
    for (number, row) in &one.rows.rows {
        match row_of((number, row)) {
            Some(row) => {
                row_lines(&row, &print::format_time(row.at)).into_iter().try_for_each(print::write_line)?;
            }
            None => print::say!("{number:>5}  too long to be sent: look on {name}")?,
        }
    }
    if one.rows.for_others > 0 {
        print::say!("    {} rows are sealed for other auditors", one.rows.for_others)?;
    }
    print_findings(&one.problems())
}

/// Reads a row as a host's own audit shows it; `None` if only its hash was sent.
fn row_of((_, (hash, row)): (&u64, &(Hash, SentAuditRow))) -> Option<AuditRow> {
    match row {
        SentAuditRow::Content(content) => postern_host::read_audit_row(content, hash.as_bytes()),
        SentAuditRow::Hash(_) => None,
    }
}

/// Compares the audit of hosts; an error if there are none of this name.
fn verified(folder: &Folder, host: Option<&str>) -> Result<Vec<Verified>, Failure> {
    let all = connected(async { FleetApprover::connect_to_audit(folder).await?.verify_audit(host).await })?;
    if all.is_empty() {
        return Err(Failure::refused(
            "no such host is in the fleet; postern fleet members shows those there are",
        ));
    }
    Ok(all)
}

/// Compares this Mac's own audit with its last anchor: it may have been rewritten since.
fn changed_here(link: &mut HostLink, one: &Verified) -> Result<Option<String>, Failure> {
    let Some(last) = one.last else { return Ok(None) };
    let number = i64::try_from(last.count).map_err(Failure::from_error)?;
    let ask = AuditAsk { after: Some(number - 1), limit: Some(1), ..AuditAsk::default() };
    let row = link.call_method::<ReadAudit>(&ask)?.rows.into_iter().next().filter(|row| row.number == number);
    let same = row.is_some_and(|row| row.hash == last.records.to_string());
    Ok((!same).then(|| format!("row {number} of {THIS_COMPUTER}'s audit is not the one that was anchored")))
}
