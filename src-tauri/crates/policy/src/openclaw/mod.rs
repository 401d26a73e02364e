//! OpenClaw's approvals document: settings and allowlists of its agents, as JSON.
//!
//! | there | here |
//! |---|---|
//! | `security`, `ask`, `askFallback`, `autoAllowSkills` | the agent's `security`, `ask`, `fallback`, `skills`; what is not said there stays as it is here |
//! | a path or a glob over paths | a path pattern |
//! | a name (`rg`) | the command pattern `rg *` |
//! | `argPattern`, an expression over all arguments joined by blanks | patterns for the words, one by one |
//! | `argPattern` that begins with `sha256:` | nothing: a hash of command and folder does not say which they are |
//!
//! An entry never allows more here than there, but for one thing: a `.` there stands for no line break, and a `*` here
//! does. What cannot be said as narrowly is left out, with the reason: it will be asked about. In the other direction
//! joined arguments cannot be told from one argument with a blank in it: that is OpenClaw's own limit.

mod entry;
mod expression;
mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::settings::{Ask, Fallback, Security};
use std::collections::BTreeMap;

pub use crate::exec_approval::FieldError;
pub use entry::{Allowed, OpenclawEntry};
pub use read::read_document;
pub use write::document;

/// Settings of one agent, or of all of them. Settings that are left out are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenclawSettings {
    pub security: Option<Security>,
    pub ask: Option<Ask>,
    /// Decision if nobody answers.
    pub fallback: Option<Fallback>,
    /// True if skills' programs are trusted.
    pub skills: Option<bool>,
}

impl OpenclawSettings {
    /// This, and where nothing is said here, the other.
    fn or_defaults(&self, other: &Self) -> Self {
        Self {
            security: self.security.or(other.security),
            ask: self.ask.or(other.ask),
            fallback: self.fallback.or(other.fallback),
            skills: self.skills.or(other.skills),
        }
    }
}

/// An agent of the document, or its wildcard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfAgent {
    pub said: OpenclawSettings,
    pub allowlist: Vec<OpenclawEntry>,
    /// Tools of MCP servers that it may use, as `server tool`.
    pub tools: Vec<String>,
}

/// The document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    defaults: OpenclawSettings,
    agents: BTreeMap<String, OfAgent>,
}

/// The key of what is said about every agent.
const EVERY: &str = "*";

impl Document {
    /// Returns the agents that it names.
    pub fn agents(&self) -> Vec<&str> {
        self.agents.keys().map(String::as_str).filter(|name| *name != EVERY).collect()
    }

    /// Returns the settings that hold there for an agent: its own before every agent's before the defaults;
    /// every agent's list and its own.
    ///
    /// Without a name, those of an agent that is not named.
    pub fn for_agent(&self, agent: Option<&str>) -> OfAgent {
        let none = OfAgent::default();
        let every = self.agents.get(EVERY).unwrap_or(&none);
        let own = agent.and_then(|agent| self.agents.get(agent)).unwrap_or(&none);
        OfAgent {
            said: own.said.or_defaults(&every.said).or_defaults(&self.defaults),
            allowlist: every.allowlist.iter().chain(&own.allowlist).cloned().collect(),
            tools: every.tools.iter().chain(&own.tools).cloned().collect(),
        }
    }
}
