//! Output of `postern setup`.

use crate::failure::Failure;
use crate::print;
use crate::setup_args::SetupCommand;
use postern_contract::methods::{Connection, FoundAgent, Imported, KnownAgent, SetupTested, ShellPath};
use postern_contract::{DiffLine, MultilineText};
use postern_policy::AgentId;
use serde::Serialize;

/// Result for an agent: an entry of the document of `setup --json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SetupReportRow {
    kind: KnownAgent,
    title: String,
    agent: AgentId,
    pub(super) end: SetupEnding,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) change: Vec<DiffLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<MultilineText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) imported: Option<Imported>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tested: Option<SetupTested>,
    /// True if the test was denied without a question.
    #[serde(skip)]
    pub(super) refused: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remains: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SetupEnding {
    /// Nothing was changed: `--dry-run`.
    Shown,
    Connected,
    /// Connected to this Postern before.
    Already,
    Disconnected,
    /// The user said no.
    Skipped,
    Failed,
}

impl SetupReportRow {
    pub(super) fn new(found: &FoundAgent) -> Self {
        Self {
            kind: found.kind,
            title: found.title.clone(),
            agent: found.agent.clone(),
            end: SetupEnding::Shown,
            file: None,
            change: Vec::new(),
            lines: None,
            imported: None,
            tested: None,
            refused: false,
            remains: None,
            problem: None,
        }
    }

    pub(super) fn is_connected(&self) -> bool {
        matches!(self.end, SetupEnding::Connected | SetupEnding::Already)
    }
}

/// Shows where the user's shell finds programs.
pub(super) fn print_path(path: &ShellPath) -> Result<(), Failure> {
    for folder in &path.folders {
        let own = if path.added.contains(folder) { "  (not in the built-in search path)" } else { "" };
        print::say!("{folder}{own}")?;
    }
    print::write_line(
        "What only your shell finds is asked about. To look it up there: postern agents set ID search-path=shell",
    )
}

pub(super) fn print_agents(agents: &[FoundAgent]) -> Result<(), Failure> {
    let row = |agent: &FoundAgent| {
        let state = match (agent.connection, &agent.problem) {
            (_, Some(_)) => "settings can’t be read".to_owned(),
            (Connection::Connected, None) => format!("asks Postern as {}", agent.agent),
            (Connection::Elsewhere, None) => "asks another Postern, or one that moved".to_owned(),
            (Connection::None, None) => "doesn’t ask Postern".to_owned(),
        };
        let entries: usize = agent.rules.iter().filter_map(|source| source.entries).sum();
        let rules = if entries == 0 { String::new() } else { entries.to_string() };
        let place = agent.folder.as_ref().or(agent.program.as_ref());
        [agent.title.clone(), state, rules, place.cloned().unwrap_or_default()]
    };
    let here = agents.iter().filter(|agent| agent.is_here());
    print::write_table(
        ["AGENT", "STATE", "OWN RULES", "FOUND AT"],
        here.map(row).collect(),
        "no agents that Postern knows were found",
    )
}

/// Says what connecting an agent would do beside the change of its settings.
pub(super) fn further_changes(agent: &FoundAgent, asked: &SetupCommand) -> Result<(), Failure> {
    if !agent.enrolled {
        print::say!(
            "enrolls the agent {}, whose programs are looked up where this shell finds them", agent.agent
        )?;
    }
    for source in agent.rules.iter().filter(|_| !asked.no_import) {
        let rules = match source.entries {
            Some(1) => "1 rule".to_owned(),
            Some(entries) => format!("{entries} rules"),
            None => "the rules".to_owned(),
        };
        print::say!("offers to import {rules} of {}", source.path)?;
    }
    Ok(())
}

/// Says that setup would ask about an agent that it does not connect by itself.
pub(super) fn asked_about(agent: &FoundAgent) -> Result<(), Failure> {
    print::write_line("")?;
    print::write_line(print::emphasize(&agent.title))?;
    print::say!("setup would ask; to see it: postern setup --dry-run --agent {}", agent.kind.name())
}

/// Says what comes next.
pub(super) fn next_steps() -> Result<(), Failure> {
    print::write_line("")?;
    print::write_line(
        "Start your agent in a new session. When it asks, answer in Postern’s window, or here:",
    )?;
    print::write_line("  postern tui             answer questions in this terminal")?;
    print::write_line("  postern history         see what ran")?;
    print::write_line("  postern suggest         see which rules would save you questions")?;
    print::write_line("  postern setup --undo    undo all of this")
}
