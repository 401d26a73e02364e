//! Arguments by which a program does more than its ordinary work, as facts: `contract::render` makes the sentences.

use postern_programs::ArgEffect;
use serde::{Deserialize, Serialize};

use crate::{CandidateCommand, Words};

/// An argument by which a program runs other code or writes where it should not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsafeArg {
    /// Index into the step's argv.
    pub argument: usize,
    pub effect: ArgEffect,
    /// Commands that it may run, as far as they can be guessed: for deny rules only.
    pub candidates: Vec<CandidateCommand>,
    /// Private, so that nothing is decided by it.
    fact: ArgFact,
}

/// An unsafe argument, as a person is told about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgFact {
    /// The mark that matched, which may be the agent's own text, and its effect.
    Mark { mark: String, effect: ArgEffect },
    /// Words that say more than the effect.
    Note(Words),
}

impl UnsafeArg {
    /// Returns an argument that is shown by its name.
    pub(crate) fn from_mark(argument: usize, effect: ArgEffect, mark: impl Into<String>) -> Self {
        let fact = ArgFact::Mark { mark: mark.into(), effect };
        Self { argument, effect, candidates: Vec::new(), fact }
    }

    /// Returns an argument of which a sentence says more than its effect.
    pub(crate) fn from_note(argument: usize, effect: ArgEffect, note: &'static str) -> Self {
        Self { argument, effect, candidates: Vec::new(), fact: ArgFact::Note(note.into()) }
    }

    /// Adds the commands that it may run.
    pub(crate) fn with_candidates(self, candidates: Vec<CandidateCommand>) -> Self {
        Self { candidates, ..self }
    }

    /// Returns what a person is told about it, to be rendered.
    pub fn fact(&self) -> &ArgFact {
        &self.fact
    }
}
