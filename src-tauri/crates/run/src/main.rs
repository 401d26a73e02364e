//! `postern-run`: the tiny program that lives inside the sandbox.

fn main() {}
