//! Arguments of importing other programs' rules, and of suggestions.

use crate::shared_args::{JsonOutput, name_parser, parse_number};
use clap::Args;
use postern_contract::THIS_COMPUTER;
use postern_contract::methods::KnownAgent;
use postern_doors::setup::importable;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Import {
    /// Program to import from
    #[arg(value_parser = name_parser(importable(), KnownAgent::name), required_unless_present = "list")]
    pub(crate) from: Option<KnownAgent>,
    /// Read these files [default: those that it reads, yours and those of --project]
    pub(crate) files: Vec<PathBuf>,
    /// List the files with rules found here; imports nothing
    #[arg(long, conflicts_with_all = ["files", "agent", "broad", "host", "check"])]
    pub(crate) list: bool,
    /// Agent that gets the rules
    #[arg(long, required_unless_present = "list")]
    pub(crate) agent: Option<String>,
    /// Project to read files of, too; their rules hold in it
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Import rules as broad as they were there: everything their words cover
    #[arg(long)]
    pub(crate) broad: bool,
    /// Let the rules hold for commands that Postern runs, too [default: only in the agent's own shell]
    #[arg(long)]
    pub(crate) host: bool,
    /// Save nothing; show what would be imported, and what the last requests would have become
    #[arg(long)]
    pub(crate) check: bool,
    /// Number of requests that --check judges again, at most 1000
    #[arg(long, value_name = "NUMBER", default_value_t = 200, value_parser = parse_number::<u32>, requires = "check")]
    pub(crate) last: u32,
    #[command(flatten)]
    pub(crate) json: JsonOutput,
}

#[derive(Debug, Args)]
#[command(after_help = "Saves nothing: prints the line that would save each rule.")]
pub(crate) struct Suggest {
    /// Only questions of this agent; with --from-transcripts: judge with its settings and rules
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Days of history
    #[arg(long, default_value_t = 30, value_parser = parse_number::<u32>)]
    pub(crate) days: u32,
    #[arg(long, help = format!("Read the transcripts of Claude Code and Codex on {THIS_COMPUTER} instead of the history"))]
    pub(crate) from_transcripts: bool,
    /// Maximum number of suggestions
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = parse_number::<usize>)]
    pub(crate) most: usize,
    #[command(flatten)]
    pub(crate) json: JsonOutput,
}
