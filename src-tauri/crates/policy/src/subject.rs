//! Subject and origin of a request: typed where a request comes in, and never read from a text again.

use postern_command::effect::{host_of, is_secret};
use postern_command::{CommandEffect, EffectScope, Reversible, StepEffect, UnknownEffectReason};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The tool whose values are commands.
pub const SHELL_TOOL: &str = "shell_exec";

/// The tool that runs a command on this machine. Entries for it and for [`SHELL_TOOL`] both speak about host commands.
pub(crate) const HOST_TOOL: &str = "system.run";

/// Actor that carries out what is asked for once it is allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Origin {
    /// Postern runs it on this machine.
    #[default]
    Host,
    /// The agent runs it in its own shell: Postern only answers.
    AgentShell,
    /// The agent uses another tool of its own: Postern only answers.
    Tool,
}

impl Origin {
    /// Returns true if Postern runs it.
    pub fn is_host(&self) -> bool {
        matches!(self, Self::Host)
    }
}

/// Subject of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A command.
    Command(RequestedCommand),
    /// Changes to a file.
    FileEdit {
        /// Path of the file, as written.
        path: String,
        change: FileChange,
    },
    /// Files or folders that are read or searched.
    FileRead {
        /// Paths, as written.
        paths: Vec<String>,
    },
    /// Something that is fetched from the network.
    Fetch {
        /// From where.
        url: String,
    },
    /// A tool of an MCP server.
    McpCall {
        /// The server.
        server: String,
        tool: String,
        arguments: Map<String, Json>,
    },
    /// Any other tool.
    Other { tool: String, arguments: Map<String, Json> },
}

/// A command as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedCommand {
    /// Program and arguments, without a shell.
    Argv(Vec<String>),
    /// Shell text.
    Shell(String),
}

/// Change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// All of it is written again.
    Whole(String),
    /// Pieces of it are replaced, in this order.
    Pieces(Vec<Replacement>),
}

/// A piece of a file, and what replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The text that is there.
    pub old: String,
    /// The text that would be.
    pub new: String,
    /// True if it is replaced wherever it stands.
    pub everywhere: bool,
}

/// Under which names tools take the one path that they are about.
const PATHS: [&str; 4] = ["path", "file_path", "filePath", "notebook_path"];
/// Under which names tools take the text of a whole file.
const WHOLE: [&str; 4] = ["content", "contents", "file_text", "text"];
/// Under which names tools take the text that is replaced, and the text that replaces it.
const REPLACED: [(&str, &str); 4] =
    [("old_string", "new_string"), ("old_str", "new_str"), ("oldString", "newString"), ("old", "new")];
/// Name of the argument that holds a patch, whatever its tool is called.
pub(crate) const PATCH: &str = "patch";
/// Tools of agents themselves that lines of `permissions.jsonc` are about.
pub(crate) const BUILT_IN: [&str; 7] =
    ["edit_file", "glob", "grep", "read_file", SHELL_TOOL, "skill", "write_file"];
/// Arguments of a shell tool that have a place of their own.
const OF_A_COMMAND: [&str; 3] = ["command", "cwd", "description"];

impl Subject {
    /// Makes the subject of a tool's use.
    ///
    /// A use that is not known to be anything else is [`Subject::Other`], with all its arguments: nothing
    /// that a tool is given is left out.
    pub fn of_call(tool: &str, server: Option<&str>, arguments: &Map<String, Json>) -> Self {
        let other = || Self::Other { tool: tool.to_owned(), arguments: arguments.clone() };
        // A request that names it as a shell's use has it judged as one.
        if let Some((server, own)) = of_server(tool, server).filter(|_| tool != SHELL_TOOL) {
            let (server, tool) = (server.to_owned(), own.to_owned());
            return Self::McpCall { server, tool, arguments: arguments.clone() };
        }
        let known = match tool {
            SHELL_TOOL => text_argument(arguments, "command")
                .map(|text| Self::Command(RequestedCommand::Shell(text.to_owned()))),
            "read_file" | "glob" | "grep" => file_read_subject(tool, arguments),
            "write_file" | "edit_file" => file_edit_subject(arguments),
            _ => fetched(arguments),
        };
        known.unwrap_or_else(other)
    }

