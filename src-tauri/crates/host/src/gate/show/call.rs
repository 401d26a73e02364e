//! The use of a tool, as a person reads it: a shell's line, or a path before the other arguments.

use super::super::call::AgentToolCall;
use super::super::context::ReplacedFile;
use super::super::judge::JudgedRequest;
use super::command;
use super::text::{MOST, length, to_pieces};
use postern_command::effect::{CommandEffect, host_of};
use postern_command::escape;
use postern_contract::render::{self, AskedUse};
use postern_contract::{CommandPart, DiffLine, Field, LineChange, PartRole, ShownSubject, ShownText};
use postern_policy::{FileChange, RequestedCommand, Risk, Subject, beside_command, from_home};
use serde_json::{Map, Value};
use std::path::Path;
use std::time::Duration;

/// Unchanged lines that are shown around those that change.
const AROUND: usize = 3;
/// Time for comparing two texts; then the rest counts as replaced.
const TIME_TO_COMPARE: Duration = Duration::from_millis(50);

/// The use of a tool in stretches and as one line, in which nothing that it is given is left out.
pub(super) struct ShownCall {
    /// The tool, where it runs no command.
    pub(super) tool: Option<ShownText>,
    pub(super) subject: ShownSubject,
    pub(super) command: Vec<CommandPart>,
    pub(super) line: String,
}

pub(super) fn shown_call(call: &AgentToolCall, judged: &JudgedRequest) -> ShownCall {
    let part = |text: &str, role| CommandPart { text: to_pieces(text), role, step: None };
    if let Subject::Command(RequestedCommand::Argv(_) | RequestedCommand::Shell(_)) = &call.subject {
        let (mut command, mut line) =
            (command::command_parts(&judged.reading), escape::visible_text(&judged.reading.text));
        let rest = list_arguments(&beside_command(call.named_arguments()));
        if !rest.is_empty() {
            let with = format!("   (with {rest})");
            line.push_str(&escape::visible_text(&with));
            command.push(part(&with, PartRole::Operator));
        }
        return ShownCall { tool: None, subject: ShownSubject::Command, command, line };
    }
    // An edit or a read is about a path: it comes first, and the other arguments behind it.
    let arguments = call.named_arguments();
    let named = ["path", "file_path"].into_iter().find_map(|name| {
        let path = arguments.get(name)?.as_str()?;
        Some((name, path))
    });
    let with = match named {
        Some((name, path)) => {
            let mut rest = arguments.clone();
            rest.remove(name);
            let (path, rest) = (postern_command::quote_word(path), list_arguments(&rest));
            if rest.is_empty() { format!(" {path}") } else { format!(" {path} {rest}") }
        }
        None => format!(" {}", call.arguments),
    };
    let line = escape::visible_text(&format!("{}{with}", call.tool));
    let command = vec![part(&call.tool, PartRole::Program), part(&with, PartRole::Argument)];
    let subject = shown_subject(call, judged.context.replaced.as_ref());
    ShownCall { tool: Some(to_pieces(&call.tool)), subject, command, line }
}

/// Returns what a call that is kept was about, in its own form.
pub(crate) fn kept_subject(call: &AgentToolCall) -> ShownSubject {
    shown_subject(call, None)
}

/// Returns what a person allows with a call, as it is named in the reason of its question.
pub(super) fn asked_use(call: &AgentToolCall, home: &str) -> AskedUse {
    let folder = |path: &str| folder_of_file(path, call.cwd.as_deref().unwrap_or_default(), home);
    match (&call.subject, call.tool.as_str()) {
        (Subject::Command(_), _) => AskedUse::Command,
        (Subject::FileEdit { path, .. }, _) => AskedUse::Edits(folder(path)),
        (Subject::FileRead { paths }, _) => match paths.as_slice() {
            [path] => AskedUse::Reads(folder(path)),
            _ => AskedUse::Reads(None),
        },
        (Subject::Fetch { url }, _) => AskedUse::Fetches(host_of(url).to_owned()),
        (Subject::McpCall { server, tool, .. }, _) => {
            AskedUse::ServerTool { server: server.clone(), tool: tool.clone() }
        }
        (Subject::Other { .. }, "edit_file" | "write_file") => AskedUse::Edits(None),
        (Subject::Other { .. }, "read_file") => AskedUse::Reads(None),
        (Subject::Other { .. }, "glob" | "grep") => AskedUse::Searches,
        (Subject::Other { .. }, "skill") => AskedUse::Skills,
        (Subject::Other { tool, .. }, _) => AskedUse::Tool(tool.clone()),
    }
}

/// Returns the folder of a file as a person names it; `None` if the request has no folder, and the path neither.
fn folder_of_file(path: &str, cwd: &str, home: &str) -> Option<String> {
    let folder = Path::new(path).parent()?.to_str()?;
    let folder = if folder.is_empty() { cwd } else { folder };
    Some(person_path(folder, cwd, home)).filter(|folder| !folder.is_empty())
}

