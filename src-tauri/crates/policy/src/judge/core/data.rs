//! Core entries against reading and writing Postern's own folders.

use super::super::invocation::JudgedInvocation;
use super::place::{LONGEST_PATH, OwnFoldersView, resolved, spellings};
use super::{CoreEntry, DATA, KEYS, removal, spelling};
use crate::facts::{StepFacts, TargetPath};
use crate::given;
use crate::judge::guarded::comparison_key;
use crate::judge::line::JudgmentContext;
use postern_command::{Power, Redirection, Role, Step, Word};

/// Returns the entry that matches the step's redirections or its folder.
pub(super) fn reaches_into(step: &Step, found: &StepFacts, line: &JudgmentContext<'_>) -> Option<CoreEntry> {
    let folder = crate::needed::folder_of(line.cwd, &step.dir);
    let here = folder.as_deref().unwrap_or(line.cwd);
    if step.role == Role::Program && line.guarded().contains_path(&comparison_key(here)) {
        let argv = step.literal_argv();
        return Some(if argv.is_some_and(|argv| postern_command::is_read_only(&argv)) { KEYS } else { DATA });
    }
    let mut targets = step.redirections.iter().filter(|one| one.names_file()).peekable();
    targets.peek()?;
    let place = OwnFoldersView::new(line, here);
    let inside = |redirection: &&Redirection| {
        let text = redirection.target.text();
        leads_inside(text, &place, &found.targets)
    };
    let reached: Vec<_> = targets.filter(inside).collect();
    let entry = if reached.iter().any(|redirection| redirection.writes()) { DATA } else { KEYS };
    (!reached.is_empty()).then_some(entry)
}

/// Returns the entry that matches a text which the step gives to a variable or to its program's input, as a path in there.
pub(super) fn named_by_value(step: &Step, line: &JudgmentContext<'_>) -> Option<CoreEntry> {
    let texts = given::literals(step);
    if texts.is_empty() {
        return None;
    }
    let folder = crate::needed::folder_of(line.cwd, &step.dir);
    let place = OwnFoldersView::new(line, folder.as_deref().unwrap_or(line.cwd));
    texts.iter().any(|text| place.is_named_by(text)).then_some(KEYS)
}

/// Programs that would move the data with a folder around them.
const MOVES: &[&str] = &["mv", "gmv"];
/// Programs that would remove or lock them with all that a folder holds.
const GOES_THROUGH: &[&str] = &["rm", "grm", "srm", "chmod", "chown", "chflags"];

/// Returns true if programs of this name are looked at, whatever they are given.
pub(super) fn is_about(base: &str) -> bool {
    [MOVES, GOES_THROUGH].iter().any(|names| names.contains(&base))
}

/// Returns the word that gives a program a path in there, or removes or moves the whole folder, and the entry
/// that matches.
pub(super) fn touched<'a>(
    call: &JudgedInvocation<'a>,
    line: &JudgmentContext<'_>,
) -> Option<(CoreEntry, &'a str)> {
    let raw = |at: usize| call.raw.get(at).copied();
    let words = || call.args.iter().enumerate().filter_map(|(at, word)| word.or_else(|| raw(at)));
    // A text that is longer than any path is for a shell, which reads it; taking it to pieces costs much.
    let mut pieces = call.args.iter().enumerate().filter_map(|(at, word)| match word {
        Some(word) => Some(*word).filter(|word| word.len() <= LONGEST_PATH),
        None => raw(at),
    });
    let folder = call.folder.as_deref();
    let place = OwnFoldersView::new(line, folder.unwrap_or(line.cwd));
    let inside = |word: &&str| spellings(word).any(|text| leads_inside(text, &place, call.targets));
    if let Some(word) = pieces.find(inside) {
        return Some((if only_reads(call) { KEYS } else { DATA }, word));
    }
    let word = match &*call.folded_base_name() {
        // The last operand is where it moves to.
        name if MOVES.contains(&name) => {
            let moved = words().count().saturating_sub(1);
            words().take(moved).find(|word| holds_data(word, folder, line))
        }
        name if GOES_THROUGH.contains(&name) && removal::is_recursive(call, line) => {
            words().find(|word| holds_data(word, folder, line))
        }
        _ => None,
    };
    word.map(|word| (DATA, word))
}

/// Returns true if everything that a call starts only reads, through wrappers and shell text as well.
fn only_reads(call: &JudgedInvocation<'_>) -> bool {
    let path = |at: usize| call.raw.get(at).copied().filter(|raw| begins_a_path(raw));
    let args = call.args.iter().enumerate().map(|(at, word)| word.or_else(|| path(at)));
    let argv: Option<Vec<String>> =
        std::iter::once(Some(call.name)).chain(args).map(|word| word.map(str::to_owned)).collect();
    argv.is_some_and(|argv| {
        let reading = postern_command::read_argv(&argv);
        reading.is_clear() && !reading.steps.is_empty() && reading.steps.iter().all(step_only_reads)
    })
}

/// Returns true if a step only reads, and no argument makes it write (`sed -i`, `sort -o`).
fn step_only_reads(step: &Step) -> bool {
    let word = |word: &'_ Word| {
        word.value.clone().or_else(|| Some(word.raw.clone()).filter(|raw| begins_a_path(raw)))
    };
    let argv: Option<Vec<String>> = step.argv.iter().map(word).collect();
    let argv = argv.unwrap_or_default();
    postern_command::is_read_only(&argv.iter().map(String::as_str).collect::<Vec<_>>())
        && step.ways_out.is_empty()
        && step.via.iter().all(|via| via.power == Power::Transparent)
        && !step.writes_by_redirection()
}

/// Returns true if a written word is a path with any expansion.
fn begins_a_path(raw: &str) -> bool {
    raw.trim_start_matches('"').starts_with(['~', '/']) || raw.contains("$HOME/")
}

/// Returns true if a path lies there, in one of the spellings that it may turn into, or by where a link
/// leads.
fn leads_inside(text: &str, place: &OwnFoldersView<'_>, targets: &[TargetPath]) -> bool {
    let guarded = place.line.guarded();
    let led = |text: &str| {
        targets
            .iter()
            .any(|target| target.written == text && guarded.contains_path(&comparison_key(&target.real)))
    };
    if !targets.is_empty()
        && (led(text) || spelling::all_spellings(text, place.here, place.line).iter().any(|text| led(text)))
    {
        return true;
    }
    place.holds_path(text)
}

/// Returns true if the path is one of Postern's own folders, or one that holds such a folder.
fn holds_data(text: &str, folder: Option<&str>, line: &JudgmentContext<'_>) -> bool {
    let here = folder.unwrap_or(line.cwd);
    let mut texts = spelling::all_spellings(text, here, line).into_iter().map(|text| resolved(&text, here));
    !text.starts_with('-') && texts.any(|path| line.guarded().may_lie_below(&path))
}
