//! Life of a request, what waits for a person, and the limits of an agent. Pure.
//!
//! One request's life is [`RequestState`], [`RequestEvent`], [`RequestEffect`] and [`step`]; [`QuestionQueue`] waits for a person;
//! [`AgentRateLimits`], [`QuestionTurns`], [`RunSlots`] and [`AgentSessions`] bound what one agent does at a time; [`Halt`] and
//! [`Denial`] deny everything.

mod denial;
mod halt;
mod ledger;
mod left;
mod limits;
mod machine;
mod places;
mod plan;
mod questions;
mod sessions;
mod turns;

pub use denial::{BUSY_MS, Denial, Drift, FolderProblem, NotShown, Refusal, Withdrawal};
pub use halt::{ActivePause, Halt, Halted};
pub use ledger::{Charge, Ledger};
pub use left::AbandonedRuns;
pub use limits::{AgentRateLimits, TryAfter};
pub use machine::{
    Approved, Exit, FailedWrite, Life, RecordEntry, RequestEffect, RequestEnding, RequestEvent, RequestState,
    RunEnd, Stop, Tells, pause_after, step,
};
pub use places::{RunSlotResult, RunSlots};
pub use plan::{BoundCall, BoundDir, BoundFile, BoundGit, Digest, Launch, Plan, PlanStdin};
pub use postern_protocol::{AllowedBy, DenyReason, Outcome};
pub use questions::{PendingQuestion, QuestionQueue};
pub use sessions::{AgentSessions, NotSo};
pub use turns::{OPEN_IN_ALL, OPEN_PER_AGENT, OpenQuestionCounts, QuestionTurns, Turn};
