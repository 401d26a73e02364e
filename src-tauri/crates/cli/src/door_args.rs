//! Arguments of `postern doors`.

use crate::shared_args::JsonOutput;
use clap::{Subcommand, ValueEnum};

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
    /// Approvers on other computers
    Fleet,
}
