//! Everything that reaches the terminal: tables, JSON, times. Hostile text comes in escaped by the host, or is escaped here.

use crate::failure::Failure;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, TableStyle};
use postern_command::escape::{is_visible, pieces};
use postern_contract::{DiffLine, MultilineText, PieceKind, ShownText};
use postern_host::now_millis;
use serde::Serialize;
use std::fmt::Display;
use std::io::{IsTerminal as _, Write as _};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

const BOLD: &str = "\u{1b}[1m";
/// Most columns of a column that is never broken: the width of the beginning of an id.
const NARROW: u16 = 13;
/// Columns beside a cell of a table.
const PADDING: usize = 2;
/// Least columns that are left to a column that is cut.
const LEAST: usize = 16;
/// Most columns of a label in front of a text.
const LONGEST_LABEL: usize = 24;
const PLAIN: &str = "\u{1b}[0m";

/// Prints one line of words on standard output, broken between words to the width of a terminal. Whatever could not be seen
/// in it comes out as an escape, wherever it was forgotten before.
pub(crate) fn write_line(text: impl AsRef<str>) -> Result<(), Failure> {
    let text = text.as_ref();
    write_hanging(text, text_column(text))
}

/// Prints a line of words as [`write_line()`] does, put together as by `format!`.
macro_rules! say {
    ($($part:tt)+) => {
        $crate::print::write_line(format!($($part)+))
    };
}
pub(crate) use say;

/// Prints a line like [`write_line()`]; what does not fit goes on at this column.
pub(crate) fn write_hanging(text: &str, column: usize) -> Result<(), Failure> {
    write_raw(fitted(&guarded(text), terminal_width(), column))
}

/// Prints several lines to paste: escaped, and none of them broken.
pub(crate) fn write_lines(text: &MultilineText) -> Result<(), Failure> {
    text.iter().try_for_each(|line| write_raw(guarded(line)))
}

/// Prints text with the ends of its lines, each as [`write_lines()`] does.
pub(crate) fn write_text(text: &str) -> Result<(), Failure> {
    text.trim_end().lines().try_for_each(|line| write_raw(guarded(line)))
}

/// Prints what would change in a file, line by line.
pub(crate) fn write_diff(file: &str, lines: &[DiffLine]) -> Result<(), Failure> {
    write_line(format!("{file}:"))?;
    lines.iter().try_for_each(|row| {
        write_raw(guarded(&format!("  {} {}", row.change.diff_sign(), to_terminal_text(&row.text))))
    })
}

/// Prints text that is meant for another program, as it is.
pub(crate) fn write_raw(text: impl AsRef<str>) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out
        .write_all(text.as_ref().as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        // A reader that has seen enough ends the program quietly.
        std::io::ErrorKind::BrokenPipe => Failure { code: 0, message: String::new() },
        _ => Failure::from_error(error),
    })
}

/// Prints a line on standard error, broken as [`write_line()`] does.
pub(crate) fn remark(text: impl AsRef<str>) {
    let width = Table::new().use_stderr().width().map(usize::from);
    let line = |line: &str| fitted(&guarded(line), width, text_column(line));
    let lines: Vec<String> = text.as_ref().split('\n').map(line).collect();
    // Nothing can be said about a standard error that is gone.
    drop(writeln!(std::io::stderr(), "{}", lines.join("\n")));
}

/// Returns a question as it fits into the width of the terminal that standard error is, with room for a space behind it.
pub(crate) fn fitted_prompt(question: &str) -> String {
    let width = Table::new().use_stderr().width().map(|width| usize::from(width).saturating_sub(1));
    let lines: Vec<String> = question.split('\n').map(|line| fitted(&guarded(line), width, 0)).collect();
    lines.join("\n")
}

/// Returns a line whose only control sequences are our own emphasis.
fn guarded(text: &str) -> String {
    let visible = |part: &str| pieces(part).into_iter().map(|piece| piece.text).collect::<String>();
    let emphasised = |part: &str| part.split(PLAIN).map(visible).collect::<Vec<_>>().join(PLAIN);
    text.split(BOLD).map(emphasised).collect::<Vec<_>>().join(BOLD)
}

/// Returns a line as it fits into the width of a terminal, if there is one.
fn fitted(line: &str, width: Option<usize>, column: usize) -> String {
    width.map_or_else(|| line.to_owned(), |width| wrap(line, width, column).join("\n"))
}

/// Returns the column at which the text of a line goes on: that of the text behind a label, or two further in.
fn text_column(line: &str) -> usize {
    let line = without_emphasis(line);
    let text = line.trim_start();
    let begins = line.len() - text.len();
    let label = text.find("  ").filter(|end| begins + end <= LONGEST_LABEL);
    let behind = label.map(|end| line.len() - text[end..].trim_start().len());
    behind.map_or(begins + 2, |at| line[..at].width())
}

