//! Arguments of connecting agents.

use crate::shared_args::{AgentStartArg, JsonOutput, name_parser};
use clap::Args;
use postern_contract::methods::KnownAgent;

/// `postern setup`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "\
Finds the agents, shows each change, imports their rules and tests the way to Postern. Changes nothing before it has \
shown the change. Run it as often as you like: what is connected stays as it is.")]
pub(crate) struct SetupCommand {
    /// Only this agent, also if it was not found; repeatable
    #[arg(long = "agent", value_name = "AGENT", value_parser = name_parser(KnownAgent::ALL, KnownAgent::name))]
    pub(crate) agents: Vec<KnownAgent>,
    /// Display name of the agent
    #[arg(long, requires = "agents")]
    pub(crate) name: Option<String>,
    /// Set what a new agent may do silently, confined [default: asks you, or as the settings of new agents
    /// say]
    #[arg(long = "let", value_name = "WHAT", conflicts_with = "undo")]
    pub(crate) start: Option<AgentStartArg>,
    /// Folder that it may run and work in; repeatable
    #[arg(long = "folder", value_name = "DIR", required_if_eq("start", "work"), conflicts_with = "undo")]
    pub(crate) folders: Vec<String>,
    /// Leave the rules in the agents' own files where they are
    #[arg(long, conflicts_with = "undo")]
    pub(crate) no_import: bool,
    /// Skip the test command
    #[arg(long, conflicts_with = "undo")]
    pub(crate) no_test: bool,
    /// Undo what setup did: settings, agents, imported rules
    #[arg(long)]
    pub(crate) undo: bool,
    /// Only read again where this shell finds programs, and show it
    #[arg(long, conflicts_with_all = ["undo", "agents"])]
    pub(crate) path: bool,
    /// Show what would change, and change nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Change it without asking
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) json: JsonOutput,
}
