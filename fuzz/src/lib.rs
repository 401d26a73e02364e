//! What must hold for any bytes: one check a fuzz target. Each panics where it does not hold.

pub mod chat;
pub mod fleet;
pub mod permissions;
pub mod programs;
pub mod reader;
pub mod rules;
pub mod unwrapper;
