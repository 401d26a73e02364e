//! Wrapped lines of a question, in the order of the window's panel.
//!
//! The effect, what is dangerous, the steps with their marks, why it asks, the rights of the run; then the
//! details. Nothing is cut off, what is escaped is marked as such.

use postern_contract::{
    Batch, EnvChangeKind, Piece, PieceKind, Question, ShownStep, ShownSubject, ShownText,
};
use postern_policy::{Decision, RiskLevel};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthChar as _;

/// Columns of the names of what is shown; their values have a column of their own.
const NAMES: usize = 13;

/// A stretch of text in one style.
pub(super) type StyledRun = (String, Style);

fn plain_run(text: impl Into<String>) -> StyledRun {
    (text.into(), Style::new())
}

/// Returns shown text in runs: code has a style of its own, and no escape can be taken for letters.
pub(super) fn shown_runs(text: &ShownText, style: Style) -> Vec<StyledRun> {
    let run = |piece: &Piece| match piece.kind {
        PieceKind::Escaped => (format!("⟨{}⟩", piece.text), style.add_modifier(Modifier::REVERSED)),
        PieceKind::Code => (piece.text.clone(), style.fg(Color::Cyan).add_modifier(Modifier::BOLD)),
        PieceKind::Plain | PieceKind::Secret => (piece.text.clone(), style),
    };
    text.iter().map(run).collect()
}

/// Wraps the whole question, or several of one shape, to a width in columns. The words of an offer are as the person
/// changed them.
#[expect(clippy::too_many_lines, reason = "one part of the question after the other")]
pub(super) fn question(
    question: &Question,
    batch: Option<&Batch>,
    edited: Option<&(String, String)>,
    width: usize,
) -> Vec<Line<'static>> {
    let (mut lines, mut before) = (Vec::new(), String::new());
    let mut add = |name: &str, value: Vec<StyledRun>| {
        let mut runs = Vec::new();
        if !name.is_empty() {
            // Several of one name have it once.
            let shown = if name == before && name != "|" { "" } else { name };
            runs.push((format!("{shown:<0$} ", NAMES - 1), Style::new().add_modifier(Modifier::DIM)));
        }
        name.clone_into(&mut before);
        runs.extend(value);
        lines.extend(wrap_runs(&runs, width, if name.is_empty() { 0 } else { NAMES }));
    };
    let headline = batch.map_or(&question.headline, |batch| &batch.headline);
    add("", shown_runs(headline, Style::new().bold()));
    add("", context(question));
    if question.requests.len() > 1 {
        let asked = format!("asked {} times: an approval allows the first only", question.requests.len());
        add("", vec![(asked, Style::new().bold())]);
    }
    danger(question, &mut add);
    add("", vec![]);
    match batch {
        Some(batch) => members(batch, &mut add),
        None => command(question, &mut add),
    }
    add("", vec![]);
    add("", shown_runs(&question.why, Style::new()));
    let each_says = batch.is_some_and(|batch| batch.members.iter().any(|member| member.says.is_some()));
    if let Some(says) = question.asker.says.as_ref().filter(|_| !each_says) {
        let words = shown_runs(says, Style::new().add_modifier(Modifier::ITALIC));
        add(
            "",
            [vec![plain_run("“")], words, vec![plain_run("”"), dim_run(" — the agent’s words")]].concat(),
        );
    }
    if !question.confinement.is_empty() {
        add("", shown_runs(&question.confinement, Style::new()));
    }
    add("", vec![]);
    offers(question, edited, &mut add);
    add("", vec![dim_run("Details")]);
    if batch.is_none() {
        add_argv(question, &mut add);
    }
    details(question, &mut add);
    add_past_requests(question, &mut add);
    if question.risk.level != RiskLevel::Dangerous || !question.danger.is_empty() {
        for reason in &question.risk.reasons {
            add("effect", shown_runs(reason, Style::new()));
        }
    }
    if let Some(rule) = &question.rule {
        add("rule", vec![plain_run(format!("{} ({})", rule.pattern, rule.source))]);
    }
    add("policy", shown_runs(&question.policy, Style::new()));
    add("channel", shown_runs(&question.asker.known_by, Style::new()));
    let digests = batch.map_or_else(
        || vec![&question.digest],
        |batch| batch.members.iter().map(|member| &member.digest).collect(),
    );
    for digest in digests {
        add("digest", vec![plain_run(digest)]);
    }
    lines
}

