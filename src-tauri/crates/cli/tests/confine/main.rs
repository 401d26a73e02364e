//! `postern confine` with real programs: attacks that work unconfined and must fail confined, and builds that must work.
//!
//! The attacks run as an ordinary user: root could do more, and less is refused to it.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test fails by panicking, and starts programs"
)]

mod attacks;
mod builds;
mod hook;
mod pins;
mod refused;
mod world;
