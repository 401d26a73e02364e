//! The sign of an agent, by which a person tells it apart from others.

use serde::{Deserialize, Serialize};

/// Sign of an agent, as pages draw it in the agent's color.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum AgentIcon {
    Spark,
    Terminal,
    Braces,
    Cursor,
    Star,
    Globe,
    Hammer,
    Flask,
    Notebook,
    Rocket,
    Box,
    /// First letter of its name. Also stands for a sign of a newer version.
    #[default]
    #[serde(other)]
    Letter,
}

impl AgentIcon {
    /// Every icon, in the order in which they are offered.
    pub const ALL: [Self; 12] = [
        Self::Letter,
        Self::Spark,
        Self::Terminal,
        Self::Braces,
        Self::Cursor,
        Self::Star,
        Self::Globe,
        Self::Hammer,
        Self::Flask,
        Self::Notebook,
        Self::Rocket,
        Self::Box,
    ];

    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Letter => "letter",
            Self::Spark => "spark",
            Self::Terminal => "terminal",
            Self::Braces => "braces",
            Self::Cursor => "cursor",
            Self::Star => "star",
            Self::Globe => "globe",
            Self::Hammer => "hammer",
            Self::Flask => "flask",
            Self::Notebook => "notebook",
            Self::Rocket => "rocket",
            Self::Box => "box",
        }
    }

    /// Returns the icon of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|icon| icon.name() == name)
    }

    /// Returns the icon that an agent begins with: coding agents that are known by their id have one.
    pub fn of_agent(id: &str) -> Self {
        match id {
            "claude-code" => Self::Spark,
            "codex" => Self::Terminal,
            "cursor" => Self::Cursor,
            "gemini-cli" => Self::Star,
            "vs-code" => Self::Braces,
            _ => Self::Letter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AgentIcon;

    #[test]
    fn a_name_is_the_one_on_the_wire() {
        for icon in AgentIcon::ALL {
            assert_eq!(serde_json::to_value(icon).unwrap(), icon.name());
            assert_eq!(AgentIcon::from_name(icon.name()), Some(icon));
        }
    }

    #[test]
    fn an_icon_of_a_newer_version_is_a_letter() {
        assert_eq!(serde_json::from_str::<AgentIcon>("\"dragon\"").unwrap(), AgentIcon::Letter);
        assert_eq!(AgentIcon::from_name("dragon"), None);
    }
}