/// Returns a path as a person names it: below the folder of the request without that, below home with `~`.
fn person_path(path: &str, cwd: &str, home: &str) -> String {
    let within = Path::new(path).strip_prefix(cwd).ok().and_then(Path::to_str);
    // A name in the folder that begins with a tilde would be taken for a place at home.
    match within.filter(|within| !within.is_empty() && !within.starts_with('~')) {
        Some(within) => within.to_owned(),
        None => from_home(path, home).into_owned(),
    }
}

/// Returns the risk of a tool's use with its files named as a person names them.
pub(super) fn with_person_paths(risk: &Risk, cwd: &str, home: &str) -> Risk {
    let mut risk = risk.clone();
    for rated in &mut risk.effects {
        if let CommandEffect::Read { paths } | CommandEffect::Write { paths } = &mut rated.effect {
            for path in paths {
                *path = person_path(path, cwd, home);
            }
        }
    }
    risk
}

/// Returns what a call is about, in its own form; a whole text as what it changes in the file that it replaces.
fn shown_subject(call: &AgentToolCall, replaced: Option<&ReplacedFile>) -> ShownSubject {
    match &call.subject {
        Subject::Command(_) => ShownSubject::Command,
        Subject::FileEdit { path, change } => {
            ShownSubject::FileEdit { path: to_pieces(path), lines: diff_lines(change, replaced) }
        }
        Subject::FileRead { paths } => {
            ShownSubject::FileRead { paths: paths.iter().map(|path| to_pieces(path)).collect() }
        }
        Subject::Fetch { url } => {
            let mut rest = call.named_arguments().clone();
            rest.remove("url");
            let host = host_of(url);
            ShownSubject::Fetch { host: to_pieces(host), url: to_pieces(url), fields: fields(&rest) }
        }
        Subject::McpCall { server, tool, arguments } => ShownSubject::McpCall {
            server: to_pieces(server),
            tool: to_pieces(tool),
            fields: fields(arguments),
        },
        Subject::Other { tool, arguments } => {
            ShownSubject::Other { tool: to_pieces(tool), fields: fields(arguments) }
        }
    }
}

fn fields(arguments: &Map<String, Value>) -> Vec<Field> {
    let field = |(name, value): (&String, &Value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            // What holds others is JSON: no text of a value can pass for the name of another.
            Value::Array(_) | Value::Object(_) => serde_json::to_string_pretty(value).unwrap_or_default(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        };
        Field { name: to_pieces(name), value: text.split('\n').map(to_pieces).collect() }
    };
    arguments.iter().map(field).collect()
}

fn line(change: LineChange, text: &str) -> DiffLine {
    DiffLine { change, text: to_pieces(text.strip_suffix('\n').unwrap_or(text)) }
}

/// Returns what a whole text changes in the file that it replaces; all of its lines where that is not shown.
fn whole_lines(text: &str, replaced: Option<&ReplacedFile>) -> Vec<DiffLine> {
    let told = match replaced {
        None => None,
        Some(ReplacedFile::Text(old)) if old.is_empty() => None,
        Some(ReplacedFile::Text(old)) => {
            let hunks = hunks(old, text);
            if hunks.iter().map(|line| length(&line.text)).sum::<usize>() <= MOST {
                return hunks;
            }
            Some(render::replaced_lines(old.lines().count()))
        }
        Some(ReplacedFile::Unshown(bytes)) => Some(render::replaced_bytes(*bytes)),
    };
    let told = told.map(|text| DiffLine { change: LineChange::Gap, text });
    told.into_iter().chain(text.split_inclusive('\n').map(|text| line(LineChange::Added, text))).collect()
}

/// Returns the lines that differ between two texts, with some around them.
fn hunks(old: &str, new: &str) -> Vec<DiffLine> {
    let diff = similar::TextDiff::configure().timeout(TIME_TO_COMPARE).diff_lines(old, new);
    let mut lines = Vec::new();
    for hunk in diff.grouped_ops(AROUND) {
        if hunk.first().is_some_and(|first| first.old_range().start > 0) {
            lines.push(line(LineChange::Gap, ""));
        }
        for change in hunk.iter().flat_map(|part| diff.iter_changes(part)) {
            lines.push(changed_line(&change));
            if change.missing_newline() && change.tag() != similar::ChangeTag::Equal {
                lines.push(DiffLine { change: LineChange::Gap, text: render::no_line_break() });
            }
        }
    }
    lines
}

fn changed_line(change: &similar::Change<&str>) -> DiffLine {
    let what = match change.tag() {
        similar::ChangeTag::Equal => LineChange::Same,
        similar::ChangeTag::Delete => LineChange::Removed,
        similar::ChangeTag::Insert => LineChange::Added,
    };
    line(what, change.value())
}

