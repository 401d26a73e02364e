//! Support of the integration tests: the built programs, a host with its own data folder, a sandbox, a
//! watcher of questions.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::print_stderr,
    reason = "a test that cannot go on fails here, and the line says why"
)]

mod arena;
mod asked;
pub mod cases;
mod claw;
#[cfg(target_os = "linux")] // its library stands before the system's
mod clock;
mod drivers;
mod endpoint;
mod host;
mod json;
pub mod notifications;
mod programs;
pub mod prosody;
mod sandbox;
pub mod screen;
#[cfg(target_os = "linux")] // its sandbox is bubblewrap
pub mod shells;
pub mod telegram;
mod watcher;
pub mod window;

pub use arena::{Agent, Arena};
pub use asked::Asked;
pub use claw::{Claw, now};
#[cfg(target_os = "linux")]
pub use clock::TestClock;
pub use endpoint::{Endpoint, Posted};
pub use host::{Answer, Postern, ends_in_time};
pub use json::{joined, texts};
pub use programs::{
    OwnedChild, agent_command, connect_agent, copy_program, free_port, lines_of, postern, postern_desktop,
    postern_run, program, put_program, repository, start,
};
pub use sandbox::{SEALED, bubblewrap_works, host_for_sandbox, in_sandbox};
pub use watcher::{Watcher, answer_args};
