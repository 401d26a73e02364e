//! Adding lines to the file, keeping the person's comments: what *Always* saves, and what is taken over from other programs.

use super::layer::{EntryOrigin, PermissionEntry};
use super::parse::{FileError, options};
use crate::rule::Effect;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};

/// Reason why nothing was added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    #[error(transparent)]
    Broken(#[from] FileError),
    #[error("the file is not one object")]
    NotAnObject,
    #[error("{0:?} comes after {1:?} in the file and would win over the new rule; move it up first")]
    Shadowed(String, String),
}

/// Adds `"pattern": "allow"` behind the tool's other patterns, and returns the file's new text.
pub fn append(text: &str, tool: &str, pattern: &str) -> Result<String, AppendError> {
    insert_entry(text, tool, pattern, Effect::Allow, false)
}

/// Adds an imported line, and returns the file's new text.
///
/// A line that allows comes before the tool's other patterns, so that nothing that denies or asks gives way
/// to it; one that denies or asks comes after them.
pub fn take_over(text: &str, tool: &str, pattern: &str, effect: Effect) -> Result<String, AppendError> {
    insert_entry(text, tool, pattern, effect, effect == Effect::Allow)
}

fn insert_entry(
    text: &str,
    tool: &str,
    pattern: &str,
    effect: Effect,
    first: bool,
) -> Result<String, AppendError> {
    let source = if text.trim().is_empty() { "{}\n" } else { text };
    // Reading it as rules first finds what is wrong with it, and where. Whose home folder `~` is changes nothing about that.
    super::FileLayer::parse(source, "/home/anybody")?;
    let root = CstRootNode::parse(source, &options()).map_err(|error| FileError::of_json(source, &error))?;
    let object = root.object_value().ok_or(AppendError::NotAnObject)?;
    not_shadowed(&object, tool)?;
    let action = || CstInputValue::String(effect.name().to_owned());
    match object.get(tool) {
        None => {
            let patterns = CstInputValue::Object(vec![(pattern.to_owned(), action())]);
            object.append(tool, if pattern == "*" { action() } else { patterns });
        }
        Some(property) => {
            let before = property
                .value()
                .and_then(|value| value.as_string_lit())
                .and_then(|lit| lit.decoded_value().ok());
            if let Some(action) = before {
                property
                    .set_value(CstInputValue::Object(vec![("*".to_owned(), CstInputValue::String(action))]));
            }
            let patterns = property.object_value().ok_or(AppendError::NotAnObject)?;
            match patterns.get(pattern) {
                // The person's own line about the same stays.
                Some(_) if first => return Ok(root.to_string()),
                Some(same) => same.remove(),
                None => {}
            }
            if first {
                let is_open = |name: &String| matches!(name.as_str(), "*" | "**");
                let open = key_names(&patterns).iter().take_while(|name| is_open(name)).count();
                patterns.insert(open, pattern, action());
            } else {
                patterns.append(pattern, action());
            }
        }
    }
    Ok(root.to_string())
}

/// Checks that no catch-all after the tool shadows the new rule: the last match wins.
fn not_shadowed(object: &CstObject, tool: &str) -> Result<(), AppendError> {
    let names = key_names(object);
    let Some(own) = names.iter().position(|name| name == tool) else { return Ok(()) };
    match names[own + 1..].iter().find(|name| stands_for(name, tool)) {
        Some(winner) => Err(AppendError::Shadowed(winner.clone(), tool.to_owned())),
        None => Ok(()),
    }
}

fn key_names(object: &CstObject) -> Vec<String> {
    object.properties().iter().filter_map(jsonc_parser::cst::CstObjectProp::decoded_name).collect()
}

/// Returns true if a tool's name, as it is written in a file, is also about `tool`: in doubt it is.
fn stands_for(name: &str, tool: &str) -> bool {
    let same = PermissionEntry::new(name, "*", Effect::Deny, "/", EntryOrigin::Session);
    same.map_or(true, |entry| entry.is_for(tool))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::{DEFAULT_FILE, FileLayer};

    #[test]
    fn a_file_about_the_home_folder_is_added_to() {
        let text = append(r#"{ "read_file": { "~": "deny", "$HOME": "ask" } }"#, "my_tool", "x *").unwrap();
        assert_eq!(FileLayer::parse(&text, "/h").unwrap().entries().len(), 3, "{text}");
    }

    #[test]
    fn comments_stay_and_the_new_rule_is_last() {
        let text = append(DEFAULT_FILE, "shell_exec", "git push *").unwrap();
        assert!(text.starts_with(DEFAULT_FILE.lines().next().unwrap()), "the person's comments stay");
        let layer = FileLayer::parse(&text, "/h").unwrap();
        let tail: Vec<_> = layer.entries().iter().rev().take(2).map(|entry| entry.written.clone()).collect();
        assert_eq!(tail, ["git push *", "*"], "{text}");
        let twice = append(&text, "shell_exec", "git push *").unwrap();
        let got = FileLayer::parse(&twice, "/h").unwrap().entries().len();
        assert_eq!(got, layer.entries().len(), "no rule twice");
    }

    #[test]
    fn a_new_tool_and_an_empty_file_work() {
        let text = append("", "my_tool", "*").unwrap();
        assert_eq!(FileLayer::parse(&text, "/h").unwrap().entries()[0].tool, "my_tool");
        let text = append("{ // mine\n}", "glob", "src/x").unwrap();
        assert!(text.contains("// mine"), "{text}");
    }

    #[test]
    fn what_is_taken_over_never_wins_over_a_line_that_stops() {
        let text = take_over(DEFAULT_FILE, "read_file", "~/notes/**", Effect::Allow).unwrap();
        let text = take_over(&text, "read_file", "~/notes/x", Effect::Deny).unwrap();
        let text = take_over(&text, "read_file", "*.env", Effect::Allow).unwrap();
        let layer = FileLayer::parse(&text, "/h").unwrap();
        let own = layer.entries().iter().filter(|entry| entry.tool == "read_file");
        let own: Vec<_> = own.map(|entry| (entry.written.as_str(), entry.effect)).collect();
        assert_eq!(own[..3], [("*", Effect::Allow), ("~/notes/**", Effect::Allow), ("*.env", Effect::Deny)]);
        assert_eq!(own.last(), Some(&("~/notes/x", Effect::Deny)), "{text}");
        let asks = take_over(&text, "shell_exec", "git push *", Effect::Ask).unwrap();
        let layer = FileLayer::parse(&asks, "/h").unwrap();
        assert_eq!(layer.entries().last().map(|entry| entry.effect), Some(Effect::Ask), "{asks}");
    }

    #[test]
    fn a_rule_that_could_not_win_is_not_added() {
        let error = append("{ \"a\": \"ask\", \"*\": \"ask\" }", "a", "x").unwrap_err();
        assert!(matches!(error, AppendError::Shadowed(..)), "{error}");
        assert!(matches!(append("{", "a", "x"), Err(AppendError::Broken(_))), "a broken file is left alone");
    }
}
