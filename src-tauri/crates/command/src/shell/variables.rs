//! Values that a line gives to its variables, as far as they are known.

use std::collections::{HashMap, HashSet};

use super::around::Below;

/// Values that the line gives to its variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "five facts, none of which follows from another")]
pub(super) struct Variables {
    /// True if nothing is known yet: every variable is taken to be tame.
    pub(super) hopeful: bool,
    /// Set to numbers only.
    pub(super) numbers: HashSet<String>,
    /// Set to text that cannot begin with a dash only.
    pub(super) tame: HashSet<String>,
    /// Set to text that does not begin with a dash only, but may be split into words that do.
    pub(super) plain: HashSet<String>,
    /// Set to text of any kind.
    pub(super) wild: HashSet<String>,
    /// Set only to what leads nowhere else.
    pub(super) below: HashMap<String, Below>,
    /// Something may set any variable.
    pub(super) unsettled: bool,
    /// The line gives a variable a value, other than in front of a program.
    pub(super) sets: bool,
    /// A function stands, or may stand, for a program whose output is known.
    pub(super) redefined: bool,
    /// The line changes its directory somewhere.
    pub(super) moves: bool,
    /// Loops that may change the directory, by where their bodies begin.
    pub(super) moving: HashSet<usize>,
    /// Names that are set exactly once.
    pub(super) once: HashSet<String>,
    /// Names that nothing but the lists of loops sets.
    pub(super) looped: HashSet<String>,
}

impl Variables {
    pub(super) fn is_number(&self, name: &str) -> bool {
        self.hopeful || self.numbers.contains(name)
    }

    pub(super) fn is_tame(&self, name: &str) -> bool {
        self.hopeful || self.numbers.contains(name) || self.tame.contains(name)
    }

    pub(super) fn is_plain(&self, name: &str) -> bool {
        self.is_tame(name) || self.plain.contains(name)
    }

    /// Returns true if what it holds leads nowhere else.
    pub(super) fn is_below(&self, name: &str) -> bool {
        self.hopeful || self.is_number(name) || self.below.contains_key(name)
    }

    /// Returns the possible values of a variable, if they are written out.
    pub(super) fn written_out(&self, name: &str) -> Option<&[String]> {
        match self.below.get(name)? {
            Below::These(all) => Some(all),
            Below::Files => None,
        }
    }

    pub(super) fn is_wild(&self, name: &str) -> bool {
        !self.hopeful && (self.unsettled || self.wild.contains(name) || self.plain.contains(name))
    }
}
