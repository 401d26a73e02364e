//! Subject of a question, as a chat shows it.
//!
//! A command as its line, an edit as a diff, a fetch with its host, a call by its fields.

use super::length::{cut, units};
use super::messenger::Message;
use postern_contract::{Field, Question, ShownSubject, plain};

/// Subject of a question, as labelled texts and the lines below them. Each of them is of the agent's choice.
pub(super) struct Subject {
    named: Vec<(&'static str, String)>,
    /// Lines of a diff, or the fields of a call.
    below: Vec<String>,
}

impl Subject {
    pub(super) fn of(question: &Question) -> Self {
        let (named, below) = match &question.subject {
            ShownSubject::Command => (vec![("Command", question.line.clone())], Vec::new()),
            ShownSubject::FileEdit { path, lines } => {
                let line = |line: &postern_contract::DiffLine| {
                    format!("{}{}", line.change.sign(), plain(&line.text))
                };
                (vec![("Edit", plain(path))], lines.iter().map(line).collect())
            }
            ShownSubject::FileRead { paths } => {
                (paths.iter().map(|path| ("Read", plain(path))).collect(), Vec::new())
            }
            ShownSubject::Fetch { host, url, fields } => {
                (vec![("Fetch from", plain(host)), ("Address", plain(url))], rows(fields))
            }
            ShownSubject::McpCall { server, tool, fields } => {
                (vec![("MCP server", plain(server)), ("Its tool", plain(tool))], rows(fields))
            }
            // The tool is named in front of it.
            ShownSubject::Other { fields, .. } => (Vec::new(), rows(fields)),
        };
        Self { named, below }
    }

    /// Returns how long it is, in UTF-16 units.
    pub(super) fn units(&self) -> usize {
        let named: usize = self.named.iter().map(|(_, text)| units(text)).sum();
        named + units(&self.block())
    }

    /// Returns it in one line, for what is said of it later: without the lines below, as lists have it.
    pub(super) fn line(question: &Question) -> String {
        let named = Self::of(question).named.into_iter().map(|(_, text)| text);
        question.tool.as_ref().map(|tool| plain(tool)).into_iter().chain(named).collect::<Vec<_>>().join(" ")
    }

    /// Adds it to a message, up to so much of it.
    pub(super) fn write(&self, message: &mut Message, most: usize) {
        let mut left = most;
        for (name, text) in &self.named {
            message.own(&format!("\n{name}: ")).quoted(&cut(text, left));
            left = left.saturating_sub(units(text));
        }
        if !self.below.is_empty() {
            message.own("\n").quoted(&cut(&self.block(), left));
        }
    }

    fn block(&self) -> String {
        barred(&self.below)
    }
}

/// Joins lines of the agent's choice, each behind a bar: in a network without styles none can pass for a line of Postern's.
pub(super) fn barred(lines: &[String]) -> String {
    lines.iter().map(|line| format!("| {line}")).collect::<Vec<_>>().join("\n")
}

/// Fields, each with its name in front of its first line.
fn rows(fields: &[Field]) -> Vec<String> {
    let row = |field: &Field| {
        let name = plain(&field.name);
        let row = |(at, line): (usize, &postern_contract::Shown)| match at {
            0 => format!("{name}: {}", plain(line)),
            _ => format!("  {}", plain(line)),
        };
        field.value.iter().enumerate().map(row).collect::<Vec<_>>()
    };
    fields.iter().flat_map(row).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::messenger::Message;
    use super::super::text::{LINE, notification, withheld};
    use super::Subject;
    use crate::chat::approval::Withheld;
    use crate::chat::settings::HighRisk;
    use postern_contract::{DiffLine, Field, LineChange, Question, ShownSubject, shown};
    use serde_json::json;

    pub(in crate::chat) fn question(subject: ShownSubject) -> Question {
        let mut question: Question = serde_json::from_value(json!({
            "id": "q1", "code": "a1b2", "digest": "d", "requests": ["1"],
            "asker": {"agent": "main", "name": [], "color": "", "knownBy": [], "session": null, "says": null},
            "tool": [{"text": "a_tool", "kind": "plain"}], "command": [], "line": "a_tool {\"raw\": \"arguments\"}",
            "argv": null, "shell": false, "steps": [], "programs": [], "cwd": [], "env": [], "stdin": null, "headline": [], "why": [],
            "rule": null, "policy": [], "risk": {"level": "needs-review", "reasons": []}, "proposals": [],
            "askedAt": 0, "expiresAt": 1000, "atZero": [], "armingMs": 0, "waiting": 0
        }))
        .unwrap();
        question.subject = subject;
        question
    }

    fn edit(added: &str) -> ShownSubject {
        let line = |change, text: &str| DiffLine { change, text: shown(text) };
        let lines =
            vec![line(LineChange::Same, "a"), line(LineChange::Removed, "b"), line(LineChange::Added, added)];
        ShownSubject::FileEdit { path: shown("~/.zshrc"), lines }
    }

    fn field(name: &str, value: &[&str]) -> Field {
        Field { name: shown(name), value: value.iter().map(|line| shown(line)).collect() }
    }

    #[test]
    fn every_kind_is_told_in_its_own_form() {
        let call = |fields| ShownSubject::McpCall { server: shown("git hub"), tool: shown("issue"), fields };
        let body = field("body", &["one", "Risk: low"]);
        for (subject, expected) in [
            (edit("c"), "\nEdit: ~/.zshrc\n|  a\n| -b\n| +c"),
            (
                ShownSubject::FileRead { paths: vec![shown("/a"), shown("/b\u{202e}")] },
                "\nRead: /a\nRead: /b\\u{202e}",
            ),
            (
                ShownSubject::Fetch {
                    host: shown("x.example"),
                    url: shown("https://x.example/a"),
                    fields: vec![field("prompt", &["sum up"])],
                },
                "\nFetch from: x.example\nAddress: https://x.example/a\n| prompt: sum up",
            ),
            (call(vec![body]), "\nMCP server: git hub\nIts tool: issue\n| body: one\n|   Risk: low"),
            (call(Vec::new()), "\nMCP server: git hub\nIts tool: issue"),
            (
                ShownSubject::Other { tool: shown("a_tool"), fields: vec![field("to", &["production"])] },
                "\n| to: production",
            ),
        ] {
            let question = question(subject);
            let mut message = Message::words("");
            Subject::of(&question).write(&mut message, LINE);
            assert_eq!(message.text(), expected);
            let whole = notification(&question, None, 0).text();
            assert!(whole.contains(expected) && whole.contains("\nTool: a_tool"), "{whole}");
            assert!(!whole.contains("raw"), "not its arguments as they came: {whole}");
        }
    }

    #[test]
    fn what_does_not_fit_cannot_be_approved_here() {
        let fits = "c".repeat(LINE - "~/.zshrc|  a\n| -b\n| +".len());
        assert_eq!(withheld(&question(edit(&fits)), HighRisk::Announce), None);
        let longer = format!("{fits}c");
        assert_eq!(withheld(&question(edit(&longer)), HighRisk::Announce), Some(Withheld::TooLong));
    }

    #[test]
    fn later_it_is_named_in_a_line() {
        assert_eq!(Subject::line(&question(edit("c"))), "a_tool ~/.zshrc");
        let mut command = question(ShownSubject::Command);
        command.tool = None;
        command.line = "git push".to_owned();
        assert_eq!(Subject::line(&command), "git push");
    }
}
