//! Recognizes the entries that Postern wrote into a file.

use super::DEFAULT_FILE;
use super::layer::{EntryOrigin, FileLayer, PermissionEntry};
use crate::rule::Effect;
use std::sync::LazyLock;

/// Tool, pattern and action of every line in a new file.
static SEEDED: LazyLock<Vec<(String, String, Effect)>> = LazyLock::new(|| {
    // No seeded pattern refers to the home folder, as a test checks.
    let layer = FileLayer::parse(DEFAULT_FILE, "/").unwrap_or_default();
    layer.entries().iter().map(|entry| (entry.tool.clone(), entry.written.clone(), entry.effect)).collect()
});

impl PermissionEntry {
    /// Returns true if the entry is as Postern wrote it: a default, nobody's decision.
    pub fn is_seeded(&self) -> bool {
        matches!(self.origin, EntryOrigin::File { .. })
            && SEEDED.iter().any(|(tool, written, effect)| {
                *tool == self.tool && *written == self.written && *effect == self.effect
            })
    }
}

#[cfg(test)]
mod tests {
    use super::SEEDED;
    use crate::permissions::{DEFAULT_FILE, FileLayer};

    #[test]
    fn every_line_of_a_new_file_is_a_default_and_a_changed_one_is_not() {
        let layer = FileLayer::parse(DEFAULT_FILE, "/Users/u").unwrap();
        assert!(!SEEDED.is_empty() && layer.entries().iter().all(super::PermissionEntry::is_seeded));
        let changed =
            r#"{ "shell_exec": "allow", "glob": { "src/*": "allow" }, "write_file": { "**": "allow" } }"#;
        let layer = FileLayer::parse(changed, "/Users/u").unwrap();
        assert!(!layer.entries().iter().any(super::PermissionEntry::is_seeded));
        let subagent = FileLayer::parse(DEFAULT_FILE, "/Users/u").unwrap().of_subagent();
        assert!(
            !subagent.entries().iter().any(super::PermissionEntry::is_seeded),
            "a layer was given by somebody"
        );
    }
}
