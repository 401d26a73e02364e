//! Arguments that several commands share.

use clap::{Args, ValueEnum};

/// Output format of a listing.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct JsonOutput {
    /// Output JSON (JSON Lines with --watch)
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentStartArg {
    /// Nothing: you are asked about everything that no rule allows
    Ask,
    /// Look around: read its folders and the system's files
    Look,
    /// Look around, change its files and run its projects' code, in its folders
    Work,
}
