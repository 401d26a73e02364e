//! The record: SQLite, one file per table.
//!
//! [`Store::open`] gives a handle that can be cloned. [`Store::write`] hands work to the one writer thread, which
//! commits in groups; its [`Receipt`] resolves when the work outlives the process ([`Store::write_durable`]: a power
//! cut). [`Store::read`] runs on a connection that can
//! only read. The functions of each table take the connection that either of them gives, so that several of them make
//! one transaction:
//!
//! ```text
//! let written = store.write(move |conn| {
//!     requests::change(conn, id, &change)?;
//!     events::append(conn, &told)
//! });
//! let sequence = written.wait()?; // or `.await`
//! ```

pub mod audit;
mod carry;
mod column;
mod doubt;
mod error;
mod file;
mod header;
mod migrate;
mod open;
mod packed_text;
mod readers;
mod recover;
mod retain;
mod spare;
mod store;
mod tables;
#[cfg(test)]
mod testing;
mod writer;

pub use carry::{CarriedEnds, ClockChange, carry_ends};
pub use doubt::{DoubtCause, RecordDoubt, read_doubt};
pub use error::{Error, OpenError};
pub use header::{RecordHeader, header};
pub use open::OpenOutcome;
pub use recover::{Recovered, recover};
pub use retain::{Keep, erased, history_bytes, overwrite_deleted, sweep_history};
pub use rusqlite::Connection;
pub use spare::{Lost, Spare, copied, find_lost, is_whole, restore, verify_spare};
pub use store::{FILE_NAME, Store};
pub use tables::{
    agents, chat_messages, events, feed, history, outputs, questions, renewals, requests, rules, scripts,
    search, sessions, settings, skills, tally,
};
pub use writer::Receipt;
