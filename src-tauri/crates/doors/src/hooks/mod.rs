//! Coding agents that ask a program before they use a tool (a hook): their events become tool checks, and verdicts become
//! their answers. Texts in, texts out, except `settings`, which plans and writes files; the command line speaks to the host.
//!
//! Events and answers are those of each agent's own documentation:
//! Claude Code <https://code.claude.com/docs/en/hooks>, Cursor <https://cursor.com/docs/agent/hooks>,
//! Gemini CLI <https://geminicli.com/docs/hooks/reference>, GitHub Copilot CLI
//! <https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference>, VS Code
//! <https://code.visualstudio.com/docs/copilot/customization/hooks>, Codex <https://developers.openai.com/codex/hooks>,
//! Windsurf <https://docs.windsurf.com/windsurf/cascade/hooks>, Cline <https://docs.cline.bot/customization/hooks>, Kiro CLI
//! <https://kiro.dev/docs/cli/hooks>, opencode <https://opencode.ai/docs/plugins>.

mod answer;
mod bad_settings;
mod event;
mod install;
mod mcp_entry;
mod names;
mod place;
mod rewrite;
mod script;
mod settings;

pub use answer::{answer, refusal};
pub use bad_settings::BadSettings;
pub use event::{HookToolUse, Odd, parse_event};
pub use install::{deadline, holds_ours, install, uninstall};
pub use names::ToolClass;
pub use place::{HookSettingsPlace, left_to_do, settings_place};
pub use rewrite::confined;
pub use script::is_script;
pub(crate) use settings::read_settings;
pub use settings::{HookSettingsChange, HookSettingsEntry, SettingsError};

use serde_json::{Map, Value};

/// Returns the words of Postern's command in an agent's settings.
pub(crate) fn our_words(entry: HookSettingsEntry, settings: &str) -> Option<Vec<String>> {
    match entry {
        HookSettingsEntry::Hook(kind) if is_script(kind) => script::our_words(kind, settings),
        HookSettingsEntry::Hook(kind) => {
            postern_command::words_of(&install::our_command(kind, settings)?).ok()
        }
        HookSettingsEntry::McpServer => mcp_entry::command(settings),
    }
}

postern_protocol::named_values! {
    /// A coding agent whose hooks are understood.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
    pub enum HookAgent {
        /// Claude Code: `PreToolUse`, `PermissionRequest`.
        ClaudeCode = "claude-code",
        /// Cursor: `beforeShellExecution`, `beforeMCPExecution`, `beforeReadFile`, `preToolUse`.
        Cursor = "cursor",
        GeminiCli = "gemini-cli",
        /// GitHub Copilot CLI: `preToolUse`.
        CopilotCli = "copilot-cli",
        /// The agent in VS Code: `PreToolUse`.
        VsCode = "vs-code",
        /// Codex: `PreToolUse`, `PermissionRequest`.
        Codex = "codex",
        /// Windsurf: `pre_run_command`, `pre_read_code`, `pre_write_code`, `pre_mcp_tool_use`.
        Windsurf = "windsurf",
        /// Cline: `PreToolUse`.
        Cline = "cline",
        /// Kiro CLI: `preToolUse`.
        KiroCli = "kiro-cli",
        /// opencode: a plugin that asks before each tool.
        Opencode = "opencode",
    }
}

/// Verdict of a hook for its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookVerdict {
    /// Use the tool.
    Allow,
    /// Use the tool with this input, and with no other: its command is confined.
    AllowConfined(Map<String, Value>),
    /// Do not use it, and why.
    Deny(String),
    /// Ask your own person.
    HandOver,
    /// The agent proceeds as without this hook, because nobody decided.
    NoOpinion,
}

#[cfg(test)]
mod answer_tests;
#[cfg(test)]
mod install_tests;
#[cfg(test)]
mod tests;
