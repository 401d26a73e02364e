//! Subject of a question, in its own form: every approver shows an edit as an edit, and a call by its fields.

use crate::piece::{ShownText, join_pieces};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Subject of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ShownSubject {
    /// A command: its text, steps and programs stand in the question.
    #[default]
    Command,
    /// Changes to a file.
    FileEdit {
        /// Path of the file, as the agent wrote it.
        path: ShownText,
        /// Lines of the change, in order.
        lines: Vec<DiffLine>,
    },
    /// Files or folders that are read.
    FileRead {
        /// Paths, as the agent wrote them.
        paths: Vec<ShownText>,
    },
    /// Something that is fetched from the network.
    Fetch {
        /// The host that is asked.
        host: ShownText,
        /// The whole address.
        url: ShownText,
        /// Other arguments of the tool.
        fields: Vec<Field>,
    },
    /// A tool of an MCP server.
    McpCall {
        /// The server.
        server: ShownText,
        tool: ShownText,
        /// Arguments of the call.
        fields: Vec<Field>,
    },
    /// Any other tool.
    Other {
        tool: ShownText,
        /// Arguments of the call.
        fields: Vec<Field>,
    },
}

/// A line of a file that would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    pub change: LineChange,
    /// The line, without its end.
    pub text: ShownText,
}

/// Change of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum LineChange {
    /// Unchanged line.
    Same,
    Removed,
    Added,
    /// Another piece of the file begins here; a text says where else it changes.
    Gap,
}

impl LineChange {
    /// Returns the sign in front of a line.
    pub fn diff_sign(self) -> char {
        match self {
            Self::Same => ' ',
            Self::Removed => '-',
            Self::Added => '+',
            Self::Gap => '…',
        }
    }
}

/// Something that a tool is called with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Field {
    pub name: ShownText,
    /// Value, line by line: a text as it is, anything else as JSON.
    pub value: Vec<ShownText>,
}

/// A row of a subject: a label, and pieces of shown text.
pub type SubjectRow = (String, ShownText);

impl ShownSubject {
    /// Returns the subject as labelled rows, for faces that show text alone; empty for a command. A label is
    /// Postern's own, but for the names of fields, which are escaped.
    pub fn to_rows(&self) -> Vec<SubjectRow> {
        let labelled = |label: &str, shown: &ShownText| vec![(label.to_owned(), shown.clone())];
        match self {
            Self::Command => Vec::new(),
            Self::FileEdit { path, lines } => {
                let lines = lines.iter().map(|line| (line.change.diff_sign().to_string(), line.text.clone()));
                labelled("edits", path).into_iter().chain(lines).collect()
            }
            Self::FileRead { paths } => paths.iter().flat_map(|path| labelled("reads", path)).collect(),
            Self::Fetch { host, url, fields } => {
                [labelled("asks", host), labelled("for", url), rows_of(fields)].concat()
            }
            Self::McpCall { server, tool, fields } => {
                [labelled("server", server), labelled("tool", tool), rows_of(fields)].concat()
            }
            Self::Other { tool, fields } => [labelled("tool", tool), rows_of(fields)].concat(),
        }
    }
}

fn rows_of(fields: &[Field]) -> Vec<SubjectRow> {
    let row = |field: &Field| {
        let label = join_pieces(&field.name);
        field
            .value
            .iter()
            .enumerate()
            .map(move |(at, line)| (if at == 0 { label.clone() } else { String::new() }, line.clone()))
            .collect::<Vec<_>>()
    };
    fields.iter().flat_map(row).collect()
}
