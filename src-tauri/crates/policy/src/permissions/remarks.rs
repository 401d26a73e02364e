//! Remarks for a person about a file that reads well and does more than it seems.

use super::layer::{FileLayer, last_match};
use crate::rule::Effect;
use crate::subject::{HOST_TOOL, SHELL_TOOL};

/// Dangers of a file, in plain words; `None` if it keeps a person in the loop.
pub fn dangers(file: &FileLayer) -> Vec<String> {
    // A tool that no file names: only a catch-all speaks about it.
    let allows = |tool: &str| {
        last_match(&[file], tool, super::PermissionEntry::is_catch_all)
            .is_some_and(|entry| entry.effect == Effect::Allow)
    };
    if allows("\u{1}any other tool") {
        return vec![
            "the approval gate is off: \"*\": \"allow\" lets every tool through silently, files and MCP tools included"
                .to_owned(),
        ];
    }
    let mut found = Vec::new();
    if allows(SHELL_TOOL) || allows(HOST_TOOL) {
        found.push("shell_exec is allowed with any command".to_owned());
    }
    for tool in ["write_file", "edit_file"] {
        let keeps = |entry: &super::PermissionEntry| {
            entry.is_for(tool) && entry.effect != Effect::Allow && !entry.is_catch_all()
        };
        if allows(tool) && !file.entries().iter().any(keeps) {
            found.push(format!("{tool} is allowed for every path, secrets included"));
        }
    }
    found
}