/// Breaks a line at its spaces into lines of at most `width` columns; all but the first begin at the column `hang`.
///
/// A longer word stays whole, so that a path or a digest can be copied, and begins as far to the left as it needs.
pub(crate) fn wrap(line: &str, width: usize, hang: usize) -> Vec<String> {
    let hang = hang.min(width / 2);
    let mut lines = vec![String::new()];
    let (mut used, mut spaces) = (0, 0);
    for (at, word) in line.split(' ').enumerate() {
        spaces += usize::from(at > 0);
        let Some(last) = lines.last_mut().filter(|_| !word.is_empty()) else { continue };
        let columns = without_emphasis(word).width();
        if used > 0 && used + spaces + columns > width {
            let indent = hang.min(width.saturating_sub(columns));
            lines.push(" ".repeat(indent) + word);
            used = indent + columns;
        } else {
            last.push_str(&" ".repeat(spaces));
            last.push_str(word);
            used += spaces + columns;
        }
        spaces = 0;
    }
    lines
}

/// Returns a line without our own emphasis, which takes no columns.
fn without_emphasis(line: &str) -> String {
    line.replace(BOLD, "").replace(PLAIN, "")
}

/// Prints one JSON document over several lines.
pub(crate) fn write_json(value: &impl Serialize) -> Result<(), Failure> {
    write_raw(ascii_where_unseen(&serde_json::to_string_pretty(value).map_err(Failure::from_error)?))
}

/// Prints one JSON object on one line.
pub(crate) fn json_line(value: &impl Serialize) -> Result<(), Failure> {
    write_raw(ascii_where_unseen(&serde_json::to_string(value).map_err(Failure::from_error)?))
}

/// Escapes every character of JSON that a terminal would act on or not show as `\uXXXX`.
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
pub(crate) fn write_table<const N: usize>(
    headings: [&str; N],
    rows: Vec<[String; N]>,
    nothing: &str,
) -> Result<(), Failure> {
    if rows.is_empty() {
        return write_line(nothing);
    }
    for row in arranged(headings, rows).to_string().lines() {
        write_line(row.trim_end())?;
    }
    Ok(())
}

/// Returns the columns of the terminal, or `None` if output goes elsewhere.
pub(crate) fn terminal_width() -> Option<usize> {
    Table::new().width().map(usize::from)
}

/// Cuts the long column of each row to what the others leave of `width`, so that a row takes one line of a table.
///
/// A few columns are kept if nothing is left.
pub(crate) fn cut_column<const N: usize>(
    headings: [&str; N],
    rows: &mut [[String; N]],
    long: usize,
    width: usize,
) {
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| row[column].width());
        cells.chain([headings[column].width()]).max().unwrap_or_default()
    };
    let others: usize = (0..N).filter(|column| *column != long).map(widest).sum();
    let room = width.saturating_sub(others + PADDING * N).max(LEAST);
    for row in rows {
        row[long] = cut_to(&row[long], room);
    }
}

