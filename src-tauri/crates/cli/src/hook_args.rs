//! Arguments of `postern hook`.

use crate::shared_args::{name_parser, parse_number};
use clap::{Args, Subcommand};
use postern_doors::hooks::HookAgent;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Hook {
    /// Answer a Claude Code event (PreToolUse, PermissionRequest) from standard input
    ClaudeCode(HookRun),
    /// Answer a Cursor event (beforeShellExecution, beforeMCPExecution, beforeReadFile, preToolUse) from standard input
    Cursor(HookRun),
    /// Answer a Gemini CLI event (BeforeTool) from standard input
    GeminiCli(HookRun),
    /// Answer a GitHub Copilot CLI event (preToolUse) from standard input
    CopilotCli(HookRun),
    /// Answer an event of VS Code's agent (PreToolUse) from standard input
    VsCode(HookRun),
    /// Answer a Codex event (PreToolUse, PermissionRequest) from standard input
    Codex(HookRun),
    /// Answer a Windsurf event (pre_run_command, pre_read_code, pre_write_code, pre_mcp_tool_use) from standard input
    Windsurf(HookRun),
    /// Answer a Cline event (PreToolUse) from standard input
    Cline(HookRun),
    /// Answer a Kiro CLI event (preToolUse) from standard input
    KiroCli(HookRun),
    /// Answer an event of the opencode plugin (tool.execute.before) from standard input
    Opencode(HookRun),
    /// Add the hook to a coding agent's settings and enroll the agent; shows the change and asks first
    Install {
        #[command(flatten)]
        settings: HookSettings,
        /// Agent whose rules apply
        #[arg(long)]
        agent: String,
    },
    /// Remove the hook from a coding agent's settings
    Uninstall {
        #[command(flatten)]
        settings: HookSettings,
    },
}

#[derive(Debug, Args)]
pub(crate) struct HookRun {
    /// Agent whose rules apply
    #[arg(long)]
    pub(crate) agent: String,
    /// Let the coding agent show its own prompt where Postern would ask
    #[arg(long, alias = "hand-over")]
    pub(crate) passthrough: bool,
    /// Deny after this many seconds without an answer [default: shortly before the coding agent stops waiting]
    #[arg(long, value_name = "SECONDS", value_parser = parse_number::<u64>)]
    pub(crate) within: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct HookSettings {
    /// Coding agent
    #[arg(value_parser = name_parser(HookAgent::ALL, HookAgent::name))]
    pub(crate) kind: HookAgent,
    /// Settings file [default: where it reads them]
    #[arg(long)]
    pub(crate) file: Option<PathBuf>,
    /// Change the settings of the project in the current folder instead of your own
    #[arg(long, conflicts_with = "file")]
    pub(crate) project: bool,
    /// Change it without asking
    #[arg(long)]
    pub(crate) yes: bool,
}
