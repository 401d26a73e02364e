//! Finds capabilities and permissions below src-tauri/.

fn main() {}