    /// Returns the effects of what is no command; those of a command are its steps'.
    pub fn effects(&self) -> Vec<StepEffect> {
        let one = |effect, scope, reversible| StepEffect { effect, scope, reversible, span: 0..0 };
        let unknown =
            |why| one(CommandEffect::Unknown { why }, Some(EffectScope::Machine), Reversible::Unknown);
        match self {
            Self::Command(_) => Vec::new(),
            Self::FileEdit { path, .. } => {
                vec![one(CommandEffect::Write { paths: vec![path.clone()] }, None, Reversible::Unknown)]
            }
            Self::FileRead { paths } => {
                let secret = paths.iter().find(|path| is_secret(path)).map(|path| {
                    let (how, which) = ("read keys or passwords from".into(), Some(path.clone()));
                    one(CommandEffect::UseSecret { how, which }, Some(EffectScope::Machine), Reversible::No)
                });
                let reads = one(CommandEffect::Read { paths: paths.clone() }, None, Reversible::Yes);
                secret.into_iter().chain([reads]).collect()
            }
            Self::Fetch { url } => {
                let from = vec![host_of(url).to_owned()];
                vec![one(CommandEffect::Fetch { from }, Some(EffectScope::Remote), Reversible::Unknown)]
            }
            Self::McpCall { server, tool, .. } => {
                vec![unknown(UnknownEffectReason::ServerTool { server: server.clone(), tool: tool.clone() })]
            }
            Self::Other { tool, arguments } => match edited_path(tool, arguments) {
                Some(path) => {
                    vec![one(CommandEffect::Write { paths: vec![path] }, None, Reversible::Unknown)]
                }
                None => vec![unknown(UnknownEffectReason::Tool(tool.clone()))],
            },
        }
    }

    /// Returns the actor that carries it out.
    pub fn origin_of_call(&self) -> Origin {
        match self {
            Self::Command(_) => Origin::AgentShell,
            Self::FileEdit { .. }
            | Self::FileRead { .. }
            | Self::Fetch { .. }
            | Self::McpCall { .. }
            | Self::Other { .. } => Origin::Tool,
        }
    }
}

/// Returns the arguments of a shell tool that are no part of its command, its folder or its reason.
pub fn beside_command(arguments: &Map<String, Json>) -> Map<String, Json> {
    let rest = arguments.iter().filter(|(name, _)| !OF_A_COMMAND.contains(&name.as_str()));
    rest.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Returns the name that `permissions.jsonc` has for a tool of an MCP server: letters, digits, `_` and `-`.
///
/// It is never that of an agent's own tool, whose lines would then allow it. Other letters are written as their numbers: two names
/// that only look alike are never one.
pub fn tool_of_server(server: &str, tool: &str) -> String {
    let own = plain_name(tool);
    let name = if server.is_empty() { own } else { format!("{}_{own}", plain_name(server)) };
    if BUILT_IN.contains(&name.as_str()) { format!("mcp_{name}") } else { name }
}

fn plain_name(name: &str) -> String {
    let plain = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => c.to_string(),
        c if c.is_ascii() => "_".to_owned(),
        c => format!("u{:x}", u32::from(c)),
    };
    name.chars().map(plain).collect()
}

/// Returns the server of an MCP tool, which is told or stands in its name (`mcp__server__tool`), and the tool without it.
fn of_server<'a>(tool: &'a str, server: Option<&'a str>) -> Option<(&'a str, &'a str)> {
    if let Some(server) = server.filter(|server| !server.is_empty()) {
        let own = tool.strip_prefix(&plain_name(server)).and_then(|rest| rest.strip_prefix('_'));
        return Some((server, own.filter(|own| !own.is_empty()).unwrap_or(tool)));
    }
    let named = tool.strip_prefix("mcp__")?.split_once("__")?;
    (!named.0.is_empty() && !named.1.is_empty()).then_some(named)
}

fn text_argument<'a>(arguments: &'a Map<String, Json>, name: &str) -> Option<&'a str> {
    arguments.get(name)?.as_str()
}

/// Returns the one path among the arguments, and its name; `None` where there are more.
fn only_path(arguments: &Map<String, Json>) -> Option<(&'static str, &str)> {
    let mut paths = PATHS.iter().filter_map(|name| Some((*name, text_argument(arguments, name)?)));
    paths.next().filter(|_| paths.next().is_none())
}

/// Returns the path, and whether nothing but the arguments of these names stands beside it.
fn path_beside<'a>(arguments: &'a Map<String, Json>, names: &[&str]) -> Option<&'a str> {
    let (name, path) = only_path(arguments)?;
    arguments.keys().all(|key| key == name || names.contains(&key.as_str())).then_some(path)
}

