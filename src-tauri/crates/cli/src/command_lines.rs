//! A command in lines, as a person reads it: one step a row with one mark, and the lines of shell text as lines.
//!
//! Long bodies of here-documents are found, so that a view can fold them. Where the reading is in doubt, none is.

use postern_contract::{CommandPart, PartRole, Piece, PieceKind, Question, ShownStep};
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

/// A line of a row.
#[derive(Debug, Default)]
pub(crate) struct ShellLine<'a> {
    pub(crate) cells: Vec<LineCell<'a>>,
    /// True if a line of shell text ends here.
    pub(crate) ends: bool,
    /// Number of the line in the whole text.
    number: usize,
}

/// A stretch of a line.
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
        let hidden = if question.shell { long_bodies(&question.command) } else { Vec::new() };
        Self { rows: marked_rows(rows, &question.steps), hidden }
    }

    /// Returns the fold that a line is in.
    pub(crate) fn fold_at(&self, line: &ShellLine<'_>) -> Option<LineFold> {
        let range = self.hidden.iter().find(|range| range.contains(&line.number))?;
        Some(LineFold { begins: range.start == line.number, count: range.len() })
    }
}

/// A fold of lines.
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

/// Returns the lines of long bodies behind their first line. A body with steps in it is more than one part, and is not long.
fn long_bodies(command: &[CommandPart]) -> Vec<Range<usize>> {
    let mut texts = vec![String::new()];
    let mut parts: Vec<Range<usize>> = vec![Range::default()];
    for (nth, part) in command.iter().enumerate() {
        for piece in &part.text {
            if let Some(last) = parts.last_mut() {
                *last = if last.start == last.end { nth..nth + 1 } else { last.start..nth + 1 };
            }
            if is_escape(piece, "\\n") {
                texts.push(String::new());
                parts.push(Range::default());
                continue;
            }
            let text = match piece.kind {
                PieceKind::Escaped if piece.text == "\\t" => "\t",
                PieceKind::Escaped => "\u{fffd}",
                PieceKind::Plain | PieceKind::Code | PieceKind::Secret => &piece.text,
            };
            if let Some(last) = texts.last_mut() {
                last.push_str(text);
            }
        }
    }
    let is_one_part = |body: &Range<usize>| {
        let of = &parts[body.clone()];
        of.iter().all(|part| part.len() == 1 && part.start == of[0].start)
    };
    let long = bodies_of(&texts).into_iter().filter(|body| body.len() > SHORT).filter(is_one_part);
    long.map(|body| body.start + 1..body.end).collect()
}

/// Returns the lines of the bodies of here-documents, or nothing if the reading is in doubt.
fn bodies_of(lines: &[String]) -> Vec<Range<usize>> {
    let mut bodies = Vec::new();
    let mut reader = HereReader::default();
    let mut at = 0;
    while at < lines.len() {
        let letters: Vec<char> = lines[at].chars().collect();
        for here in reader.read_line(&letters) {
            let bare = |line: &str| {
                if here.dash { line.trim_start_matches('\t').to_owned() } else { line.to_owned() }
            };
            let Some(end) = (at + 1..lines.len()).find(|end| bare(&lines[*end]) == here.word) else {
                return Vec::new();
            };
            bodies.push(at + 1..end);
            at = end;
        }
        at += 1;
    }
    bodies
}

/// Beginning of a here-document.
struct BodyStart {
    /// The line that ends it.
    word: String,
    /// True for `<<-`.
    dash: bool,
}

/// Reads shell text a line at a time for the here-documents that begin on it: not in quotes, not in a comment.
#[derive(Debug, Default)]
struct HereReader {
    /// Open quotes, and substitutions, in which quotes begin again.
    open: Vec<char>,
    /// True if something was met that ends in other ways than what is read here.
    doubt: bool,
}

