//! Where agents keep their settings.

use super::Kind;

/// Where an agent's settings lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Under the person's home folder.
    Home(&'static str),
    /// Under the current folder.
    Here(&'static str),
    /// In a file that the person names: this agent has several, and says so in these words.
    Named(&'static str),
}

/// Where this agent's settings lie: the person's own, or those of the project in the current folder.
pub fn place(kind: Kind, project: bool) -> Place {
    let (own, of_project) = match kind {
        Kind::ClaudeCode => (".claude/settings.json", ".claude/settings.json"),
        Kind::Cursor => (".cursor/hooks.json", ".cursor/hooks.json"),
        Kind::GeminiCli => (".gemini/settings.json", ".gemini/settings.json"),
        Kind::Codex => (".codex/hooks.json", ".codex/hooks.json"),
        Kind::Windsurf => (".codeium/windsurf/hooks.json", ".windsurf/hooks.json"),
        Kind::Cline => ("Documents/Cline/Hooks/PreToolUse", ".clinerules/hooks/PreToolUse"),
        Kind::Opencode => (".config/opencode/plugins/postern.js", ".opencode/plugins/postern.js"),
        // These have hooks in repositories only.
        Kind::CopilotCli => return Place::Here(".github/hooks/postern.json"),
        Kind::VsCode => return Place::Here(".github/hooks/postern-vs-code.json"),
        Kind::KiroCli => {
            return Place::Named(
                "Kiro's hooks stand in the file of one of its agents: --file ~/.kiro/agents/NAME.json, or \
                 .kiro/agents/NAME.json",
            );
        }
    };
    if project { Place::Here(of_project) } else { Place::Home(own) }
}
