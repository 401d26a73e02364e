//! Lines of a question, in the order of the window's panel.
//!
//! The effect, what is dangerous, the steps with their marks, why it asks, the rights of the run, what *Always* would save; then
//! the details, which are folded as long as they can be left out.

use super::choice::RuleChoice;
use super::details;
use super::rows::{Rows, step_mark};
use super::wrap::{StyledRun, dim, dim_run, escaped_run, plain_run, shown_runs};
use crate::command_lines::{CommandLines, CommandRow, LINE_END, LineCell, ShellLine, TAB};
use postern_contract::{Batch, PartRole, Question, ShownSubject, ShownText};
use postern_policy::{Decision, RiskLevel};
use ratatui::style::{Color, Modifier, Style};

/// Columns of the marks of steps.
const MARKS: usize = 2;
/// Most lines of a script or an input that are never folded.
const SHORT: usize = 8;
/// Lines of a longer one in front of its fold.
const FIRST: usize = 3;

/// State of the view that changes how a question is shown.
pub(super) struct Shape<'a> {
    /// Several of one shape that are shown as one.
    pub(super) batch: Option<&'a Batch>,
    pub(super) choice: &'a RuleChoice,
    /// True if the person opened the details.
    pub(super) open: bool,
    /// True if the person opened what is folded.
    pub(super) unfolded: bool,
    pub(super) width: usize,
}

/// Wraps the whole question, or several of one shape, to a width in columns.
pub(super) fn question(question: &Question, shape: &Shape<'_>) -> Rows {
    let mut rows = Rows::new(shape.width, shape.unfolded);
    let headline = shape.batch.map_or(&question.headline, |batch| &batch.headline);
    rows.add_row(&shown_runs(headline, Style::new().bold()), 0);
    rows.add_row(&context(question), 0);
    if question.requests.len() > 1 {
        let asked = format!("asked {} times: an approval allows the first only", question.requests.len());
        rows.add_row(&[(asked, Style::new().bold())], 0);
    }
    rows.add_gap();
    add_danger(question, &mut rows);
    match shape.batch {
        Some(batch) => members(batch, &mut rows),
        None => command(question, &mut rows),
    }
    rows.add_gap();
    add_reason(question, shape.batch, &mut rows);
    scripts_and_input(question, &mut rows);
    add_offers(question, shape.choice, &mut rows);
    rows.add_gap();
    details::add_details(question, shape.batch, shape.open, &mut rows);
    rows
}

/// Returns where it would run: by what, in which folder, in which session.
fn context(question: &Question) -> Vec<StyledRun> {
    let mut runs = vec![dim_run(crate::question::origin_words(question))];
    let (branch, repository) = (question.branch.as_ref(), question.repository.as_ref());
    for (label, text) in [(" · in ", Some(&question.cwd)), (" on branch ", branch), (" of ", repository)] {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            runs.push(dim_run(label));
            runs.extend(shown_runs(text, dim()));
        }
    }
    runs.extend(crate::question::session_words(question).map(dim_run));
    runs
}

/// Adds the consequences of what is dangerous, above the command.
fn add_danger(question: &Question, rows: &mut Rows) {
    if question.risk.level != RiskLevel::Dangerous {
        return;
    }
    let red = Style::new().fg(Color::Red);
    let told = if question.danger.is_empty() { &question.risk.reasons } else { &question.danger };
    let mut runs = vec![("Dangerous".to_owned(), red.bold())];
    for (nth, sentence) in told.iter().enumerate() {
        runs.push((if nth == 0 { ": " } else { " " }.to_owned(), red));
        runs.extend(shown_runs(sentence, red));
    }
    rows.add_row(&runs, MARKS);
    rows.add_gap();
}

/// Adds each of several commands of one shape, with what differs marked.
fn members(batch: &Batch, rows: &mut Rows) {
    for member in &batch.members {
        let mut runs = vec![("● ".to_owned(), Style::new().fg(Color::Yellow))];
        runs.extend(member.line.iter().map(|part| {
            let style = if part.differs { Style::new().fg(Color::Cyan).bold() } else { Style::new() };
            (part.text.clone(), style)
        }));
        rows.add_row(&runs, MARKS);
        if let Some(says) = &member.says {
            rows.add_row(&quoted(shown_runs(says, words_style()), "  "), MARKS);
        }
    }
}

/// Adds the command, one step a line with its mark, or what a tool is used for.
fn command(question: &Question, rows: &mut Rows) {
    for (label, text) in question.subject.to_rows() {
        rows.add_named(&label, shown_runs(&text, Style::new().bold()));
    }
    if question.subject != ShownSubject::Command {
        return;
    }
    let all = CommandLines::from_question(question);
    for row in &all.rows {
        for (nth, line) in row.lines.iter().enumerate() {
            let fold = all.fold_at(line);
            if let Some(fold) = fold.filter(|fold| fold.begins) {
                rows.add_fold(fold.count);
            }
            if fold.is_none() || rows.unfolded {
                rows.add_row(&line_runs(row, line, nth == 0), MARKS);
            }
        }
    }
}