fn dim_run(text: impl Into<String>) -> StyledRun {
    (text.into(), Style::new().add_modifier(Modifier::DIM))
}

/// Returns where it would run: by what, in which folder, in which session.
fn context(question: &Question) -> Vec<StyledRun> {
    let style = Style::new().add_modifier(Modifier::DIM);
    let mut runs = vec![dim_run(crate::question::origin_words(question))];
    let session = question.asker.session.as_ref();
    for (label, text) in [(" · in ", Some(&question.cwd)), (" · session ", session)] {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            runs.push(dim_run(label));
            runs.extend(shown_runs(text, style));
        }
    }
    runs
}

/// Adds the consequences of what is dangerous.
fn danger(question: &Question, add: &mut impl FnMut(&str, Vec<StyledRun>)) {
    if question.risk.level != RiskLevel::Dangerous {
        return;
    }
    let style = Style::new().fg(Color::Red).bold();
    let told = if question.danger.is_empty() { &question.risk.reasons } else { &question.danger };
    if told.is_empty() {
        add("", vec![("DANGEROUS".to_owned(), style)]);
    }
    for (nth, sentence) in told.iter().enumerate() {
        let mark = if nth == 0 { "DANGEROUS  " } else { "           " };
        add("", [vec![(mark.to_owned(), style)], shown_runs(sentence, style)].concat());
    }
}

/// Adds each of several commands of one shape, with what differs marked.
fn members(batch: &Batch, add: &mut impl FnMut(&str, Vec<StyledRun>)) {
    for member in &batch.members {
        let mut runs = vec![("● ".to_owned(), Style::new().fg(Color::Yellow))];
        runs.extend(member.line.iter().map(|part| {
            let style = if part.differs { Style::new().fg(Color::Cyan).bold() } else { Style::new() };
            (part.text.clone(), style)
        }));
        add("", runs);
        if let Some(says) = &member.says {
            let words = shown_runs(says, Style::new().add_modifier(Modifier::ITALIC));
            add("", [vec![plain_run("  “")], words, vec![plain_run("”")]].concat());
        }
    }
}

/// Adds the command with its steps, or what a tool is used for.
fn command(question: &Question, add: &mut impl FnMut(&str, Vec<StyledRun>)) {
    for (label, text) in question.subject.to_rows() {
        add(&label, shown_runs(&text, Style::new().bold()));
    }
    if question.subject == ShownSubject::Command {
        let runs = question.command.iter().flat_map(|part| shown_runs(&part.text, Style::new().bold()));
        add("", runs.collect());
    }
    if question.shell {
        for step in &question.steps {
            add("", step_runs(step));
        }
    }
    if let Some(asked) = &question.edited {
        let changed = vec![plain_run("You changed this command. The agent asked for: ")];
        add("", [changed, shown_runs(asked, Style::new())].concat());
    }
}

/// Adds the offers of *Always*, by the keys that choose them.
fn offers(
    question: &Question,
    edited: Option<&(String, String)>,
    add: &mut impl FnMut(&str, Vec<StyledRun>),
) {
    for renewal in &question.renews {
        add("changed", vec![plain_run(crate::question::renewed(renewal))]);
    }
    for (index, proposal) in question.proposals.iter().enumerate() {
        let mut runs = shown_runs(&proposal.label, Style::new());
        if let Some((would, of)) = proposal.would_match {
            runs.push(dim_run(format!("  {would} of the last {of}")));
        }
        if let Some((_, text)) = edited.filter(|(id, _)| *id == proposal.id) {
            runs.push(plain_run(format!(
                "  as you changed it: {}",
                postern_command::escape::visible_text(text)
            )));
        }
        add(&format!("always {}", index + 1), runs);
    }
    if let Some(why) = question.unsaved_words() {
        add("always", vec![plain_run(format!("saves nothing: {why}"))]);
    }
}

