//! Starts the desktop app.

fn main() {}
