//! Processes that `kill` ends: jobs of the line, those at a port, or those whose command lines hold a text.

use super::core;
use super::shell_values::{is_job, is_number, keeps_printers};
use crate::facts::Facts;
use postern_command::{RedirectionKind, Step, Word, words_of};

/// A word that stands for those that `xargs` adds.
const BY_XARGS: &str = "…";

/// Returns true if only the run tells which processes a step ends, and the line says how they are found.
pub(crate) fn ends_found_processes(facts: &Facts<'_>, step: &Step) -> bool {
    let unknown = || step.argv.iter().filter(|word| word.value.is_none());
    unknown().next().is_some() && unknown().all(|word| is_found_process(facts, step, &word.raw))
}

/// Returns true for processes that a written command finds, as `kill` takes them: `kill $(lsof -ti:3000)`, `pgrep -f vite | xargs kill`.
/// Also for a job of the line: `kill -9 $!`.
pub(super) fn is_found_process(facts: &Facts<'_>, step: &Step, raw: &str) -> bool {
    let plain = raw.trim_matches('"');
    let looked_up = || plain.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    let is_found =
        || looked_up().is_some_and(prints_processes) || raw == BY_XARGS && is_fed_processes(facts, step);
    step.program() == Some("kill")
        && (is_number(facts, raw) || is_found() && keeps_printers(&facts.reading.text))
}

/// Returns true for a `kill` of jobs of the line and of nothing else: `kill $!`, `kill %1`, `P=$!; kill $P`.
pub(super) fn ends_own_jobs(facts: &Facts<'_>, step: &Step) -> bool {
    let is_signal = |word: &&Word| {
        let signal = word.value.as_deref().and_then(|word| word.strip_prefix('-'));
        signal.is_some_and(|signal| signal.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    let is_own = |word: &Word| {
        let number = word.value.as_deref().and_then(|word| word.strip_prefix('%')).unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) || is_job(facts, &word.raw)
    };
    let mut words = step.argv.iter().skip(1).peekable();
    _ = words.next_if(is_signal);
    step.program() == Some("kill") && words.peek().is_some() && words.all(is_own)
}

/// Returns true if `xargs` hands a step what the pipe before it finds, and nothing else.
fn is_fed_processes(facts: &Facts<'_>, step: &Step) -> bool {
    const PLAIN: [&str; 6] = ["xargs", "-r", "--no-run-if-empty", "-n", "-n1", "1"];
    let [xargs] = &step.via[..] else { return false };
    let plain = |word: &Word| word.value.as_deref().is_some_and(|word| PLAIN.contains(&word));
    let writes =
        |kind| matches!(kind, RedirectionKind::Write | RedirectionKind::Append | RedirectionKind::Descriptor);
    xargs.argv.iter().all(plain)
        && step.redirections.iter().all(|redirection| writes(redirection.kind))
        && pipe_before(facts, step).is_some_and(prints_processes)
}

/// Returns the text of the commands whose output a pipe hands on to a step.
fn pipe_before<'a>(facts: &'a Facts<'_>, step: &Step) -> Option<&'a str> {
    let (steps, text) = (&facts.reading.steps, facts.reading.text.as_str());
    let at = steps.iter().position(|other| std::ptr::eq(other, step))?;
    let is_piped = |next: usize| {
        let between = text.get(steps[next - 1].span.end..steps[next].span.start).unwrap_or_default();
        ["|", "2>/dev/null |"].contains(&between.trim())
    };
    let first = (1..=at).rev().take_while(|next| is_piped(*next)).last()? - 1;
    text.get(steps[first].span.start..steps[at - 1].span.end)
}

/// Returns true for a pipe that prints the numbers of processes: those at a port, or those with a text in their command lines.
fn prints_processes(text: &str) -> bool {
    let Some(commands) = words_of_pipe(text) else { return false };
    let commands: Vec<Vec<&str>> =
        commands.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
    match commands.as_slice() {
        [only] => match only.as_slice() {
            ["lsof", words @ ..] => asks_for_port(words),
            ["pgrep", words @ ..] => asks_by_text(words),
            _ => false,
        },
        [list, filters @ .., column] => {
            let filters: Option<Vec<bool>> = filters.iter().map(|words| keeps_named(words)).collect();
            prints_numbers(list, column) && filters.is_some_and(|keeps| keeps.contains(&true))
        }
        [] => false,
    }
}

/// Returns the words of each command of a pipe, each of them written out; `None` for anything but words.
fn words_of_pipe(text: &str) -> Option<Vec<Vec<String>>> {
    let text = text.replace(" 2>/dev/null", "");
    let plain = |c: char| c.is_ascii_alphanumeric() || " ._-/:@=,+%".contains(c);
    let mut commands = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match quote {
            None if c == '|' => {
                commands.push(String::new());
                continue;
            }
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if !plain(c) => return None,
            Some(open) if c == open => quote = None,
            Some('"') if "$`\\!".contains(c) => return None,
            None | Some(_) => {}
        }
        commands.last_mut()?.push(c);
    }
    commands.iter().map(|command| words_of(command).ok()).collect()
}

