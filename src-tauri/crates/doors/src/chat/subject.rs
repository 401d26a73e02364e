//! Subject of a question, as a chat shows it.
//!
//! A command as its line, an edit as a diff, a fetch with its host, a call by its fields.

use super::length::{truncate_utf16, utf16_length};
use super::messenger::OutgoingChatMessage;
use postern_contract::{Field, Question, ShownSubject, join_pieces};

/// Subject of a question, as labelled texts and the lines below them. Each of them is of the agent's choice.
pub(super) struct ChatSubject {
    named: Vec<(&'static str, String)>,
    /// Lines of a diff, or the fields of a call.
    below: Vec<String>,
}

impl ChatSubject {
    pub(super) fn from_question(question: &Question) -> Self {
        let (named, below) = match &question.subject {
            ShownSubject::Command => (vec![("Command", question.line.clone())], Vec::new()),
            ShownSubject::FileEdit { path, lines } => {
                let line = |line: &postern_contract::DiffLine| {
                    format!("{}{}", line.change.diff_sign(), join_pieces(&line.text))
                };
                (vec![("Edit", join_pieces(path))], lines.iter().map(line).collect())
            }
            ShownSubject::FileRead { paths } => {
                (paths.iter().map(|path| ("Read", join_pieces(path))).collect(), Vec::new())
            }
            ShownSubject::Fetch { host, url, fields } => {
                (vec![("Fetch from", join_pieces(host)), ("Address", join_pieces(url))], field_rows(fields))
            }
            ShownSubject::McpCall { server, tool, fields } => (
                vec![("MCP server", join_pieces(server)), ("Its tool", join_pieces(tool))],
                field_rows(fields),
            ),
            // The tool is named in front of it.
            ShownSubject::Other { fields, .. } => (Vec::new(), field_rows(fields)),
        };
        Self { named, below }
    }

    /// Returns how long it is, in UTF-16 units.
    pub(super) fn utf16_length(&self) -> usize {
        let named: usize = self.named.iter().map(|(_, text)| utf16_length(text)).sum();
        named + utf16_length(&self.barred_lines())
    }

    /// Returns it in one line, for what is said of it later: without the lines below, as lists have it.
    pub(super) fn one_line(question: &Question) -> String {
        let named = Self::from_question(question).named.into_iter().map(|(_, text)| text);
        question
            .tool
            .as_ref()
            .map(|tool| join_pieces(tool))
            .into_iter()
            .chain(named)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Adds it to a message, up to so much of it.
    pub(super) fn append_to(&self, message: &mut OutgoingChatMessage, most: usize) {
        let mut left = most;
        for (name, text) in &self.named {
            message.add_own_text(&format!("\n{name}: ")).quoted(&truncate_utf16(text, left));
            left = left.saturating_sub(utf16_length(text));
        }
        if !self.below.is_empty() {
            message.add_own_text("\n").quoted(&truncate_utf16(&self.barred_lines(), left));
        }
    }

    fn barred_lines(&self) -> String {
        barred(&self.below)
    }
}

/// Joins lines of the agent's choice, each behind a bar: in a network without styles none can pass for a line of Postern's.
pub(super) fn barred(lines: &[String]) -> String {
    lines.iter().map(|line| format!("| {line}")).collect::<Vec<_>>().join("\n")
}

/// Fields, each with its name in front of its first line.
fn field_rows(fields: &[Field]) -> Vec<String> {
    let row = |field: &Field| {
        let name = join_pieces(&field.name);
        let row = |(at, line): (usize, &postern_contract::ShownText)| match at {
            0 => format!("{name}: {}", join_pieces(line)),
            _ => format!("  {}", join_pieces(line)),
        };
        field.value.iter().enumerate().map(row).collect::<Vec<_>>()
    };
    fields.iter().flat_map(row).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::messenger::OutgoingChatMessage;
    use super::super::text::{LINE, notification, withheld};
    use super::ChatSubject;
    use crate::chat::approval::Withheld;
    use crate::chat::settings::HighRisk;
    use postern_contract::{DiffLine, Field, LineChange, Question, ShownSubject, to_pieces};
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

    fn edit_subject(added: &str) -> ShownSubject {
        let line = |change, text: &str| DiffLine { change, text: to_pieces(text) };
        let lines =
            vec![line(LineChange::Same, "a"), line(LineChange::Removed, "b"), line(LineChange::Added, added)];
        ShownSubject::FileEdit { path: to_pieces("~/.zshrc"), lines }
    }

    fn call_field(name: &str, value: &[&str]) -> Field {
        Field { name: to_pieces(name), value: value.iter().map(|line| to_pieces(line)).collect() }
    }

    #[test]
    fn every_kind_is_told_in_its_own_form() {
        let call =
            |fields| ShownSubject::McpCall { server: to_pieces("git hub"), tool: to_pieces("issue"), fields };
        let body = call_field("body", &["one", "Risk: low"]);
        for (subject, expected) in [
            (edit_subject("c"), "\nEdit: ~/.zshrc\n|  a\n| -b\n| +c"),
            (
                ShownSubject::FileRead { paths: vec![to_pieces("/a"), to_pieces("/b\u{202e}")] },
                "\nRead: /a\nRead: /b\\u{202e}",
            ),
            (
                ShownSubject::Fetch {
                    host: to_pieces("x.example"),
                    url: to_pieces("https://x.example/a"),
                    fields: vec![call_field("prompt", &["sum up"])],
                },
                "\nFetch from: x.example\nAddress: https://x.example/a\n| prompt: sum up",
            ),
            (call(vec![body]), "\nMCP server: git hub\nIts tool: issue\n| body: one\n|   Risk: low"),
            (call(Vec::new()), "\nMCP server: git hub\nIts tool: issue"),
            (
                ShownSubject::Other {
                    tool: to_pieces("a_tool"),
                    fields: vec![call_field("to", &["production"])],
                },
                "\n| to: production",
            ),
        ] {
            let question = question(subject);
            let mut message = OutgoingChatMessage::from_text("");
            ChatSubject::from_question(&question).append_to(&mut message, LINE);
            assert_eq!(message.to_text(), expected);
            let whole = notification(&question, None, 0).to_text();
            assert!(whole.contains(expected) && whole.contains("\nTool: a_tool"), "{whole}");
            assert!(!whole.contains("raw"), "not its arguments as they came: {whole}");
        }
    }

    #[test]
    fn what_does_not_fit_cannot_be_approved_here() {
        let fits = "c".repeat(LINE - "~/.zshrc|  a\n| -b\n| +".len());
        assert_eq!(withheld(&question(edit_subject(&fits)), HighRisk::Announce), None);
        let longer = format!("{fits}c");
        assert_eq!(withheld(&question(edit_subject(&longer)), HighRisk::Announce), Some(Withheld::TooLong));
    }

    #[test]
    fn later_it_is_named_in_a_line() {
        assert_eq!(ChatSubject::one_line(&question(edit_subject("c"))), "a_tool ~/.zshrc");
        let mut command = question(ShownSubject::Command);
        command.tool = None;
        command.line = "git push".to_owned();
        assert_eq!(ChatSubject::one_line(&command), "git push");
    }
}
