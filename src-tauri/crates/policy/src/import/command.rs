//! Commands as other programs write them: exact text, a prefix, or text with wildcards.

use super::{Becomes, LeftOut, PermissionLine, Taking};
use crate::permissions::{EntryOrigin, PermissionEntry};
use crate::rule::{Effect, Pattern};
use crate::subject::SHELL_TOOL;
use postern_command::{Dialect, ParsedCommand, Role, Unparsed, quote_argv, read_shell_at};

/// The most words that a wildcard within a denied command stands for.
const MOST_BETWEEN: usize = 6;

/// A command as another program writes it.
#[derive(Debug, Clone, Copy)]
pub(super) enum ForeignCommand<'a> {
    /// This text.
    Exact(&'a str),
    /// This text, with anything behind it.
    Prefix(&'a str),
    /// This text, in which `*` stands for any text, spaces included.
    Glob(&'a str),
}

impl Taking {
    /// Takes a command over.
    pub(super) fn command(&self, written: ForeignCommand<'_>, effect: Effect) -> Result<Becomes, LeftOut> {
        let patterns = match written {
            ForeignCommand::Exact(text) => vec![self.exact_pattern(text)?],
            ForeignCommand::Prefix(text) => vec![command(&self.prefix_words(text)?, true, effect)?],
            ForeignCommand::Glob(text) => self.glob_patterns(text, effect)?,
        };
        match effect {
            Effect::Allow | Effect::Deny => self.make_rules(effect, patterns),
            Effect::Ask => self.asking_all(&patterns),
        }
    }

    fn exact_pattern(&self, text: &str) -> Result<Pattern, LeftOut> {
        Ok(Pattern::Exact(self.plain_words(text)?))
    }

    /// Returns the words of a text that is one plain command.
    fn plain_words(&self, text: &str) -> Result<Vec<String>, LeftOut> {
        if text.trim().is_empty() {
            return Err(LeftOut::Everything);
        }
        let reading = read_shell_at(text.trim(), Dialect::Bash, &self.home);
        if reading.invalid.is_some() {
            return Err(LeftOut::NotPlain);
        }
        let shell_alone = reading.steps.iter().all(|step| step.role == Role::HarmlessBuiltin);
        if shell_alone && !reading.steps.is_empty() && reading.is_clear() {
            return Err(LeftOut::NeedsNoRule);
        }
        let inline = || inline_code(&reading);
        reading.plain.clone().or_else(inline).ok_or(LeftOut::NotPlain)
    }

    /// Returns the words of a text that begins a plain command: some run nothing by themselves, or read what to run.
    fn prefix_words(&self, text: &str) -> Result<Vec<String>, LeftOut> {
        self.plain_words(text).or_else(|why| {
            if why != LeftOut::NotPlain {
                return Err(why);
            }
            let mut words = self.plain_words(&format!("{text} x"))?;
            words.pop();
            Ok(words)
        })
    }

    fn glob_patterns(&self, text: &str, effect: Effect) -> Result<Vec<Pattern>, LeftOut> {
        let text = text.trim();
        if text.trim_matches(['*', ' ', ':']).is_empty() {
            return Err(LeftOut::Everything);
        }
        let words = postern_command::words_of(text).map_err(|_| LeftOut::NotPlain)?;
        if words.first().is_none_or(|first| first.contains('*')) {
            return Err(LeftOut::NoProgram);
        }
        // With letters for its wildcards it has to be one plain command of as many words.
        let filled = self.plain_words(&text.replace('*', "x"))?;
        if filled.len() != words.len() {
            return Err(LeftOut::NotPlain);
        }
        let (last, before) = words.split_last().ok_or(LeftOut::Everything)?;
        let mut words = before.to_vec();
        let stem = last.trim_end_matches('*');
        let more = stem.len() < last.len();
        match (effect, stem) {
            (_, "") => {}
            // A word that is only begun may be another command: what is allowed ends with the word.
            (Effect::Allow, stem) => words.push(stem.to_owned()),
            (Effect::Ask | Effect::Deny, _) => words.push(last.clone()),
        }
        let more = more || effect != Effect::Allow;
        if effect == Effect::Allow {
            return Ok(vec![pattern_of(&words, more)]);
        }
        Ok(spread(&words).iter().map(|words| pattern_of(words, more)).collect())
    }

    /// Returns the lines that ask about commands.
    pub(super) fn asking_all(&self, patterns: &[Pattern]) -> Result<Becomes, LeftOut> {
        patterns.iter().map(|pattern| self.asking(pattern)).collect::<Result<_, _>>().map(Becomes::Lines)
    }

    fn asking(&self, pattern: &Pattern) -> Result<PermissionLine, LeftOut> {
        let text = match pattern {
            Pattern::Command(text) => text.clone(),
            Pattern::Exact(argv) => quote_argv(argv),
            Pattern::Path(_) | Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_) => {
                return Err(LeftOut::NoProgram);
            }
        };
        PermissionEntry::new(SHELL_TOOL, &text, Effect::Ask, &self.home, EntryOrigin::Session)
            .map_err(LeftOut::Refused)?;
        Ok(PermissionLine { tool: SHELL_TOOL.to_owned(), pattern: text, effect: Effect::Ask })
    }
}

/// Returns the words of a text that is one command with code in its arguments, which is not read.
fn inline_code(reading: &ParsedCommand) -> Option<Vec<String>> {
    let [step] = reading.steps.as_slice() else { return None };
    let bare = step.via.is_empty() && step.assignments.is_empty() && step.redirections.is_empty();
    let whole = step.span == (0..reading.text.len()) && reading.opaque.is_empty();
    let is_code = step
        .opaque
        .as_ref()
        .is_some_and(|part| matches!(part.kind, Unparsed::InlineCode | Unparsed::InputCode));
    let words = step.literal_argv().filter(|_| bare && whole && is_code)?;
    Some(words.into_iter().map(str::to_owned).collect())
}

/// Returns a pattern for literal words. What is a wildcard here cannot be allowed as itself.
fn command(words: &[String], more: bool, effect: Effect) -> Result<Pattern, LeftOut> {
    if effect == Effect::Allow && words.iter().any(|word| word.contains(['*', '?'])) {
        return Err(LeftOut::NotPlain);
    }
    Ok(pattern_of(words, more))
}

fn pattern_of(words: &[String], more: bool) -> Pattern {
    let plain = |c: char| c.is_ascii_alphanumeric() || "*-_./:=@+,%".contains(c);
    let written = |word: &String| {
        let bare = !word.is_empty() && word.chars().all(plain);
        if bare { word.clone() } else { quote_argv(std::slice::from_ref(word)) }
    };
    let words = words.iter().map(written).chain(more.then(|| "*".to_owned()));
    Pattern::Command(words.collect::<Vec<_>>().join(" "))
}

/// Returns the words with one to six, or no, words in place of each wildcard between them: here a wildcard is one word.
fn spread(words: &[String]) -> Vec<Vec<String>> {
    let Some(at) = words.iter().skip(1).position(|word| word.starts_with('*')).map(|at| at + 1) else {
        return vec![words.to_vec()];
    };
    let rest = if words[at] == "*" { &words[at + 1..] } else { &words[at..] };
    let between = |count: usize| {
        let any = std::iter::repeat_n("*".to_owned(), count);
        words[..at].iter().cloned().chain(any).chain(rest.iter().cloned()).collect()
    };
    (0..=MOST_BETWEEN).map(between).collect()
}