/// Returns the beginning of a text that fits, with … for the rest.
pub(crate) fn cut_to(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or_default();
        used <= room
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// Returns a table whose narrow columns (times, ids) are never broken: what is long makes room for them.
fn arranged<const N: usize>(headings: [&str; N], rows: Vec<[String; N]>) -> Table {
    let mut table = Table::new();
    table
        .load_style(TableStyle::new())
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(headings);
    for row in rows {
        table.add_row(row);
    }
    let widths = table.column_max_content_widths();
    for (column, width) in table.column_iter_mut().zip(widths) {
        if width <= NARROW {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table
}

/// Renders shown text for a terminal. A literal backslash stays single: escaped pieces are set in marks
/// instead.
pub(crate) fn to_terminal_text(text: &ShownText) -> String {
    text.iter()
        .map(|piece| match piece.kind {
            PieceKind::Escaped => format!("⟨{}⟩", piece.text),
            PieceKind::Plain | PieceKind::Code | PieceKind::Secret => piece.text.clone(),
        })
        .collect()
}

/// Emphasis on a terminal, plain text elsewhere.
pub(crate) fn emphasize(text: &str) -> String {
    if std::io::stdout().is_terminal() { format!("{BOLD}{text}{PLAIN}") } else { text.to_owned() }
}

/// Returns a time as people read it: today's as the hour, others as the day and the hour, local time.
pub(crate) fn format_time(millis: i64) -> String {
    let Ok(at) = jiff::Timestamp::from_millisecond(millis) else { return "?".to_owned() };
    let zone = jiff::tz::TimeZone::system();
    let at = at.to_zoned(zone.clone());
    let now = jiff::Timestamp::now().to_zoned(zone);
    let format = if at.date() == now.date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M" };
    at.strftime(format).to_string()
}

/// Returns the shortest beginning of an id, up to a dash and from its time on, that no other of these ids
/// has.
pub(crate) fn short_id(id: &str, all: &[&str]) -> String {
    let ends = [13, 18, 23].into_iter().filter(|end| id.is_char_boundary(*end) && *end < id.len());
    let alone = |end: &usize| all.iter().filter(|other| other.starts_with(&id[..*end])).count() <= 1;
    ends.into_iter().find(alone).map_or(id, |end| &id[..end]).to_owned()
}

/// Returns the time so long ago.
pub(crate) fn time_before(ago: humantime::Duration) -> Result<i64, Failure> {
    let ago = i64::try_from(ago.as_millis()).map_err(Failure::from_error)?;
    Ok(now_millis().saturating_sub(ago))
}

/// Returns the time until then: `1:22`.
pub(crate) fn time_until(millis: i64) -> String {
    let left = (millis - now_millis()).max(0) / 1000;
    format!("{}:{:02}", left / 60, left % 60)
}

/// Returns a number with the word for so many: `1 rule`.
pub(crate) fn counted<N>(number: N, one: &str, several: &str) -> String
where
    N: Copy + Display + PartialEq + From<u8>,
{
    let word = if number == N::from(1) { one } else { several };
    format!("{number} {word}")
}

/// Returns the word that JSON has for a value, such as a setting.
pub(crate) fn json_word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
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
    use super::{arranged, ascii_where_unseen, cut_column, guarded, short_id, text_column, wrap};
    use unicode_width::UnicodeWidthStr as _;

    #[test]
    fn a_long_command_is_cut_to_its_line_and_a_short_one_is_whole() {
        let row = |command: &str| ["16:04:12", "main", command, "you", "01a2049f-0995"].map(str::to_owned);
        let long = "git push origin ".repeat(9);
        let mut rows = [row(&long), row("ls"), row(&"漢字".repeat(40))];
        let headings = ["AT", "AGENT", "COMMAND", "BY", "REQUEST"];
        cut_column(headings, &mut rows, 2, 80);
        let cut = rows[0][2].strip_suffix('…').expect("the rest is missed");
        assert!(long.starts_with(cut) && cut.len() > 30, "{cut}");
        assert_eq!(rows[1][2], "ls");
        let table = arranged(headings, rows.to_vec()).set_width(80).to_string();
        assert_eq!(table.lines().count(), 4, "a line for each: {table}");
        assert!(table.lines().all(|line| line.width() <= 80), "{table}");
        let mut narrow = [row(&long)];
        cut_column(headings, &mut narrow, 2, 10);
        assert_eq!(narrow[0][2], "git push origin…", "some of it is always there");
    }

    #[test]
    fn a_long_line_is_broken_between_words_and_goes_on_below_its_text() {
        let line = "ok     no window, terminal or chat shows questions";
        assert_eq!(text_column(line), 7);
        assert_eq!(wrap(line, 30, 7), ["ok     no window, terminal or", "       chat shows questions"]);
        assert_eq!(text_column("  becomes one rule"), 4, "without a label it goes on further in");
        assert_eq!(wrap("\u{1b}[1mone two\u{1b}[0m", 7, 2).len(), 1, "emphasis takes no columns");
        let digest = "9f".repeat(32);
        let field = format!("      digest           {digest}");
        let expected = ["      digest".to_owned(), format!("{}{digest}", " ".repeat(16))];
        assert_eq!(wrap(&field, 80, 23), expected, "a long word is whole");
        assert_eq!(wrap("a  b", 80, 2), ["a  b"], "what fits is as it was");
    }

    #[test]
    fn an_id_is_not_broken_where_a_command_is_long() {
        let row = ["16:04:12", "main", "denied user", &"git push origin ".repeat(9), "you", "01a2049f-0995"];
        let headings = ["AT", "AGENT", "STATE", "COMMAND", "BY", "REQUEST"];
        let mut table = arranged(headings, vec![row.map(str::to_owned)]);
        let lines = table.set_width(80).to_string();
        assert!(lines.contains("01a2049f-0995") && lines.contains("denied user"), "{lines}");
        assert!(lines.lines().all(|line| line.chars().count() <= 80), "{lines}");
    }

    #[test]
    fn an_id_is_as_short_as_no_other_begins() {
        let one = "01a2049f-0995-7c11-8a0e-000000000001";
        let two = "01a2049f-0995-7c12-8a0e-000000000002";
        let far = "01a2049f-0996-7c12-8a0e-000000000002";
        assert_eq!(short_id(one, &[one, far]), "01a2049f-0995");
        assert_eq!(short_id(one, &[one, two, far]), "01a2049f-0995-7c11");
        assert_eq!(short_id(one, &[one, one]), one, "nothing tells them apart");
        assert_eq!(short_id("é", &["é"]), "é");
    }

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
