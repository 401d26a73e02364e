//! Arguments of `postern fleet`.

use crate::shared_args::{JsonOutput, parse_address, parse_duration, parse_lifetime};
use clap::{Args, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommand {
    /// Start a fleet; shows the configuration of its broker (nats-server) before it writes it
    Start(FleetStartArgs),
    /// Invite another computer: prints a code and waits for it
    Invite(Invite),
    /// Join a fleet with a code of `fleet invite`
    Join(Join),
    /// Print what the administrator of an existing NATS sets up: streams, and what each member may do
    NatsSetup,
    /// List members, hosts and people, or change what one may do
    Members(Members),
    /// Show how many owners and publishers have to sign a change, or choose it
    Signatures(Signatures),
    /// List changes that wait for your signature, or show one and sign it
    Sign(SignChange),
    /// List groups: their hosts, and who answers for them
    Groups(JsonOutput),
    /// Remove a member; its answers and its connection end at once
    Revoke {
        /// Member: its name or id, as `fleet members` prints it
        member: String,
    },
    /// Leave the fleet: forget its keys here
    Leave {
        /// Leave without asking
        #[arg(long)]
        yes: bool,
    },
    /// Deny everything that agents of a host, a group or all hosts ask for; or let them work again
    Block(Block),
    /// Manage the policy for the hosts of a group
    #[command(subcommand)]
    Policy(FleetPolicy),
    /// Compare the audit of hosts with what was seen before, or read it
    Audit {
        #[command(subcommand)]
        command: FleetAudit,
    },
    /// Show the fleet, the broker and the roster's age
    Status(JsonOutput),
}

#[derive(Debug, Args)]
pub(crate) struct FleetStartArgs {
    /// Address on which the broker listens; other computers must reach it
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = parse_address, default_value = "127.0.0.1:7720")]
    pub(crate) listen: SocketAddr,
    /// NATS server that others run, instead of one here: tls://HOST:PORT
    #[arg(long, value_name = "URL", requires = "credentials", conflicts_with_all = ["listen", "before_2_10", "container"])]
    pub(crate) server: Option<String>,
    /// Credentials that its administrator gave: a .creds file, or the seed of a user's nkey
    #[arg(long, value_name = "FILE", requires = "server")]
    pub(crate) credentials: Option<PathBuf>,
    /// Certificate of that server (PEM), to trust it alone [default: trust whom the system trusts]
    #[arg(long, value_name = "FILE", requires = "server")]
    pub(crate) certificate: Option<PathBuf>,
    /// Name of this host, as other computers show it
    #[arg(long)]
    pub(crate) name: String,
    /// Your name, as other computers show it
    #[arg(long)]
    pub(crate) person: String,
    /// Group of this host
    #[arg(long, default_value = "all")]
    pub(crate) group: String,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    /// Leave out what nats-server before 2.10 refuses (sync_interval)
    #[arg(long)]
    pub(crate) before_2_10: bool,
    /// Run nats-server in a container, by Docker or Podman
    #[arg(long)]
    pub(crate) container: bool,
    /// Write the configuration without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Rights of the fleet on this host.
