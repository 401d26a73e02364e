//! Arguments of `postern approve` and `postern deny`.

use crate::shared_args::{parse_lifetime, parse_number};
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Approve {
    /// Question: its code, the beginning of its id, or `last` [default: the only one that waits]
    pub(crate) question: Option<String>,
    /// Also save a rule, one of those that the question offers
    #[arg(long, value_enum)]
    pub(crate) always: Option<AlwaysChoice>,
    /// Lifetime of the rule
    #[arg(value_parser = parse_lifetime, long = "for", value_name = "DURATION", requires = "always")]
    pub(crate) lasts: Option<humantime::Duration>,
    /// Save the rule for every agent
    #[arg(long, requires = "always")]
    pub(crate) everyone: bool,
    /// Let the rule hold in every folder, not only in the command's folder and below
    #[arg(long, requires = "always")]
    pub(crate) anywhere: bool,
    /// Allow all identical waiting requests, if there are this many; the default allows only the first
    #[arg(long, value_name = "NUMBER", value_parser = parse_number::<usize>)]
    pub(crate) all: Option<usize>,
    /// Digest of the question you saw; answers without showing it and asking again
    #[arg(long)]
    pub(crate) digest: Option<String>,
    /// Computer in your fleet on which it waits
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
    /// Computer in your fleet on which it waits
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,
}
