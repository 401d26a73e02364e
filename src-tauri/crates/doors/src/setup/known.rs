//! Knowledge about agents: where each keeps its settings and rules, how it is started, and how it is
//! connected.

use crate::hooks::Kind;
use postern_contract::methods::{ChannelKind, DoorKind, KnownAgent, Wiring};
use postern_policy::import::Product;

/// Way in which an agent is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// By a hook in its own settings.
    Hook(Kind),
    /// By a server in the first of these files whose folder exists, below the home folder.
    Mcp(&'static [&'static str]),
    /// By an integration.
    Integration(DoorKind),
    /// By its channel, which the user puts into the sandbox.
    Channel(ChannelKind),
}

impl How {
    pub(super) fn wiring(self) -> Wiring {
        match self {
            Self::Hook(_) => Wiring::Hook,
            Self::Mcp(_) => Wiring::Mcp,
            Self::Integration(_) => Wiring::Integration,
            Self::Channel(_) => Wiring::Channel,
        }
    }
}

/// Knowledge about an agent.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) kind: KnownAgent,
    pub(super) how: How,
    /// Configuration folders below the home folder, any of which shows that it is here.
    pub(super) folders: &'static [&'static str],
    /// Programs, any of which shows that it is here.
    pub(super) programs: &'static [&'static str],
    /// The program whose rules can be imported.
    pub(super) rules: Option<Product>,
}

const KNOWN: [Known; KnownAgent::ALL.len()] = [
    Known {
        kind: KnownAgent::ClaudeCode,
        how: How::Hook(Kind::ClaudeCode),
        folders: &[".claude"],
        programs: &["claude"],
        rules: Some(Product::ClaudeCode),
    },
    Known {
        kind: KnownAgent::Codex,
        how: How::Hook(Kind::Codex),
        folders: &[".codex"],
        programs: &["codex"],
        rules: Some(Product::Codex),
    },
    Known {
        kind: KnownAgent::Cursor,
        how: How::Hook(Kind::Cursor),
        folders: &[".cursor"],
        programs: &["cursor", "cursor-agent"],
        rules: Some(Product::Cursor),
    },
    Known {
        kind: KnownAgent::GeminiCli,
        how: How::Hook(Kind::GeminiCli),
        folders: &[".gemini"],
        programs: &["gemini"],
        rules: Some(Product::GeminiCli),
    },
    Known {
        kind: KnownAgent::VsCode,
        // Its hooks are in repositories only.
        how: How::Mcp(&["Library/Application Support/Code/User/mcp.json", ".config/Code/User/mcp.json"]),
        folders: &["Library/Application Support/Code", ".config/Code", ".vscode"],
        programs: &["code"],
        rules: Some(Product::VsCode),
    },
    Known {
        kind: KnownAgent::Openclaw,
        how: How::Integration(DoorKind::Openclaw),
        folders: &[".openclaw"],
        programs: &["openclaw"],
        rules: None,
    },
    Known {
        kind: KnownAgent::Containers,
        how: How::Channel(ChannelKind::Docker),
        folders: &[],
        programs: &["docker", "podman"],
        rules: None,
    },
];

/// Returns what is known about an agent.
pub(super) fn known(kind: KnownAgent) -> &'static Known {
    let index = KnownAgent::ALL.iter().position(|other| *other == kind).unwrap_or_default();
    &KNOWN[index]
}

/// Returns the files in which Postern is named as an MCP server.
pub(super) fn of_mcp() -> impl Iterator<Item = &'static str> {
    KNOWN
        .iter()
        .flat_map(|known| match known.how {
            How::Mcp(files) => files,
            How::Hook(_) | How::Integration(_) | How::Channel(_) => &[],
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
    "~/.local/bin",
    "~/.npm-global/bin",
    "~/.bun/bin",
    "~/.volta/bin",
    "~/.claude/local",
    "/opt/homebrew/bin",
    "/usr/local/bin",
    "/usr/bin",
];

#[cfg(test)]
mod tests {
    use super::{KnownAgent, known};

    #[test]
    fn each_agent_stands_where_it_is_looked_up() {
        for kind in KnownAgent::ALL {
            assert_eq!(known(kind).kind, kind);
        }
    }
}
