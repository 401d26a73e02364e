//! One request's life ([`State`], [`Event`], [`Effect`], [`step`]), and what one agent may do at a time: [`Limits`], [`Turns`],
//! [`Places`], [`Sessions`]. Pure.

mod limits;
mod machine;
mod places;
mod plan;
mod sessions;
mod turns;

pub use limits::{Limits, TryAfter};
pub use machine::{
    Approved, Denial, Effect, Ending, Entry, Event, Exit, Life, Refused, RunEnd, State, Stop, Tells,
    pause_after, step,
};
pub use places::{Place, Places};
pub use plan::{BoundDir, BoundFile, Digest, Launch, Plan, Stdin};
pub use postern_protocol::{By, DenyReason, Outcome};
pub use sessions::{NotSo, Sessions};
pub use turns::{OPEN_IN_ALL, OPEN_PER_AGENT, Open, Turn, Turns};
