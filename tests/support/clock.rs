//! A wall clock that a test sets for a program. All other clocks go on.

use crate::{Postern, start};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Puts the wall clock ahead by the seconds in the file that `CLOCK_AHEAD` names; the other clocks go on.
const CLOCK: &str = include_str!("clock.c");

/// Wall clock of a program that a test starts.
pub struct TestClock {
    folder: TempDir,
}

impl TestClock {
    /// Makes a clock that is ahead by so many seconds, or behind.
    pub fn ahead_by(seconds: i64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (source, library) = (folder.path().join("clock.c"), folder.path().join("clock.so"));
        fs::write(&source, CLOCK).unwrap();
        let built = start("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap();
        assert!(built.success());
        let clock = Self { folder };
        clock.set_ahead(seconds);
        clock
    }

    /// Sets it, also while a program runs by it.
    pub fn set_ahead(&self, seconds: i64) {
        fs::write(self.folder.path().join("ahead"), seconds.to_string()).unwrap();
    }

    /// Returns the environment that gives a program this clock.
    pub fn variables(&self) -> [(&'static str, String); 2] {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let folder = self.folder.path();
        [("LD_PRELOAD", text(&folder.join("clock.so"))), ("CLOCK_AHEAD", text(&folder.join("ahead")))]
    }

    pub fn start_host(&self) -> Postern {
        let variables = self.variables();
        Postern::start_with(&variables.each_ref().map(|(name, value)| (*name, value.as_str())))
    }
}
