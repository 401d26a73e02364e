//! The words that name an action: what a rule for it begins with.

use crate::judge::{is_bound_by_limits, sends_to_own_server, sends_written_text};
use postern_command::{
    ArgEffect, ProgramClass, Step, UnsafeArg, class_of, command_length, known_program, leading_options,
};

/// Words of a rule for a step, at most.
const MOST: usize = 8;

/// Returns the command pattern for the step's action with any further arguments.
///
/// `None` if its words cannot stand for themselves in a pattern, or do not name all that makes it do more.
pub(super) fn action_pattern(step: &Step) -> Option<String> {
    let known: Vec<&str> = step.argv.iter().map_while(|word| word.value.as_deref()).collect();
    let name = *known.first()?;
    let ways = || step.ways_out.iter().filter(|way| !is_bound_by_limits(way));
    let tool = words_to_tool(step, &known);
    let named = |way: &UnsafeArg| match way.effect {
        ArgEffect::Folder | ArgEffect::NamedCode => Some(way.argument + 1),
        ArgEffect::Sends if sends_written_text(step) => words_to_field(&known, way.argument),
        // The limits hold the server and what else it does.
        ArgEffect::Sends if sends_to_own_server(step) => Some(0),
        ArgEffect::Remote if starts_services(&known) => Some(way.argument + 1),
        // All options in front of its command are words of the rule.
        ArgEffect::Config if compose_verb(&known).is_some() => Some(way.argument + 1),
        _ => None,
    };
    if name.contains('/') || tool.is_none() && !ways().all(|way| named(way).is_some()) {
        return None;
    }
    let unsafe_words = ways().map(|way| named(way).unwrap_or(way.argument + 1)).max().unwrap_or(0);
    let count = match tool {
        Some(count) => count,
        None if names_module(step) => words_to_module(&known, unsafe_words),
        None => words_to_verb(&known)?,
    };
    let words = known.get(..count.max(unsafe_words)).filter(|words| words.len() <= MOST)?;
    let sends = ways().any(|way| way.effect == ArgEffect::Sends);
    let written = |word: &&str| if sends { numbered(word) } else { (*word).to_owned() };
    let texts: Vec<String> = words.iter().map(written).collect();
    words.iter().all(is_plain).then(|| format!("{} *", texts.join(" ")))
}

/// Returns true for the services of a project's file: which ones there are and what they may, the file says.
fn starts_services(known: &[&str]) -> bool {
    let verb = compose_verb(known).and_then(|at| known.get(at));
    verb.is_some_and(|verb| ["build", "create", "start", "up"].contains(verb))
}

/// Options of compose itself, which stand in front of its command.
const OF_COMPOSE: [&str; 9] = [
    "-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory", "--ansi",
    "--parallel",
];

/// Returns the index of compose's command, behind options of its own that name files of the project alone:
/// `docker compose -f FILE logs`.
fn compose_verb(known: &[&str]) -> Option<usize> {
    let at = words_to_compose(known)?;
    let own: Vec<&str> = std::iter::once("docker-compose").chain(known.get(at..)?.iter().copied()).collect();
    let verb = at + leading_options(&own);
    let stays = |word: &&str| {
        let (name, value) = word.split_once('=').unwrap_or((word, word));
        let listed = !word.starts_with('-') || OF_COMPOSE.contains(&name);
        listed && !value.starts_with(['/', '~']) && !value.contains(':') && !value.contains("..")
    };
    known.get(at..verb)?.iter().all(stays).then_some(verb)
}

/// Counts the words of a call of compose up to its options.
fn words_to_compose(known: &[&str]) -> Option<usize> {
    match known {
        ["docker" | "podman", "compose", ..] => Some(2),
        ["docker-compose", ..] => Some(1),
        _ => None,
    }
}

/// Returns the number of words up to a field of a call, or to its method, with the value that belongs to it.
fn words_to_field(known: &[&str], at: usize) -> Option<usize> {
    match *known.get(at)? {
        "-f" | "--raw-field" => Some(at + 1),
        "-F" | "--field" | "-X" | "--method" => Some(at + 2),
        _ => None,
    }
}

/// Returns a word with a `*` for each number between slashes or behind `=`: the next issue, or the next comment.
fn numbered(word: &str) -> String {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = |text: &str| {
        let parts = text.split('/').map(|part| if number(part) { "*" } else { part });
        parts.collect::<Vec<_>>().join("/")
    };
    match word.split_once('=') {
        Some((name, value)) if number(value) => format!("{name}=*"),
        _ if word.contains('/') => parts(word),
        _ => word.to_owned(),
    }
}

