//! A command in lines, as a person reads it: one step a row with one mark, and the lines of shell text as lines.
//!
//! Long bodies of here-documents can be folded: the question says which lines they are.

use postern_contract::{BodyLines, CommandPart, PartRole, Piece, PieceKind, Question, ShownStep};
use std::collections::BTreeSet;
use std::ops::Range;

/// Most lines of a body that is never folded.
const SHORT: usize = 3;
/// Mark at the end of a line of shell text.
pub(crate) const LINE_END: char = '¶';
/// Mark in place of a tab of shell text.
pub(crate) const TAB: char = '⇥';
/// Letters that could pass for a mark.
const MARKS: [char; 2] = [LINE_END, TAB];

/// A step, with the operator behind it.
#[derive(Debug)]
pub(crate) struct CommandRow<'a> {
    /// The step, where its mark belongs: not where it goes on after another one inside it.
    pub(crate) marked: Option<&'a ShownStep>,
    /// The step, also where it goes on.
    pub(crate) step: Option<&'a ShownStep>,
    pub(crate) lines: Vec<ShellLine<'a>>,
}

#[derive(Debug, Default)]
pub(crate) struct ShellLine<'a> {
    pub(crate) cells: Vec<LineCell<'a>>,
    /// True if a line of shell text ends here.
    pub(crate) ends: bool,
    /// Number of the line in the whole text.
    number: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineCell<'a> {
    /// Text of the agent that looks like itself.
    Text(&'a str, PartRole),
    /// An escape, or a letter that could pass for a mark of Postern.
    Escaped(&'a str),
    /// A tab of shell text.
    Tab,
}

/// The rows of a command, and its long bodies.
#[derive(Debug)]
pub(crate) struct CommandLines<'a> {
    pub(crate) rows: Vec<CommandRow<'a>>,
    /// Lines of each long body that may be hidden: all but its first.
    hidden: Vec<Range<usize>>,
}

impl<'a> CommandLines<'a> {
    /// Lays out the command of a question.
    pub(crate) fn from_question(question: &'a Question) -> Self {
        let mut rows: Vec<(Option<usize>, Vec<ShellLine<'a>>)> = Vec::new();
        let mut number = 0;
        for (nth, (step, parts)) in parts_by_step(&question.command).into_iter().enumerate() {
            let mut lines = vec![ShellLine { number, ..ShellLine::default() }];
            for (role, piece) in
                parts.iter().flat_map(|part| part.text.iter().map(|piece| (part.role, piece)))
            {
                if question.shell && is_escape(piece, "\\n") {
                    if let Some(last) = lines.last_mut() {
                        last.ends = true;
                    }
                    number += 1;
                    lines.push(ShellLine { number, ..ShellLine::default() });
                } else if let Some(last) = lines.last_mut() {
                    last.push_piece(piece, role, question.shell);
                }
            }
            if nth > 0 {
                close_line(&mut rows, &mut lines);
                if let Some(first) = lines.first_mut() {
                    first.drop_space();
                }
            }
            lines.retain(|line| line.ends || !line.cells.is_empty());
            if !lines.is_empty() {
                rows.push((step, lines));
            }
        }
        let hidden = if question.shell { hidden_lines(&question.bodies, number) } else { Vec::new() };
        Self { rows: marked_rows(rows, &question.steps), hidden }
    }

    pub(crate) fn fold_at(&self, line: &ShellLine<'_>) -> Option<LineFold> {
        let range = self.hidden.iter().find(|range| range.contains(&line.number))?;
        Some(LineFold { begins: range.start == line.number, count: range.len() })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineFold {
    /// True for its first line.
    pub(crate) begins: bool,
    /// Number of its lines.
    pub(crate) count: usize,
}

impl<'a> ShellLine<'a> {
    /// Returns the line as text, with escapes in marks.
    pub(crate) fn to_text(&self) -> String {
        let cell = |cell: &LineCell<'_>| match cell {
            LineCell::Text(text, _) => (*text).to_owned(),
            LineCell::Escaped(text) => format!("⟨{text}⟩"),
            LineCell::Tab => format!("{TAB} "),
        };
        let text: String = self.cells.iter().map(cell).collect();
        if self.ends { text + &LINE_END.to_string() } else { text }
    }

    fn push_piece(&mut self, piece: &'a Piece, role: PartRole, shell: bool) {
        if shell && is_escape(piece, "\\t") {
            self.cells.push(LineCell::Tab);
        } else if piece.kind == PieceKind::Escaped {
            self.cells.push(LineCell::Escaped(&piece.text));
        } else {
            for stretch in piece.text.split_inclusive(MARKS) {
                let text = stretch.trim_end_matches(MARKS);
                let (text, mark) = stretch.split_at(text.len());
                self.cells.extend(
                    Some(text).filter(|text| !text.is_empty()).map(|text| LineCell::Text(text, role)),
                );
                self.cells.extend(Some(mark).filter(|mark| !mark.is_empty()).map(LineCell::Escaped));
            }
        }
    }

    /// Drops the space between two steps: the begin of the row stands for it.
    fn drop_space(&mut self) {
        if let Some(LineCell::Text(text, _)) = self.cells.first_mut() {
            *text = text.strip_prefix(' ').unwrap_or(text);
            if text.is_empty() {
                self.cells.remove(0);
            }
        }
    }
}

fn is_escape(piece: &Piece, text: &str) -> bool {
    piece.kind == PieceKind::Escaped && piece.text == text
}

/// Moves the end of a line with which a row would begin to the row before it.
fn close_line<'a>(rows: &mut [(Option<usize>, Vec<ShellLine<'a>>)], lines: &mut Vec<ShellLine<'a>>) {
    let begins_with_end = lines.first().is_some_and(|first| first.ends && first.cells.is_empty());
    let before = rows.last_mut().and_then(|(_, lines)| lines.last_mut());
    if let Some(before) = before.filter(|before| begins_with_end && !before.ends) {
        before.ends = true;
        lines.remove(0);
    }
}

