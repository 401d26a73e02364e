//! Finds the paths in a tool's arguments, by the names that tools use for them.

use percent_encoding::percent_decode_str;
use serde_json::Value as Json;
use std::borrow::Cow;

/// Tools of `permissions.jsonc` that write nothing. Every other may: what a tool of an MCP server does is its own affair.
const READERS: [&str; 4] = ["read_file", "glob", "grep", "skill"];

/// Names under which tools take the paths of files and folders, in small letters and without `_` and `-`.
///
/// Those of the reference servers of MCP (filesystem, git), of the agents that have hooks, and what is
/// written like them.
const FIELDS: [&str; 44] = [
    "absolutepath",
    "dest",
    "destination",
    "destinationpath",
    "destpath",
    "dir",
    "directory",
    "directorypath",
    "dst",
    "file",
    "filename",
    "filepath",
    "filepaths",
    "files",
    "folder",
    "folderpath",
    "from",
    "frompath",
    "fullpath",
    "localpath",
    "location",
    "newfile",
    "newpath",
    "notebookpath",
    "oldfile",
    "oldpath",
    "output",
    "outputfile",
    "outputpath",
    "path",
    "pathinproject",
    "paths",
    "relativepath",
    "repopath",
    "root",
    "source",
    "sourcepath",
    "src",
    "target",
    "targetfile",
    "targetpath",
    "to",
    "uri",
    "url",
];

/// Words in a tool's name after which what it does to a folder, it does to all that is in it.
const TAKES_ALL: [&str; 10] =
    ["chmod", "chown", "delete", "move", "mv", "remove", "rename", "rm", "rmdir", "trash"];

/// Returns true if a tool writes nothing.
pub(super) fn only_reads(tool: &str) -> bool {
    READERS.contains(&tool)
}

/// Possible use of a path by a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathUse {
    /// Reads it.
    Read,
    /// Reads it and everything below.
    ReadAll,
    /// Writes it.
    Write,
    /// Removes, moves or changes the mode of it and everything below.
    WriteAll,
}

/// A path in a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPath<'a> {
    /// The path as written.
    pub path: Cow<'a, str>,
    /// Possible use by the call.
    pub used: PathUse,
}

/// Returns the paths that a call may use. Tools that only list names, or that are asked for by name, use none.
pub fn named_paths<'a>(tool: &str, arguments: &'a Json) -> Vec<NamedPath<'a>> {
    let used = match tool {
        "glob" | "skill" => return Vec::new(),
        "read_file" => PathUse::Read,
        "grep" => PathUse::ReadAll,
        _ if takes_all(tool) => PathUse::WriteAll,
        _ => PathUse::Write,
    };
    argument_paths(tool, arguments).into_iter().map(|path| NamedPath { path, used }).collect()
}

/// A file that a call may use, as rules about files are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUse {
    /// The path as written.
    pub written: String,
    /// The absolute path.
    pub path: String,
    /// The path that it really leads to.
    pub real: Option<String>,
    /// True if the call may read it.
    pub reads: bool,
    /// True if the call may write or remove it.
    pub writes: bool,
    /// True if the call may use everything below it.
    pub whole: bool,
}

/// Returns the files that a call may use, for rules about files.
///
/// `place` gives the absolute path of one that is written so, and its real path. A search without a folder
/// goes through the one that it runs in.
pub fn files_of_call(
    tool: &str,
    arguments: &Json,
    place: impl Fn(&str) -> (String, Option<String>),
) -> Vec<FileUse> {
    let mut named = named_paths(tool, arguments);
    if tool == "grep" && named.is_empty() {
        named.push(NamedPath { path: Cow::Borrowed("."), used: PathUse::ReadAll });
    }
    let one = |named: NamedPath<'_>| {
        let (path, real) = place(&named.path);
        let reads = matches!(named.used, PathUse::Read | PathUse::ReadAll);
        FileUse {
            written: named.path.into_owned(),
            path,
            real,
            // What a tool of a server does to a file, nobody knows.
            reads: reads || tool != "write_file",
            writes: !reads,
            whole: matches!(named.used, PathUse::ReadAll | PathUse::WriteAll),
        }
    };
    named.into_iter().map(one).collect()
}

