//! A folder for tests that look programs up in it, or run them there.

use crate::resolve::Resolver;
use postern_command::{Dir, ParsedCommand, Role, Step, Word};
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder, and what looks programs up in it.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    pub(crate) resolver: Resolver,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), resolver: Resolver::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }
}

/// Returns a step that runs these words.
pub(crate) fn step(argv: &[&str]) -> Step {
    Step {
        argv: argv.iter().map(|word| Word::literal(*word)).collect(),
        span: 0..0,
        role: Role::Program,
        via: Vec::new(),
        assignments: Vec::new(),
        redirections: Vec::new(),
        piped: false,
        dir: Dir::Same,
        ways_out: Vec::new(),
        script: None,
        opaque: None,
    }
}

/// Returns a reading of these steps.
pub(crate) fn reading(steps: Vec<Step>) -> ParsedCommand {
    let (text, opaque, bodies) = (String::new(), Vec::new(), Vec::new());
    ParsedCommand { text, steps, opaque, plain: None, bodies, invalid: None }
}