/// Returns a tool that only reads. What it looks for is part of what it is about: a pattern is shown with the
/// arguments.
fn file_read_subject(tool: &str, arguments: &Map<String, Json>) -> Option<Subject> {
    if tool != "read_file" {
        return None;
    }
    let named = arguments.get("paths").and_then(Json::as_array);
    let all: Option<Vec<String>> = match named {
        Some(paths) if arguments.len() == 1 => {
            paths.iter().map(|path| path.as_str().map(str::to_owned)).collect()
        }
        Some(_) => None,
        None => path_beside(arguments, &["limit", "offset"]).map(|path| vec![path.to_owned()]),
    };
    all.filter(|paths| !paths.is_empty()).map(|paths| Subject::FileRead { paths })
}

/// Returns the one file that an agent's own tool edits, also where its change is none that can be shown as lines.
fn edited_path(tool: &str, arguments: &Map<String, Json>) -> Option<String> {
    let edits = matches!(tool, "edit_file" | "write_file") && !arguments.contains_key(PATCH);
    only_path(arguments).filter(|_| edits).map(|(_, path)| path.to_owned())
}

fn file_edit_subject(arguments: &Map<String, Json>) -> Option<Subject> {
    let whole = WHOLE.iter().find_map(|name| {
        let path = path_beside(arguments, &[name])?;
        Some((path, FileChange::Whole(text_argument(arguments, name)?.to_owned())))
    });
    let one = || {
        REPLACED.iter().find_map(|(old, new)| {
            let path = path_beside(arguments, &[old, new, "replace_all"])?;
            Some((path, FileChange::Pieces(vec![replacement(arguments, old, new)?])))
        })
    };
    let many = || {
        let path = path_beside(arguments, &["edits"])?;
        let edits = arguments.get("edits")?.as_array().filter(|edits| !edits.is_empty())?;
        let all: Option<Vec<Replacement>> = edits
            .iter()
            .map(|edit| {
                let edit = edit.as_object()?;
                REPLACED.iter().find_map(|(old, new)| {
                    let only = edit.keys().all(|key| [*old, *new, "replace_all"].contains(&key.as_str()));
                    replacement(edit, old, new).filter(|_| only)
                })
            })
            .collect();
        Some((path, FileChange::Pieces(all?)))
    };
    let (path, change) = whole.or_else(one).or_else(many)?;
    Some(Subject::FileEdit { path: path.to_owned(), change })
}

fn replacement(arguments: &Map<String, Json>, old: &str, new: &str) -> Option<Replacement> {
    let (old, new) = (text_argument(arguments, old)?.to_owned(), text_argument(arguments, new)?.to_owned());
    let everywhere = arguments.get("replace_all").map_or(Some(false), Json::as_bool)?;
    Some(Replacement { old, new, everywhere })
}

