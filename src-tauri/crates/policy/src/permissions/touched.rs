//! Finds the paths in a tool's arguments, by the names that tools use for them.

use super::patches::patched_files;
use crate::subject::{BUILT_IN, PATCH};
use percent_encoding::percent_decode_str;
use serde_json::Value as Json;
use std::borrow::Cow;

/// Tools of `permissions.jsonc` that write nothing. Every other may: what a tool of an MCP server does is its own affair.
const READERS: [&str; 4] = ["read_file", "glob", "grep", "skill"];

/// Bytes of the longest text that is taken for a path: the system opens no longer one.
const LONGEST_PATH: usize = 4096;

/// Tools that read everything below their folder, which is the one that they start in if they name none.
const SEARCHES: [&str; 4] = ["codebase_search", "grep", "search_files", "semantic_search"];

/// Names under which searches take their folder.
const FOLDERS: [&str; 2] = ["path", "dir_path"];

/// Names under which tools take patterns of files, in small letters and without `_` and `-`.
const FILTERS: [&str; 5] = ["glob", "include", "includepattern", "includepatterns", "includes"];

/// Last words of names under which tools take paths.
const ENDINGS: [&str; 8] = ["dir", "directory", "file", "files", "folder", "folders", "path", "paths"];

/// Names under which tools take the paths of files and folders, in small letters and without `_` and `-`.
///
/// Those of the reference servers of MCP (filesystem, git), of the agents that have hooks, and what is
/// written like them.
const FIELDS: [&str; 44] = [
    "absolutepath", "dest", "destination", "destinationpath", "destpath", "dir", "directory",
    "directorypath", "dst", "file", "filename", "filepath", "filepaths", "files", "folder", "folderpath",
    "from", "frompath", "fullpath", "localpath", "location", "newfile", "newpath", "notebookpath", "oldfile",
    "oldpath", "output", "outputfile", "outputpath", "path", "pathinproject", "paths", "relativepath",
    "repopath", "root", "source", "sourcepath", "src", "target", "targetfile", "targetpath", "to", "uri",
    "url",
];

/// Words in a tool's name after which what it does to a folder, it does to all that is in it.
const TAKES_ALL: [&str; 10] =
    ["chmod", "chown", "delete", "move", "mv", "remove", "rename", "rm", "rmdir", "trash"];

/// Returns true if a tool writes nothing.
pub(super) fn only_reads(tool: &str) -> bool {
    READERS.contains(&tool) || searches(tool)
}

/// Returns true if a tool reads everything below its folder.
pub(super) fn searches(tool: &str) -> bool {
    SEARCHES.contains(&tool)
}

/// Possible use of a path by a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathUse {
    Read,
    /// Reads it and everything below.
    ReadAll,
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
        _ if searches(tool) => PathUse::ReadAll,
        _ if takes_all(tool) => PathUse::WriteAll,
        _ => PathUse::Write,
    };
    let mut paths = used_paths(tool, arguments);
    for path in unnamed_paths(tool, arguments) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths.into_iter().map(|path| NamedPath { path, used }).collect()
}

/// Returns the texts and names that are paths from the root, out of a folder, or with a hidden name.
///
/// Nobody knows under which names a tool of a server takes paths.
///
/// A tool whose arguments are known has none: its texts are content, or a command.
pub(super) fn unnamed_paths<'a>(tool: &str, arguments: &'a Json) -> Vec<Cow<'a, str>> {
    let mut found = Vec::new();
    let mut open = if BUILT_IN.contains(&tool) { Vec::new() } else { vec![arguments] };
    while let Some(value) = open.pop() {
        match value {
            Json::String(text) => found.extend(path_elsewhere(text)),
            Json::Array(values) => open.extend(values),
            Json::Object(members) => {
                found.extend(members.keys().filter_map(|name| path_elsewhere(name)));
                open.extend(members.values());
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
    found
}

/// Returns a text that is a path from the root, the home folder or out of its folder, or one with a hidden name.
fn path_elsewhere(text: &str) -> Option<Cow<'_, str>> {
    const STARTS: [&str; 5] = ["/", "~", "../", "$HOME/", "${HOME}/"];
    let path = path_of(text.trim());
    let starts = STARTS.iter().any(|start| path.starts_with(start)) || is_hidden_or_up(&path);
    (starts && path.len() <= LONGEST_PATH && !path.contains('\n')).then_some(path)
}

/// Returns true for a path with a hidden name or a way up (`.git/x`, `a/../../b`), but for sentences and addresses.
fn is_hidden_or_up(path: &str) -> bool {
    let counts = |name: &str| name.len() > 1 && name.starts_with('.') && !name.starts_with("...");
    !path.contains("://") && !path.contains(char::is_whitespace) && path.split('/').any(counts)
}

/// Returns the paths in a call's arguments; for a search that names none, the folder that it starts in.
pub(super) fn used_paths<'a>(tool: &str, arguments: &'a Json) -> Vec<Cow<'a, str>> {
    let mut paths = argument_paths(tool, arguments);
    let named = |name| arguments.get(name).and_then(Json::as_str).is_some_and(|folder| !folder.is_empty());
    if searches(tool) && !FOLDERS.into_iter().any(named) {
        paths.push(Cow::Borrowed("."));
    }
    paths
}

