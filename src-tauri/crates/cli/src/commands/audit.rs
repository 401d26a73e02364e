//! `postern audit`.

use crate::args::AuditCommand;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use postern_contract::methods::{AuditAsk, AuditBy, AuditRow, AuditVerified, ReadAudit};
use serde::Serialize;
use serde_json::Value;

/// A change as JSON, with both values parsed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::commands) struct AuditLine<'a> {
    number: i64,
    at: i64,
    by: &'a AuditBy,
    subject: &'a str,
    key: &'a str,
    before: Option<Value>,
    after: Option<Value>,
    widens: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_of: Option<i64>,
    summary: &'a str,
    hash: &'a str,
}

#[derive(Serialize)]
struct AuditDocument<'a> {
    rows: Vec<AuditLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<&'a AuditVerified>,
}

pub(crate) fn run(link: &mut HostLink, command: &AuditCommand) -> Result<(), Failure> {
    let since = command.since.map(print::time_before).transpose()?;
    let verified = if command.verify {
        let ask = AuditAsk { limit: Some(0), verify: Some(true), ..AuditAsk::default() };
        link.call_method::<ReadAudit>(&ask)?.verified
    } else {
        None
    };
    if command.json.json {
        let rows = read_rows(link, since)?;
        let rows = rows.iter().map(for_programs).collect();
        print::write_json(&AuditDocument { rows, verified: verified.as_ref() })?;
    } else if let Some(found) = &verified {
        verdict(found).iter().try_for_each(print::write_line)?;
    } else {
        print_rows(&read_rows(link, since)?)?;
    }
    let wrong = verified.is_some_and(|found| found.problem.is_some() || !found.strayed.is_empty());
    if wrong { Err(Failure::negative("the audit is not intact")) } else { Ok(()) }
}

/// Reads the rows of a time, page by page.
pub(super) fn read_rows(link: &mut HostLink, since: Option<i64>) -> Result<Vec<AuditRow>, Failure> {
    let mut rows: Vec<AuditRow> = Vec::new();
    loop {
        let after = rows.last().map(|row| row.number);
        let page = link.call_method::<ReadAudit>(&AuditAsk { after, since, ..AuditAsk::default() })?;
        if page.rows.is_empty() {
            return Ok(rows);
        }
        rows.extend(page.rows);
    }
}

fn print_rows(rows: &[AuditRow]) -> Result<(), Failure> {
    if rows.is_empty() {
        return print::write_line("no changes");
    }
    // What a renewal tells of is not told twice.
    let own = rows.iter().filter(|row| row.part_of.is_none());
    own.flat_map(|row| row_lines(row, &print::format_time(row.at))).try_for_each(print::write_line)
}

pub(in crate::commands) fn for_programs(row: &AuditRow) -> AuditLine<'_> {
    let read = |text: &Option<String>| text.as_deref().and_then(|text| serde_json::from_str(text).ok());
    AuditLine {
        number: row.number,
        at: row.at,
        by: &row.by,
        subject: &row.subject,
        key: &row.key,
        before: read(&row.before),
        after: read(&row.after),
        widens: row.widens,
        part_of: row.part_of,
        summary: &row.summary,
        hash: &row.hash,
    }
}

/// Formats a change: time and author, then the change.
pub(in crate::commands) fn row_lines(row: &AuditRow, at: &str) -> [String; 2] {
    let widens = if row.widens { "more may run" } else { "" };
    let head = format!("{:>5}  {at}  {}  {widens}", row.number, row.by.describe());
    [head.trim_end().to_owned(), format!("       {}", row.summary)]
}

fn verdict(found: &AuditVerified) -> Vec<String> {
    let mut lines: Vec<String> =
        found.problem.iter().chain(&found.strayed).map(|what| format!("WRONG  {what}")).collect();
    if lines.is_empty() {
        lines.push(format!("ok     {} rows, all intact; the current state matches them", found.rows));
    }
    if !found.head.is_empty() {
        lines.push(format!("head   {}", found.head));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{row_lines, verdict};
    use postern_contract::methods::{AuditBy, AuditRow, AuditVerified};

    #[test]
    fn a_change_is_two_lines_and_says_who_and_what() {
        let row = AuditRow {
            number: 12,
            at: 0,
            by: AuditBy {
                face: "terminal".into(),
                name: None,
                user: Some(1000),
                pid: Some(77),
                program: Some("/usr/bin/postern".into()),
            },
            subject: "agents".into(),
            key: "main".into(),
            before: None,
            after: None,
            widens: true,
            part_of: None,
            summary: "agent main: security allowlist → full".into(),
            hash: "00".into(),
        };
        let expected = [
            "   12  09:15:00  terminal, /usr/bin/postern, process 77, user 1000  more may run",
            "       agent main: security allowlist → full",
        ];
        assert_eq!(row_lines(&row, "09:15:00"), expected);
        let by =
            AuditBy { face: "remote".into(), name: Some("telegram, Anna (7)".into()), ..AuditBy::default() };
        let quiet = AuditRow { by, widens: false, ..row };
        assert_eq!(row_lines(&quiet, "09:15:00")[0], "   12  09:15:00  remote telegram, Anna (7)");
    }

    #[test]
    fn a_broken_chain_is_said_in_lines_of_their_own() {
        let whole = AuditVerified { rows: 3, head: "ab".into(), problem: None, row: None, strayed: vec![] };
        let expected = ["ok     3 rows, all intact; the current state matches them", "head   ab"];
        assert_eq!(verdict(&whole), expected);
        let wrong = AuditVerified {
            problem: Some("row 2 is missing".into()),
            row: Some(2),
            strayed: vec!["agents main differs from the audit: another program changed it".into()],
            ..whole
        };
        let expected = [
            "WRONG  row 2 is missing",
            "WRONG  agents main differs from the audit: another program changed it", "head   ab",
        ];
        assert_eq!(verdict(&wrong), expected);
    }
}
