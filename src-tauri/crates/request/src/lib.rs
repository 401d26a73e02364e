//! Life of a request, what waits for a person, and the limits of an agent. Pure.
//!
//! One request's life is [`State`], [`Event`], [`Effect`] and [`step`]; [`Questions`] wait for a person;
//! [`Limits`], [`Turns`], [`Places`] and [`Sessions`] bound what one agent does at a time; [`Halt`] and
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
pub use halt::{Halt, Halted, Pause};
pub use ledger::{Charge, Ledger};
pub use left::Left;
pub use limits::{Limits, TryAfter};
pub use machine::{
    Approved, Effect, Ending, Entry, Event, Exit, Life, Refused, RunEnd, State, Stop, Tells, pause_after,
    step,
};
pub use places::{Place, Places};
pub use plan::{BoundCall, BoundDir, BoundFile, Digest, Launch, Plan, Stdin};
pub use postern_protocol::{By, DenyReason, Outcome};
pub use questions::{Questions, Waiting};
pub use sessions::{NotSo, Sessions};
pub use turns::{OPEN_IN_ALL, OPEN_PER_AGENT, Open, Turn, Turns};