/// A file that a call may use, as rules about files are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUse {
    pub written: String,
    /// The absolute path.
    pub path: String,
    /// The path that it really leads to.
    pub real: Option<String>,
    pub reads: bool,
    /// True if the call may write or remove it.
    pub writes: bool,
    /// True if the call may use everything below it.
    pub whole: bool,
}

/// Returns the files that a call may use, for rules about files, from the paths that it names.
///
/// `place` gives the absolute path of one that is written so, and its real path.
pub fn files_of_call(
    tool: &str,
    named: &[NamedPath<'_>],
    place: impl Fn(&str) -> (String, Option<String>),
) -> Vec<FileUse> {
    let one = |named: &NamedPath<'_>| {
        let (path, real) = place(&named.path);
        let reads = matches!(named.used, PathUse::Read | PathUse::ReadAll);
        FileUse {
            written: named.path.clone().into_owned(),
            path,
            real,
            // What a tool of a server does to a file, nobody knows.
            reads: reads || tool != "write_file",
            writes: !reads,
            whole: matches!(named.used, PathUse::ReadAll | PathUse::WriteAll),
        }
    };
    named.iter().map(one).collect()
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
pub(crate) fn argument_paths<'a>(tool: &str, arguments: &'a Json) -> Vec<Cow<'a, str>> {
    let mut found = FoundPaths::of_call(tool, arguments).paths;
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns true if a call holds a patch of which a line cannot be read that may name a file.
pub(crate) fn has_unread_patch(tool: &str, arguments: &Json) -> bool {
    FoundPaths::of_call(tool, arguments).unread
}

/// Returns true if a call names files by a pattern beside its path.
pub(crate) fn has_filter(arguments: &Json) -> bool {
    arguments.as_object().is_some_and(|members| members.keys().any(|name| is_filter(name)))
}

/// Returns the pattern of a `glob`, as it is and joined to its folders.
pub(super) fn patterns(tool: &str, arguments: &Json) -> Vec<String> {
    let pattern = arguments.get("pattern").and_then(Json::as_str).filter(|_| tool == "glob");
    let Some(pattern) = pattern else { return Vec::new() };
    let folders = argument_paths(tool, arguments);
    let joined = folders.iter().map(|folder| format!("{}/{pattern}", folder.trim_end_matches('/')));
    let mut patterns = vec![pattern.to_owned()];
    if !pattern.starts_with(['/', '~']) {
        patterns.extend(joined);
    }
    patterns
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
    /// True for a name of patterns of files.
    filter: bool,
    patches: bool,
}

/// Paths that were found among a call's arguments.
struct FoundPaths<'a> {
    paths: Vec<Cow<'a, str>>,
    /// True if a patch names a file that cannot be read.
    unread: bool,
    /// True if the tool reads what matches a pattern, instead of leaving out what does not.
    by_filter: bool,
}

impl<'a> FoundPaths<'a> {
    fn of_call(tool: &str, arguments: &'a Json) -> Self {
        let mut found = Self { paths: Vec::new(), unread: false, by_filter: tool == "read_file" };
        let is_patch = |word: &str| ["patch", "diff"].iter().any(|one| word.eq_ignore_ascii_case(one));
        let patches = words_of_name(tool).any(is_patch);
        found.collect(arguments, FieldName { path: false, filter: false, patches });
        found
    }

