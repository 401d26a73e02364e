//! May it run: agents, rules, pins, risk. `judge()` gives a [`Verdict`] with its evidence. Pure.

pub mod environment;
mod facts;
mod rule;
mod settings;
mod verdict;

pub use facts::{Facts, Lookup, Program, Script, StepFacts};
pub use rule::{
    Effect, Identity, IdentityPattern, Lifetime, Millis, Pattern, Pin, Rule, RuleId, ScriptPin, Signature,
    Source, Usage,
};
pub use settings::{AgentId, Ask, BadAgentId, Fallback, Preset, Security, Settings, Unreadable};
pub use verdict::{Decision, Reason, Risk, RiskLevel, RuleRef, StepVerdict, TraceLine, Verdict};
