//! Runs of styled text, broken into the lines of a terminal. Nothing is cut off; what is escaped is marked as such.

use postern_contract::{Piece, PieceKind, ShownText};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthChar as _;

/// A stretch of text in one style.
pub(super) type StyledRun = (String, Style);

pub(super) fn plain_run(text: impl Into<String>) -> StyledRun {
    (text.into(), Style::new())
}

pub(super) fn dim_run(text: impl Into<String>) -> StyledRun {
    (text.into(), dim())
}

pub(super) fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// Returns an escape, which no letters can be taken for.
pub(super) fn escaped_run(text: &str, style: Style) -> StyledRun {
    (format!("⟨{text}⟩"), style.add_modifier(Modifier::REVERSED))
}

/// Returns shown text in runs: code has a style of its own, and no escape can be taken for letters.
pub(super) fn shown_runs(text: &ShownText, style: Style) -> Vec<StyledRun> {
    let run = |piece: &Piece| match piece.kind {
        PieceKind::Escaped => escaped_run(&piece.text, style),
        PieceKind::Code => (piece.text.clone(), style.fg(Color::Cyan)),
        PieceKind::Plain | PieceKind::Secret => (piece.text.clone(), style),
    };
    text.iter().map(run).collect()
}

/// Returns runs as one line, with … for what does not fit: for lists alone, where nothing is answered.
pub(super) fn cut_runs(runs: &[StyledRun], width: usize) -> Line<'static> {
    let mut lines = wrap_runs(runs, width, 0).into_iter();
    let mut line = lines.next().unwrap_or_default();
    if lines.next().is_some() {
        let mut rows = wrap_runs(runs, width.saturating_sub(1), 0).into_iter();
        line = rows.next().unwrap_or_default();
        line.push_span(Span::styled("…", dim()));
    }
    line
}

/// A letter on the screen.
struct Cell {
    letter: char,
    columns: usize,
    style: Style,
}

/// Breaks runs into lines of at most `width` columns, between words if possible.
///
/// Every line but the first begins `indent` columns further in. Every character comes out, spaces as well: a
/// line that is full to its edge is broken inside a word. One that has no width of its own, or that a
/// terminal would act on, comes out as an escape.
pub(super) fn wrap_runs(runs: &[StyledRun], width: usize, indent: usize) -> Vec<Line<'static>> {
    let width = width.max(8);
    let indent = indent.min(width / 4);
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut row: Vec<Cell> = Vec::new();
    let mut used = 0;
    for (letter, style) in runs.iter().flat_map(|(text, style)| text.chars().map(move |c| (c, *style))) {
        for letter in visible(letter) {
            let columns = letter.width().unwrap_or(1);
            if used + columns > width {
                let rest = row.split_off(word_start(&row));
                used = indent + rest.iter().map(|cell| cell.columns).sum::<usize>();
                rows.push(std::mem::replace(&mut row, rest));
            }
            row.push(Cell { letter, columns, style });
            used += columns;
        }
    }
    rows.push(row);
    let line = |(at, row): (usize, &Vec<Cell>)| line_of(if at == 0 { 0 } else { indent }, row);
    rows.iter().enumerate().map(line).collect()
}

/// Returns the index at which the row is broken: before its last word, or at its end if it is all one word.
fn word_start(row: &[Cell]) -> usize {
    row.iter().rposition(|cell| cell.letter == ' ').map_or(row.len(), |space| space + 1)
}

fn line_of(indent: usize, row: &[Cell]) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    if indent > 0 {
        spans.push(Span::raw(" ".repeat(indent)));
    }
    for same in row.chunk_by(|one, other| one.style == other.style) {
        let text: String = same.iter().map(|cell| cell.letter).collect();
        spans.push(Span::styled(text, same[0].style));
    }
    Line::from(spans)
}

fn visible(c: char) -> Vec<char> {
    let seen = c == ' '
        || c == '\\'
        || (postern_command::escape::is_visible(c.encode_utf8(&mut [0; 4]))
            && c.width().is_some_and(|width| width > 0));
    if seen { vec![c] } else { c.escape_unicode().collect() }
}

#[cfg(test)]
mod tests {
    use super::{plain_run, wrap_runs};

    fn text(runs: &[super::StyledRun], width: usize) -> Vec<String> {
        let line =
            |line: &ratatui::text::Line<'_>| line.spans.iter().map(|span| span.content.as_ref()).collect();
        wrap_runs(runs, width, 0).iter().map(line).collect()
    }

    #[test]
    fn nothing_is_cut_off_and_nothing_acts_on_the_terminal() {
        let lines = text(&[plain_run("0123456789abcdef")], 10);
        assert_eq!(lines, ["0123456789", "abcdef"]);
        let hostile = text(&[plain_run("a\u{1b}[2Jb\u{202e}c\u{200b}d")], 80).concat();
        assert_eq!(hostile, "a\\u{1b}[2Jb\\u{202e}c\\u{200b}d");
        assert_eq!(
            text(&[plain_run("漢字漢字漢字")], 8),
            ["漢字漢字", "漢字"],
            "wide letters take two columns"
        );
    }

    #[test]
    fn lines_break_between_words_and_lose_no_space() {
        assert_eq!(text(&[plain_run("remove the build")], 10), ["remove ", "the build"]);
        assert_eq!(text(&[plain_run("remove it "), plain_run("all")], 10), ["remove it ", "all"]);
        assert_eq!(
            text(&[plain_run("0123456789 b")], 10),
            ["0123456789", " b"],
            "the space is told from a broken word"
        );
        assert_eq!(text(&[plain_run("rm 0123456789")], 10), ["rm ", "0123456789"]);
        for spaced in ["a  b   c    d     e      f", "              ", "one 0123456789abcdefghij two", ""] {
            for width in 8..30 {
                let lines = text(&[plain_run(spaced)], width);
                assert_eq!(lines.concat(), spaced, "{width}");
                assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}: {lines:?}");
            }
        }
    }

    #[test]
    fn what_goes_on_stands_further_in() {
        let lines = super::wrap_runs(&[plain_run("why: no rule for it at all")], 12, 2);
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["why: no ", "  rule for ", "  it at all"]);
    }
}