    /// Collects every text under such a name, at any depth: in lists, and in lists of objects. The wire's own
    /// bound is on the depth.
    fn collect(&mut self, value: &'a Json, named: FieldName) {
        match value {
            Json::String(text) => self.read_text(text, named),
            Json::Array(values) => values.iter().for_each(|value| self.collect(value, named)),
            Json::Object(members) => {
                for (name, value) in members {
                    let named = FieldName {
                        path: named.path || is_field(name),
                        filter: named.filter || is_filter(name),
                        patches: named.patches || fold_name(name) == PATCH,
                    };
                    self.collect(value, named);
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    fn read_text(&mut self, text: &'a str, named: FieldName) {
        if named.path {
            self.paths.push(path_of(text));
        }
        if named.filter {
            // A pattern that stays in the folder of a search only leaves files out.
            let leads_out = |part: &&str| part.starts_with(['/', '~', '$']) || part.contains("..");
            // Behind a brace a path goes on.
            let goes_on = |at: usize, part: &str| at > 0 && !part.contains("..");
            let parts = text.split('}').enumerate().flat_map(|(at, chunk)| {
                let parts = chunk.split(['{', ',']).enumerate();
                parts.filter(move |(first, part)| *first > 0 || !goes_on(at, part)).map(|(_, part)| part)
            });
            let parts = parts.filter(|part| self.by_filter || leads_out(part));
            self.paths.extend(parts.map(|part| Cow::Borrowed(folder_of_pattern(part))));
        }
        if named.patches {
            let files = patched_files(text);
            self.unread |= files.unread;
            self.paths.extend(files.paths.into_iter().map(Cow::Borrowed));
        }
        self.paths.retain(|path| !path.is_empty());
    }
}

/// Returns the folder that everything below which a pattern matches lies in; a path without signs of one is itself.
fn folder_of_pattern(pattern: &str) -> &str {
    let Some(at) = pattern.find(['*', '?', '[', '!', '(']) else { return pattern };
    pattern[..at].rfind('/').map_or(".", |end| &pattern[..=end])
}

fn is_field(name: &str) -> bool {
    let ends = |word: &str| ENDINGS.iter().any(|end| word.eq_ignore_ascii_case(end));
    FIELDS.binary_search(&fold_name(name).as_str()).is_ok() || words_of_name(name).last().is_some_and(ends)
}

fn is_filter(name: &str) -> bool {
    FILTERS.contains(&fold_name(name).as_str())
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

    /// A use of a tool with the paths that it is given.
    #[derive(serde::Deserialize)]
    struct PathCase {
        tool: String,
        arguments: serde_json::Value,
        /// True for those of names that no tool is known by, too.
        any_name: bool,
        paths: Vec<String>,
    }

    fn cases(any_name: bool) -> impl Iterator<Item = PathCase> {
        let all = crate::testing::rows(include_str!("touched.jsonl"));
        all.filter(move |case: &PathCase| case.any_name == any_name)
    }

    #[test]
    fn every_path_that_a_tool_is_given_is_found() {
        for PathCase { tool, arguments, paths: expected, .. } in cases(false) {
            assert_eq!(argument_paths(&tool, &arguments), expected, "{tool} {arguments}");
        }
    }

    #[test]
    fn a_search_without_a_folder_reads_the_one_that_it_starts_in() {
        for (arguments, expected) in [
            (json!({"pattern": "x"}), vec!["."]),
            (json!({"pattern": "x", "file": "b"}), vec!["b", "."]),
            (json!({"pattern": "x", "path": ""}), vec!["."]),
            (json!({"pattern": "x", "dir_path": "/a"}), vec!["/a"]),
        ] {
            let named = super::named_paths("grep", &arguments);
            let paths: Vec<&str> = named.iter().map(|named| &*named.path).collect();
            assert_eq!(paths, expected, "{arguments}");
            assert!(named.iter().all(|named| named.used == super::PathUse::ReadAll));
        }
        assert!(super::named_paths("read_file", &json!({})).is_empty());
    }

    #[test]
    fn an_absolute_path_is_one_under_any_name() {
        for PathCase { tool, arguments, paths: expected, .. } in cases(true) {
            let named = super::named_paths(&tool, &arguments);
            let mut paths: Vec<&str> = named.iter().map(|named| &*named.path).collect();
            paths.sort_unstable();
            assert_eq!(paths, expected, "{tool} {arguments}");
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
