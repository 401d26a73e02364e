//! One request's life: [`State`], [`Event`], [`Effect`], [`step`]. Pure.

mod machine;
mod plan;

pub use machine::{Approved, By, Denial, DenyReason, Effect, Ending, Event, Outcome, State, Stop, step};
pub use plan::{BoundDir, BoundFile, Digest, Launch, Plan, Stdin};