/// Returns the command pattern for a program with any arguments; `None` if its name can't stand for itself in a pattern.
pub(super) fn any_arguments(name: &str) -> Option<String> {
    is_plain(&name).then(|| format!("{name} *"))
}

/// Returns true if the step runs a tool that the word behind it names, and that is no shell and no interpreter (`npx eslint`).
pub(super) fn names_tool(step: &Step) -> bool {
    let known: Vec<&str> = step.argv.iter().map_while(|word| word.value.as_deref()).collect();
    words_to_tool(step, &known).is_some()
}

/// Programs, each with the words before the name of a tool that it fetches and runs.
const RUNNERS: [&[&str]; 7] =
    [&["npx"], &["pnpx"], &["bunx"], &["uvx"], &["bun", "x"], &["yarn", "dlx"], &["pnpm", "dlx"]];

/// Commands of tools that fetch what is named behind them.
const ADDS: [&str; 3] = ["add", "i", "install"];

/// Counts the words up to the action of a tool, or to the name of a task (`npx prisma migrate dev`, `mise run test`).
///
/// What installs packages or adds sources has its own words there: others behind them name something else.
fn words_to_tool(step: &Step, known: &[&str]) -> Option<usize> {
    let mut ways = step.ways_out.iter().filter(|way| !is_bound_by_limits(way));
    let (way, None) = (ways.next()?, ways.next()) else { return None };
    let task = known.get(1).filter(|word| matches!(**word, "run" | "tasks"));
    let at = match (way.effect, task) {
        (ArgEffect::Fetches, None) if way.argument == 1 => {
            RUNNERS.iter().find(|runner| known.starts_with(runner))?.len()
        }
        // Behind `rustup run TOOLCHAIN` any program follows.
        (ArgEffect::Runs, Some(_)) if way.argument == 1 && known[0] == "mise" => 2,
        _ => return None,
    };
    let own = known.get(at..).filter(|own| own.first().is_some_and(|name| !name.starts_with('-')))?;
    if class_of(own[0]) != ProgramClass::Ordinary {
        return None;
    }
    if task.is_some() {
        return Some(at + 1);
    }
    if own.iter().skip(1).take(2).any(|word| ADDS.contains(word)) {
        return None;
    }
    let verbs = own.iter().skip(1).take_while(|word| is_verb(word)).count();
    Some(at + 1 + verbs.min(command_length(own).max(2) - 1))
}

/// Returns true if the step runs code that an argument names, and nothing else (`python3 -m pytest`).
pub(super) fn names_module(step: &Step) -> bool {
    !step.ways_out.is_empty() && step.ways_out.iter().all(|way| way.effect == ArgEffect::NamedCode)
}

/// Counts the words up to a module and its own action: `python3 -m pip install`.
fn words_to_module(known: &[&str], named: usize) -> usize {
    let own = known.get(named.saturating_sub(1)..).unwrap_or_default();
    named + command_length(own).max(1) - 1
}

/// Counts the words up to the action: after the options in front of it.
///
/// With the second word of a program that nothing is known about.
fn words_to_verb(known: &[&str]) -> Option<usize> {
    let name = known.first()?;
    if words_to_compose(known).is_some() {
        let verb = compose_verb(known)?;
        return known.get(verb).is_some_and(|word| is_verb(word)).then_some(verb + 1);
    }
    let at = 1 + leading_options(known);
    let behind: Vec<&str> = std::iter::once(*name).chain(known.get(at..)?.iter().copied()).collect();
    let words = match command_length(&behind) {
        // A path is no action.
        3 if behind.get(1..3).is_some_and(|words| words[0] == "api" && words[1].contains('/')) => 2,
        1 if known_program(name).is_empty() && behind.get(1).is_some_and(|word| is_verb(word)) => 2,
        words => words.max(1),
    };
    // An option in the action's place would stand for every action.
    let named = behind.get(1..words)?;
    if named.iter().any(|word| word.starts_with('-')) {
        return None;
    }
    Some(if words > 1 { at - 1 + words } else { 1 })
}

fn is_verb(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_:".contains(&byte))
}

fn is_plain(word: &&str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-/:@+=,~".contains(c);
    !word.is_empty() && word.chars().all(plain)
}
