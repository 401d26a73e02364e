//! Parts of a question that not every face shows, checked in one place for all of them.

use crate::question::{Answer, Piece, Question};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use ts_rs::TS;

/// A part of a question beside its command, folder and risk. A face that does not show it cannot allow a
/// question that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Changes to the environment.
    Environment,
    /// Standard input.
    Input,
    /// Programs behind bare names, outside of the system's folders.
    Programs,
    /// Scripts that an interpreter would run, with their first lines.
    Scripts,
    /// Rule that *always* would save, and where it would hold. Only that answer needs it.
    Always,
}

/// Folders in which only the system installs programs, as they are shown.
const SYSTEM: [&str; 4] = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"];

impl Part {
    /// All parts.
    pub const ALL: [Self; 5] = [Self::Environment, Self::Input, Self::Programs, Self::Scripts, Self::Always];

    /// Names the part.
    pub fn words(self) -> &'static str {
        match self {
            Self::Environment => "the environment",
            Self::Input => "standard input",
            Self::Programs => "where the programs lie",
            Self::Scripts => "the scripts that would run",
            Self::Always => "what would be saved",
        }
    }
}

impl Question {
    /// Returns the parts that a face has to show for this answer to count. A denial needs none.
    pub fn parts_for(&self, answer: Answer) -> BTreeSet<Part> {
        let yes = matches!(answer, Answer::Once | Answer::Always);
        let elsewhere = |program: &crate::ShownProgram| {
            let path = plain(&program.path);
            !plain(&program.name).contains('/') && !SYSTEM.iter().any(|folder| path.starts_with(folder))
        };
        let has = [
            (Part::Environment, !self.env.is_empty()),
            (Part::Input, self.stdin.is_some()),
            (Part::Programs, self.programs.iter().any(elsewhere)),
            (Part::Scripts, self.programs.iter().any(|program| program.script.is_some())),
            (Part::Always, answer == Answer::Always),
        ];
        has.into_iter().filter(|(_, has)| yes && *has).map(|(part, _)| part).collect()
    }
}

fn plain(shown: &[Piece]) -> String {
    shown.iter().map(|piece| piece.text.as_str()).collect()
}
