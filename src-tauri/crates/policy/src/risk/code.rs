//! Effects that the texts in a step's code may have, and those of a program that a variable of the line names.

use super::scope::PathContext;
use super::{RatedEffect, RiskLevel, rate_effect};
use crate::code_texts::{REMOVES, commands, literals};
use crate::given::{GivenValues, text_of};
use postern_command::effect::{Reversible, effects_of_words};
use postern_command::{CommandEffect, ParsedCommand, Step, StepEffect, Unparsed, Word};

/// Commands of one step that are weighed.
const MOST_COMMANDS: usize = 64;

/// Returns what a step may do by the texts of its code or the values of its variables, as far as it is dangerous.
pub(super) fn effects_of_texts(
    reading: &ParsedCommand,
    step: &Step,
    place: &PathContext<'_>,
) -> Vec<RatedEffect> {
    let Some(part) = &step.opaque else { return Vec::new() };
    let (argvs, removed) = match part.kind {
        Unparsed::InlineCode | Unparsed::InputCode => {
            let code = codes(step);
            let argvs = code.iter().flat_map(|code| commands_in(code)).collect();
            (argvs, code.iter().flat_map(|code| removed_paths(code)).collect())
        }
        Unparsed::DynamicProgram => (with_values(reading, step), Vec::new()),
        _ => return Vec::new(),
    };
    let found = argvs.iter().take(MOST_COMMANDS).flat_map(|argv| effects_of_words(argv));
    let removed = removed.into_iter().take(MOST_COMMANDS).map(|path| StepEffect {
        effect: CommandEffect::Delete { paths: vec![path], recursive: true, found: false },
        scope: None,
        reversible: Reversible::No,
        span: part.span.clone(),
    });
    let rated = found.chain(removed).map(|found| rate_effect(found, None, place));
    let span = (part.span.start, part.span.end);
    let dangerous = rated.filter(|rated| rated.level == RiskLevel::Dangerous);
    dangerous.map(|rated| RatedEffect { guessed: true, span, ..rated }).collect()
}

/// Returns the texts that may hold a step's code: its arguments, and what it is fed.
fn codes(step: &Step) -> Vec<String> {
    let fed = step.redirections.iter().filter_map(|redirection| redirection.text.clone());
    step.argv.iter().skip(1).map(text_of).chain(fed).collect()
}

/// Returns the commands in the texts of code: a text of several words, or a list with a word in each text.
fn commands_in(code: &str) -> Vec<Vec<String>> {
    let written = literals(code).flat_map(commands);
    let listed = ['"', '\''].into_iter().flat_map(|quote| listed(code, quote));
    written.chain(listed).filter(|argv| argv.len() > 1).collect()
}

/// Returns the lists of texts in code: `["rm", "-rf", "x"]`.
fn listed(code: &str, quote: char) -> Vec<Vec<String>> {
    let parts: Vec<&str> = code.split(quote).collect();
    let mut all: Vec<Vec<String>> = Vec::new();
    for pair in parts.chunks_exact(2) {
        let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | '[');
        let goes_on = pair[0].contains(',') && pair[0].chars().all(is_between);
        match all.last_mut().filter(|_| goes_on) {
            Some(list) => list.push(pair[1].to_owned()),
            None => all.push(vec![pair[1].to_owned()]),
        }
    }
    all
}

/// Returns the paths that code gives to functions which remove a whole tree.
fn removed_paths(code: &str) -> Vec<String> {
    let lower = code.to_ascii_lowercase();
    let path_behind = |at: usize| {
        let rest = code.get(at..)?;
        let (before, behind) = rest.split_at(rest.find(['"', '\''])?);
        let quote = behind.chars().next()?;
        let path = behind.get(1..)?.split(quote).next()?;
        (!before.contains([')', ';'])).then(|| path.to_owned())
    };
    let calls = REMOVES.iter().flat_map(|name| lower.match_indices(name).map(|(at, _)| at + name.len()));
    calls.filter_map(path_behind).collect()
}

/// Returns the commands that a step is with the values which the line gives to its variables.
fn with_values(reading: &ParsedCommand, step: &Step) -> Vec<Vec<String>> {
    let given = GivenValues::new(reading);
    let values = |word: &Word| match variable_of(word) {
        Some(name) => given.of(name).cloned().collect(),
        None => vec![text_of(word)],
    };
    let Some((program, rest)) = step.argv.split_first() else { return Vec::new() };
    let rest: Vec<String> =
        rest.iter().map(|word| values(word).pop().unwrap_or_else(|| text_of(word))).collect();
    let words = |program: &String| program.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    values(program).iter().map(|program| [words(program), rest.clone()].concat()).collect()
}

/// Returns the variable that a word is, and nothing else: `$x`, `"${x}"`.
fn variable_of(word: &Word) -> Option<&str> {
    let name = word.raw.trim_matches('"').strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!name.is_empty() && name.bytes().all(is_name)).then_some(name)
}