/// Returns the command as one step a row. The parts stay in their order, and none is left out.
fn parts_by_step(command: &[CommandPart]) -> Vec<(Option<usize>, Vec<&CommandPart>)> {
    let mut rows: Vec<(Option<usize>, Vec<&CommandPart>)> = Vec::new();
    let mut is_open = false;
    for part in command {
        match rows.last_mut() {
            Some((step, parts))
                if is_open && (part.step.is_none() || step.is_none_or(|step| Some(step) == part.step)) =>
            {
                parts.push(part);
                *step = step.or(part.step);
            }
            _ => rows.push((part.step, vec![part])),
        }
        // What follows an operator begins a row.
        is_open = part.role != PartRole::Operator;
    }
    rows
}

/// Gives each step its mark once, where it begins.
fn marked_rows<'a>(
    rows: Vec<(Option<usize>, Vec<ShellLine<'a>>)>,
    steps: &'a [ShownStep],
) -> Vec<CommandRow<'a>> {
    let mut seen = BTreeSet::new();
    let row = |(at, lines): (Option<usize>, Vec<ShellLine<'a>>)| {
        let step = at.and_then(|at| steps.get(at));
        let marked = step.filter(|_| at.is_some_and(|at| seen.insert(at)));
        CommandRow { marked, step, lines }
    };
    rows.into_iter().map(row).collect()
}

/// Returns the lines of long bodies behind their first line. Another Mac may name lines that are not there: they are none.
fn hidden_lines(bodies: &[BodyLines], last: usize) -> Vec<Range<usize>> {
    let long = bodies.iter().filter(|body| body.count > SHORT);
    let behind_first = |body: &BodyLines| body.first.saturating_add(1)..body.first.saturating_add(body.count);
    long.map(behind_first).filter(|lines| lines.end <= last).collect()
}

#[cfg(test)]
mod tests {
    use super::CommandLines;
    use crate::tui::tests::{question, step};
    use postern_contract::{BodyLines, CommandPart, PartRole, Question, to_pieces};

    fn part(text: &str, role: PartRole, step: Option<usize>) -> CommandPart {
        CommandPart { text: to_pieces(text), role, step }
    }

    fn shell(command: Vec<CommandPart>) -> Question {
        Question { shell: true, command, ..question("", 0) }
    }

