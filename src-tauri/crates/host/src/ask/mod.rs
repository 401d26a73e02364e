//! Asking a person: who can show a question, which questions wait, when *Allow* works, and what an answer does.

pub(crate) mod arming;
mod faces;
pub(crate) mod questions;

pub(crate) use faces::Approvers;
pub use faces::{ApproverGuard, ApproverId, ConnectedApproverKind, FleetPeople};
