//! A folder for tests that look programs up in it, or run them there.

use crate::resolve::Resolver;
use postern_command::{ParsedCommand, Step, Word};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
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

/// Writes a file with this mode, in folders that need not be there.
pub(crate) fn write_file(path: &Path, text: &str, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Returns a step that runs these words.
pub(crate) fn step(argv: &[&str]) -> Step {
    Step { argv: argv.iter().map(|word| Word::literal(*word)).collect(), ..Step::default() }
}

pub(crate) fn reading(steps: Vec<Step>) -> ParsedCommand {
    ParsedCommand { steps, ..ParsedCommand::default() }
}
