//! Doors: adapters that turn somebody else's protocol into the same requests, questions and answers.
//!
//! A door decides nothing. One that leads approvers in (`websocket`, `chat`) is a face like the window and the terminal; one
//! that leads requests in (`openclaw`) speaks on an agent's own channel, as any client of that agent does. Each runs in tasks
//! of its own with bounds of its own: one that crashes, hangs or is flooded takes nothing else with it.

#![cfg_attr(
    not(feature = "all"),
    allow(
        dead_code,
        unused_imports,
        unused_variables,
        reason = "what the doors share, where some are left out"
    )
)]

/// The fuzz target that the tests replay names this crate as its own crate does.
#[cfg(test)]
extern crate self as postern_doors;

#[cfg(feature = "chat")]
mod chat;
mod door;
mod doors;
#[cfg(feature = "fleet")]
pub mod fleet;
#[cfg(feature = "fleet")]
mod fleet_methods;
#[cfg(feature = "forwarder")]
mod forwarder;
pub mod hooks;
#[cfg(any(feature = "chat", feature = "fleet", feature = "outward"))]
mod kept_running;
#[cfg(feature = "listen")]
mod listen;
pub mod mcp;
mod open;
#[cfg(feature = "openclaw")]
mod openclaw;
#[cfg(feature = "outward")]
mod outward;
#[cfg(any(feature = "chat", feature = "websocket"))]
mod pairing;
pub mod setup;
#[cfg(feature = "tls")]
mod tls;
#[cfg(any(feature = "mcp-http", feature = "webhook"))]
mod token;
mod values;
#[cfg(feature = "websocket")]
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

/// Returns an error with what caused it: on its own it says little.
#[cfg(any(feature = "telegram", feature = "webhook"))]
fn error_chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", error_chain(source)),
        None => error.to_string(),
    }
}
