//! Programs that stand for those of a Mac: each says the same every time.

use postern_tests::put_program;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Folder of the programs in the samples.
const FOLDER: &str = "/opt/homebrew/bin";

/// A script for each; those without one do nothing.
const PROGRAMS: [(&str, &str); 12] = [
    ("bird", ""),
    ("brew", ""),
    ("curl", r#"echo '{"ok": true}'"#),
    ("fd", ""),
    ("gh", ""),
    ("git", ""),
    ("npm", "for n in 1 2 3 4 5 6; do echo \"[$n/40] compiling module $n\"; done; exec sleep 600"),
    ("osascript", ""),
    ("rg", r"printf 'src/main.ts:12: // TODO later\nsrc/app.ts:40: // TODO never\n'"),
    ("rm", ""),
    ("uname", "echo Darwin"),
    ("xcodebuild", "echo '1 test failed' >&2; exit 65"),
];

/// A folder that no agent can write to, with programs and skills.
pub(super) struct Tools(TempDir);

impl Tools {
    pub(super) fn new() -> Self {
        // Not in a temporary folder, which every agent can change.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        let tools = Self(folder);
        for (name, does) in PROGRAMS {
            tools.install(name, does);
        }
        tools
    }

    /// Puts a program there, or another one in its place. No two are the same: a rule that denies one denies its copies.
    pub(super) fn install(&self, name: &str, does: &str) {
        let new = self.0.path().join("new");
        put_program(&new, format!("#!/bin/sh\n# {name}\n{does}\n"));
        fs::rename(new, self.bin().join(name)).unwrap();
    }

    pub(super) fn bin(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap().join("bin")
    }

    /// Returns the words of an offer for each program, and what they are for one of the system, whose folder goes without saying.
    pub(super) fn offers_of_system(&self) -> impl Iterator<Item = (String, String)> {
        let does = |(name, _)| (format!("{name} does at {}", self.path(name)), format!("{name} does"));
        PROGRAMS.into_iter().map(does)
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.bin().join(name).display().to_string()
    }

    /// Writes a skill and returns the folder of all of them.
    pub(super) fn skill(&self, name: &str, text: &str) -> PathBuf {
        let all = self.0.path().canonicalize().unwrap().join("skills");
        fs::create_dir_all(all.join(name)).unwrap();
        fs::write(all.join(name).join("SKILL.md"), text).unwrap();
        all
    }

    /// Returns the replacements of these folders in the samples.
    pub(super) fn words(&self, home: &Path) -> Vec<(String, String)> {
        let all = self.0.path().canonicalize().unwrap();
        vec![
            (self.bin().display().to_string(), FOLDER.to_owned()),
            (all.join("skills").display().to_string(), home.join(".claude/skills").display().to_string()),
        ]
    }
}