#[derive(Debug, Args)]
pub(crate) struct ConsentArgs {
    /// Extent to which the fleet's policy counts here
    #[arg(long, value_enum, default_value = "deny")]
    pub(crate) policy: PolicyName,
    /// Let people who answer for this host read its history, agents and rules
    #[arg(long)]
    pub(crate) readable: bool,
    /// Send the rows of its audit to the fleet's auditors, sealed for them
    #[arg(long)]
    pub(crate) auditable: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Invite {
    /// Name of the computer
    pub(crate) name: String,
    /// Person who uses it [default: the computer's name]
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
    /// Let its person publish policy
    #[arg(long)]
    pub(crate) publisher: bool,
    /// Let its person read the audit of hosts, and answer nothing
    #[arg(long, conflicts_with_all = ["risk", "once_only", "publisher"])]
    pub(crate) auditor: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Members {
    #[command(subcommand)]
    pub(crate) command: Option<MembersCommand>,
    #[command(flatten)]
    pub(crate) json: JsonOutput,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MembersCommand {
    /// Change what a member may do; what is not named stays
    Set(SetMember),
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("changes").args(["roles", "groups", "risk", "once_only"]).required(true).multiple(true))]
pub(crate) struct SetMember {
    /// Member: name of a computer, for its host and its person, or the id of one, as `fleet members` prints it
    pub(crate) member: String,
    /// Roles of its person, all of them, with commas between
    #[arg(long, value_enum, value_delimiter = ',', value_name = "ROLE,…")]
    pub(crate) roles: Option<Vec<RoleName>>,
    /// Groups that its host is in and its person answers for, all of them, with commas between
    #[arg(long, value_delimiter = ',', value_name = "GROUP,…")]
    pub(crate) groups: Option<Vec<String>>,
    /// Highest risk that its person may allow
    #[arg(long, value_enum)]
    pub(crate) risk: Option<RiskName>,
    /// Let its person allow once, but save no rules
    #[arg(long, value_enum)]
    pub(crate) once_only: Option<YesOrNo>,
    /// Take groups that no member has yet for new ones, not for mistakes
    #[arg(long, requires = "groups")]
    pub(crate) new_groups: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Signatures {
    /// Number of owners who have to sign a change of members, their rights or these numbers
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(crate) owners: Option<u8>,
    /// Number of publishers who have to sign a policy, each of its stages and a rollback
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(crate) publishers: Option<u8>,
    /// Longest time that hosts take answers from elsewhere after an owner last confirmed the roster: 1h to 7d
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) fresh_for: Option<humantime::Duration>,
}

#[derive(Debug, Args)]
pub(crate) struct SignChange {
    /// Change, as the list names it [default: list all]
    pub(crate) change: Option<String>,
    /// Days to look back in the replay of a policy
    #[arg(long, default_value = "7")]
    pub(crate) days: u16,
    /// Withdraw it instead
    #[arg(long, requires = "change")]
    pub(crate) withdraw: bool,
    /// Sign without asking
    #[arg(long, requires = "change", conflicts_with = "withdraw")]
    pub(crate) yes: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum RoleName {
    /// Signs the roster: invites, changes and revokes members
    Owner,
    /// Publishes policy
    Publisher,
    /// Answers questions
    Approver,
    /// Reads the audit of hosts, and answers nothing
    Auditor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum YesOrNo {
    Yes,
    No,
}

#[derive(Debug, Args)]
pub(crate) struct Join {
    /// Code of `fleet invite`
    pub(crate) code: String,
    /// Credentials for a broker that others run: a .creds file, or the seed of a user's nkey
    #[arg(long, value_name = "FILE")]
    pub(crate) credentials: Option<PathBuf>,
    /// Only ask: answer nothing here for others
    #[arg(long, conflicts_with = "approver_only")]
    pub(crate) host_only: bool,
    /// Only answer: questions of this host stay here
    #[arg(long)]
    pub(crate) approver_only: bool,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
}

#[derive(Debug, Args)]
pub(crate) struct Block {
    /// Host or group; `all` is every host
    #[arg(long)]
    pub(crate) host: String,
    /// Only for this time: 30m, 2h [default: until --end]
    #[arg(value_parser = parse_lifetime, long = "for", value_name = "DURATION", conflicts_with = "end")]
    pub(crate) lasts: Option<humantime::Duration>,
    /// Let agents work again
    #[arg(long)]
    pub(crate) end: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetAudit {
    /// Print the rows that hosts sealed for you, as their auditor
    Read {
        /// Only this host [default: all]
        #[arg(long)]
        host: Option<String>,
        #[command(flatten)]
        json: JsonOutput,
    },
    /// Find gaps, forks, bad signatures, and a log that ends before what was seen; exit 1 if anything is missing or made up
    Verify {
        /// Only this host [default: all]
        #[arg(long)]
        host: Option<String>,
        #[command(flatten)]
        json: JsonOutput,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetPolicy {
    /// Check a file: {"rules": […], "settings": {…}, "approvals": {"dangerous": 2}}
    Lint {
        /// File of the policy
        file: PathBuf,
    },
    /// Judge the history of every host by a file; changes nothing
    Replay {
        /// File of the policy
        file: PathBuf,
        /// Group of hosts
        #[arg(long)]
        group: String,
        /// Days to look back
        #[arg(long, default_value = "7")]
        days: u16,
    },
    /// Replay a file on every host, then publish it for the first of them
    Publish {
        /// File of the policy
        file: PathBuf,
        /// Group of hosts
        #[arg(long)]
        group: String,
        /// Host that gets it first; repeatable [default: the first of the group]
        #[arg(long)]
        canary: Vec<String>,
        /// Days to look back in the replay
        #[arg(long, default_value = "7")]
        days: u16,
        /// Publish without asking
        #[arg(long)]
        yes: bool,
    },
    /// Publish the newest policy to more hosts: 10 of 100, then all
    Advance {
        /// Group of hosts
        #[arg(long)]
        group: String,
        /// Advance although denials or questions rose on a host
        #[arg(long)]
        anyway: bool,
    },
    /// Publish the policy before the newest one again, for all hosts
    Rollback {
        /// Group of hosts
        #[arg(long)]
        group: String,
    },
    /// Show the newest policy, and what is in force on each host
    Status {
        /// Group of hosts
        #[arg(long)]
        group: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PolicyName {
    /// It may deny, and ask more people
    Deny,
    /// It may allow and decide settings as well
    Allow,
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
