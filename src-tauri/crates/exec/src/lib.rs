//! Execution: the only crate that starts processes, and the only one beside the app and the command line that may hold
//! `unsafe`.
//!
//! [`resolve`] finds what a request would run, [`identity`] says which program that is, [`confine`] prepares what the
//! system lets it do, [`run`] starts it and watches it until it is gone. Nothing here decides.

#[cfg(any(target_os = "macos", test))]
mod code;
pub mod confine;
mod descriptors;
mod git_config;
pub mod identity;
mod listing;
mod memory;
pub mod peer;
pub mod resolve;
pub mod run;
mod screen;
pub mod small_file;
#[cfg(test)]
mod tests;
pub mod threads;
pub mod user;

pub use descriptors::raise_descriptor_limit;
pub use memory::give_back_memory;
pub use screen::ScreenPresence;
#[cfg(target_os = "macos")]
pub use screen::presence;
