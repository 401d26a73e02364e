//! Code in a command's own words: what an interpreter is told to remove, to write, to stop.

use super::{CoreEntry, DATA, OwnFoldersView, REMOVAL, STOPPING, everything, removal, stopping};
use crate::code_texts::{REMOVES, commands, literals};
use crate::judge::invocation;
use crate::judge::line::JudgmentContext;
use postern_command::{RedirectionKind, Step, Unparsed};

/// Expressions for the home or working folder, in several languages.
const FOLDERS: &[&str] = &[
    "path.home()", "os.homedir()", "dir.home", "env[\"home\"]", "env['home']", "environ[\"home\"]",
    "environ['home']", "$env{home}", "process.env.home", "os.getcwd()", "path.cwd()", "process.cwd()",
    "dir.pwd", "nshomedirectory()",
];

/// Returns the entry that code in the step falls under.
pub(super) fn check_code(step: &Step, line: &JudgmentContext<'_>) -> Option<CoreEntry> {
    let opaque = step
        .opaque
        .as_ref()
        .filter(|part| matches!(part.kind, Unparsed::InlineCode | Unparsed::InputCode))?;
    let fed = step.redirections.iter().any(|redirection| redirection.kind == RedirectionKind::Here);
    let words = step.argv.iter().skip(1).filter_map(|word| word.value.as_deref());
    let text = line.reading.text.get(opaque.span.start..).filter(|_| fed);
    words.chain(text).find_map(|code| in_code(code, line))
}

fn in_code(code: &str, line: &JudgmentContext<'_>) -> Option<CoreEntry> {
    let lower = code.to_ascii_lowercase();
    let removes = REMOVES.iter().any(|name| lower.contains(name));
    let whole = |folder: &&str| {
        lower.match_indices(folder).any(|(at, _)| {
            let behind = lower[at + folder.len()..].trim_start();
            behind.is_empty() || behind.starts_with([')', ',', ';', '\n'])
        })
    };
    if removes && FOLDERS.iter().any(whole) {
        return Some(REMOVAL);
    }
    if lower.contains("getppid") && lower.contains("kill") {
        return Some(STOPPING);
    }
    let place = OwnFoldersView::new(line, line.cwd);
    literals(code).find_map(|text| {
        let path = text.trim();
        if removes && is_path(path) && everything::is_meant(path, None, &[], line) {
            return Some(REMOVAL);
        }
        if place.holds_path(path) {
            return Some(DATA);
        }
        commands(text).find_map(|argv| {
            let call = invocation::of_candidate(&argv, line)?;
            if removal::matches(&call, line) {
                Some(REMOVAL)
            } else if stopping::matches(&call, line) {
                Some(STOPPING)
            } else {
                None
            }
        })
    })
}

/// Returns true if a text can be nothing but a path, or all that is in the folder.
fn is_path(text: &str) -> bool {
    text == "*" || text.starts_with(['/', '~', '$']) || text.split('/').any(|part| matches!(part, "." | ".."))
}