    /// Returns what is read, with `{n}` for a fold of n lines.
    fn read(question: &Question) -> Vec<String> {
        let all = CommandLines::from_question(question);
        let mut read = Vec::new();
        for line in all.rows.iter().flat_map(|row| &row.lines) {
            match all.fold_at(line) {
                Some(fold) if fold.begins => read.push(format!("{{{}}}", fold.count)),
                Some(_) => {}
                None => read.push(line.to_text()),
            }
        }
        read
    }

    fn body(lines: usize) -> String {
        (0..lines).map(|nth| format!("line {nth}\n")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn a_step_is_a_row_with_one_mark_and_nothing_is_lost() {
        let command = vec![
            part("cd", PartRole::Program, Some(0)),
            part(" site ", PartRole::Argument, Some(0)),
            part("&&", PartRole::Operator, None),
            part(" ", PartRole::Argument, None),
            part("npm", PartRole::Program, Some(1)),
            part(" $(", PartRole::Argument, Some(1)),
            part("pwd", PartRole::Program, Some(2)),
            part(")", PartRole::Argument, Some(1)),
            part("\n", PartRole::Operator, None),
            part("git\tx¶", PartRole::Program, Some(3)),
        ];
        let steps: Vec<_> = ["cd", "npm", "pwd", "git"].map(step).into();
        let question = Question { steps, ..shell(command) };
        assert_eq!(read(&question), ["cd site &&", "npm $(", "pwd", ")¶", "git⇥ x⟨¶⟩"]);
        let all = CommandLines::from_question(&question);
        let marks = all.rows.iter().map(|row| row.marked.map(|step| step.text.as_str()));
        assert_eq!(marks.collect::<Vec<_>>(), [Some("cd"), Some("npm"), Some("pwd"), None, Some("git")]);
        let argv = Question { shell: false, ..question };
        assert!(read(&argv).concat().contains("⟨\\n⟩"), "an argument's line end is no line");
    }

    /// Returns what is read of a text with bodies at these lines, each with its number of lines.
    fn read_bodies(text: &str, bodies: &[(usize, usize)]) -> Vec<String> {
        let bodies = bodies.iter().map(|(first, count)| BodyLines { first: *first, count: *count }).collect();
        let command = vec![part(text, PartRole::Argument, Some(0))];
        read(&Question { bodies, ..shell(command) })
    }

    #[test]
    fn a_long_body_is_its_first_line_and_a_fold() {
        let long = format!("cat <<EOF\n{}EOF\nls", body(4));
        assert_eq!(read_bodies(&long, &[(1, 4)]), ["cat <<EOF¶", "line 0¶", "{3}", "EOF¶", "ls"]);
        let short = format!("cat <<EOF\n{}EOF", body(3));
        assert_eq!(read_bodies(&short, &[(1, 3)]).len(), 5);
        let two = format!("a <<A <<-'B B'\n{}A\n{}\tB B\n", body(5), body(6));
        let expected = ["a <<A <<-'B B'¶", "line 0¶", "{4}", "A¶", "line 0¶", "{5}", "⇥ B B¶"];
        assert_eq!(read_bodies(&two, &[(1, 5), (7, 6)]), expected);
    }

    #[test]
    fn what_looks_like_a_body_is_none_by_itself() {
        let text = format!("cat <<EOF\n{}EOF", body(4));
        assert_eq!(read_bodies(&text, &[]).len(), 6);
        let argv = Question {
            bodies: vec![BodyLines { first: 1, count: 4 }],
            command: vec![part(&text, PartRole::Argument, Some(0))],
            ..question("", 0)
        };
        assert_eq!(read(&argv).len(), 1, "an argument has no lines");
    }

    #[test]
    fn lines_that_are_not_there_fold_nothing() {
        let text = format!("cat <<EOF\n{}EOF", body(4));
        for bodies in [(2, 4), (1, 5), (usize::MAX, 4), (1, usize::MAX), (9, 9)] {
            assert_eq!(read_bodies(&text, &[bodies]).len(), 6, "{bodies:?}");
        }
        let twice = read_bodies(&text, &[(1, 4), (1, 4)]);
        assert_eq!(twice, ["cat <<EOF¶", "line 0¶", "{3}", "EOF"]);
    }
}
