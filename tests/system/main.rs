//! Slow tests: real windows, crashes, real shells, and clients and servers of others.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails here, and the line says why"
)]

#[cfg(target_os = "linux")] // its container is bubblewrap's
mod containers;
#[cfg(target_os = "linux")] // its sandbox is bubblewrap
mod crash;
#[cfg(target_os = "linux")]
mod differential;
mod doors;
#[cfg(target_os = "linux")] // it looks into /proc, and mounts
mod faults;
mod hostile;
mod inbox;
#[cfg(target_os = "linux")]
mod oracle;
mod popover;
mod settings_window;
#[cfg(target_os = "linux")]
mod steps;
mod window;
