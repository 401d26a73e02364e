//! What a command line would really run: shell syntax, wrappers, interpreters. Pure.

pub mod escape;
mod reading;

pub use reading::{
    Assignment, Dialect, Dir, Invalid, Opaque, Power, Reading, Redirection, RedirectionKind, Role, Step, Via,
    WayOut, Word,
};
