//! Scope of a statement while the tree is walked.

use super::Nest;
use crate::call::Feed;
use crate::{Dir, Redirection};

/// Purpose of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// Learns the values that the line gives to its variables.
    Learning,
    /// Reads the commands that run.
    Reading,
}

/// Kind of value that an assignment gives to a variable, the best known first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Made {
    /// Digits only.
    Number,
    /// No dash at its beginning, nor at that of any word that it is split into; no pattern.
    Tame,
    /// No dash at its beginning.
    Plain,
    /// Any text.
    Wild,
}

/// Value that leads nowhere else: no slash in front, no `..`, no hidden file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Below {
    /// These, which hold nothing but letters, digits and `_-./`.
    These(Vec<String>),
    /// Names of files that a pattern matches.
    Files,
}

impl Below {
    pub(super) fn merge_with(self, other: Self) -> Self {
        match (self, other) {
            (Self::These(mut all), Self::These(more)) => {
                all.extend(more);
                Self::These(all)
            }
            (Self::Files, _) | (_, Self::Files) => Self::Files,
        }
    }
}

/// Variable of a `for`, with the words of its list; `None` if they are not known.
pub(super) type LoopList = (String, Option<Vec<String>>);

/// Scope of a statement.
#[expect(clippy::struct_excessive_bools, reason = "four facts, none of which follows from another")]
#[derive(Debug, Clone)]
pub(super) struct Around {
    pub(super) dir: Dir,
    pub(super) redirections: Vec<Redirection>,
    pub(super) feed: Feed,
    pub(super) piped: bool,
    /// Reached for certain, once, in the line's own shell.
    pub(super) certain: bool,
    /// `$1` and similar ones still mean what the text was started with.
    pub(super) own_parameters: bool,
    /// The whole of a substitution `$(< file)`, which every shell reads itself.
    pub(super) reads_file: bool,
    pub(super) nesting: usize,
}

impl Around {
    pub(super) fn top_level(nest: &Nest<'_>) -> Self {
        Self {
            dir: nest.dir.clone(),
            redirections: nest.redirections.clone(),
            feed: nest.feed.clone(),
            piped: nest.piped,
            certain: true,
            own_parameters: true,
            reads_file: false,
            nesting: 0,
        }
    }

    pub(super) fn inside(&self, dir: Dir) -> Self {
        Self { dir, certain: false, reads_file: false, nesting: self.nesting + 1, ..self.clone() }
    }
}
