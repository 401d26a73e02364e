//! Commands and statements in the arguments of another command, as far as its words tell.

use super::checks;
use super::command::ProgramWords;
use super::step::effects_of_words;
use super::{CommandEffect, FoundEffect, StepEffect};
use crate::{ParsedCommand, Step, Word};

/// Most commands of one text that are looked at.
const MOST_COMMANDS: usize = 64;

/// Returns the effects of a command that a runner is given, beyond those of any code of the project.
///
/// A single word with blanks is a text, of which every command counts.
pub(super) fn effects_of_inner(words: &[&str]) -> Vec<FoundEffect> {
    match words {
        [text] if text.contains(char::is_whitespace) => effects_of_text(text),
        _ => effects_of_argv(words.iter().copied()),
    }
}

/// Returns the effects of the commands in a text, split where a shell may begin another one.
pub(super) fn effects_of_text(text: &str) -> Vec<FoundEffect> {
    let commands = text.split([';', '&', '|', '\n', '(', ')', '`', '{', '}']).take(MOST_COMMANDS);
    commands.flat_map(|command| effects_of_argv(command.split_whitespace())).collect()
}

fn effects_of_argv<'a>(words: impl Iterator<Item = &'a str>) -> Vec<FoundEffect> {
    let own = words.skip_while(|word| matches!(*word, "--" | "sudo" | "exec" | "then" | "do"));
    let argv: Vec<String> = own.map(|word| word.trim_matches(['"', '\'']).to_owned()).collect();
    let beyond = |effect: &CommandEffect| {
        !matches!(
            effect,
            CommandEffect::Read { .. }
                | CommandEffect::RunProjectCode { .. }
                | CommandEffect::RunInlineCode { .. }
        )
    };
    let found = effects_of_words(&argv).into_iter().filter(|found| beyond(&found.effect));
    found.map(|found| (found.effect, found.scope, found.reversible)).collect()
}

/// Returns what statements do that `echo` or `printf` feeds to the step behind it.
pub(super) fn fed_statements(reading: &ParsedCommand) -> Vec<(usize, StepEffect)> {
    let fed = |(at, pair): (usize, &[Step])| {
        let [feeds, takes] = pair else { return None };
        let between = reading.text.get(feeds.span.end..takes.span.start)?.trim();
        let prints = feeds.program().is_some_and(|name| matches!(name, "echo" | "printf"));
        if between != "|" || !prints {
            return None;
        }
        let texts: Vec<&str> = feeds.argv.iter().skip(1).map(Word::text).collect();
        let mut found = None;
        let words = ProgramWords::of_step(takes).pop()?;
        words
            .for_each_reading(|command| found = found.take().or_else(|| checks::statements(command, &texts)));
        let (effect, scope, reversible) = found?;
        Some((at + 1, StepEffect { effect, scope, reversible, span: takes.span.clone() }))
    };
    reading.steps.windows(2).enumerate().filter_map(fed).collect()
}
