//! Tables, one file each: its schema, its row, its statements. Each function works on the connection it is
//! given.

pub mod agents;
pub mod chat_messages;
pub mod events;
pub mod feed;
pub mod history;
pub mod outputs;
pub mod questions;
pub mod renewals;
pub mod requests;
pub mod rules;
pub mod scripts;
pub mod search;
pub mod sessions;
pub mod settings;
pub mod skills;
pub mod tally;
mod wanted;
