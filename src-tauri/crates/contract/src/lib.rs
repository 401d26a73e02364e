//! What a window or terminal is told and may ask: types of the control socket, and their TypeScript. What can be said in a chat.
//! Pure.

pub mod chat;
mod lines;
mod lists;
pub mod methods;
mod part;
mod question;
mod saved;
mod told;

pub use lines::Lines;
pub use lists::{
    AgentRow, Mode, Moment, RequestDetail, RequestRow, RuleDraft, RuleRow, SkillCli, SkillRow, Status,
    StoppedAgent,
};
pub use part::Part;
pub use postern_policy::PatternKind;
pub use question::{
    Answer, AnswerParams, Asker, CommandPart, EditParams, Edited, EnvChange, EnvChangeKind, PartRole, Past,
    Piece, Proposal, ProposedRule, Question, Scope, Shown, ShownInput, ShownProgram, ShownScript,
};
pub use saved::{Answered, Saved, SavedPlace, not_saved};
pub use told::{
    Attention, Closed, ClosedBy, RequiredType, ResolvedType, Told, ToolApprovalRequired, ToolApprovalResolved,
};
