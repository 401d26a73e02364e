//! What can be typed about other programs' rules, and about suggestions.

use crate::args::Json;
use clap::{Args, ValueEnum};
use postern_policy::import::Product;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Import {
    /// The program whose rules are taken over
    #[arg(value_enum, required_unless_present = "list")]
    pub(crate) from: Option<From>,
    /// Its files [default: those that it reads, of the person and of the project]
    pub(crate) files: Vec<PathBuf>,
    /// List the files with rules that are here, and take nothing over
    #[arg(long, conflicts_with_all = ["files", "agent", "broad", "host", "check"])]
    pub(crate) list: bool,
    /// The agent that gets the rules
    #[arg(long, required_unless_present = "list")]
    pub(crate) agent: Option<String>,
    /// The project whose files are read, and in which their rules hold [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Take rules over with everything that their words cover, as they were there
    #[arg(long)]
    pub(crate) broad: bool,
    /// Let Postern run what is allowed, too; otherwise it is allowed in the agent's own shell alone
    #[arg(long)]
    pub(crate) host: bool,
    /// Save nothing: show what would be taken over, and what the last requests would have become
    #[arg(long)]
    pub(crate) check: bool,
    /// How many of the last requests --check judges again, at most 1000
    #[arg(long, value_name = "NUMBER", default_value_t = 200, requires = "check")]
    pub(crate) last: u32,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Suggest {
    /// Questions of this agent; with --from-transcripts: an agent whose settings and rules are in force
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// How many days of the history
    #[arg(long, default_value_t = 30)]
    pub(crate) days: u32,
    /// Read what Claude Code and Codex kept of their sessions on this machine, instead of the history
    #[arg(long)]
    pub(crate) from_transcripts: bool,
    /// How many suggestions at most
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    pub(crate) most: usize,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// A program whose rules can be taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    ClaudeCode,
    Codex,
    Cursor,
    GeminiCli,
    VsCode,
}

impl From {
    /// Returns it as the policy knows it.
    pub(crate) fn product(self) -> Product {
        match self {
            Self::ClaudeCode => Product::ClaudeCode,
            Self::Codex => Product::Codex,
            Self::Cursor => Product::Cursor,
            Self::GeminiCli => Product::GeminiCli,
            Self::VsCode => Product::VsCode,
        }
    }

    /// Returns its name as it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::GeminiCli => "gemini-cli",
            Self::VsCode => "vs-code",
        }
    }
}
