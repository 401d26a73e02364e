//! Commands in what Claude Code and Codex keep of their sessions.

use postern_policy::measure::MeasuredCall;
use serde_json::Value;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// The longest transcript that is read, in bytes.
const LONGEST: u64 = 256 * 1024 * 1024;

/// Returns the commands of all transcripts below a home folder, with the number of the files.
pub(super) fn read_calls(home: &Path) -> (Vec<MeasuredCall>, usize) {
    let is_jsonl = |name: &str| Path::new(name).extension().is_some_and(|kind| kind == "jsonl");
    let claude = find_files(&home.join(".claude/projects"), is_jsonl);
    let codex =
        find_files(&home.join(".codex/sessions"), |name| name.starts_with("rollout-") && is_jsonl(name));
    let mut all = Vec::new();
    let read = claude.len() + codex.len();
    for (paths, of) in
        [(claude, of_claude as fn(&Value, &mut TranscriptFolder) -> Vec<MeasuredCall>), (codex, of_codex)]
    {
        for path in paths {
            let Ok(text) = std::fs::read(&path) else { continue };
            let mut folder = TranscriptFolder::default();
            let lines = text.split(|byte| *byte == b'\n');
            for line in lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()) {
                all.extend(of(&line, &mut folder));
            }
        }
    }
    (all, read)
}

/// Returns the files below a folder whose names fit, in their order. Links are not followed.
fn find_files(folder: &Path, fits: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut open = VecDeque::from([folder.to_owned()]);
    let mut found = Vec::new();
    while let Some(folder) = open.pop_front() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                open.push_back(entry.path());
            } else if kind.is_file()
                && entry.file_name().to_str().is_some_and(&fits)
                && entry.metadata().is_ok_and(|metadata| metadata.len() <= LONGEST)
            {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// The folder that a session works in, as far as its lines told.
#[derive(Default)]
struct TranscriptFolder(Option<String>);

impl TranscriptFolder {
    fn shell_call(&self, shell: &str, named: Option<&str>) -> MeasuredCall {
        let cwd = match (named, &self.0) {
            (Some(named), Some(own)) if !named.starts_with('/') => Some(format!("{own}/{named}")),
            (Some(named), _) => Some(named.to_owned()),
            (None, own) => own.clone(),
        };
        MeasuredCall { project: self.0.clone().unwrap_or_default(), cwd, shell: shell.to_owned() }
    }
}

fn of_claude(line: &Value, folder: &mut TranscriptFolder) -> Vec<MeasuredCall> {
    if let Some(cwd) = line["cwd"].as_str() {
        folder.0 = Some(cwd.to_owned());
    }
    let parts = line["message"]["content"].as_array().into_iter().flatten();
    let uses = parts.filter(|part| part["type"] == "tool_use" && part["name"] == "Bash");
    uses.filter_map(|part| Some(folder.shell_call(part["input"]["command"].as_str()?, None))).collect()
}

fn of_codex(line: &Value, folder: &mut TranscriptFolder) -> Vec<MeasuredCall> {
    let payload = &line["payload"];
    if let Some(cwd) = payload["cwd"].as_str() {
        folder.0 = Some(cwd.to_owned());
    }
    if payload["type"] != "function_call" {
        return Vec::new();
    }
    let arguments = payload["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
    let Some(arguments): Option<Value> = arguments else { return Vec::new() };
    let named = ["workdir", "cwd"].iter().find_map(|key| arguments[*key].as_str());
    let command = &arguments["command"];
    let text = command.as_str().or_else(|| arguments["cmd"].as_str()).map(str::to_owned);
    let text = text.or_else(|| of_argv(command));
    text.map(|text| folder.shell_call(&text, named)).into_iter().collect()
}

/// Returns the text that a shell is given, or the words as a line.
fn of_argv(command: &Value) -> Option<String> {
    let words: Vec<String> =
        command.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    match words.as_slice() {
        [_, flag, text] if flag == "-lc" || flag == "-c" => Some(text.clone()),
        [] => None,
        words => Some(postern_command::quote_argv(words)),
    }
}

#[cfg(test)]
mod tests {
    use super::read_calls;
    use std::fs;

    #[test]
    fn commands_are_read_with_the_folder_that_they_ran_in() {
        let home = tempfile::tempdir().unwrap();
        let put = |file: &str, lines: &[&str]| {
            let path = home.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, lines.join("\n")).unwrap();
        };
        put(
            ".claude/projects/-u-site/a.jsonl",
            &[
                r#"{"type":"user","cwd":"/u/site","message":{"role":"user","content":"hello"}}"#,
                r#"{"cwd":"/u/site","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","name":"Bash","input":{"command":"npm test"}}]}}"#,
                r#"{"cwd":"/u/site","message":{"content":[{"type":"tool_use","name":"Read","input":{"file_path":"/x"}}]}}"#,
                "not json",
            ],
        );
        put(
            ".codex/sessions/2026/01/01/rollout-1.jsonl",
            &[
                r#"{"type":"session_meta","payload":{"cwd":"/u/app"}}"#,
                r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"cargo test\"],\"workdir\":\"core\"}"}}"#,
                r#"{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"git status\",\"workdir\":\"/u/other\"}"}}"#,
                r#"{"type":"response_item","payload":{"type":"function_call","name":"update_plan","arguments":"{\"plan\":[]}"}}"#,
            ],
        );
        put(".codex/sessions/notes.jsonl", &["{}"]);
        let (calls, files) = read_calls(home.path());
        let read: Vec<_> =
            calls.iter().map(|call| (call.shell.as_str(), call.cwd.as_deref().unwrap())).collect();
        assert_eq!(
            read,
            [("npm test", "/u/site"), ("cargo test", "/u/app/core"), ("git status", "/u/other")]
        );
        assert_eq!(files, 2);
    }
}
