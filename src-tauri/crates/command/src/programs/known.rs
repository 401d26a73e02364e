//! What the tables know, for documentation and for the test that every row has its case.

use super::{interpreter, ways};
use crate::peel;

/// One thing that is known about programs of these names, and where it is documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Base names, without version suffix and Homebrew's `g`.
    pub programs: &'static [&'static str],
    /// Which arguments it is about, in the table's notation; for a wrapper or an interpreter nothing.
    pub marks: &'static str,
    /// Manual page, project documentation, GTFOBins page or advisory.
    pub source: &'static str,
}

/// Every way out of the table.
pub fn known_ways() -> impl Iterator<Item = Known> {
    ways::all().flat_map(|tool| {
        tool.rows.iter().map(|row| Known { programs: tool.names, marks: row.marks, source: row.source })
    })
}

/// Every wrapper and interpreter whose options are read.
pub fn known_carriers() -> impl Iterator<Item = Known> {
    let of = |programs, source| Known { programs, marks: "", source };
    let wrappers = peel::wrappers().map(move |wrapper| of(wrapper.names, wrapper.source));
    wrappers.chain(interpreter::INTERPRETERS.iter().map(move |kind| of(kind.names, kind.source)))
}