impl HereReader {
    fn read_line(&mut self, line: &[char]) -> Vec<BodyStart> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < line.len() && !self.doubt {
            let quoted = matches!(self.open.last(), Some('\'' | '"'));
            match here_document(&line[at..]).filter(|_| !quoted) {
                Some((here, length)) => {
                    found.push(here);
                    at += length;
                }
                None => at += self.step_over(line, at),
            }
        }
        if self.doubt { Vec::new() } else { found }
    }

    /// Goes on by what stands here, and returns its length.
    fn step_over(&mut self, line: &[char], at: usize) -> usize {
        let within = self.open.last().copied();
        let next = line.get(at + 1).copied();
        match (line[at], within) {
            ('\'', Some('\'')) | ('"', Some('"')) | (')', Some('(')) => {
                self.open.pop();
            }
            (_, Some('\'')) => {}
            ('\\', _) => return 2,
            ('`', _) => self.doubt = true,
            ('$', _) if next == Some('\'') => self.doubt = true,
            ('$', _) if next == Some('(') => {
                self.open.push('(');
                return 2;
            }
            ('"', _) => self.open.push('"'),
            (_, Some('"')) => {}
            (open @ ('\'' | '('), _) => self.open.push(open),
            ('<', _) if line[at..].starts_with(&['<', '<', '<']) => return 3,
            ('#', _) if at == 0 || is_word_end(line[at - 1]) => return line.len(),
            _ => {}
        }
        1
    }
}

/// Returns true if a comment may begin behind this.
fn is_word_end(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(')
}

/// Returns the here-document that begins with these letters, and how many of them name it.
fn here_document(letters: &[char]) -> Option<(BodyStart, usize)> {
    let rest = letters.strip_prefix(&['<', '<'])?;
    let dash = rest.first() == Some(&'-');
    let blanks = rest.iter().skip(usize::from(dash)).take_while(|c| matches!(c, ' ' | '\t')).count();
    let before = usize::from(dash) + blanks;
    let rest = rest.get(before..)?;
    let (word, length): (String, usize) = match rest.first()? {
        quote @ ('\'' | '"') => {
            let end = rest.iter().skip(1).position(|c| c == quote)?;
            (rest[1..=end].iter().collect(), end + 2)
        }
        first => {
            let escaped = usize::from(*first == '\\');
            let bare = |c: &&char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-');
            let word: String = rest.iter().skip(escaped).take_while(bare).collect();
            let length = escaped + word.len();
            (word, length)
        }
    };
    (!word.is_empty()).then_some((BodyStart { word, dash }, 2 + before + length))
}

#[cfg(test)]
mod tests {
    use super::{CommandLines, bodies_of};
    use crate::tui::tests::{question, step};
    use postern_contract::{CommandPart, PartRole, Question, to_pieces};

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

    #[test]
    fn a_long_body_is_its_first_line_and_a_fold() {
        let of = |text: &str| read(&shell(vec![part(text, PartRole::Argument, Some(0))]));
        let long = format!("cat <<EOF\n{}EOF\nls", body(4));
        assert_eq!(of(&long), ["cat <<EOF¶", "line 0¶", "{3}", "EOF¶", "ls"]);
        let short = format!("cat <<EOF\n{}EOF", body(3));
        assert_eq!(of(&short).len(), 5);
        let two = format!("a <<A <<-'B B'\n{}A\n{}\tB B\n", body(5), body(6));
        let expected = ["a <<A <<-'B B'¶", "line 0¶", "{4}", "A¶", "line 0¶", "{5}", "⇥ B B¶"];
        assert_eq!(of(&two), expected);
    }

    #[test]
    fn what_may_be_no_body_and_a_body_with_a_step_are_shown() {
        for doubt in [
            "echo '<<EOF'\na\nb\nc\nd\nEOF",
            "cat <<EOF\na\nb\nc\nd",
            "echo $'\\'' <<EOF\na\nb\nc\nd\nEOF",
            "echo `x` <<EOF\na\nb\nc\nd\nEOF",
            "ls # <<EOF\na\nb\nc\nd\nEOF",
            "cat <<<EOF\na\nb\nc\nd\nEOF",
        ] {
            let lines: Vec<String> = doubt.split('\n').map(str::to_owned).collect();
            assert!(bodies_of(&lines).is_empty(), "{doubt}");
        }
        let parts = [("cat <<EOF\na\nb $(", 0), ("rm x", 1), (")\nc\nd\ne\nEOF", 0)];
        let parts = parts.map(|(text, step)| part(text, PartRole::Argument, Some(step)));
        let shown = read(&shell(parts.into()));
        assert!(!shown.concat().contains('{'), "{shown:?}");
    }
}
