//! Values of a tool's call that are compared with patterns, in all spellings of the same value.

use crate::path;
use crate::permissions::{PermissionEntry, argument_paths, has_filter};
use crate::rule::Effect;
use crate::subject::PATCH;
use serde_json::Value as Json;
use std::borrow::Cow;

/// Arguments of a tool that are its values. If several are given, each is compared and the strictest wins, as is every other path.
const SOURCES: &[(&str, &[&str])] = &[
    ("read_file", &["path", "file_path"]),
    ("write_file", &["path", "file_path"]),
    ("edit_file", &["path", "file_path", PATCH]),
    ("glob", &["pattern", "path"]),
    ("grep", &["path", "dir_path"]),
    ("skill", &["name", "skill"]),
];

/// Tools whose path is a folder that all in it is read from.
const FOLDERS: &[&str] = &["glob", "grep"];

pub(super) enum ComparedValues<'a> {
    /// The tool has no values: only its name counts.
    None,
    /// Value that should be there and is no text: the files that it would touch are not known.
    Missing(&'static str),
    /// Folder in which it runs, which is not known here.
    Unnamed,
    /// These.
    Some(Vec<ComparedValue<'a>>),
}

/// Value, in all its spellings.
#[derive(Debug)]
pub(super) struct ComparedValue<'a> {
    /// As it was given.
    pub(super) written: Cow<'a, str>,
    /// Spellings that an allow has to match, all of them; `None` if no pattern can be sure of it.
    sure: Option<Vec<String>>,
    /// Spellings that a deny or ask may match.
    pub(super) all: Vec<String>,
    /// Patterns that could be meant besides.
    doubt: ValueDoubt,
}

/// Patterns that may be meant although they do not match the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueDoubt {
    /// No patterns.
    Nothing,
    /// Those of absolute paths: it leaves a folder that is not known.
    Absolute,
    /// Returns true if the path is itself a pattern, or names its file by id.
    Everything,
}

impl ComparedValue<'_> {
    /// Returns true if an entry is about this spelling of it.
    pub(super) fn is_met(&self, entry: &PermissionEntry, spelling: &str) -> bool {
        match entry.effect {
            Effect::Deny | Effect::Ask => entry.stops_value(spelling),
            Effect::Allow if entry.is_catch_all() => entry.allows_value(&self.written),
            Effect::Allow => {
                self.sure.as_ref().is_some_and(|all| all.iter().all(|value| entry.allows_value(value)))
            }
        }
    }

    /// Returns true if an entry that denies or asks may be meant, although its pattern matches no spelling.
    pub(super) fn may_be_meant(&self, entry: &PermissionEntry) -> bool {
        let stops = entry.effect != Effect::Allow;
        stops
            && match self.doubt {
                ValueDoubt::Nothing => false,
                ValueDoubt::Absolute => entry.is_absolute(),
                ValueDoubt::Everything => true,
            }
    }
}

pub(super) fn of_call<'a>(tool: &str, arguments: &'a Json, home: &str) -> ComparedValues<'a> {
    let Some((_, names)) = SOURCES.iter().find(|(name, _)| *name == tool) else {
        return ComparedValues::None;
    };
    let given: Vec<_> = names.iter().filter_map(|name| Some((*name, arguments.get(name)?))).collect();
    let missing = ComparedValues::Missing(names[0]);
    if given.is_empty() {
        return if tool == "grep" { ComparedValues::Unnamed } else { missing };
    }
    if tool == "read_file" && has_filter(arguments) {
        return missing;
    }
    let mut values = Vec::with_capacity(given.len());
    let folder = arguments.get("path").and_then(Json::as_str);
    for (name, value) in given.into_iter().filter(|(name, _)| *name != PATCH) {
        let Some(text) = value.as_str().filter(|text| !text.is_empty()) else {
            return ComparedValues::Missing(name);
        };
        if name == "pattern" {
            values.push(of_pattern(text, folder, home));
        } else {
            values.push(of_path(tool, Cow::Borrowed(text), home));
        }
    }
    for other in argument_paths(tool, arguments).into_iter().filter(|_| tool != "skill") {
        if values.iter().all(|value| value.written != other) {
            values.push(of_path(tool, other, home));
        }
    }
    if values.is_empty() { missing } else { ComparedValues::Some(values) }
}

fn of_pattern<'a>(text: &'a str, folder: Option<&str>, home: &str) -> ComparedValue<'a> {
    let mut value = spelled(Cow::Borrowed(text), home);
    if let Some(folder) = folder {
        value.all.push(format!("{}/{text}", folder.trim_end_matches('/')));
    }
    if text.contains(['*', '?', '[', '{', '(', '!']) {
        value.doubt = ValueDoubt::Everything;
    }
    value
}

/// Returns the value of a path, which may be a folder that all in it is read from.
fn of_path<'a>(tool: &str, text: Cow<'a, str>, home: &str) -> ComparedValue<'a> {
    let mut value = spelled(text, home);
    if FOLDERS.contains(&tool) {
        let inside: Vec<String> =
            value.all.iter().map(|path| format!("{}/", path.trim_end_matches('/'))).collect();
        value.all.extend(inside);
    }
    value
}

/// Returns a value with every spelling that leads to the same place, and those that may.
fn spelled<'a>(written: Cow<'a, str>, home: &str) -> ComparedValue<'a> {
    let expanded = path::expand_home(&written, home).into_owned();
    let steps_back = written.split('/').any(|part| part == "..");
    let mut sure = vec![relative(&written), relative(&expanded)];
    sure.dedup();
    let mut all =
        vec![written.clone().into_owned(), expanded.clone(), path::unmarked(&expanded).into_owned()];
    all.extend(sure.iter().cloned());
    all.push(relative(&path::unmarked(&expanded)));
    all.push(relative(&path::out_of_proc(&expanded, "")));
    let climbs = !expanded.starts_with('/') && climbs(&expanded);
    if climbs {
        let rest = relative(&format!("/{expanded}"));
        all.extend([format!("{}{rest}", home.trim_end_matches('/')), rest]);
    }
    let reached: Vec<String> = all.iter().filter_map(|path| path::without_aliases_of_word(path)).collect();
    all.extend(reached);
    for path in all.clone() {
        all.extend(elsewhere(&path));
    }
    all.sort_unstable();
    all.dedup();
    let numbered = all.iter().any(|path| path::is_by_number(path));
    let doubt = match (numbered, climbs) {
        (true, _) => ValueDoubt::Everything,
        (false, true) => ValueDoubt::Absolute,
        (false, false) => ValueDoubt::Nothing,
    };
    ComparedValue { written, sure: (!steps_back).then_some(sure), all, doubt }
}

/// Returns the normal form of a path that may be relative.
fn relative(path: &str) -> String {
    if path.starts_with('/') {
        return path::normal(path).into_owned();
    }
    let normal = path::normal(&format!("/{path}"))[1..].to_owned();
    if normal.is_empty() { ".".to_owned() } else { normal }
}

/// Returns true if a relative path leads out of the folder that it starts in.
fn climbs(path: &str) -> bool {
    let mut depth = 0_i64;
    path.split('/').any(|part| {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

/// Returns the other path of folders that are one and the same on macOS.
fn elsewhere(path: &str) -> Option<String> {
    if let Some(rest) = path.strip_prefix("/private") {
        return rest.starts_with('/').then(|| rest.to_owned());
    }
    ["/tmp", "/var", "/etc"]
        .iter()
        .any(|folder| path::is_within(path, folder))
        .then(|| format!("/private{path}"))
}