/// Returns a step of a shell line: its mark, its words, as the host escaped them, and why.
fn step_runs(step: &ShownStep) -> Vec<StyledRun> {
    let (mark, color) = match (step.decision, step.dangerous) {
        (Decision::Deny, _) => ("✕", Color::Red),
        (_, true) => ("■", Color::Red),
        (Decision::Ask, false) => ("●", Color::Yellow),
        (Decision::Allow, false) => ("✓", Color::Green),
    };
    let begun = [(format!("{mark} "), Style::new().fg(color)), plain_run(format!("{}  ", step.text))];
    let why = [
        vec![dim_run(format!("{}: ", crate::question::decision_mark(step.decision)))],
        shown_runs(&step.why, dim_run("").1),
    ];
    [begun.to_vec(), why.concat()].concat()
}

fn add_argv(question: &Question, add: &mut impl FnMut(&str, Vec<StyledRun>)) {
    for (index, word) in question.argv.iter().flatten().enumerate() {
        add(&format!("word {index}"), shown_runs(word, Style::new()));
    }
}

fn details(question: &Question, add: &mut impl FnMut(&str, Vec<StyledRun>)) {
    for program in &question.programs {
        let mut runs = shown_runs(&program.path, Style::new());
        if let Some(real) = &program.real_path {
            runs.push(plain_run(" -> "));
            runs.extend(shown_runs(real, Style::new()));
        }
        for part in [&program.version, &program.short_hash].into_iter().flatten() {
            runs.push(plain_run(format!(" · {part}")));
        }
        for remark in &program.remarks {
            runs.push(plain_run(" · "));
            runs.extend(shown_runs(remark, Style::new()));
        }
        if let Some(signer) = &program.signer {
            runs.push(plain_run(" · "));
            runs.extend(shown_runs(signer, Style::new()));
        }
        add("runs", runs);
        if let Some(script) = &program.script {
            let mut runs = shown_runs(&script.path, Style::new());
            runs.push(plain_run(format!(" · {}", script.news().unwrap_or("as it was allowed before"))));
            add("script", runs);
            for line in script.preview.iter().filter(|_| script.is_unknown()) {
                add("|", shown_runs(line, Style::new()));
            }
            if script.more && script.is_unknown() {
                add("|", vec![plain_run("…")]);
            }
        }
    }
    if let Some(files) = crate::question::changeable(question) {
        let warning = format!("the agent can change {files} until it runs");
        add("not held", vec![(warning, Style::new().bold())]);
    }
    for change in &question.env {
        let sign = match change.kind {
            EnvChangeKind::Added => "+ ",
            EnvChangeKind::Changed => "~ ",
            EnvChangeKind::Refused => "refused ",
        };
        let runs = [
            vec![plain_run(sign)],
            shown_runs(&change.name, Style::new()),
            vec![plain_run("=")],
            shown_runs(&change.value, Style::new()),
            change.was.as_ref().map_or_else(Vec::new, |was| {
                [vec![plain_run("  (was ")], shown_runs(was, Style::new()), vec![plain_run(")")]].concat()
            }),
        ];
        add("environment", runs.concat());
    }
    if let Some(stdin) = &question.stdin {
        add("stdin", vec![plain_run(stdin.describe())]);
        for line in stdin.text_lines() {
            add("|", shown_runs(line, Style::new()));
        }
    }
}

/// Adds the agent's earlier requests: context, nothing that is checked.
fn add_past_requests(question: &Question, add: &mut impl FnMut(&str, Vec<StyledRun>)) {
    for (nth, past) in question.recent.iter().enumerate() {
        let ending = shown_runs(&past.outcome, Style::new().add_modifier(Modifier::DIM));
        let runs = [shown_runs(&past.line, Style::new()), vec![plain_run("  ")], ending].concat();
        add(if nth == 0 { "before" } else { " " }, runs);
    }
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
