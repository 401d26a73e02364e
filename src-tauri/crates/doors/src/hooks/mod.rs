//! Coding agents that ask a program before they use a tool (a hook): their events become tool checks, and verdicts become
//! their answers. Texts in, texts out; who speaks to the host is the command line.
//!
//! Events and answers are those of each agent's own documentation:
//! Claude Code <https://code.claude.com/docs/en/hooks>, Cursor <https://cursor.com/docs/agent/hooks>,
//! Gemini CLI <https://geminicli.com/docs/hooks/reference>, GitHub Copilot CLI
//! <https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference>.

mod answer;
mod event;
mod install;

pub use answer::answer;
pub use event::{Asked, Odd, read};
pub use install::{BadSettings, Place, install, place, uninstall};

/// A coding agent whose hooks are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Claude Code: `PreToolUse`, `PermissionRequest`.
    ClaudeCode,
    /// Cursor: `beforeShellExecution`, `beforeMCPExecution`, `beforeReadFile`.
    Cursor,
    /// Gemini CLI: `BeforeTool`.
    GeminiCli,
    /// GitHub Copilot CLI: `preToolUse`.
    CopilotCli,
}

impl Kind {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Cursor, Self::GeminiCli, Self::CopilotCli];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::GeminiCli => "gemini-cli",
            Self::CopilotCli => "copilot-cli",
        }
    }
}

/// What a hook tells its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Use the tool.
    Allow,
    /// Do not use it, and why.
    Deny(String),
    /// Ask your own person.
    HandOver,
}

#[cfg(test)]
mod tests;
