//! `permissions.jsonc`: any text is read or refused with a place in it, and adding a rule loses nothing.

use postern_policy::Effect;
use postern_policy::permissions::{AppendError, FileLayer, append};

const HOME: &str = "/Users/u";
const TOOL: &str = "shell_exec";
const PATTERN: &str = "git push *";

/// Reads the bytes as the file, then adds a rule to it.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let read = FileLayer::parse(text, HOME);
    if let Err(error) = &read {
        // A lone carriage return ends a line for some readers, and for some it does not.
        let lines = text.split(['\n', '\r']).count();
        assert!((1..=lines).contains(&error.line) && error.column >= 1, "{error} is no place in {text:?}");
    }
    match (append(text, TOOL, PATTERN), read) {
        (Ok(more), Ok(before)) => nothing_lost(&before, &more, text),
        (Ok(_), Err(error)) => {
            assert!(text.trim().is_empty(), "a broken file was added to: {error}: {text:?}");
        }
        (Err(AppendError::Broken(error)), Ok(_)) => {
            panic!("read, yet broken when added to: {error}: {text:?}");
        }
        (Err(_), _) => {}
    }
}

/// Checks that every other rule is still there, in its order; the new one allows; adding it again changes
/// nothing that is read.
fn nothing_lost(before: &FileLayer, more: &str, text: &str) {
    let after =
        FileLayer::parse(more, HOME).unwrap_or_else(|error| panic!("{error}: made of {text:?}: {more:?}"));
    let others = |layer: &FileLayer| -> Vec<(String, String, Effect)> {
        let entries =
            layer.entries().iter().filter(|entry| !(entry.tool == TOOL && entry.written == PATTERN));
        entries.map(|entry| (entry.tool.clone(), entry.written.clone(), entry.effect)).collect()
    };
    assert_eq!(others(before), others(&after), "{text:?} became {more:?}");
    let new = after.entries().iter().rfind(|entry| entry.tool == TOOL && entry.written == PATTERN);
    assert!(new.is_some_and(|entry| entry.effect == Effect::Allow), "{more:?} holds the new rule");
    let twice = append(more, TOOL, PATTERN).unwrap_or_else(|error| panic!("{error}: {more:?}"));
    let again = FileLayer::parse(&twice, HOME).unwrap_or_else(|error| panic!("{error}: {twice:?}"));
    assert_eq!(again.entries().len(), after.entries().len(), "no rule twice: {twice:?}");
}
