//! Requests of the same shape, which are shown as one: each stays a question of its own, with its own digest and arming.

use crate::piece::{Piece, PieceKind, ShownText};
use crate::question::{Asker, CommandPart, Question, ShownScript};
use crate::shown::ShownStep;
use crate::subject::ShownSubject;
use postern_command::CommandEffect;
use postern_policy::{Risk, RiskLevel};
use serde::Serialize;
use ts_rs::TS;

/// The most questions that are shown as one.
const MOST: usize = 10;
/// The longest line of one of them, in bytes: all of them are to be read at once.
const LINE: usize = 240;

/// Several questions as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// Their effect, with their number.
    pub headline: ShownText,
    /// Their lines as one; `None` where that would lose something of one of them.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folded: Option<Vec<AlikePart>>,
    /// Each of them, the question on show first.
    pub members: Vec<Alike>,
}

/// Member of several questions that are shown as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Alike {
    pub question_id: String,
    /// Digest of this question alone.
    pub digest: String,
    /// Command line in parts, with those that differ marked.
    pub line: Vec<AlikePart>,
    /// The agent's words for it, where they are not the same for all.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub says: Option<ShownText>,
}

/// A stretch of a line: the same in all, or what differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AlikePart {
    /// Piece of the line, without anything that had to be escaped.
    pub text: String,
    /// True if the others have something else here.
    pub differs: bool,
}

/// Returns the other questions that can be shown as one with `question`, in their order.
///
/// They differ in some words of one line, and in nothing else that is shown: who asks, effect, programs, folder, environment, rights.
pub fn find_alike<'a>(question: &Question, waiting: &'a [Question]) -> Vec<&'a Question> {
    let Some(words) = words_of(question) else { return Vec::new() };
    let shape = shape_of(question);
    let fits = |other: &&Question| {
        let aligned = words_of(other).is_some_and(|theirs| are_aligned(&words, &theirs));
        other.id != question.id && aligned && shape_of(other) == shape
    };
    waiting.iter().filter(fits).take(MOST - 1).collect()
}

/// Returns true if a question with this risk is never shown as one with others.
///
/// Its headline stands for all of them only where every effect that is more than a look names what it is about, and none
/// runs what its words say.
pub fn stands_alone(risk: &Risk) -> bool {
    risk.effects.is_empty() || !risk.effects.iter().all(|rated| names_objects(&rated.effect))
}

fn names_objects(effect: &CommandEffect) -> bool {
    match effect {
        CommandEffect::Read { .. } => true,
        CommandEffect::Write { paths } | CommandEffect::Delete { paths, .. } => !paths.is_empty(),
        CommandEffect::Fetch { from: names }
        | CommandEffect::Send { to: names, .. }
        | CommandEffect::Install { packages: names, .. }
        | CommandEffect::ChangeRepository { names, .. } => !names.is_empty(),
        CommandEffect::RunDownloadedCode { package, host } => package.is_some() || host.is_some(),
        CommandEffect::Serve { port, .. } => port.is_some(),
        CommandEffect::RunProjectCode { .. }
        | CommandEffect::RunInlineCode { .. }
        | CommandEffect::Publish { .. }
        | CommandEffect::RunElsewhere { .. }
        | CommandEffect::ChangeSystem { .. }
        | CommandEffect::ControlApp { .. }
        | CommandEffect::UseSecret { .. }
        | CommandEffect::Unknown { .. } => false,
    }
}

/// Returns a question without what may differ from others of the same shape.
fn shape_of(question: &Question) -> Question {
    let step = |step: &ShownStep| ShownStep { argv: None, text: String::new(), span: (0, 0), ..step.clone() };
    let part = |part: &CommandPart| CommandPart { text: Vec::new(), ..part.clone() };
    let subject = match &question.subject {
        ShownSubject::Fetch { host, fields, .. } => {
            ShownSubject::Fetch { host: host.clone(), url: Vec::new(), fields: fields.clone() }
        }
        subject => subject.clone(),
    };
    Question {
        id: String::new(),
        code: String::new(),
        digest: String::new(),
        requests: Vec::new(),
        asker: Asker { says: None, ..question.asker.clone() },
        subject,
        command: question.command.iter().map(part).collect(),
        line: String::new(),
        argv: None,
        editable: None,
        steps: question.steps.iter().map(step).collect(),
        trace: Vec::new(),
        proposals: Vec::new(),
        nothing_to_save: None,
        asked_at: 0,
        expires_at: 0,
        waiting: 0,
        queued: 0,
        refused: 0,
        recent: Vec::new(),
        ..question.clone()
    }
}

/// Returns the words of a question that can be one of several; `None` where it has to be looked at by itself.
fn words_of(question: &Question) -> Option<Vec<&str>> {
    let alone = question.alone
        || question.risk.level == RiskLevel::Dangerous
        || question.edited.is_some()
        || question.stdin.is_some()
        || !question.renews.is_empty()
        || question.host.is_some()
        || question
            .programs
            .iter()
            .any(|program| program.script.as_ref().is_some_and(ShownScript::is_unknown))
        || question.requests.len() > 1;
    let words: Vec<&str> = match &question.subject {
        ShownSubject::Command => question.line.split(' ').collect(),
        ShownSubject::Fetch { url, .. } => {
            let [Piece { text, kind: PieceKind::Plain }] = url.as_slice() else { return None };
            vec![text]
        }
        ShownSubject::FileEdit { .. }
        | ShownSubject::FileRead { .. }
        | ShownSubject::McpCall { .. }
        | ShownSubject::Other { .. } => return None,
    };
    // What is escaped has a backslash.
    let plain = words.iter().all(|word| !word.contains('\\'));
    let length: usize = words.iter().map(|word| word.len() + 1).sum();
    (!alone && plain && length <= LINE).then_some(words)
}

