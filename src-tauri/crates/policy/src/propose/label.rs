//! Labels of offers, as facts: `contract::render` makes the words.

use super::{Draft, ProgramRenewal};
use crate::facts::Facts;
use crate::path;
use crate::pattern::pattern_text;
use crate::rule::Pattern;

/// Label of an offer: all that its words need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferLabel {
    /// So many exact commands. The agent can change the files in `changeable` until they run.
    Exact { commands: usize, changeable: Vec<String> },
    /// Commands, or programs at their paths.
    Each(Vec<Offered>),
    /// Code of the project, confined to these folders; `rest` is what the other rules of the offer would allow.
    Confined {
        confined: Vec<Offered>,
        folders: Vec<String>,
        network: bool,
        loopback: bool,
        rest: Option<Box<OfferLabel>>,
    },
    /// Folders that the agent may read besides its own.
    Read { folders: Vec<String> },
    /// Lines of `permissions.jsonc` for a tool.
    Lines { tool: String, patterns: Vec<String> },
    /// Renewed rules by their program, of the agent or of every agent.
    Renew { programs: Vec<RenewedProgram>, everyone: bool },
}

impl OfferLabel {
    /// Returns the bytes of all that is named in it.
    pub(super) fn length(&self) -> usize {
        let all = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
        let each = |offered: &[Offered]| offered.iter().map(Offered::length).sum::<usize>();
        match self {
            Self::Exact { changeable, .. } => all(changeable),
            Self::Each(offered) => each(offered),
            Self::Confined { confined, folders, rest, .. } => {
                each(confined) + all(folders) + rest.as_ref().map_or(0, |rest| rest.length())
            }
            Self::Read { folders } => all(folders),
            Self::Lines { tool, patterns } => tool.len() + all(patterns),
            Self::Renew { programs, .. } => programs.iter().map(|program| program.name.len()).sum(),
        }
    }
}

impl Offered {
    fn length(&self) -> usize {
        match self {
            Self::Command { words: text, .. } | Self::Confined { path: text } | Self::Pattern(text) => {
                text.len()
            }
            Self::Script { path, by: name, .. } | Self::Program { name, path, .. } => path.len() + name.len(),
            Self::Line => 0,
        }
    }
}

/// Rule of an offer, for its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offered {
    /// A command, perhaps with any further arguments.
    Command { words: String, any_arguments: bool },
    /// A script by its interpreter; `pinned` holds both to their content.
    Script { path: String, by: String, pinned: bool },
    /// A program at its path, with any content of it, in a run that is confined.
    Confined { path: String },
    /// The whole line, as it is.
    Line,
    /// A program at its path; `pinned` holds it to its content.
    Program { name: String, path: String, pinned: bool },
    /// Anything else, as it is written.
    Pattern(String),
}

/// A program whose rules are renewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenewedProgram {
    pub name: String,
    pub rules: usize,
}

pub(super) fn exact_label(drafts: &[Draft], facts: &Facts<'_>) -> OfferLabel {
    let of_step = |draft: &Draft| {
        let step = &facts.reading.steps[draft.step];
        let read = crate::judge::sourced(step).into_iter().chain(crate::judge::read_on_input(step));
        facts.steps[draft.step].changeable().chain(read)
    };
    let changeable = drafts.iter().flat_map(of_step);
    let mut changeable: Vec<String> = changeable.map(str::to_owned).collect();
    changeable.dedup();
    OfferLabel::Exact { commands: drafts.len(), changeable }
}

pub(crate) fn commands(drafts: &[Draft]) -> OfferLabel {
    OfferLabel::Each(drafts.iter().map(|draft| command(&draft.pattern)).collect())
}

fn command(pattern: &Pattern) -> Offered {
    match pattern {
        Pattern::Command(text) => {
            let prefix = text.strip_suffix(" *");
            let (words, any_arguments) = (prefix.unwrap_or(text).to_owned(), prefix.is_some());
            Offered::Command { words, any_arguments }
        }
        other => Offered::Pattern(pattern_text(other)),
    }
}

/// Returns what a rule that names a profile would allow.
pub(super) fn confined(draft: &Draft) -> Offered {
    match &draft.pattern {
        Pattern::Path(path) => Offered::Confined { path: path.clone() },
        other => command(other),
    }
}

pub(super) fn each_label(drafts: &[Draft], facts: &Facts<'_>) -> OfferLabel {
    let of = |draft: &Draft| {
        let pinned = draft.pin.is_some();
        match (&draft.pattern, &facts.steps[draft.step].script) {
            (Pattern::Path(program), Some(script)) => {
                let by = path::base_name(program).to_owned();
                Offered::Script { path: script.real_path.clone(), by, pinned }
            }
            (Pattern::Path(program), None) => {
                let written = facts.reading.steps[draft.step].program().unwrap_or_default();
                let name = path::base_name(written).to_owned();
                Offered::Program { name, path: program.clone(), pinned }
            }
            (other, _) => command(other),
        }
    };
    OfferLabel::Each(drafts.iter().map(of).collect())
}

pub(super) fn renewals(renews: &[ProgramRenewal], everyone: bool) -> OfferLabel {
    let of = |renewal: &ProgramRenewal| RenewedProgram {
        name: path::base_name(&renewal.program).to_owned(),
        rules: renewal.rules.len(),
    };
    OfferLabel::Renew { programs: renews.iter().map(of).collect(), everyone }
}
