//! One request's life: [`State`], [`Event`], [`Effect`], [`step`]. Pure.

mod machine;
mod plan;

pub use machine::{
    Approved, By, Denial, DenyReason, Effect, Ending, Entry, Event, Life, Outcome, Refused, State, Stop,
    Tells, pause_after, step,
};
pub use plan::{BoundDir, BoundFile, Digest, Launch, Plan, Stdin};
