//! What using a tool amounts to as a command, so that what denies the command denies the tool.

use super::{SHELL_TOOL, values};
use crate::path;
use postern_command::quote_word;
use serde_json::Value as Json;
use std::borrow::Cow;

/// The shell command that a tool's use amounts to; none where it amounts to none.
///
/// A shell tool's is the one that it is given. A tool that writes a file amounts to a redirection into each path that it is
/// given, `home` put in for `~`: no program runs, so of what denies host commands only what is about writing speaks.
pub fn acts_as<'a>(tool: &str, arguments: &'a Json, home: &str) -> Option<Cow<'a, str>> {
    if tool == SHELL_TOOL {
        return arguments.get("command")?.as_str().map(Cow::Borrowed);
    }
    let paths = values::written_paths(tool, arguments);
    let write = |path: &str| format!(": > {}", quote_word(&path::expand_home(path, home)));
    let writes: Vec<String> = paths.into_iter().map(write).collect();
    (!writes.is_empty()).then(|| Cow::Owned(writes.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::acts_as;
    use serde_json::json;

    #[test]
    fn a_tool_that_writes_is_a_redirection_into_what_it_names() {
        for (tool, arguments, expected) in [
            ("shell_exec", json!({"command": "ls -l"}), Some("ls -l")),
            ("shell_exec", json!({"cmd": "ls"}), None),
            ("write_file", json!({"path": "~/a b", "content": "x"}), Some(": > '/home/u/a b'")),
            ("edit_file", json!({"file_path": "/a;rm -rf /"}), Some(": > '/a;rm -rf /'")),
            ("write_file", json!({"path": "/a", "file_path": "b"}), Some(": > /a; : > b")),
            ("write_file", json!({"path": ["/a"]}), None),
            ("read_file", json!({"path": "/a"}), None),
            ("deploy", json!({"path": "/a"}), None),
        ] {
            assert_eq!(acts_as(tool, &arguments, "/home/u").as_deref(), expected, "{tool} {arguments}");
        }
    }
}