/// Names of arguments that hold the text of a command, normalized as names of paths are.
const COMMANDS: [&str; 6] = ["bash", "cmd", "command", "commandline", "script", "shell"];

/// Returns the shell text in a call's arguments, for any tool; a list of words is quoted.
pub fn carried_commands(arguments: &Json) -> Vec<Cow<'_, str>> {
    let members = arguments.as_object().into_iter().flatten();
    let named = members.filter(|(name, _)| COMMANDS.binary_search(&fold_name(name).as_str()).is_ok());
    named
        .filter_map(|(_, value)| match value {
            Json::String(text) => Some(Cow::Borrowed(text.as_str())),
            Json::Array(words) => {
                let words: Option<Vec<&str>> = words.iter().map(Json::as_str).collect();
                words.map(|words| Cow::Owned(postern_command::quote_argv(&words)))
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => None,
        })
        .collect()
}

/// Returns the paths in a call's arguments.
pub(super) fn argument_paths<'a>(tool: &str, arguments: &'a Json) -> Vec<Cow<'a, str>> {
    let mut found = Vec::new();
    let patches =
        words_of_name(tool).any(|word| ["patch", "diff"].iter().any(|one| word.eq_ignore_ascii_case(one)));
    collect(arguments, FieldName { path: false, patches }, &mut found);
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the pattern of a `glob`, joined to its folder.
pub(super) fn pattern(tool: &str, arguments: &Json) -> Option<String> {
    let text = |name| arguments.get(name).and_then(Json::as_str);
    let pattern = text("pattern").filter(|_| tool == "glob")?;
    let below = text("path").filter(|_| !pattern.starts_with(['/', '~']));
    Some(
        below.map_or_else(
            || pattern.to_owned(),
            |folder| format!("{}/{pattern}", folder.trim_end_matches('/')),
        ),
    )
}

/// Returns true if what this tool does to a folder, it does to all that is in it.
pub(super) fn takes_all(tool: &str) -> bool {
    words_of_name(tool).any(|part| TAKES_ALL.iter().any(|word| part.eq_ignore_ascii_case(word)))
}

/// Returns the words of a tool's name: `deleteFile` and `move_file` have two. One ends at what is no letter,
/// and before a capital.
fn words_of_name(tool: &str) -> impl Iterator<Item = &str> {
    let ends =
        tool.char_indices().filter(|(_, c)| !c.is_ascii_lowercase()).map(|(at, _)| at).chain([tool.len()]);
    let mut start = 0;
    ends.map(move |end| {
        let part = tool[start..end].trim_matches(|c: char| !c.is_ascii_alphabetic());
        start = end;
        part
    })
}

/// Kind of the name that a text is under.
#[derive(Debug, Clone, Copy)]
struct FieldName {
    /// True for a name of paths.
    path: bool,
    /// A tool that takes patches.
    patches: bool,
}

