//! Types of the control socket and of the app's own windows, with their TypeScript, and what can be said in a
//! chat. Pure.

mod activity;
mod afar;
mod alike;
mod answer;
pub mod chat;
mod closed_by;
mod enrolment;
mod lines;
mod lists;
pub mod methods;
mod moments;
mod not_applied;
mod part;
mod piece;
mod program_path;
mod question;
pub mod render;
mod renewal;
mod saved;
mod secret;
mod setting_keys;
mod setting_values;
mod shown;
mod subject;
mod told;
mod window;

pub use activity::{ChatStatus, Moment, MomentKind, RequestDetail, RequestRow};
pub use afar::{ODD_FROM_AFAR, from_afar, value_from_afar};
pub use alike::{Alike, AlikePart, Batch, find_alike, stands_alone};
pub use answer::{Answer, AnswerParams, ConfineChoice, EditParams, Edited, Scope};
pub use closed_by::ClosedBy;
pub use enrolment::Start;
pub use lines::{BodyLines, MultilineText};
pub use lists::{
    AgentRow, CliState, Concern, ConcernKind, LinesToShell, Mode, RemarkKind, RuleDraft, RuleRemark, RuleRow,
    SkillCli, SkillRow, Status, StoppedAgent,
};
pub use moments::{SETTLE, UNDO};
pub use not_applied::{Missing, NotApplied};
pub use part::Part;
pub use piece::{Piece, PieceKind, ShownText, join_pieces, pieces_to_text, to_pieces};
pub use postern_policy::PatternKind;
pub use question::{
    Asker, CommandPart, EnvChange, EnvChangeKind, OfferFolder, PartRole, Past, Proposal, ProposedRule,
    Question, ScriptState, ShownInput, ShownProgram, ShownScript, Unsaved,
};
pub use renewal::{Renewal, Renewed, RenewedRule};
pub use saved::{Answered, Saved, SavedPlace, not_saved};
pub use secret::{hide_in_pieces, without_secrets};
pub use setting_keys::{SETTING_KEYS, SettingKey, THIS_COMPUTER, plain_key};
pub use setting_values::{format_bytes, format_millis, setting_values};
pub use shown::{AlsoCovers, RiskText, ShownEffect, ShownRisk, ShownStep, ShownTrace};
pub use subject::{DiffLine, Field, LineChange, ShownSubject, SubjectRow};
pub use told::{
    ApproverNotification, Attention, Closed, RequiredType, ResolvedType, ToolApprovalRequired,
    ToolApprovalResolved,
};
pub use window::{
    AgentMark, AppRelease, Appearance, Overview, Pill, PillAct, Preferences, Presence, QuestionName,
    Shortcut, Showing, ShownArming, UpdateState,
};
