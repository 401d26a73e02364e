//! One integration binary: the program as its users run it, and what must hold over the whole tree.

mod agents;
#[cfg(target_os = "linux")] // its sandbox is bubblewrap
mod crash;
mod invariants;
mod policy;
mod sandbox;
mod window;
