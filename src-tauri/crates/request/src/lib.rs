//! One request's life: [`State`], [`Event`], [`Effect`], [`step`]. Pure.

mod machine;
mod plan;

pub use machine::{Approved, Denial, Effect, Ending, Event, Exit, RunEnd, State, Stop, step};
pub use plan::{BoundDir, BoundFile, Digest, Launch, Plan, Stdin};
pub use postern_protocol::{By, DenyReason, Outcome};