/// Collects every text under such a name, at any depth: in lists, and in lists of objects. The wire's own
/// bound is on the depth.
fn collect<'a>(value: &'a Json, named: FieldName, found: &mut Vec<Cow<'a, str>>) {
    let mut add = |path: Cow<'a, str>| {
        if !path.is_empty() {
            found.push(path);
        }
    };
    match value {
        Json::String(text) => {
            if named.path {
                add(path_of(text));
            }
            if named.patches {
                text.lines().flat_map(patched).for_each(|path| add(Cow::Borrowed(path)));
            }
        }
        Json::Array(values) => values.iter().for_each(|value| collect(value, named, found)),
        Json::Object(members) => {
            for (name, value) in members {
                collect(value, FieldName { path: named.path || is_field(name), ..named }, found);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// Returns the file that a line of a patch is about, as agents' own patches and unified diffs name it; of
/// `b/x` also `x`.
fn patched(line: &str) -> impl Iterator<Item = &str> {
    const MARKS: [&str; 8] = [
        "*** Add File: ",
        "*** Update File: ",
        "*** Delete File: ",
        "*** Move to: ",
        "+++ ",
        "--- ",
        "rename from ",
        "rename to ",
    ];
    let named = MARKS.iter().find_map(|mark| line.trim_start().strip_prefix(mark));
    let path = named.and_then(|rest| rest.split('\t').next()).map(str::trim);
    let bare = path.and_then(|path| path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")));
    path.into_iter().chain(bare)
}

fn is_field(name: &str) -> bool {
    FIELDS.binary_search(&fold_name(name).as_str()).is_ok()
}

/// Returns a name in lower case, without separators.
fn fold_name(name: &str) -> String {
    name.chars().filter(|c| !"_-".contains(*c)).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns a path as it is, or the one that a `file:` URI names.
fn path_of(text: &str) -> Cow<'_, str> {
    let uri = text.split_at_checked(5).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("file:"));
    let Some((_, rest)) = uri else { return Cow::Borrowed(text) };
    let path = match rest.strip_prefix("//") {
        Some(place) => place.find('/').map_or("", |at| &place[at..]),
        None => rest,
    };
    Cow::Owned(percent_decode_str(path).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::{FIELDS, argument_paths, takes_all};
    use serde_json::json;

    #[test]
    fn every_path_that_a_tool_is_given_is_found() {
        for (tool, arguments, expected) in [
            ("write_file", json!({"path": "/a", "content": "/b"}), vec!["/a"]),
            ("write_file", json!({"path": ["/a"], "file_path": "b"}), vec!["/a", "b"]),
            ("filesystem_write_file", json!({"filePath": "/a", "text": "x"}), vec!["/a"]),
            ("filesystem_move_file", json!({"source": "/a", "destination": "/b"}), vec!["/a", "/b"]),
            ("multi_edit", json!({"edits": [{"file-path": "/a"}, {"File_Path": "/b"}]}), vec!["/a", "/b"]),
            ("put", json!({"files": [{"name": "/a", "body": "b"}]}), vec!["/a", "b"]),
            ("put", json!({"uri": "FILE://localhost/a%20b/%63"}), vec!["/a b/c"]),
            ("put", json!({"uri": "file:/a"}), vec!["/a"]),
            ("put", json!({"path": "file:"}), vec![]),
            ("put", json!({"path": "/a", "paths": ["/b", "", 5, null]}), vec!["/a", "/b"]),
            (
                "apply_patch",
                json!({"input": "*** Begin Patch\n*** Update File: /a\n+*** no\n*** Move to: /b"}),
                vec!["/a", "/b"],
            ),
            ("gitApplyDiff", json!({"diff": "--- a/x\t2026\n+++ b/x\n+y"}), vec!["a/x", "b/x", "x"]),
            ("write_note", json!({"text": "*** Update File: /a"}), vec![]),
            ("read_file", json!({"path": "/a"}), vec!["/a"]),
            ("grep", json!({"path": "/a", "pattern": "/b"}), vec!["/a"]),
            ("glob", json!({"path": "/a", "pattern": "**/b"}), vec!["/a"]),
            ("deploy", json!({"to_whom": "/a", "content": "/b"}), vec![]),
        ] {
            assert_eq!(argument_paths(tool, &arguments), expected, "{tool} {arguments}");
        }
    }

    #[test]
    fn a_command_is_found_under_any_tool() {
        for (arguments, expected) in [
            (json!({"command": "rm -rf x", "cwd": "/"}), vec!["rm -rf x"]),
            (json!({"command_line": ["rm", "-rf", "a b"]}), vec!["rm -rf 'a b'"]),
            (json!({"path": "/x", "command": 5}), vec![]),
        ] {
            assert_eq!(super::carried_commands(&arguments), expected, "{arguments}");
        }
    }

    #[test]
    fn a_tool_that_takes_a_folder_takes_what_is_in_it() {
        for tool in ["filesystem_move_file", "delete", "fs_deleteFolder", "RemoveAll", "x-rm", "trash_2"] {
            assert!(takes_all(tool), "{tool}");
        }
        for tool in ["list_directory", "form_read", "warm", "undeleted_list", "removed", "", "write_file"] {
            assert!(!takes_all(tool), "{tool}");
        }
    }

    #[test]
    fn the_names_are_sorted_and_plain() {
        assert!(FIELDS.is_sorted() && super::COMMANDS.is_sorted());
        assert!(FIELDS.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase())));
    }
}
