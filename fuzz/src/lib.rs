//! Checks that must hold for any bytes, one for each fuzz target. Each panics if it does not hold.

pub mod chat;
pub mod fleet;
pub mod frames;
pub mod openclaw;
pub mod permissions;
pub mod programs;
pub mod reader;
pub mod rules;
pub mod stored;
pub mod unwrapper;
pub mod websocket;