/// Returns true if two lines differ in paths, addresses and numbers alone: never in their program, an option, or any other word.
fn are_aligned(ours: &[&str], theirs: &[&str]) -> bool {
    ours.len() == theirs.len()
        && (ours.len() == 1 || ours.first() == theirs.first())
        && ours.iter().zip(theirs).all(|(one, other)| one == other || are_places(one, other))
}

/// Returns true for two paths, two addresses, or two words that differ in numbers alone.
fn are_places(one: &str, other: &str) -> bool {
    let without_digits = |word: &str| word.replace(|c: char| c.is_ascii_digit(), "");
    let options = one.starts_with('-') || other.starts_with('-');
    let places = one.contains('/') && other.contains('/');
    !options && (places || without_digits(one) == without_digits(other))
}

impl Batch {
    /// Shows a question as one with others that are [`find_alike`].
    pub fn from_questions(question: &Question, others: &[Question]) -> Self {
        let all: Vec<&Question> = std::iter::once(question).chain(others).collect();
        let lines: Vec<Vec<&str>> = all.iter().map(|one| words_of(one).unwrap_or_default()).collect();
        let says_one = others.iter().all(|other| other.asker.says == question.asker.says);
        let members = all.iter().zip(&lines).map(|(one, line)| Alike {
            question_id: one.id.clone(),
            digest: one.digest.clone(),
            line: split_parts(line, &lines, None),
            says: one.asker.says.clone().filter(|_| !says_one),
        });
        let mut headline = question.headline.clone();
        headline.push(Piece { text: format!(", {} times", all.len()), kind: PieceKind::Plain });
        Self { headline, folded: folded(&lines).filter(|_| says_one), members: members.collect() }
    }
}

/// Returns the lines as one, where they differ in one number.
fn folded(lines: &[Vec<&str>]) -> Option<Vec<AlikePart>> {
    let only_number = |line: &Vec<&str>| {
        let parts = split_parts(line, lines, None);
        let mut differing = parts.iter().filter(|part| part.differs);
        let found = differing.next().and_then(|part| number(&part.text));
        found.filter(|_| differing.next().is_none())
    };
    let mut numbers: Vec<u32> = lines.iter().map(only_number).collect::<Option<_>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    let line = lines.first().filter(|_| numbers.len() == lines.len())?;
    Some(split_parts(line, lines, Some(&ranges(&numbers))))
}

/// Reads a number that is written in one way only.
fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number: &u32| number.to_string() == text)
}

/// Writes numbers in their order: `1–5, 7`.
fn ranges(numbers: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            Some(_) | None => ranges.push((number, number)),
        }
    }
    let write = |&(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}–{last}") }
    };
    ranges.iter().map(write).collect::<Vec<_>>().join(", ")
}

/// Splits a line into what all have and what differs, with another text for what differs if there is one.
fn split_parts(line: &[&str], all: &[Vec<&str>], instead: Option<&str>) -> Vec<AlikePart> {
    let mut parts: Vec<AlikePart> = Vec::new();
    let mut add = |text: &str, differs: bool| match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.differs == differs => last.text.push_str(text),
        Some(_) | None => parts.push(AlikePart { text: text.to_owned(), differs }),
    };
    for (at, word) in line.iter().enumerate() {
        if at > 0 {
            add(" ", false);
        }
        let column: Vec<&str> = all.iter().filter_map(|line| line.get(at).copied()).collect();
        if column.iter().all(|other| other == word) {
            add(word, false);
            continue;
        }
        let (head, tail) = common(&column);
        let end = word.len() - tail;
        add(word.get(..head).unwrap_or_default(), false);
        add(instead.or(word.get(head..end)).unwrap_or_default(), true);
        add(word.get(end..).unwrap_or_default(), false);
    }
    parts
}

/// Returns how many bytes all words have in common at their beginning and at their end. No number is cut in two.
fn common(words: &[&str]) -> (usize, usize) {
    let Some((first, rest)) = words.split_first() else { return (0, 0) };
    let head = rest.iter().map(|word| common_bytes(first.chars(), word.chars())).min().unwrap_or(0);
    let head = first.get(..head).unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let shortest = words.iter().map(|word| word.len()).min().unwrap_or(0);
    let tail =
        rest.iter().map(|word| common_bytes(first.chars().rev(), word.chars().rev())).min().unwrap_or(0);
    let tail = tail.min(shortest - head);
    let tail = first.get(first.len() - tail..).unwrap_or_default();
    (head, tail.trim_start_matches(|c: char| c.is_ascii_digit()).len())
}

/// Returns how many bytes of letters two texts have in common.
fn common_bytes(ours: impl Iterator<Item = char>, theirs: impl Iterator<Item = char>) -> usize {
    ours.zip(theirs).take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
}

#[cfg(test)]
#[path = "alike_tests.rs"]
pub(crate) mod tests;
