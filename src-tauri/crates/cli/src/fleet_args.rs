//! Arguments of `postern fleet`.

use clap::{Args, Subcommand, ValueEnum};
use std::net::SocketAddr;

#[derive(Debug, Subcommand)]
pub(crate) enum Fleet {
    /// Start a fleet with this Mac; shows the configuration of its broker (nats-server) before it writes it
    Start(Start),
    /// Invite another Mac: prints a code and waits for it
    Invite(Invite),
    /// Join a fleet with a code of `fleet invite`
    Join(Join),
    /// List members: hosts, people and what they may approve
    Members(super::args::Json),
    /// Remove a member; its answers and its connection end at once
    Revoke {
        /// Member: its name or id, as `fleet members` prints it
        member: String,
    },
    /// Leave the fleet: forget its keys on this Mac
    Leave {
        /// Leave without asking
        #[arg(long)]
        yes: bool,
    },
    /// Show the fleet, the broker and the roster's age
    Status(super::args::Json),
}

#[derive(Debug, Args)]
pub(crate) struct Start {
    /// Address of this Mac on which the broker listens; other Macs must reach it
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7720")]
    pub(crate) listen: SocketAddr,
    /// Name of this Mac
    #[arg(long)]
    pub(crate) name: String,
    /// Your name, as other Macs show it
    #[arg(long)]
    pub(crate) person: String,
    /// Group of this Mac
    #[arg(long, default_value = "all")]
    pub(crate) group: String,
    /// Leave out what nats-server before 2.10 refuses (sync_interval)
    #[arg(long)]
    pub(crate) before_2_10: bool,
    /// Write the configuration without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Invite {
    /// Name of the Mac
    pub(crate) name: String,
    /// Person whose Mac it is [default: the Mac's name]
    #[arg(long)]
    pub(crate) person: Option<String>,
    /// Group that its host is in and its person answers for; repeatable
    #[arg(long = "group", default_value = "all")]
    pub(crate) groups: Vec<String>,
    /// Highest risk that its person may allow
    #[arg(long, value_enum, default_value = "dangerous")]
    pub(crate) risk: RiskName,
    /// Let its person allow once, but save no rules
    #[arg(long)]
    pub(crate) once_only: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Join {
    /// Code of `fleet invite`
    pub(crate) code: String,
    /// Only ask: nobody answers on this Mac for others
    #[arg(long, conflicts_with = "approver_only")]
    pub(crate) host_only: bool,
    /// Only answer: this Mac's own questions stay here
    #[arg(long)]
    pub(crate) approver_only: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum RiskName {
    /// Nothing that needs a person
    Safe,
    /// What a person should look at
    NeedsReview,
    /// Everything
    Dangerous,
}