/// Returns a tool that is given the address of something on the network.
fn fetched(arguments: &Map<String, Json>) -> Option<Subject> {
    let url = text_argument(arguments, "url")?;
    let is_web = ["http://", "https://"]
        .iter()
        .any(|start| url.get(..start.len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case(start)));
    is_web.then(|| Subject::Fetch { url: url.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(tool: &str, arguments: Json) -> Subject {
        let Json::Object(arguments) = arguments else { panic!("arguments are an object") };
        Subject::of_call(tool, None, &arguments)
    }

    #[test]
    fn every_kind_is_known_by_what_the_tool_is_given() {
        let shell = of("shell_exec", json!({"command": "ls -l", "cwd": "/"}));
        assert_eq!(shell, Subject::Command(RequestedCommand::Shell("ls -l".to_owned())));
        assert_eq!(shell.origin_of_call(), Origin::AgentShell);
        assert_eq!(
            of("read_file", json!({"path": "/a", "limit": 5})),
            Subject::FileRead { paths: vec!["/a".to_owned()] }
        );
        assert_eq!(
            of("write_file", json!({"path": "/a", "content": "x"})),
            Subject::FileEdit { path: "/a".to_owned(), change: FileChange::Whole("x".to_owned()) }
        );
        let piece = |everywhere| Replacement { old: "a".to_owned(), new: "b".to_owned(), everywhere };
        for (arguments, everywhere) in [
            (json!({"file_path": "/a", "old_string": "a", "new_string": "b", "replace_all": true}), true),
            (json!({"file_path": "/a", "old_string": "a", "new_string": "b", "replace_all": false}), false),
            (json!({"path": "/a", "edits": [{"old_string": "a", "new_string": "b"}]}), false),
        ] {
            let change = FileChange::Pieces(vec![piece(everywhere)]);
            assert_eq!(of("edit_file", arguments), Subject::FileEdit { path: "/a".to_owned(), change });
        }
        assert_eq!(
            of("WebFetch", json!({"url": "HTTPS://a.example/x", "prompt": "sum up"})),
            Subject::Fetch { url: "HTTPS://a.example/x".to_owned() }
        );
        let called = of("mcp__github__create_issue", json!({"title": "x"}));
        assert!(
            matches!(called, Subject::McpCall { server, tool, .. } if server == "github" && tool == "create_issue")
        );
    }

    #[test]
    fn an_edit_that_is_no_lines_says_its_file() {
        let cell = json!({"path": "/a.ipynb", "new_source": "1", "cell_id": "c", "edit_mode": "insert"});
        let effects = of("edit_file", cell).effects();
        assert_eq!(effects[0].effect, CommandEffect::Write { paths: vec!["/a.ipynb".to_owned()] });
        for other in [
            json!({"path": "/a", "file_path": "/b", "new_source": "1"}),
            json!({"path": "/a", "patch": {"input": "*** Update File: /b"}}),
            json!({"new_source": "1"}),
        ] {
            let effects = of("edit_file", other).effects();
            assert!(matches!(effects[0].effect, CommandEffect::Unknown { .. }), "{effects:?}");
        }
    }

    #[test]
    fn a_tool_of_a_server_is_known_by_the_server_that_is_told_whatever_its_name_is() {
        for (tool, told, server, own) in [
            ("my_fs_read", "my fs", "my fs", "read"),
            ("mcp__a__b", "a", "a", "mcp__a__b"),
            ("read", "https://mcp.example/x", "https://mcp.example/x", "read"),
            ("fs_", "fs", "fs", "fs_"),
        ] {
            let subject = Subject::of_call(tool, Some(told), &Map::new());
            let expected =
                Subject::McpCall { server: server.to_owned(), tool: own.to_owned(), arguments: Map::new() };
            assert_eq!(subject, expected, "{tool}");
        }
        assert_eq!(tool_of_server("my fs", "read.it"), "my_fs_read_it");
        for (server, tool) in [("read", "file"), ("shell", "exec"), ("", "write_file"), ("", "shell_exec")] {
            let name = tool_of_server(server, tool);
            assert!(name.starts_with("mcp_"), "{name}: no tool of a server is one of the agent's own");
        }
        assert_ne!(tool_of_server("gm\u{430}il", "send"), tool_of_server("gm_il", "send"));
        assert!(matches!(Subject::of_call("fs_read", Some(""), &Map::new()), Subject::Other { .. }));
        let command = Map::from_iter([("command".to_owned(), Json::from("ls"))]);
        let shell = Subject::of_call("shell_exec", Some("fs"), &command);
        assert!(matches!(shell, Subject::Command(_)), "it is judged as a command, whoever runs it");
    }

    #[test]
    fn what_would_not_be_shown_whole_is_shown_with_all_its_arguments() {
        for (tool, arguments) in [
            ("shell_exec", json!({"cmd": "ls"})),
            ("write_file", json!({"path": "/a", "content": "x", "mode": "0777"})),
            ("write_file", json!({"path": "/a", "file_path": "/b", "content": "x"})),
            ("edit_file", json!({"path": "/a", "old_string": "a"})),
            ("edit_file", json!({"path": "/a", "old_string": "a", "new_string": "b", "replace_all": "yes"})),
            ("edit_file", json!({"path": "/a", "edits": [{"old_string": "a", "new_string": "b", "at": 4}]})),
            ("read_file", json!({"path": "/a", "run": "x"})),
            ("WebFetch", json!({"url": "file:///etc/passwd"})),
            ("grep", json!({"path": "/a", "pattern": "x"})),
            ("mcp____x", json!({})),
        ] {
            let subject = of(tool, arguments.clone());
            assert!(matches!(subject, Subject::Other { .. }), "{tool} {arguments}: {subject:?}");
            assert_eq!(subject.origin_of_call(), Origin::Tool);
        }
    }
}