/// Returns a line of a row; the first one begins with the mark of its step.
fn line_runs(row: &CommandRow<'_>, line: &ShellLine<'_>, is_first: bool) -> Vec<StyledRun> {
    let allowed = row.step.is_some_and(|step| step.decision == Decision::Allow && !step.dangerous);
    let mark = row.marked.filter(|_| is_first).map_or_else(|| plain_run("  "), step_mark);
    let cell = |cell: &LineCell<'_>| match *cell {
        LineCell::Text(text, role) => {
            let style = match (role, allowed) {
                (PartRole::Operator, _) | (_, true) => dim(),
                (PartRole::Program, false) => Style::new().bold(),
                (PartRole::Argument, false) => Style::new(),
            };
            (text.to_owned(), style)
        }
        LineCell::Escaped(text) => escaped_run(text, Style::new()),
        LineCell::Tab => dim_run(format!("{TAB} ")),
    };
    let end = line.ends.then(|| dim_run(LINE_END.to_string()));
    std::iter::once(mark).chain(line.cells.iter().map(cell)).chain(end).collect()
}

/// Returns the style of the agent's own words.
fn words_style() -> Style {
    dim().add_modifier(Modifier::ITALIC)
}

fn quoted(words: Vec<StyledRun>, before: &str) -> Vec<StyledRun> {
    [vec![dim_run(format!("{before}“"))], words, vec![dim_run("”")]].concat()
}

/// Adds why it asks, the agent's words, what the agent can still change, and the rights of the run.
fn add_reason(question: &Question, batch: Option<&Batch>, rows: &mut Rows) {
    rows.add_row(&shown_runs(&question.why, Style::new()), 0);
    let each_says = batch.is_some_and(|batch| batch.members.iter().any(|member| member.says.is_some()));
    if let Some(says) = question.asker.says.as_ref().filter(|_| !each_says) {
        let words = quoted(shown_runs(says, words_style()), "");
        rows.add_row(&[words, vec![dim_run(" — the agent’s words")]].concat(), 0);
    }
    if let Some(asked) = &question.edited {
        let changed = vec![plain_run("You changed this command. The agent asked for: ")];
        rows.add_row(&[changed, shown_runs(asked, Style::new())].concat(), 0);
    }
    if let Some(files) = crate::question::changeable(question) {
        let warning = format!("The agent can change {files} until it runs");
        rows.add_row(&[(warning, Style::new().bold())], 0);
    }
    if !question.confinement.is_empty() {
        rows.add_row(&shown_runs(&question.confinement, dim()), 0);
    }
}

/// Adds what an approval covers beyond the command: what new and changed scripts begin with, and the input, whole.
fn scripts_and_input(question: &Question, rows: &mut Rows) {
    for script in question.programs.iter().filter_map(|program| program.script.as_ref()) {
        let said = format!(" · {}", script.news().unwrap_or("as it was allowed before"));
        rows.add_named("script", [shown_runs(&script.path, Style::new()), vec![plain_run(said)]].concat());
        if script.is_unknown() {
            add_lines(&script.preview, rows);
        }
        if script.more && script.is_unknown() {
            rows.add_row(&[dim_run("  │ …")], 4);
        }
    }
    if let Some(stdin) = &question.stdin {
        rows.add_named("input", vec![plain_run(stdin.describe())]);
        add_lines(stdin.text_lines(), rows);
    }
}

/// Adds lines of a file or an input; of many the first ones, and a fold.
fn add_lines(lines: &[ShownText], rows: &mut Rows) {
    let (first, rest) = if lines.len() > SHORT { lines.split_at(FIRST) } else { (lines, &[][..]) };
    let add = |lines: &[ShownText], rows: &mut Rows| {
        for line in lines {
            rows.add_row(&[vec![dim_run("  │ ")], shown_runs(line, Style::new())].concat(), 4);
        }
    };
    add(first, rows);
    if !rest.is_empty() {
        rows.add_fold(rest.len());
    }
    if rows.unfolded {
        add(rest, rows);
    }
}

/// Adds the offers of *Always* by the keys that choose them, and what would be saved with them.
fn add_offers(question: &Question, choice: &RuleChoice, rows: &mut Rows) {
    if question.proposals.is_empty() && question.renews.is_empty() && question.nothing_to_save.is_none() {
        return;
    }
    rows.add_gap();
    for renewal in &question.renews {
        rows.add_named("changed", vec![plain_run(crate::question::renewed(renewal))]);
    }
    for (index, proposal) in question.proposals.iter().enumerate() {
        let key = (format!("{} ", index + 1), Style::new().bold());
        let mut runs = [vec![key], shown_runs(&proposal.label, Style::new())].concat();
        if let Some((would, of)) = proposal.would_match.filter(|(_, of)| *of > 0) {
            runs.push(dim_run(format!("  {would} of the last {of}")));
        }
        if let Some((_, text)) = choice.edited.as_ref().filter(|(id, _)| *id == proposal.id) {
            let text = postern_command::escape::visible_text(text);
            runs.push(plain_run(format!("  as you changed it: {text}")));
        }
        rows.add_named("Always", runs);
    }
    if !question.proposals.is_empty() && question.tool.is_none() {
        rows.add_named("Always", vec![dim_run(format!("  {}", choice.describe()))]);
    }
    if let Some(why) = question.unsaved_words() {
        rows.add_named("Always", vec![dim_run(format!("saves nothing: {why}"))]);
    }
}
