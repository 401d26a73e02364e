//! Two Macs and a real nats-server: a question of one is answered on the other.
//!
//! The broker reads nothing and starts nothing, no matter what its administrator does.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on fails here, and the line says why"
)]
#![expect(clippy::disallowed_methods, reason = "a test starts the broker")]

mod administrator;
mod answers;
mod approver_link;
mod audit;
mod between;
mod blocks;
#[cfg(target_os = "linux")]
mod broker_unit;
#[cfg(target_os = "linux")]
mod clocks;
mod command_line;
#[cfg(target_os = "linux")]
mod container;
mod crash;
mod crash_joining;
mod crash_signing;
mod crash_storing;
mod crash_work;
mod examined;
mod existing;
mod farm;
mod inbox;
mod insiders;
mod operator;
mod parts;
mod people;
mod policy;
mod proposals;
mod reading;
mod restored;
mod rights;
mod shares;
mod stage;
mod stored;
mod turns;
mod window;
mod window_signs;
mod withheld;
