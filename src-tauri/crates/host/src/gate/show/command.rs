//! The command in stretches: which part is a program's name, which an argument, which joins steps.

use super::text::to_pieces;
use postern_command::{ParsedCommand, Step};
use postern_contract::{BodyLines, CommandPart, PartRole};
use std::ops::Range;

/// Returns the command's text cut at the borders of its steps and program names.
pub(crate) fn command_parts(reading: &ParsedCommand) -> Vec<CommandPart> {
    let text = reading.text.as_str();
    let mut paint = vec![(PartRole::Operator, None); text.len()];
    // A step within a step (a substitution) stands later or is shorter: it is painted over the one around it.
    let mut order: Vec<usize> = (0..reading.steps.len()).collect();
    order.sort_by_key(|&index| {
        let span = &reading.steps[index].span;
        (span.start, usize::MAX - span.len())
    });
    for index in order {
        let step = &reading.steps[index];
        paint_span(&mut paint, &step.span, (PartRole::Argument, Some(index)));
        if let Some(name) = name_of(step, text) {
            paint_span(&mut paint, &name, (PartRole::Program, Some(index)));
        }
    }
    cut_parts(text, &paint)
}

/// Returns the lines of the bodies of here-documents. One in which a step begins or ends is left out, so that no step is folded.
pub(crate) fn body_lines(reading: &ParsedCommand) -> Vec<BodyLines> {
    let holds_step = |body: &Range<usize>| {
        let ends_in = |end: usize| body.start < end && end < body.end;
        reading.steps.iter().any(|step| body.contains(&step.span.start) || ends_in(step.span.end))
    };
    let (mut at, mut first) = (0, 0);
    let mut found = Vec::new();
    for body in &reading.bodies {
        first += reading.text.get(at..body.start).map_or(0, |before| before.matches('\n').count());
        at = body.start;
        if !holds_step(body) {
            let count = reading.text.get(body.clone()).map_or(0, |text| text.lines().count());
            found.push(BodyLines { first, count });
        }
    }
    found
}

type Paint = (PartRole, Option<usize>);

fn paint_span(paint: &mut [Paint], span: &Range<usize>, with: Paint) {
    if let Some(stretch) = paint.get_mut(span.clone()) {
        stretch.fill(with);
    }
}

/// Returns the span of the program's name: the first whole word that is written like it, after the step's
/// wrappers.
fn name_of(step: &Step, text: &str) -> Option<Range<usize>> {
    let raw = step.argv.first()?.raw.as_str();
    if raw.is_empty() {
        return None;
    }
    let mut from = step.span.start;
    for via in &step.via {
        for word in via.argv.iter() {
            from = find_word(text, from..step.span.end, &word.raw)?.end;
        }
    }
    find_word(text, from..step.span.end, raw)
}

fn find_word(text: &str, within: Range<usize>, word: &str) -> Option<Range<usize>> {
    let part = text.get(within.clone())?;
    let borders = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || ";|&()<>{}`$\"'=".contains(c));
    part.match_indices(word).find_map(|(at, found)| {
        let whole =
            borders(part[..at].chars().next_back()) && borders(part[at + found.len()..].chars().next());
        whole.then(|| within.start + at..within.start + at + found.len())
    })
}

fn cut_parts(text: &str, paint: &[Paint]) -> Vec<CommandPart> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
        if at > start && (at == text.len() || paint[at] != paint[start]) {
            let (role, step) = paint[start];
            parts.push(CommandPart { text: to_pieces(&text[start..at]), role, step });
            start = at;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{body_lines, command_parts};
    use postern_command::{Dialect, ParsedCommand, Step, Word, read_shell};
    use postern_contract::BodyLines;
    use postern_contract::PartRole::{Argument, Operator, Program};

    fn step(argv: &[&str], span: std::ops::Range<usize>) -> Step {
        Step { argv: argv.iter().copied().map(Word::literal).collect(), span, ..Step::default() }
    }

    #[test]
    fn a_line_is_cut_at_its_steps_and_programs() {
        let text = "cat a | cat -n $(ls é)";
        let reading = ParsedCommand {
            text: text.to_owned(),
            steps: vec![step(&["cat", "a"], 0..5), step(&["cat", "-n"], 8..23), step(&["ls", "é"], 17..22)],
            ..ParsedCommand::default()
        };
        let got: Vec<_> = command_parts(&reading)
            .into_iter()
            .map(|part| {
                let text: String = part.text.into_iter().map(|piece| piece.text).collect();
                (text, part.role, part.step)
            })
            .collect();
        let expected = [
            ("cat", Program, Some(0)),
            (" a", Argument, Some(0)),
            (" | ", Operator, None),
            ("cat", Program, Some(1)),
            (" -n $(", Argument, Some(1)),
            ("ls", Program, Some(2)),
            (" é", Argument, Some(2)),
            (")", Argument, Some(1)),
        ];
        let expected: Vec<_> = expected.map(|(text, role, step)| (text.to_owned(), role, step)).into();
        assert_eq!(got, expected, "nothing is lost and every stretch knows its step");
    }

    #[test]
    fn a_body_is_its_lines_unless_a_step_stands_in_it() {
        let of = |text: &str| {
            let lines = |body: BodyLines| (body.first, body.count);
            body_lines(&read_shell(text, Dialect::Bash)).into_iter().map(lines).collect::<Vec<_>>()
        };
        assert_eq!(of("ls\ncat <<A <<-'B'\na\n\nA\nb\n\tB\nls"), [(2, 2), (5, 1)]);
        assert_eq!(of("git commit -m \"$(cat <<'E'\na\r\nb\u{1b}\nE\n)\""), [(1, 2)]);
        assert_eq!(of("cat <<A\n$(rm x)\nA\ncat <<B\nb\nB"), [(4, 1)]);
        assert_eq!(of("cat <<A\n$(cat <<'B'\nb\nB\n)\nA"), [(2, 1)]);
    }
}
