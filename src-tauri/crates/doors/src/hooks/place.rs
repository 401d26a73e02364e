//! Places of the agents' settings.

use super::HookAgent;

/// Place of an agent's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookSettingsPlace {
    /// Under the person's home folder.
    Home(&'static str),
    /// Under the current folder.
    Here(&'static str),
    /// In a file that the person names: this agent has several, and says so in these words.
    Named(&'static str),
}

/// Returns the place of this agent's settings: the person's own, or those of the project in the current
/// folder.
pub fn settings_place(kind: HookAgent, project: bool) -> HookSettingsPlace {
    let (own, of_project) = match kind {
        HookAgent::ClaudeCode => (".claude/settings.json", ".claude/settings.json"),
        HookAgent::Cursor => (".cursor/hooks.json", ".cursor/hooks.json"),
        HookAgent::GeminiCli => (".gemini/settings.json", ".gemini/settings.json"),
        HookAgent::Codex => (".codex/hooks.json", ".codex/hooks.json"),
        HookAgent::Windsurf => (".codeium/windsurf/hooks.json", ".windsurf/hooks.json"),
        HookAgent::Cline => ("Documents/Cline/Hooks/PreToolUse", ".clinerules/hooks/PreToolUse"),
        HookAgent::Opencode => (".config/opencode/plugins/postern.js", ".opencode/plugins/postern.js"),
        HookAgent::CopilotCli => (".copilot/hooks/postern.json", ".github/hooks/postern.json"),
        // It has hooks in repositories only.
        HookAgent::VsCode => return HookSettingsPlace::Here(".github/hooks/postern-vs-code.json"),
        HookAgent::KiroCli => {
            return HookSettingsPlace::Named(
                "Kiro's hooks stand in the file of one of its agents: --file ~/.kiro/agents/NAME.json, or \
                 .kiro/agents/NAME.json",
            );
        }
    };
    if project { HookSettingsPlace::Here(of_project) } else { HookSettingsPlace::Home(own) }
}

/// Returns the steps that the person has to take in the agent before it runs a hook from these settings.
pub fn left_to_do(kind: HookAgent, project: bool) -> Option<&'static str> {
    match (kind, project) {
        (HookAgent::Codex, false) => Some(
            "Codex runs this hook only after you trust it: start codex, enter /hooks, and trust it there. Until then, and \
             after each change of the hook, Codex uses its tools without asking Postern",
        ),
        (HookAgent::Codex, true) => Some(
            "Codex runs this hook only in a project that you trust, and only after you trust the hook: start codex in \
             the project, enter /hooks, and trust it there. Until then, and after each change of the hook, Codex uses \
             its tools without asking Postern",
        ),
        (HookAgent::CopilotCli, true) => Some(
            "Copilot CLI runs this hook only in a folder that you trust (trustedFolders in ~/.copilot/config.json). In \
             any other it uses its tools without asking Postern",
        ),
        _ => None,
    }
}