/// Returns true for words of `pgrep` with which it prints the processes of one pattern, and nothing else.
fn asks_by_text(words: &[&str]) -> bool {
    let [options @ .., pattern] = words else { return false };
    options.iter().all(|word| is_letters(word, "finox")) && names_few(pattern)
}

/// Returns true for a `grep` that keeps lines with a text, false for one that leaves lines out, and `None` for anything else.
fn keeps_named(words: &[&str]) -> Option<bool> {
    let ["grep" | "egrep", options @ .., pattern] = words else { return None };
    let known = options.iter().all(|word| is_letters(word, "EFivw"));
    let leaves_out = options.iter().any(|word| word.contains('v'));
    let fits = if leaves_out { !pattern.starts_with('-') } else { names_few(pattern) };
    (known && fits).then_some(!leaves_out)
}

fn is_letters(word: &str, letters: &str) -> bool {
    let given = word.strip_prefix('-').unwrap_or_default();
    !given.is_empty() && given.chars().all(|c| letters.contains(c))
}

/// Returns true for a list of processes and an `awk` that prints the column with their numbers.
fn prints_numbers(list: &[&str], column: &[&str]) -> bool {
    let ["awk", program] = column else { return false };
    let program = program.replace(' ', "");
    matches!(
        (list, program.as_str()),
        (["ps", "aux" | "auxww" | "-aux" | "-ef"], "{print$2}")
            | (["ps", "ax" | "-ax" | "-A" | "-e"], "{print$1}")
    )
}

/// Returns true for a pattern with at least three letters in a row that all it matches has, and that Postern's processes don't have.
fn names_few(pattern: &str) -> bool {
    const LEAST: usize = 3;
    let plain = |c: char| c.is_ascii_alphanumeric() || " ._-/:@=,[]".contains(c);
    // `[v]ite` keeps the search itself out.
    let single = |behind: &str| behind.chars().nth(1) == Some(']') && !behind.starts_with([']', '^', '!']);
    let is_few = |part: &str| {
        let bare = part.replace(['[', ']'], "");
        !part.starts_with('-')
            && part.chars().all(plain)
            && part.split('[').skip(1).all(single)
            && part.matches('[').count() == part.matches(']').count()
            && bare.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| run.len() >= LEAST)
    };
    pattern.split('|').all(is_few) && !core::finds_postern(pattern)
}

/// Returns true for words of `lsof` with which it prints the programs at a port, and nothing else: `-ti:3000`, `-t -i tcp:3000`.
fn asks_for_port(words: &[&str]) -> bool {
    let is_port = |word: &str| {
        let number = word.trim_start_matches("-ti").trim_start_matches("-i");
        let number = number.trim_start_matches("tcp").trim_start_matches("TCP").strip_prefix(':');
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_option = |word: &str| ["-t", "-i", "-ti", "-sTCP:LISTEN"].contains(&word);
    words.iter().any(|word| is_port(word))
        && words.iter().any(|word| *word == "-t" || word.starts_with("-ti"))
        && words.iter().all(|word| is_port(word) || is_option(word))
}
