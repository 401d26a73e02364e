//! Everything that reaches the terminal: tables, JSON, times. Hostile text comes in escaped by the host, or is escaped here.

use crate::failure::Failure;
use comfy_table::{ContentArrangement, Table, TableStyle};
use postern_contract::Shown;
use serde::Serialize;
use std::io::{IsTerminal as _, Write as _};

/// Prints a line on standard output. A reader that went away ends the program quietly.
pub(crate) fn line(text: impl AsRef<str>) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_ref().as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush())
        .map_err(Failure::own)
}

/// Prints a line on standard error.
pub(crate) fn remark(text: impl AsRef<str>) {
    // Nothing can be said about a standard error that is gone.
    drop(writeln!(std::io::stderr(), "{}", text.as_ref()));
}

/// Prints one JSON document over several lines.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    line(serde_json::to_string_pretty(value).map_err(Failure::own)?)
}

/// Prints one JSON object on one line.
pub(crate) fn json_line(value: &impl Serialize) -> Result<(), Failure> {
    line(serde_json::to_string(value).map_err(Failure::own)?)
}

/// Prints rows under headings; says `nothing` where there are none.
pub(crate) fn table<const N: usize>(
    headings: [&str; N],
    rows: Vec<[String; N]>,
    nothing: &str,
) -> Result<(), Failure> {
    if rows.is_empty() {
        return line(nothing);
    }
    let mut table = Table::new();
    table
        .load_style(TableStyle::new())
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(headings);
    for row in rows {
        table.add_row(row);
    }
    for row in table.to_string().lines() {
        line(row.trim_end())?;
    }
    Ok(())
}

/// Shown text as a terminal shows it. A literal backslash stays single: escaped pieces are set in marks instead.
pub(crate) fn shown(text: &Shown) -> String {
    text.iter()
        .map(|piece| if piece.escaped { format!("⟨{}⟩", piece.text) } else { piece.text.clone() })
        .collect()
}

/// Emphasis on a terminal, plain text elsewhere.
pub(crate) fn bold(text: &str) -> String {
    if std::io::stdout().is_terminal() { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// A time as people read it: today's as the hour, others as the day and the hour, local time.
pub(crate) fn time(millis: i64) -> String {
    let Ok(at) = jiff::Timestamp::from_millisecond(millis) else { return "?".to_owned() };
    let zone = jiff::tz::TimeZone::system();
    let at = at.to_zoned(zone.clone());
    let now = jiff::Timestamp::now().to_zoned(zone);
    let format = if at.date() == now.date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M" };
    at.strftime(format).to_string()
}

/// How long until a time, from now: `1:22`.
pub(crate) fn until(millis: i64) -> String {
    let left = (millis - jiff::Timestamp::now().as_millisecond()).max(0) / 1000;
    format!("{}:{:02}", left / 60, left % 60)
}

/// Milliseconds as people read them.
pub(crate) fn duration(millis: u64) -> String {
    match millis {
        0..1000 => format!("{millis} ms"),
        1000..60_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        _ => format!("{}:{:02} min", millis / 60_000, millis % 60_000 / 1000),
    }
}