fn diff_lines(change: &FileChange, replaced: Option<&ReplacedFile>) -> Vec<DiffLine> {
    match change {
        FileChange::Whole(text) => whole_lines(text, replaced),
        FileChange::Pieces(pieces) => {
            let mut lines = Vec::new();
            for (at, piece) in pieces.iter().enumerate() {
                if piece.everywhere {
                    lines.push(line(LineChange::Gap, "wherever this is"));
                } else if at > 0 {
                    lines.push(line(LineChange::Gap, ""));
                }
                let diff = similar::TextDiff::from_lines(piece.old.as_str(), piece.new.as_str());
                lines.extend(diff.iter_all_changes().map(|change| changed_line(&change)));
            }
            lines
        }
    }
}

/// Arguments, each as `"name": value` in JSON: none can pass for another.
fn list_arguments(arguments: &Map<String, Value>) -> String {
    let each = arguments.iter().map(|(name, value)| format!("{}: {value}", Value::from(name.as_str())));
    each.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{ReplacedFile, diff_lines, fields, folder_of_file};
    use postern_policy::{FileChange, Replacement};
    use serde_json::json;

    #[test]
    fn an_edit_is_its_lines() {
        let shown = |change: &FileChange| {
            let lines = diff_lines(change, None).into_iter().map(|line| {
                let text: String = line.text.into_iter().map(|piece| piece.text).collect();
                format!("{}{text}", line.change.diff_sign())
            });
            lines.collect::<Vec<_>>()
        };
        let piece = |old: &str, new: &str, everywhere| Replacement {
            old: old.to_owned(),
            new: new.to_owned(),
            everywhere,
        };
        let pieces = FileChange::Pieces(vec![piece("a\nb\n", "a\nc\n", false), piece("", "x", false)]);
        assert_eq!(shown(&pieces), [" a", "-b", "+c", "…", "+x"]);
        let all = FileChange::Pieces(vec![piece("a", "b", true)]);
        assert_eq!(shown(&all), ["…wherever this is", "-a", "+b"]);
        assert_eq!(shown(&FileChange::Whole("a\n\u{202e}b".to_owned()))[0], "+a");
        assert!(!shown(&FileChange::Whole("\u{202e}b".to_owned()))[0].contains('\u{202e}'));
    }

    #[test]
    fn a_whole_text_is_what_it_changes_in_the_file_that_it_replaces() {
        let shown = |replaced: &ReplacedFile, text: &str| {
            let lines = diff_lines(&FileChange::Whole(text.to_owned()), Some(replaced)).into_iter();
            let lines = lines.map(|line| {
                let text: String = line.text.into_iter().map(|piece| piece.text).collect();
                format!("{}{text}", line.change.diff_sign())
            });
            lines.collect::<Vec<_>>()
        };
        let old = (0..240).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat();
        let text = ReplacedFile::Text(old.clone());
        assert_eq!(
            shown(&text, &old.replace("line 120\n", "evil\n")),
            [
                "…", " line 117", " line 118", " line 119", "-line 120", "+evil", " line 121", " line 122",
                " line 123"
            ]
        );
        assert!(shown(&text, "x\n").contains(&"-line 239".to_owned()), "what goes is shown");
        let long = ReplacedFile::Text("0123456789\n".repeat(5000));
        assert_eq!(shown(&long, "x\n"), ["…this replaces all 5,000 lines that are there", "+x"]);
        let other = shown(&ReplacedFile::Unshown(12_000), "x\n");
        assert_eq!(other, ["…this replaces a file of 12 KB, which isn’t shown", "+x"]);
        let ended = ReplacedFile::Text("a\n".to_owned());
        assert_eq!(shown(&ended, "a"), ["-a", "+a", "…no line break at the end"]);
        assert_eq!(shown(&ReplacedFile::Text("a\r\n".to_owned()), "a\n"), ["-a\\r", "+a"]);
        assert_eq!(shown(&ReplacedFile::Text(String::new()), "a\n"), ["+a"]);
    }

    #[test]
    fn a_file_is_in_the_folder_that_a_person_would_name() {
        for (path, folder) in [
            ("/home/kim/site/docs/a.md", Some("docs")),
            ("/home/kim/site/a.md", Some("~/site")),
            ("/home/kim/other/a.md", Some("~/other")),
            ("/etc/hosts", Some("/etc")),
            ("/home/kim/sites/a.md", Some("~/sites")),
            ("docs/a.md", Some("docs")),
            ("a.md", Some("~/site")),
            ("../a.md", Some("..")),
            ("/", None),
        ] {
            assert_eq!(folder_of_file(path, "/home/kim/site", "/home/kim").as_deref(), folder, "{path}");
        }
    }

    #[test]
    fn a_text_stands_as_it_is_and_what_holds_others_as_json() {
        let arguments = json!({"body": "a\nb", "labels": ["x"], "n": 4});
        let fields = fields(arguments.as_object().unwrap());
        let lines: Vec<usize> = fields.iter().map(|field| field.value.len()).collect();
        assert_eq!(lines, [2, 3, 1]);
    }
}
