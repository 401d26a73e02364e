//! Attacks on Postern, each with a real host, a real sandbox and an agent that changes the disk meanwhile.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod answers;
mod binding;
mod classes;
mod confined_rules;
mod control;
mod deny_rules;
mod floods;
mod hooks;
mod opened_folders;
mod read_only;
mod runs;
