//! One request's life ([`State`], [`Event`], [`Effect`], [`step`]), what one agent may do at a time ([`Limits`], [`Turns`],
//! [`Places`], [`Sessions`]), and what denies everything ([`Halt`]). Pure.

mod halt;
mod limits;
mod machine;
mod places;
mod plan;
mod sessions;
mod turns;

pub use halt::{Halt, Halted, Pause};
pub use limits::{Limits, TryAfter};
pub use machine::{
    Approved, Denial, Effect, Ending, Entry, Event, Exit, Life, Refused, RunEnd, State, Stop, Tells,
    pause_after, step,
};
pub use places::{Place, Places};
pub use plan::{BoundCall, BoundDir, BoundFile, Digest, Launch, Plan, Stdin};
pub use postern_protocol::{By, DenyReason, Outcome};
pub use sessions::{NotSo, Sessions};
pub use turns::{OPEN_IN_ALL, OPEN_PER_AGENT, Open, Turn, Turns};
