//! Places of the agents' settings.

use super::Kind;

/// Place of an agent's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Under the person's home folder.
    Home(&'static str),
    /// Under the current folder.
    Here(&'static str),
    /// In a file that the person names: this agent has several, and says so in these words.
    Named(&'static str),
}

/// Returns the place of this agent's settings: the person's own, or those of the project in the current
/// folder.
pub fn place(kind: Kind, project: bool) -> Place {
    let (own, of_project) = match kind {
        Kind::ClaudeCode => (".claude/settings.json", ".claude/settings.json"),
        Kind::Cursor => (".cursor/hooks.json", ".cursor/hooks.json"),
        Kind::GeminiCli => (".gemini/settings.json", ".gemini/settings.json"),
        Kind::Codex => (".codex/hooks.json", ".codex/hooks.json"),
        Kind::Windsurf => (".codeium/windsurf/hooks.json", ".windsurf/hooks.json"),
        Kind::Cline => ("Documents/Cline/Hooks/PreToolUse", ".clinerules/hooks/PreToolUse"),
        Kind::Opencode => (".config/opencode/plugins/postern.js", ".opencode/plugins/postern.js"),
        Kind::CopilotCli => (".copilot/hooks/postern.json", ".github/hooks/postern.json"),
        // It has hooks in repositories only.
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

/// Returns the steps that the person has to take in the agent before it runs a hook from these settings.
pub fn left_to_do(kind: Kind, project: bool) -> Option<&'static str> {
    match (kind, project) {
        (Kind::Codex, false) => Some(
            "Codex runs this hook only after you trust it: start codex, enter /hooks, and trust it there. Until then, and \
             after each change of the hook, Codex uses its tools without asking Postern",
        ),
        (Kind::Codex, true) => Some(
            "Codex runs this hook only in a project that you trust, and only after you trust the hook: start codex in \
             the project, enter /hooks, and trust it there. Until then, and after each change of the hook, Codex uses \
             its tools without asking Postern",
        ),
        (Kind::CopilotCli, true) => Some(
            "Copilot CLI runs this hook only in a folder that you trust (trustedFolders in ~/.copilot/config.json). In \
             any other it uses its tools without asking Postern",
        ),
        _ => None,
    }
}
