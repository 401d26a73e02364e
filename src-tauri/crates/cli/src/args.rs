//! Arguments of `postern`, as `postern help` shows them.

use crate::agent_args::AgentsCommand;
use crate::answer_args::{Approve, Deny};
use crate::door_args::DoorsCommand;
use crate::fleet_args::FleetCommand;
use crate::history_args::History;
use crate::hook_args::Hook;
use crate::import_args::{Import, Suggest};
use crate::rule_args::{Policy, Programs, RulesCommand};
use crate::setup_args::SetupCommand;
use crate::shared_args::{JsonOutput, parse_duration, parse_lifetime};
use clap::{Args, Parser, Subcommand, ValueEnum};
use postern_contract::THIS_COMPUTER;
use std::path::PathBuf;

/// The command line.
#[derive(Debug, Parser)]
#[command(
    name = "postern",
    version,
    about = format!("Decide what AI agents may run on {THIS_COMPUTER}"),
    disable_help_subcommand = true,
    max_term_width = 110
)]
pub(crate) struct Cli {
    /// Set the data folder [default: the app's own]
    #[arg(long, global = true, hide = true, value_name = "DIR", env = "POSTERN_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Command to run
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    #[command(about = format!("Connect the agents on {THIS_COMPUTER}"))]
    Setup(SetupCommand),
    /// Remove what Postern put outside its data folder
    Uninstall(Uninstall),
    /// Run the host without a window
    #[command(after_help = "Prints `ready <data folder>` when it accepts connections.")]
    Serve,
    /// Show whether Postern is on, what waits and what runs
    Status(JsonOutput),
    /// Diagnose problems, and repair a damaged record
    Doctor(Doctor),
    /// Manage agents and their channels
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Manage allow and deny rules
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Import the rules of Claude Code, Codex, Cursor and others
    Import(Import),
    /// Suggest rules that would have answered most questions
    Suggest(Suggest),
    /// List open questions
    Questions {
        /// Keep running; print each question as it opens and closes (with --json: JSON Lines)
        #[arg(long)]
        watch: bool,
        /// Show those of another computer in your fleet, or of `all`
        #[arg(long, value_name = "NAME")]
        host: Option<String>,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Show questions and activity live in this terminal
    Tui {
        /// Only questions of another computer in your fleet, of a group, or of `all` others
        #[arg(long, value_name = "NAME")]
        host: Option<String>,
    },
    /// Allow a request, after showing it in full
    Approve(Approve),
    /// Deny a request
    Deny(Deny),
    /// Show the verdict on a command, and why; runs nothing
    Explain(ExplainCommand),
    /// Test, lint, replay and measure policies
    #[command(subcommand)]
    Policy(Policy),
    /// Run a command confined by the system
    Confine(ConfineCommand),
    /// Show and check what Postern knows about programs
    #[command(subcommand)]
    Programs(Programs),
    /// List requests, newest first
    History(History),
    /// Show who changed what may run, and how
    Audit(AuditCommand),
    /// Show one request in full
    Show {
        /// Request: its id or the beginning of it, as `history` prints it, or `last`
        request: String,
        /// Show the secrets in it, too
        #[arg(long)]
        secrets: bool,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Stop a running request
    Kill {
        /// Request: its id or the beginning of it, as `history` prints it, or `last`
        request: String,
        /// Signal: TERM (KILL follows after a grace period), KILL, INT, HUP, QUIT, USR1, USR2, STOP or CONT
        #[arg(long)]
        signal: Option<String>,
    },
    /// Run an MCP server on standard input and output for one agent
    #[command(
        after_help = "The agent's client starts it: postern agents channel ID --for mcp prints its settings."
    )]
    Mcp {
        /// Agent
        #[arg(long)]
        agent: String,
        /// Session of its requests
        #[arg(long)]
        session: Option<String>,
        /// Answer "pending" after this time; the same call again goes on waiting [default: 50s]
        #[arg(value_parser = parse_duration, long)]
        wait: Option<humantime::Duration>,
    },
    /// List open sessions with the rules above each, or close one
    Sessions {
        /// Only sessions of this agent
        #[arg(long)]
        agent: Option<String>,
        /// Close the agent's session of this name: its waiting requests are denied, its rules removed
        #[arg(long, requires = "agent", conflicts_with = "json")]
        close: Option<String>,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Manage skills and the CLIs they use
    #[command(subcommand)]
    Skills(SkillsCommand),
    /// Manage integrations: chats, webhooks, OpenClaw, MCP over HTTP
    #[command(
        subcommand,
        after_help = "Integrations: websocket, openclaw, mcp-http, telegram, xmpp, forwarder, webhook, otel, fleet"
    )]
    Doors(DoorsCommand),
    /// Answer from other computers: start or join a fleet
    #[command(subcommand)]
    Fleet(FleetCommand),
    /// Install and answer hooks of coding agents
    #[command(subcommand)]
    Hook(Hook),
    /// Block all agents for a while (15m, 1h), or until `resume`
    Pause {
        /// Duration [default: until `resume`]
        #[arg(value_parser = parse_lifetime)]
        duration: Option<humantime::Duration>,
    },
    /// Unblock all agents
    Resume,
    /// Print a shell's completions for this command line
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of `postern` or of one of its commands
    Man {
        /// Command (`rules`, `rules import`); postern itself by default
        command: Vec<String>,
        /// Write every page into this folder instead
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        all: Option<PathBuf>,
    },
    /// Print help on a command or a topic
    Help {
        /// Command (`rules allow`), or `exit-codes`, `patterns`, `exec-approval`, `managed`
        topic: Vec<String>,
    },
}

