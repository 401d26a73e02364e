//! Parameters of the control methods.

mod agents;
mod questions;
mod requests;
mod rules;

pub use agents::{
    AgentAdd, AgentRef, AgentSet, ChannelAsk, HookNote, PermissionsSet, SessionFilter, SessionName,
    SkillApprove, SkillFolder,
};
pub use questions::{
    ApproverKind, Pause, Presented, QuestionRef, QuestionsWatch, ScriptRef, ToolApprove, ToolDeny,
    Unpresented,
};
pub use requests::{
    Explain, InsightsAsk, OutputSearch, RequestAsk, RequestFilter, RequestKill, RequestNumber, RequestsWatch,
    ToolExplain,
};
pub use rules::{RenewalEntry, RuleFilter, RuleNumber, RuleUpdate, RulesImport, RulesPut, RulesWrite};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Takes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}
