//! One integration binary: the program as its users run it, and what must hold over the whole tree.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails here, and the line says why"
)]

mod agents;
mod bypasses;
mod clients;
#[cfg(target_os = "linux")] // its container is bubblewrap's
mod containers;
#[cfg(target_os = "linux")] // its sandbox is bubblewrap
mod crash;
#[cfg(target_os = "linux")]
mod differential;
mod docs;
mod doors;
mod feed;
mod figures;
mod fuzz;
mod hostile;
mod invariants;
#[cfg(target_os = "linux")]
mod oracle;
mod policy;
mod rules;
mod sandbox;
mod settings_window;
mod transcript;
mod window;
