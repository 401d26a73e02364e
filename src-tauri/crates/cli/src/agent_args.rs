//! Arguments of `postern agents`.

use crate::shared_args::{AgentStartArg, JsonOutput, parse_lifetime};
use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List agents
    List {
        /// Show those of another computer in your fleet, of a group, or of `all`
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
    /// Change settings of an agent: preset=ask, approval-timeout=2m, folders=~/Projects, …
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
    /// Stop an agent for a while, as `stop ID --for DURATION` does
    #[command(hide = true)]
    DenyAll {
        /// Agent
        id: String,
        /// Duration
        #[arg(value_parser = parse_lifetime, default_value = "10m")]
        duration: humantime::Duration,
    },
    /// Stop an agent for a while: deny everything of it, waiting requests included
    Stop {
        /// Agent
        id: String,
        /// Duration
        #[arg(value_parser = parse_lifetime, long = "for", value_name = "DURATION", default_value = "10m")]
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
