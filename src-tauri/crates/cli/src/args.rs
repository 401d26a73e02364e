//! Arguments of `postern`, as `postern help` shows them.

use crate::fleet_args::FleetCommand;
use crate::hook_args::Hook;
use crate::import_args::{Import, Suggest};
use crate::rule_args::{Policy, Programs, RulesCommand};
use crate::setup_args::SetupCommand;
pub(crate) use crate::shared_args::{AgentStartArg, JsonOutput};
use crate::shared_args::{parse_duration, parse_number};
use clap::{Args, Parser, Subcommand, ValueEnum};
use postern_contract::THIS_COMPUTER;
use postern_protocol::RunState;
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
    /// Show if the host is up, what waits and what runs
    Status(JsonOutput),
    /// Diagnose problems, and repair a lost record
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
        /// Keep running; print each question as it opens and closes
        #[arg(long)]
        watch: bool,
        /// Show those of a Mac of your fleet, or of `all`
        #[arg(long, value_name = "NAME")]
        host: Option<String>,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Show questions and activity live in this terminal
    Tui {
        /// Only questions of a Mac of your fleet, a group, or of `all` others
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
        /// Time until a call is answered "pending"; the same call again joins it [default: 50s]
        #[arg(value_parser = parse_duration, long)]
        wait: Option<humantime::Duration>,
    },
    /// List open sessions with the rules above each, or close one
    Sessions {
        /// Only of this agent
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
    /// Let other Macs answer: start or join a fleet
    #[command(subcommand)]
    Fleet(FleetCommand),
    /// Install and answer hooks of coding agents
    #[command(subcommand)]
    Hook(Hook),
    /// Block all agents for a while (15m, 1h), or until `resume`
    Pause {
        /// Duration [default: until `resume`]
        #[arg(value_parser = parse_duration)]
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

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List agents
    List {
        /// Show those of a Mac of your fleet, a group, or of `all`
        #[arg(long, value_name = "NAME")]
        host: Option<String>,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Add an agent with a folder, a key and a channel
    Add {
        /// Name: letters, digits, . _ -
        id: String,
        /// Display name
        #[arg(long)]
        name: Option<String>,
        /// Set what it may do silently, confined [default: as the settings of new agents say]
        #[arg(long = "let", value_name = "WHAT")]
        start: Option<AgentStartArg>,
        /// Folder that it may run and work in; repeatable
        #[arg(long = "folder", value_name = "DIR", required_if_eq("start", "work"))]
        folders: Vec<String>,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Show an agent with its settings
    Show {
        /// Agent
        id: String,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Change an agent: preset=ask, approval-timeout=2m, folders=~/Projects, …
    #[command(after_help = crate::settings_text::settings_help())]
    Set {
        /// Agent
        id: String,
        /// Settings to change
        #[arg(required = true, value_name = "KEY=VALUE")]
        values: Vec<String>,
        /// Confirm settings that allow everything (preset=allow, security=full) or what no one answered (fallback=full)
        #[arg(long)]
        yes: bool,
    },
    /// Stop an agent: `stop ID --for DURATION` in other words
    #[command(hide = true)]
    DenyAll {
        /// Agent
        id: String,
        /// Duration
        #[arg(value_parser = parse_duration, default_value = "10m")]
        duration: humantime::Duration,
    },
    /// Stop an agent for a while: deny everything of it, waiting requests included
    Stop {
        /// Agent
        id: String,
        /// Duration
        #[arg(value_parser = parse_duration, long = "for", value_name = "DURATION", default_value = "10m")]
        duration: humantime::Duration,
    },
    /// Resume an agent that was stopped
    AllowAgain {
        /// Agent
        id: String,
    },
    /// Remove an agent, its key, its channel and its rules; its history stays
    Remove {
        /// Agent
        id: String,
        /// Remove its rules too, without asking
        #[arg(long)]
        yes: bool,
    },
    /// Replace an agent's key; connections with the old key are closed
    RotateKey {
        /// Agent
        id: String,
    },
    /// Print the lines that put an agent's channel into its sandbox
    Channel {
        /// Agent
        id: String,
        /// Kind of sandbox or client
        #[arg(long = "for", value_enum, default_value = "plain")]
        kind: ChannelClientKind,
        /// Print only the profile for sandbox-exec, with the parameters FOLDER, TMP and RUN
        #[arg(long, conflicts_with = "json")]
        profile: bool,
        #[command(flatten)]
        json: JsonOutput,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ChannelClientKind {
    Docker,
    #[value(alias = "dev-container")]
    Devcontainer,
    #[value(alias = "bubblewrap")]
    Bwrap,
    SandboxExec,
    /// An MCP client that starts `postern mcp`
    Mcp,
    /// An MCP client that comes over HTTP, through the integration `mcp-http`
    McpHttp,
    /// An OpenClaw node, through the integration `openclaw`
    Openclaw,
    Forwarder,
    Plain,
}

#[derive(Debug, Args)]
pub(crate) struct Approve {
    /// Question: its code, the beginning of its id, or `last` [default: the only one that waits]
    pub(crate) question: Option<String>,
    /// Also save a rule, one of those that the question offers
    #[arg(long, value_enum)]
    pub(crate) always: Option<AlwaysChoice>,
    /// Lifetime of the rule
    #[arg(value_parser = parse_duration, long = "for", value_name = "DURATION", requires = "always")]
    pub(crate) lasts: Option<humantime::Duration>,
    /// Save the rule for every agent
    #[arg(long, requires = "always")]
    pub(crate) everyone: bool,
    /// Let the rule hold in every folder, not only in the command's folder and below
    #[arg(long, requires = "always")]
    pub(crate) anywhere: bool,
    /// Allow all identical waiting requests, if there are this many; the default allows only the first
    #[arg(long, value_name = "NUMBER")]
    pub(crate) all: Option<usize>,
    /// Digest of the question you saw; answers without showing it and asking again
    #[arg(long)]
    pub(crate) digest: Option<String>,
    /// Mac of your fleet on which it waits
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum AlwaysChoice {
    /// The agent may read the folders, in confined runs
    Read,
    /// The command with any arguments, in confined runs
    Confined,
    /// These words and no others
    Exact,
    /// The command with any arguments
    Command,
    /// The program with any arguments
    Path,
    /// The rules that were given for a program before it changed
    Renew,
}

impl AlwaysChoice {
    /// Returns the id of the offer that it names.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Confined => "confined",
            Self::Exact => "exact",
            Self::Command => "command",
            Self::Path => "path",
            Self::Renew => "renew",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Deny {
    /// Question: its code, the beginning of its id, or `last` [default: the only one that waits]
    pub(crate) question: Option<String>,
    /// Message to the agent
    #[arg(long)]
    pub(crate) feedback: Option<String>,
    /// Also save a deny rule
    #[arg(long)]
    pub(crate) always: bool,
    /// Save the rule for every agent
    #[arg(long, requires = "always")]
    pub(crate) everyone: bool,
    /// Digest of the question you saw
    #[arg(long)]
    pub(crate) digest: Option<String>,
    /// Mac of your fleet on which it waits
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,
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
    /// A folder of the command [default: the folder where it runs]
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Vec<PathBuf>,
    /// Files that it may not read: a path with globs [example: '**/.env']
    #[arg(long, value_name = "FILES")]
    pub(crate) deny_read: Vec<String>,
    /// Files that it may not write: a path with globs
    #[arg(long, value_name = "FILES")]
    pub(crate) deny_write: Vec<String>,
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
    /// Working directory
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

fn parse_state(name: &str) -> Result<RunState, String> {
    let names = || RunState::ALL.map(RunState::name).join(", ");
    RunState::from_name(name).ok_or_else(|| format!("the state is one of {}", names()))
}

fn effect(name: &str) -> Result<&'static str, String> {
    let names = || postern_command::CommandEffect::KINDS.join(", ");
    postern_command::CommandEffect::kind_named(name)
        .ok_or_else(|| format!("the effect is one of {}", names()))
}

#[derive(Debug, Args)]
pub(crate) struct History {
    /// Only of this agent
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Only in this state: running, denied, finished, failed, asking
    #[arg(long, value_parser = parse_state)]
    pub(crate) state: Option<RunState>,
    /// Only within this time: 2h, 7days
    #[arg(value_parser = parse_duration, long, value_name = "DURATION")]
    pub(crate) since: Option<humantime::Duration>,
    /// Only with an effect of this kind: read, write, delete, send, publish, install, use-secret, ...
    #[arg(long, value_name = "KIND", value_parser = effect)]
    pub(crate) effect: Option<&'static str>,
    /// Only with these words in the command
    #[arg(long, value_name = "WORDS")]
    pub(crate) search: Option<String>,
    /// Only with this text in the output. Looks through the newest output of this computer
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["agent", "state", "since", "effect", "search", "host", "watch"])]
    pub(crate) output: Option<String>,
    /// Show those of a Mac of your fleet, a group, or of `all`
    #[arg(long, value_name = "NAME", conflicts_with = "watch")]
    pub(crate) host: Option<String>,
    /// Maximum number of requests, or of past events with --watch
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: u32,
    /// Keep running; print each step of every request, and unknown clients of integrations. Begins with the newest
    /// `--limit` events, or all of `--since`
    #[arg(long, conflicts_with_all = ["state", "effect", "search"])]
    pub(crate) watch: bool,
    /// Show the secrets in the commands, too. Those of other Macs stay there
    #[arg(long, conflicts_with = "host")]
    pub(crate) secrets: bool,
    /// Show whole commands, also those that don't fit into a line of the terminal
    #[arg(long, conflicts_with = "json")]
    pub(crate) full: bool,
    /// With --watch: only events after this `sequence`
    #[arg(long, value_name = "SEQUENCE", value_parser = parse_number, requires = "watch", conflicts_with = "since")]
    pub(crate) after: Option<i64>,
    #[command(flatten)]
    pub(crate) json: JsonOutput,
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

#[derive(Debug, Subcommand)]
pub(crate) enum DoorsCommand {
    /// List integrations: state and connected clients
    List(JsonOutput),
    /// Enable an integration, or change an enabled one
    Enable {
        /// Integration
        door: DoorName,
        /// websocket: listen=ADDRESS:PORT tls=off|self-signed cert=FILE key=FILE; openclaw: agent=ID relay=on|off
        /// socket=PATH; mcp-http: agent=ID listen=ADDRESS:PORT hosts=NAME,NAME and TLS as websocket; telegram: token=- ;
        /// xmpp: jid=NAME@HOST password=- room=JID ; both chats: owners=ID,… agents=ID,… routes=AGENT:OWNER,…
        /// high-risk=announce|once|always; forwarder: channels=AGENT@ADDRESS:PORT; webhook: url=URL; otel: endpoint=URL;
        /// both: commands=names|full. An empty value forgets it. A secret is -: it is asked for, or read from standard input
        #[arg(value_name = "KEY=VALUE")]
        values: Vec<String>,
    },
    /// Disable an integration and disconnect its clients
    Disable {
        /// Integration
        door: DoorName,
    },
    /// Print what the other side of an integration needs; for websocket, a new pairing code
    Setup {
        /// Integration
        door: DoorName,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Forget a client of an integration and disconnect it
    Revoke {
        /// Integration
        door: DoorName,
        /// Client id, as `doors list` prints it; for mcp-http `token`, which makes a new one
        client: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DoorName {
    /// Approver clients
    Websocket,
    /// An OpenClaw node
    Openclaw,
    /// MCP clients over HTTP
    McpHttp,
    /// A Telegram bot that asks you
    Telegram,
    /// An XMPP account that asks you
    Xmpp,
    /// Agents in virtual machines
    Forwarder,
    /// Events to a URL
    Webhook,
    /// Events to OpenTelemetry
    Otel,
    /// Approvers on other Macs
    Fleet,
}
