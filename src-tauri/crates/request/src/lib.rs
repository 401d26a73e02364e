//! One request's life ([`State`], [`Event`], [`Effect`], [`step`]), what waits for a person ([`Questions`]), what one agent may do
//! at a time ([`Limits`], [`Turns`], [`Places`], [`Sessions`]), and what denies everything ([`Halt`], [`Denial`]). Pure.

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
