//! Knowledge about agents: where each keeps its settings and rules, how it is started, and how it is
//! connected.

use crate::hooks::HookAgent;
use postern_contract::methods::{ChannelKind, DoorKind, KnownAgent, Wiring};
use postern_policy::import::Product;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentConnectMethod {
    /// By a hook in its own settings.
    Hook(HookAgent),
    /// By a server in the first of these files whose folder exists, below the home folder.
    Mcp(&'static [&'static str]),
    Integration(DoorKind),
    /// By its channel, which the user puts into the sandbox.
    Channel(ChannelKind),
}

impl AgentConnectMethod {
    pub(super) fn wiring(self) -> Wiring {
        match self {
            Self::Hook(_) => Wiring::Hook,
            Self::Mcp(_) => Wiring::Mcp,
            Self::Integration(_) => Wiring::Integration,
            Self::Channel(_) => Wiring::Channel,
        }
    }
}

#[derive(Debug)]
pub(super) struct KnownAgentFacts {
    pub(super) kind: KnownAgent,
    pub(super) how: AgentConnectMethod,
    /// Configuration folders below the home folder, any of which shows that it is here.
    pub(super) folders: &'static [&'static str],
    /// Programs, any of which shows that it is here.
    pub(super) programs: &'static [&'static str],
    /// The program whose rules can be imported.
    pub(super) rules: Option<Product>,
}

const KNOWN: [KnownAgentFacts; KnownAgent::ALL.len()] = [
    KnownAgentFacts {
        kind: KnownAgent::ClaudeCode,
        how: AgentConnectMethod::Hook(HookAgent::ClaudeCode),
        folders: &[".claude"],
        programs: &["claude"],
        rules: Some(Product::ClaudeCode),
    },
    KnownAgentFacts {
        kind: KnownAgent::Codex,
        how: AgentConnectMethod::Hook(HookAgent::Codex),
        folders: &[".codex"],
        programs: &["codex"],
        rules: Some(Product::Codex),
    },
    KnownAgentFacts {
        kind: KnownAgent::Cursor,
        how: AgentConnectMethod::Hook(HookAgent::Cursor),
        folders: &[".cursor"],
        programs: &["cursor", "cursor-agent"],
        rules: Some(Product::Cursor),
    },
    KnownAgentFacts {
        kind: KnownAgent::GeminiCli,
        how: AgentConnectMethod::Hook(HookAgent::GeminiCli),
        folders: &[".gemini"],
        programs: &["gemini"],
        rules: Some(Product::GeminiCli),
    },
    KnownAgentFacts {
        kind: KnownAgent::VsCode,
        // Its hooks are in repositories only.
        how: AgentConnectMethod::Mcp(&[
            "Library/Application Support/Code/User/mcp.json", ".config/Code/User/mcp.json",
        ]),
        folders: &["Library/Application Support/Code", ".config/Code", ".vscode"],
        programs: &["code"],
        rules: Some(Product::VsCode),
    },
    KnownAgentFacts {
        kind: KnownAgent::Openclaw,
        how: AgentConnectMethod::Integration(DoorKind::Openclaw),
        folders: &[".openclaw"],
        programs: &["openclaw"],
        rules: None,
    },
    KnownAgentFacts {
        kind: KnownAgent::Containers,
        how: AgentConnectMethod::Channel(ChannelKind::Docker),
        folders: &[],
        programs: &["docker", "podman"],
        rules: None,
    },
];

pub(super) fn agent_facts(kind: KnownAgent) -> &'static KnownAgentFacts {
    let index = KnownAgent::ALL.iter().position(|other| *other == kind).unwrap_or_default();
    &KNOWN[index]
}

/// Returns the files in which Postern is named as an MCP server.
pub(super) fn of_mcp() -> impl Iterator<Item = &'static str> {
    KNOWN
        .iter()
        .flat_map(|known| match known.how {
            AgentConnectMethod::Mcp(files) => files,
            AgentConnectMethod::Hook(_)
            | AgentConnectMethod::Integration(_)
            | AgentConnectMethod::Channel(_) => &[],
        })
        .copied()
}

/// Variables that name folders which are usually below the home folder, in the order of a scope's fields.
pub(super) const FOLDERS_OF_ENVIRONMENT: [(&str, &str); 2] =
    [("CLAUDE_CONFIG_DIR", ".claude"), ("CODEX_HOME", ".codex")];

/// Files with rules below the home folder. A `*` stands for the part of a name.
pub(super) const RULES_OF_USER: &[(Product, &str)] = &[
    (Product::ClaudeCode, ".claude/settings.json"),
    (Product::Codex, ".codex/rules/*.rules"),
    (Product::Cursor, ".cursor/permissions.json"),
    (Product::Cursor, ".cursor/cli-config.json"),
    (Product::GeminiCli, ".gemini/settings.json"),
    (Product::GeminiCli, ".gemini/policies/*.toml"),
    (Product::VsCode, "Library/Application Support/Code/User/settings.json"),
    (Product::VsCode, ".config/Code/User/settings.json"),
];

/// Files with rules below a project's folder.
pub(super) const RULES_OF_PROJECT: &[(Product, &str)] = &[
    (Product::ClaudeCode, ".claude/settings.json"),
    (Product::ClaudeCode, ".claude/settings.local.json"),
    (Product::Codex, ".codex/rules/*.rules"),
    (Product::Cursor, ".cursor/permissions.json"),
    (Product::Cursor, ".cursor/cli.json"),
    (Product::GeminiCli, ".gemini/settings.json"),
    (Product::GeminiCli, ".gemini/policies/*.toml"),
    (Product::VsCode, ".vscode/settings.json"),
];

/// Folders where agents install their programs, besides the search path of the user's shell.
pub(super) const USUAL_FOLDERS: &[&str] = &[
    "~/.local/bin", "~/.npm-global/bin", "~/.bun/bin", "~/.volta/bin", "~/.claude/local",
    "/opt/homebrew/bin", "/usr/local/bin", "/usr/bin",
];

#[cfg(test)]
mod tests {
    use super::{KnownAgent, agent_facts};

    #[test]
    fn each_agent_stands_where_it_is_looked_up() {
        for kind in KnownAgent::ALL {
            assert_eq!(agent_facts(kind).kind, kind);
        }
    }
}
