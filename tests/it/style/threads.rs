//! Threads are started where the system may refuse one: elsewhere that panics.

use super::{Source, sources};

/// The one place that starts threads and runtimes with workers.
const STARTER: &str = "src-tauri/crates/exec/src/threads.rs";
/// Calls that panic without a further thread.
const PANICS: [&str; 2] = ["thread::spawn(", "Builder::new_multi_thread("];

/// Returns the lines of a source that may panic for want of a thread.
fn panicking(source: &Source) -> Vec<String> {
    let may_panic = |line: &&str| PANICS.iter().any(|call| line.contains(call));
    source
        .code()
        .into_iter()
        .filter(may_panic)
        .map(|line| format!("{}: {}", source.path, line.trim()))
        .collect()
}

#[test]
fn a_thread_that_the_system_refuses_is_an_error() {
    let all = sources();
    let code = all.iter().filter(|source| !source.is_test() && source.path != STARTER);
    let found: Vec<String> = code.flat_map(panicking).collect();
    assert!(found.is_empty(), "start it by {STARTER}: {found:#?}");
    let starter = all.iter().find(|source| source.path == STARTER).unwrap();
    assert!(!panicking(starter).is_empty(), "what panics is found");
}
