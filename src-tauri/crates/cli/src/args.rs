//! What can be typed: the command line as `postern help` shows it.

use crate::hook_args::Hook;
use crate::import_args::{Import, Suggest};
use crate::rule_args::{Policy, Programs, Rules};
use clap::{Args, Parser, Subcommand, ValueEnum};
use postern_protocol::RunState;
use std::path::PathBuf;

/// The small guarded door between sandboxed AI agents and this machine.
#[derive(Debug, Parser)]
#[command(name = "postern", version, about, disable_help_subcommand = true, max_term_width = 110)]
pub(crate) struct Cli {
    /// The data folder [default: where the app keeps it]
    #[arg(long, global = true, value_name = "DIR", env = "POSTERN_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the host without a window; prints `ready <data folder>` when it accepts connections
    Serve,
    /// Is it up, what waits, what runs
    Status(Json),
    /// What is wrong, and how to mend it
    Doctor(Json),
    /// Agents and their channels
    #[command(subcommand)]
    Agents(Agents),
    /// Allow and deny rules
    #[command(subcommand)]
    Rules(Rules),
    /// Take over the rules of Claude Code, Codex, Cursor, Gemini CLI or VS Code
    Import(Import),
    /// The fewest rules that would have answered most questions; saves nothing
    Suggest(Suggest),
    /// What waits for an answer
    Questions {
        /// Go on, telling each question as it comes and goes
        #[arg(long)]
        watch: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Questions and activity live in this terminal
    Tui,
    /// Answer a question with yes; shows it in full first, unless --digest names what was seen
    Approve(Approve),
    /// Answer a question with no
    Deny(Deny),
    /// The verdict on a command with its whole trace; runs nothing
    Explain(Explain),
    /// Try a policy, look it over, see what another one would have said
    #[command(subcommand)]
    Policy(Policy),
    /// Run a command confined by the system, with this terminal's streams and the command's exit status
    Confine(Confine),
    /// What is known about programs, and files that say more
    #[command(subcommand)]
    Programs(Programs),
    /// What happened, newest first
    History(History),
    /// Show who changed what may run, with the values before and after
    Audit(Audit),
    /// One request in full
    Show {
        /// Its id or the beginning of it, as `history` prints it, or `last`
        request: String,
        #[command(flatten)]
        json: Json,
    },
    /// End a running request
    Kill {
        /// Its id or the beginning of it, as `history` prints it, or `last`
        request: String,
        /// TERM (then KILL after a grace), INT, HUP, QUIT or KILL
        #[arg(long)]
        signal: Option<String>,
    },
    /// An MCP server on standard input and output, for one agent; its client starts it (see agents channel --for mcp)
    Mcp {
        /// Whose
        #[arg(long)]
        agent: String,
        /// The session that its requests belong to
        #[arg(long)]
        session: Option<String>,
        /// How long a call waits before it is answered "pending"; the same call again joins it [default: 50s]
        #[arg(long)]
        wait: Option<humantime::Duration>,
    },
    /// Sessions that agents have open, with the layers of rules above each; or close one
    Sessions {
        /// Of this agent
        #[arg(long)]
        agent: Option<String>,
        /// Close the agent's session of this name, as it is listed: what waits in it is denied, its rules go
        #[arg(long, requires = "agent", conflicts_with = "json")]
        close: Option<String>,
        #[command(flatten)]
        json: Json,
    },
    /// Skills and the CLIs that they use
    #[command(subcommand)]
    Skills(Skills),
    /// Other ways in and out: websocket, openclaw, mcp-http, telegram, xmpp, forwarder, webhook, otel
    #[command(subcommand)]
    Doors(Doors),
    /// For coding agents that ask a program before they use a tool: Claude Code, Cursor, Gemini CLI, Copilot CLI, VS Code,
    /// Codex, Windsurf, Cline, Kiro CLI, opencode
    #[command(subcommand)]
    Hook(Hook),
    /// Deny everything for a while (15m, 1h), or until `resume`
    Pause {
        /// How long
        duration: Option<humantime::Duration>,
    },
    /// Decide again after a pause
    Resume,
    /// What a shell needs to complete this command line
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// The manual page of `postern`, or of one of its commands
    Man {
        /// The command (`rules`, `rules import`); none for postern itself
        command: Vec<String>,
        /// Write every page into this folder instead
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        all: Option<PathBuf>,
    },
    /// Help on a command, or on `exit-codes`, `patterns`, `exec-approval`, `managed`
    Help {
        /// The command
        topic: Vec<String>,
    },
}

/// How a listing is printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Json {
    /// One JSON document (one object a line with --watch)
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Audit {
    /// Verify the chain and the current state; exit 1 if something is wrong
    #[arg(long)]
    pub(crate) verify: bool,
    /// Show only changes within this time: 1h, 7d
    #[arg(long, value_name = "DURATION")]
    pub(crate) since: Option<humantime::Duration>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Agents {
    /// Every agent
    List(Json),
    /// Enrol an agent: its folder, its key, its channel
    Add {
        /// Its name: letters, digits, . _ -
        id: String,
        /// The name to show
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        json: Json,
    },
    /// One agent with its settings
    Show {
        /// The agent
        id: String,
        #[command(flatten)]
        json: Json,
    },
    /// Change an agent: preset=ask, approval-timeout=2m, folders=~/Projects, …
    #[command(after_help = crate::settings_text::help())]
    Set {
        /// The agent
        id: String,
        /// What to change
        #[arg(required = true, value_name = "KEY=VALUE")]
        values: Vec<String>,
        /// Yes, also what runs everything (preset=allow, security=full) or what nobody answered (fallback=full)
        #[arg(long)]
        yes: bool,
    },
    /// Deny everything of one agent for a while, what waits included
    DenyAll {
        /// The agent
        id: String,
        /// How long
        #[arg(default_value = "10m")]
        duration: humantime::Duration,
    },
    /// The same as `deny-all`
    Stop {
        /// The agent
        id: String,
        /// How long
        #[arg(long = "for", value_name = "DURATION", default_value = "10m")]
        duration: humantime::Duration,
    },
    /// Resume an agent that was stopped
    AllowAgain {
        /// The agent
        id: String,
    },
    /// Remove an agent, its key, its channel and its rules; its history stays
    Remove {
        /// The agent
        id: String,
        /// Yes, also with its rules; otherwise you are asked
        #[arg(long)]
        yes: bool,
    },
    /// Give an agent a new key; what is connected with the old one is cut off
    RotateKey {
        /// The agent
        id: String,
    },
    /// The exact lines that put an agent's channel into its sandbox
    Channel {
        /// The agent
        id: String,
        /// What it is put into
        #[arg(long = "for", value_enum, default_value = "plain")]
        kind: Channel,
        /// Print only the profile for sandbox-exec, with the parameters FOLDER, TMP and RUN
        #[arg(long, conflicts_with = "json")]
        profile: bool,
        #[command(flatten)]
        json: Json,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Channel {
    Docker,
    #[value(alias = "dev-container")]
    Devcontainer,
    #[value(alias = "bubblewrap")]
    Bwrap,
    SandboxExec,
    /// An MCP client that starts `postern mcp`
    Mcp,
    /// An MCP client that comes over HTTP, through the door `mcp-http`
    McpHttp,
    /// An OpenClaw node, through the door `openclaw`
    Openclaw,
    Forwarder,
    Plain,
}

#[derive(Debug, Args)]
pub(crate) struct Approve {
    /// Its code, the beginning of its id, or `last` [default: the one that waits]
    pub(crate) question: Option<String>,
    /// Also save a rule: this exact command, the command with any arguments, or the program as it is now; or renew the
    /// rules that were given for a program before it changed (with --everyone those of every agent)
    #[arg(long, value_enum)]
    pub(crate) always: Option<Always>,
    /// How long the rule lasts
    #[arg(long = "for", value_name = "DURATION", requires = "always")]
    pub(crate) lasts: Option<humantime::Duration>,
    /// The rule serves every agent
    #[arg(long, requires = "always")]
    pub(crate) everyone: bool,
    /// Let the rule hold in every folder, not only in the command's folder and below
    #[arg(long, requires = "always")]
    pub(crate) anywhere: bool,
    /// Allow all identical waiting requests, if there are this many; the default allows only the first
    #[arg(long, value_name = "NUMBER")]
    pub(crate) all: Option<usize>,
    /// The digest of what was seen: answers without asking again
    #[arg(long)]
    pub(crate) digest: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Always {
    Exact,
    Command,
    Path,
    Renew,
}

#[derive(Debug, Args)]
pub(crate) struct Deny {
    /// Its code, the beginning of its id, or `last` [default: the one that waits]
    pub(crate) question: Option<String>,
    /// Words for the agent
    #[arg(long)]
    pub(crate) feedback: Option<String>,
    /// Also save a deny rule
    #[arg(long)]
    pub(crate) always: bool,
    /// Save the rule for every agent
    #[arg(long, requires = "always")]
    pub(crate) everyone: bool,
    /// The digest of what was seen
    #[arg(long)]
    pub(crate) digest: Option<String>,
}

/// `postern confine`.
#[derive(Debug, Args)]
#[command(after_help = "\
postern confine look -- git log -3
postern confine project -- cargo test
postern confine project --folder ~/Projects/site --loopback -- npm test
postern confine project --print

Ends with the command's own exit code, with 128+N if signal N ended it, with 127 if it was not found, and with 125 if this \
system cannot confine it: then nothing ran. docs/CONFINEMENT.md says what holds.")]
pub(crate) struct Confine {
    /// look: reads, and writes nothing. project: writes its folders, except protected places
    pub(crate) profile: Profile,
    /// A folder of the command [default: the folder where it runs]
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Vec<PathBuf>,
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
pub(crate) enum Profile {
    Look,
    Project,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Whose request it would be
    #[arg(long)]
    pub(crate) agent: String,
    /// The session it would come from
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Where it would run
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// An environment override
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// A line of shell text
    #[arg(long, value_name = "TEXT", conflicts_with = "argv", required_unless_present_any = ["argv", "tool"])]
    pub(crate) shell: Option<String>,
    /// A tool of the agent's own, as permissions.jsonc names it, instead of a command on this machine
    #[arg(long, value_name = "NAME", conflicts_with_all = ["argv", "shell", "cwd", "env"])]
    pub(crate) tool: Option<String>,
    /// The tool's arguments, a JSON object
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) arguments: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
    /// Program and arguments
    #[arg(last = true)]
    pub(crate) argv: Vec<String>,
}

fn state(name: &str) -> Result<RunState, String> {
    let names = || RunState::ALL.map(RunState::name).join(", ");
    RunState::named(name).ok_or_else(|| format!("the state is one of {}", names()))
}

fn effect(name: &str) -> Result<&'static str, String> {
    let names = || postern_command::Effect::KINDS.join(", ");
    postern_command::Effect::named(name).ok_or_else(|| format!("the effect is one of {}", names()))
}

#[derive(Debug, Args)]
pub(crate) struct History {
    /// Of this agent
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// In this state: running, denied, finished, failed, asking
    #[arg(long, value_parser = state)]
    pub(crate) state: Option<RunState>,
    /// Of the last 2h, 7days
    #[arg(long, value_name = "DURATION")]
    pub(crate) since: Option<humantime::Duration>,
    /// With an effect of this kind: read, write, delete, send, publish, install, use-secret, ...
    #[arg(long, value_name = "KIND", value_parser = effect)]
    pub(crate) effect: Option<&'static str>,
    /// With these words in the command
    #[arg(long, value_name = "WORDS")]
    pub(crate) search: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: u32,
    /// Go on, telling each step of every request as it comes, and strangers at doors; first the newest `--limit`, or all
    /// of `--since`
    #[arg(long, conflicts_with_all = ["state", "effect", "search"])]
    pub(crate) watch: bool,
    /// With --watch: what came behind this `sequence`
    #[arg(long, value_name = "SEQUENCE", requires = "watch", conflicts_with = "since")]
    pub(crate) after: Option<i64>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Skills {
    /// Watched folders, skills, and their CLIs
    List(Json),
    /// Watch a folder of skills
    AddFolder {
        /// The folder
        folder: PathBuf,
    },
    /// Watch it no longer
    RemoveFolder {
        /// The folder
        folder: PathBuf,
    },
    /// Approve a skill's CLIs as they are now
    Approve {
        /// The skill
        skill: String,
        /// One CLI of it
        cli: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Doors {
    /// Every door: whether it is open, and who is at it
    List(Json),
    /// Open a door, or change an open one
    Enable {
        /// The door
        door: DoorName,
        /// websocket: listen=ADDRESS:PORT tls=off|self-signed cert=FILE key=FILE; openclaw: agent=ID relay=on|off
        /// socket=PATH; mcp-http: agent=ID listen=ADDRESS:PORT hosts=NAME,NAME and TLS as websocket; telegram: token=- ;
        /// xmpp: jid=NAME@HOST password=- room=JID ; both chats: owners=ID,… agents=ID,… routes=AGENT:OWNER,…
        /// high-risk=announce|once|always; forwarder: channels=AGENT@ADDRESS:PORT; webhook: url=URL; otel: endpoint=URL;
        /// both: commands=names|full. An empty value forgets it. A secret is -: it is asked for, or read from standard input
        #[arg(value_name = "KEY=VALUE")]
        values: Vec<String>,
    },
    /// Close a door and cut off everybody at it
    Disable {
        /// The door
        door: DoorName,
    },
    /// What the other side of an open door needs; for websocket, a new pairing code
    Setup {
        /// The door
        door: DoorName,
        #[command(flatten)]
        json: Json,
    },
    /// Forget a client of a door and cut it off
    Revoke {
        /// The door
        door: DoorName,
        /// The client's id, as `doors list` prints it; for mcp-http `token`, which makes a new one
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
}
