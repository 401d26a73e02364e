//! Rows of a question: paragraphs, values behind their names, and the marks of steps.

use super::wrap::{StyledRun, dim_run, wrap_runs};
use crate::print::counted;
use postern_contract::ShownStep;
use postern_policy::Decision;
use ratatui::style::{Color, Style};
use ratatui::text::Line;

/// Columns of the names of what is shown; their values have a column of their own.
const NAMES: usize = 13;

/// Lines, as they are added from top to bottom.
pub(super) struct Rows {
    lines: Vec<Line<'static>>,
    width: usize,
    /// Name of the last row: several of one name have it once.
    before: String,
    /// True if nothing is folded.
    pub(super) unfolded: bool,
    /// Number of lines that are folded.
    pub(super) folded: usize,
}

impl Rows {
    pub(super) fn new(width: usize, unfolded: bool) -> Self {
        Self { lines: Vec::new(), width, before: String::new(), unfolded, folded: 0 }
    }

    pub(super) fn into_lines(self) -> Vec<Line<'static>> {
        self.lines
    }

    /// Adds a paragraph; the lines that it goes on in begin `indent` columns further in.
    pub(super) fn add_row(&mut self, runs: &[StyledRun], indent: usize) {
        self.before.clear();
        self.lines.extend(wrap_runs(runs, self.width, indent));
    }

    pub(super) fn add_named(&mut self, name: &str, value: Vec<StyledRun>) {
        let shown = if name == self.before { "" } else { name };
        let label = dim_run(format!("{shown:<0$} ", NAMES - 1));
        let runs = [vec![label], value].concat();
        self.lines.extend(wrap_runs(&runs, self.width, NAMES));
        name.clone_into(&mut self.before);
    }

    /// Adds the sign of a fold of lines. No text of an agent begins in its column.
    pub(super) fn add_fold(&mut self, count: usize) {
        let lines = counted(count, "more line", "more lines");
        let (sign, does) = if self.unfolded { ('▾', "o folds them") } else { ('▸', "o opens them") };
        let runs = [(format!("{sign} {lines}"), Style::new().bold()), dim_run(format!("  {does}"))];
        self.add_row(&runs, 2);
        if !self.unfolded {
            self.folded += count;
        }
    }

    pub(super) fn add_gap(&mut self) {
        self.add_row(&[], 0);
    }
}

pub(super) fn step_mark(step: &ShownStep) -> StyledRun {
    let color = match (step.decision, step.dangerous) {
        (Decision::Deny, _) | (_, true) => Color::Red,
        (Decision::Ask, false) => Color::Yellow,
        (Decision::Allow, false) => Color::Green,
    };
    (format!("{} ", crate::question::mark_of(step)), Style::new().fg(color))
}
