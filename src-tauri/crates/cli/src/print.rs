//! Everything that reaches the terminal: tables, JSON, times. Hostile text comes in escaped by the host, or is escaped here.

use crate::failure::Failure;
use comfy_table::{ContentArrangement, Table, TableStyle};
use postern_command::escape::{is_visible, pieces};
use postern_contract::{Lines, Shown};
use serde::Serialize;
use std::io::{IsTerminal as _, Write as _};

const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// Prints one line of words on standard output. Whatever could not be seen in it comes out as an escape, wherever it was
/// forgotten before.
pub(crate) fn line(text: impl AsRef<str>) -> Result<(), Failure> {
    raw(guarded(text.as_ref()))
}

/// Prints several lines, each like [`line()`].
pub(crate) fn lines(text: &Lines) -> Result<(), Failure> {
    text.iter().try_for_each(line)
}

/// Prints text that is meant for another program, as it is.
pub(crate) fn raw(text: impl AsRef<str>) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out
        .write_all(text.as_ref().as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        // A reader that has seen enough ends the program quietly.
        std::io::ErrorKind::BrokenPipe => Failure { code: 0, message: String::new() },
        _ => Failure::own(error),
    })
}

/// Prints a line on standard error.
pub(crate) fn remark(text: impl AsRef<str>) {
    let lines: Vec<String> = text.as_ref().split('\n').map(guarded).collect();
    // Nothing can be said about a standard error that is gone.
    drop(writeln!(std::io::stderr(), "{}", lines.join("\n")));
}

/// A line whose only control sequences are our own emphasis.
fn guarded(text: &str) -> String {
    let visible = |part: &str| pieces(part).into_iter().map(|piece| piece.text).collect::<String>();
    let emphasised = |part: &str| part.split(PLAIN).map(visible).collect::<Vec<_>>().join(PLAIN);
    text.split(BOLD).map(emphasised).collect::<Vec<_>>().join(BOLD)
}

/// Prints one JSON document over several lines.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    raw(ascii_where_unseen(&serde_json::to_string_pretty(value).map_err(Failure::own)?))
}

/// Prints one JSON object on one line.
pub(crate) fn json_line(value: &impl Serialize) -> Result<(), Failure> {
    raw(ascii_where_unseen(&serde_json::to_string(value).map_err(Failure::own)?))
}

/// The same JSON with `\uXXXX` for every character that a terminal would act on or not show.
fn ascii_where_unseen(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || c == ' ' || c.is_ascii_graphic() || is_visible(c.encode_utf8(&mut [0; 4])) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = std::fmt::Write::write_fmt(&mut out, format_args!("\\u{unit:04x}"));
            }
        }
    }
    out
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
    if std::io::stdout().is_terminal() { format!("{BOLD}{text}{PLAIN}") } else { text.to_owned() }
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

/// Now, in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// How long until a time, from now: `1:22`.
pub(crate) fn until(millis: i64) -> String {
    let left = (millis - now()).max(0) / 1000;
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

#[cfg(test)]
mod tests {
    use super::{ascii_where_unseen, guarded};

    #[test]
    fn a_line_keeps_our_emphasis_and_no_other_control() {
        let hostile = "\u{1b}[1mbold\u{1b}[0m \u{1b}[2J\u{202e}x\u{7}";
        assert_eq!(guarded(hostile), "\u{1b}[1mbold\u{1b}[0m \\u{1b}[2J\\u{202e}x\\u{7}");
    }

    #[test]
    fn json_says_the_same_without_what_cannot_be_seen() {
        let value = serde_json::json!({ "a\u{9b}": ["\u{202e}\u{e0041}\u{7f}", "é\n"] });
        let shown = ascii_where_unseen(&serde_json::to_string(&value).unwrap());
        assert!(shown.chars().all(|c| c == 'é' || c.is_ascii_graphic()), "{shown:?}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&shown).unwrap(),
            value,
            "and reads back as it was"
        );
    }
}
