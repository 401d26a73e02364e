//! The program as its users run it, and what must hold over the whole tree: what `scripts/test --fast` passes too.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails here, and the line says why"
)]

mod agents;
mod clients;
mod docs;
mod feed;
mod fuzz;
mod invariants;
mod policy;
mod printed;
mod rules;
mod sandbox;
mod scripts;
mod transcript;
mod waiting;
