//! The built-in core: four denials that no setting, rule or answer overrides.

mod code;
mod data;
mod everything;
mod finding;
mod place;
mod removal;
mod spelling;
mod stopping;

pub(super) use place::OwnFoldersView;
pub(super) use place::spellings as path_spellings;
pub(super) use spelling::{TOO_MANY, all_spellings as spellings_of};
pub(super) use stopping::finds_postern;

use super::invocation::{self, JudgedInvocation};
use crate::judge::line::JudgmentContext;
use crate::judge::wild_path::without_classes;
use crate::needed::folder_of;
use postern_command::Step;

/// Entry of the built-in denials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoreEntry {
    /// Stable kebab-case name.
    pub id: &'static str,
    /// Reason for it, as a sentence for a person.
    pub reason: &'static str,
}

/// Recursive removal of the root, the home folder, the working directory or what is above it.
pub const REMOVAL: CoreEntry = CoreEntry {
    id: "remove-everything",
    reason: "It would remove the root, the home folder or the working directory with all that is in it.",
};

/// Writing into Postern's own data.
pub const DATA: CoreEntry =
    CoreEntry { id: "postern-data", reason: "It could change Postern’s own data: rules, keys, history." };

/// Reading Postern's own data.
pub const KEYS: CoreEntry = CoreEntry {
    id: "postern-keys",
    reason: "It would read Postern’s own data, where its keys and those of other agents are.",
};

/// Stopping Postern, or driving it.
pub const STOPPING: CoreEntry =
    CoreEntry { id: "stop-postern", reason: "It would stop Postern, or answer in the person’s place." };

/// Every entry, in the order in which they are tried.
pub const ENTRIES: [CoreEntry; 4] = [REMOVAL, DATA, KEYS, STOPPING];

/// Returns the entry that an invocation falls under, with the word by which it does, where that is one.
pub(super) fn check_invocation<'a>(
    call: &JudgedInvocation<'a>,
    line: &JudgmentContext<'_>,
) -> Option<(CoreEntry, Option<&'a str>)> {
    if removal::matches(call, line) {
        Some((REMOVAL, None))
    } else if let Some((entry, word)) = data::touched(call, line) {
        Some((entry, Some(word)))
    } else if stopping::matches(call, line) {
        Some((STOPPING, None))
    } else {
        None
    }
}

/// Returns true if an entry is about programs of this name, without folder and in lower case, whatever they
/// are given.
pub(super) fn is_about(base: &str) -> bool {
    removal::is_about(base) || data::is_about(base) || stopping::is_about(base)
}

/// Returns true if the person must see a command, with any settings.
///
/// `find . -delete` is written for a whole folder more often than `rm -rf .` is, but never without looking.
pub(super) fn must_be_seen(call: &JudgedInvocation<'_>) -> bool {
    finding::empties_here(call)
}

/// Returns the entry that a request falls under by what its steps do together, or by where it writes.
pub(super) fn check_request(line: &JudgmentContext<'_>) -> Option<(usize, CoreEntry)> {
    let writes = line
        .reading
        .steps
        .iter()
        .zip(line.steps)
        .enumerate()
        .find_map(|(at, (step, found))| Some((at, data::reaches_into(step, found, line)?)));
    let of_steps = || line.reading.steps.iter().enumerate();
    let of_code = || of_steps().find_map(|(at, step)| Some((at, code::check_code(step, line)?)));
    let of_names = || of_steps().find_map(|(at, step)| Some((at, by_hidden_name(step, at, line)?)));
    let by_value = || of_steps().find_map(|(at, step)| Some((at, data::named_by_value(step, line)?)));
    writes
        .or_else(by_value)
        .or_else(|| stopping::kills_what_it_looked_up(line).map(|at| (at, STOPPING)))
        .or_else(of_code)
        .or_else(of_names)
}

/// Returns a program whose name the line itself makes (`x=rm; $x -rf /`, `/bin/r? -rf /`).
fn by_hidden_name(step: &Step, at: usize, line: &JudgmentContext<'_>) -> Option<CoreEntry> {
    const MEANT: [&str; 3] = ["rm", "find", "kill"];
    const NAMED: [&str; 8] = [
        "postern", "postern-desktop", "postern-steps", "pkill", "killall", "launchctl", "systemctl",
        "loginctl",
    ];
    let head = step.argv.first().filter(|head| head.value.is_none())?;
    let here = folder_of(line.cwd, &step.dir).unwrap_or(line.cwd.into());
    spelling::all_spellings(&head.raw, &here, line).iter().find_map(|text| {
        let base = crate::path::fold_case(crate::path::base_name(text)).into_owned();
        let base = without_classes(&base);
        let meant = MEANT.into_iter().filter(|name| crate::words::is_wild_match(&base, name));
        // A glob may be any program's name; what the line writes out is that of one.
        let meant = meant.chain(NAMED.into_iter().filter(|name| base == **name));
        meant
            .filter_map(|name| invocation::invocation_by_name(name, step, &line.steps[at], line))
            .find_map(|call| check_invocation(&call, line))
            .map(|(entry, _)| entry)
    })
}