/// `postern uninstall`.
#[derive(Debug, Args)]
#[command(after_help = "\
Settings of agents, start at login, links and sockets. The program files themselves go with what installed them: apt remove postern, brew uninstall postern, or the app to the Trash.")]
pub(crate) struct Uninstall {
    /// Remove the data too: agents, rules, history, settings
    #[arg(long)]
    pub(crate) zap: bool,
    /// Show what would be removed, and remove nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Remove it without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Restore agents, rules, settings and audit from their copy if the record is damaged, gone or emptied; everything stays
    /// denied until `resume`
    #[arg(long, conflicts_with = "json")]
    pub(crate) repair: bool,
    /// Restore without asking
    #[arg(long, requires = "repair")]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) json: JsonOutput,
}

#[derive(Debug, Args)]
pub(crate) struct AuditCommand {
    /// Verify the chain and the current state instead of listing changes; exit 1 if something is wrong
    #[arg(long)]
    pub(crate) verify: bool,
    /// Show only changes within this time: 1h, 7d
    #[arg(value_parser = parse_duration, long, value_name = "DURATION")]
    pub(crate) since: Option<humantime::Duration>,
    #[command(flatten)]
    pub(crate) json: JsonOutput,
}

/// `postern confine`.
#[expect(clippy::struct_excessive_bools, reason = "switches of the command line")]
#[derive(Debug, Args)]
#[command(after_help = "\
Ends with the command's own exit code, with 128+N if signal N ended it, with 127 if it was not found, and with 125 if this \
system cannot confine it: then nothing ran. docs/CONFINEMENT.md says what holds.")]
pub(crate) struct ConfineCommand {
    /// look: reads, and writes nothing. project: writes its folders, except protected places
    pub(crate) profile: ConfineProfileArg,
    /// Folder that it may use; repeatable [default: the folder where it runs]
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Vec<PathBuf>,
    /// Files that it may not read: a path with globs [example: '**/.env']
    #[arg(long, value_name = "FILES")]
    pub(crate) deny_read: Vec<String>,
    /// Files that it may not write: a path with globs
    #[arg(long, value_name = "FILES")]
    pub(crate) deny_write: Vec<String>,
    /// Keep files from it that hold secrets by their names: .env, id_rsa
    #[arg(long)]
    pub(crate) deny_secrets: bool,
    /// Refuse folders that links lead to, and say after a failure what was confined (hooks of agents)
    #[arg(long)]
    pub(crate) for_agent: bool,
    /// Let it use the network (project)
    #[arg(long)]
    pub(crate) network: bool,
    /// Let it serve and connect on loopback (project)
    #[arg(long)]
    pub(crate) loopback: bool,
    /// Print the profile in effect and run nothing
    #[arg(long)]
    pub(crate) print: bool,
    /// Program and arguments
    #[arg(last = true, value_name = "PROGRAM", required_unless_present = "print")]
    pub(crate) argv: Vec<String>,
}

/// A profile of `postern confine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConfineProfileArg {
    Look,
    Project,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainCommand {
    /// Agent that would ask
    #[arg(long)]
    pub(crate) agent: String,
    /// Session of the request
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Working directory [default: the agent's first folder, else the home folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Environment override
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// Shell text
    #[arg(long, value_name = "TEXT", conflicts_with = "argv", required_unless_present_any = ["argv", "tool"])]
    pub(crate) shell: Option<String>,
    /// Judge one of the agent's own tools, named as in permissions.jsonc, instead of a command
    #[arg(long, value_name = "NAME", conflicts_with_all = ["argv", "shell", "cwd", "env"])]
    pub(crate) tool: Option<String>,
    /// Arguments of the tool, a JSON object
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) arguments: Option<String>,
    #[command(flatten)]
    pub(crate) json: JsonOutput,
    /// Program and arguments
    #[arg(last = true)]
    pub(crate) argv: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillsCommand {
    /// List watched folders, skills, and their CLIs
    List(JsonOutput),
    /// Watch a folder of skills
    AddFolder {
        /// Folder
        #[arg(value_hint = clap::ValueHint::DirPath)]
        folder: String,
    },
    /// Stop watching a folder
    RemoveFolder {
        /// Folder
        #[arg(value_hint = clap::ValueHint::DirPath)]
        folder: String,
    },
    /// Approve a skill's CLIs as they are now
    Approve {
        /// Skill
        skill: String,
        /// Approve this CLI only [default: all]
        cli: Option<String>,
    },
}
