//! Doors: adapters that turn somebody else's protocol into the same requests, questions and answers.
//!
//! A door decides nothing. One that leads approvers in (`websocket`, `chat`) is a face like the window and the terminal; one
//! that leads requests in (`openclaw`) speaks on an agent's own channel, as any client of that agent does. Each runs in tasks
//! of its own with bounds of its own: one that crashes, hangs or is flooded takes nothing else with it.

/// The fuzz target that the tests replay names this crate as its own crate does.
#[cfg(test)]
extern crate self as postern_doors;

mod chat;
mod door;
mod doors;
pub mod fleet;
mod forwarder;
pub mod hooks;
mod kept_running;
mod listen;
pub mod mcp;
mod openclaw;
mod outward;
mod pairing;
pub mod setup;
mod tls;
mod token;
mod values;
mod websocket;

pub use doors::DoorRegistry;

use postern_host::{Host, now_millis};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

/// Returns the folder where doors keep files and sockets: 0700, in the data folder.
fn folder(host: &Host) -> io::Result<PathBuf> {
    let folder = host.data_folder().join("doors");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    Ok(folder)
}

/// Returns a number that nobody knows before; 0 where the system gives none.
fn random() -> u32 {
    getrandom::u32().unwrap_or(0)
}
