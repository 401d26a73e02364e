//! Hooks that are a file of their own: a program (Cline), a plugin (opencode).

use super::{BadSettings, HookAgent};
use postern_command::words_of;

/// The line that tells a file of ours.
const MARK: &str = "Written by Postern";

/// Returns true if this agent's hook is a file of its own, and not an entry among settings.
pub fn is_script(kind: HookAgent) -> bool {
    matches!(kind, HookAgent::Cline | HookAgent::Opencode)
}

/// Returns the file. Where another one is in its place that is left alone.
pub(super) fn install(kind: HookAgent, before: &str, command: &str) -> Result<String, BadSettings> {
    if !before.trim().is_empty() && !is_ours(before) {
        return Err(BadSettings::new("it is a hook that somebody else wrote"));
    }
    if kind == HookAgent::Cline {
        return Ok(PROGRAM.replace("MARK", MARK).replace("COMMAND", command));
    }
    let words = words_of(command).map_err(|error| BadSettings::new(&error.to_string()))?;
    let words = serde_json::to_string(&words).map_err(|error| BadSettings::new(&error.to_string()))?;
    Ok(PLUGIN.replace("COMMAND", &words).replace("MARK", MARK))
}

/// Returns the rest of the file without ours.
pub(super) fn uninstall(before: &str) -> String {
    if is_ours(before) { String::new() } else { before.to_owned() }
}

pub(super) fn is_ours(text: &str) -> bool {
    text.lines().take(2).any(|line| line.contains(MARK))
}

/// Returns the words of the command that a file of ours runs.
pub(super) fn our_words(kind: HookAgent, text: &str) -> Option<Vec<String>> {
    let line = |begin: &str| text.lines().find_map(|line| line.strip_prefix(begin));
    match kind {
        _ if !is_ours(text) => None,
        HookAgent::Cline => words_of(line("answer=$(")?.rsplit_once(") && [ ")?.0).ok(),
        _ => serde_json::from_str(line("const [program, ...words] = ")?.trim_end_matches(';')).ok(),
    }
}

/// Program of Cline, which uses the tool if nothing is printed: no end of the command prints nothing.
const PROGRAM: &str = r#"#!/bin/sh
# MARK (postern hook install cline).
answer=$(COMMAND) && [ -n "$answer" ] || answer='{"cancel":true,"errorMessage":"Postern could not be asked."}'
printf '%s\n' "$answer"
"#;

/// Plugin of OpenCode. It throws every fault, which keeps the tool from being used.
const PLUGIN: &str = include_str!("opencode.js");
