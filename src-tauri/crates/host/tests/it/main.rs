//! A whole host on real sockets in a temporary folder, with real programs and a scripted person.
#![expect(clippy::unwrap_used, clippy::panic, reason = "support functions of tests")]

mod answers;
mod bad_input;
mod door;
mod doubt;
mod edit;
mod flow;
mod isolation;
mod limits;
mod owed;
mod recover;
mod replay;
mod screen;
mod sessions;
mod shell_tool;
mod sleep;
mod support;
mod together;
mod tools;
