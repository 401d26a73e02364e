//! The built-in core: three things that no setting, rule or answer lets through.

mod data;
mod finding;
mod removal;
mod stopping;

use super::invocation::Invocation;
use crate::facts::Facts;

/// One entry of the core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoreEntry {
    /// Stable kebab-case name.
    pub id: &'static str,
    /// Why it is there, as a sentence for a person.
    pub reason: &'static str,
}

/// Recursive removal of the root, the home folder, the working directory or what is above it.
pub const REMOVAL: CoreEntry = CoreEntry {
    id: "remove-everything",
    reason: "It would remove the root, the home folder or the working directory with all that is in it.",
};

/// Writing into Postern's own data.
pub const DATA: CoreEntry =
    CoreEntry { id: "postern-data", reason: "It could change Postern's own data: rules, keys, history." };

/// Stopping Postern, or driving it.
pub const STOPPING: CoreEntry =
    CoreEntry { id: "stop-postern", reason: "It would stop Postern, or answer in the person's place." };

/// Every entry, in the order in which they are tried.
pub const ENTRIES: [CoreEntry; 3] = [REMOVAL, DATA, STOPPING];

/// The entry that an invocation falls under.
pub(super) fn check(call: &Invocation<'_>, facts: &Facts<'_>) -> Option<CoreEntry> {
    if removal::matches(call, facts) {
        Some(REMOVAL)
    } else if data::matches(call, facts) {
        Some(DATA)
    } else if stopping::matches(call, facts) {
        Some(STOPPING)
    } else {
        None
    }
}

/// Whether the person must see it whatever the settings: `find . -delete` is written for a whole folder more often than
/// `rm -rf .` is, but never without looking.
pub(super) fn asks(call: &Invocation<'_>) -> bool {
    finding::empties_here(call)
}

/// The entry that a request falls under by what its steps do together, or by where it writes.
pub(super) fn check_request(facts: &Facts<'_>) -> Option<(usize, CoreEntry)> {
    let writes = facts
        .reading
        .steps
        .iter()
        .zip(facts.steps)
        .position(|(step, found)| data::redirects_into(step, found, facts))
        .map(|at| (at, DATA));
    writes.or_else(|| stopping::kills_what_it_looked_up(facts).map(|at| (at, STOPPING)))
}
