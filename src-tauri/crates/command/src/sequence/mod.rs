//! Lists and pipelines of plain commands, which Postern starts step by step without a shell.
//!
//! Only text that means the same to every shell is taken: known words, simple redirections, variables of one command, and a few
//! builtins. Everything else is left to bash.

mod scan;
#[cfg(test)]
mod tests;

use crate::builtins::is_builtin;
use scan::{ShellToken, tokens};
use serde::{Deserialize, Serialize};

/// A list of pipelines, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequence {
    /// Never empty; the connector of the first is [`Connector::Always`].
    pub pipelines: Vec<(Connector, Vec<PlainCommand>)>,
}

/// Condition under which a pipeline runs, by the status of the one that ran before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Connector {
    /// `;`
    Always,
    /// `&&`
    IfSucceeded,
    /// `||`
    IfFailed,
}

/// Command of a pipeline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlainCommand {
    /// Variables that it alone gets.
    pub assignments: Vec<(String, String)>,
    /// Name and arguments; never empty.
    pub words: Vec<String>,
    /// Redirections, in their order.
    pub redirections: Vec<Redirect>,
}

/// Redirection of a descriptor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    /// Descriptor that is redirected: 0, 1 or 2.
    pub descriptor: u8,
    pub to: RedirectionTarget,
}

/// Target of a redirection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RedirectionTarget {
    /// A file that is read.
    Read(String),
    /// A file that is emptied or created.
    Write(String),
    /// A file that is written at its end, or created.
    Append(String),
    /// A copy of another descriptor: 0, 1 or 2.
    Copy(u8),
}

impl PlainCommand {
    /// Returns its name.
    pub fn name(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Returns true if no program is started for it.
    pub fn is_builtin(&self) -> bool {
        BUILTINS.contains(&self.name())
    }
}

impl Sequence {
    /// Reads shell text; returns `None` for text that needs a shell.
    pub fn parse_text(text: &str) -> Option<Self> {
        let mut pipelines = vec![(Connector::Always, vec![PlainCommand::default()])];
        let mut tokens = tokens(text)?.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let (_, pipeline) = pipelines.last_mut()?;
            let command = pipeline.last_mut()?;
            let connector = match token {
                ShellToken::Word(word) => {
                    command.add_word(word)?;
                    continue;
                }
                ShellToken::Redirect(redirect) => {
                    command.redirections.push(redirect);
                    continue;
                }
                ShellToken::Pipe => {
                    pipeline.push(PlainCommand::default());
                    continue;
                }
                ShellToken::And => Connector::IfSucceeded,
                ShellToken::Or => Connector::IfFailed,
                ShellToken::End if tokens.peek().is_none() => break,
                ShellToken::End => Connector::Always,
            };
            pipelines.push((connector, vec![PlainCommand::default()]));
        }
        let sequence = Self { pipelines };
        sequence.is_plain().then_some(sequence)
    }

    /// Returns its commands, in their order.
    pub fn commands(&self) -> impl Iterator<Item = &PlainCommand> {
        self.pipelines.iter().flat_map(|(_, commands)| commands)
    }

    fn is_plain(&self) -> bool {
        let mut moved = false;
        self.pipelines.iter().all(|(_, commands)| {
            commands.iter().all(|command| {
                let plain = match command.name() {
                    "cd" => commands.len() == 1 && command.is_plain_cd(moved),
                    // Where a `cd` may have failed, a relative path leads to one file or to another.
                    name => command.is_plain_name() && (!is_relative(name) || !moved || self.is_chain()),
                };
                moved |= command.name() == "cd";
                plain && (command.assignments.is_empty() || !command.is_builtin())
            })
        })
    }

    /// Returns true if each pipeline runs only if all before it succeeded.
    fn is_chain(&self) -> bool {
        self.pipelines.iter().skip(1).all(|(connector, _)| *connector == Connector::IfSucceeded)
    }
}

/// Returns true for a path that depends on the working directory.
fn is_relative(name: &str) -> bool {
    name.contains('/') && !name.starts_with('/')
}

/// Builtins that are carried out without a program.
const BUILTINS: &[&str] = &["cd", "echo", "true", "false", ":"];

/// Words that a shell reads as syntax where a name could stand.
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done",
    "in", "function", "time", "coproc", "{", "}", "!", "[[", "]]", "{}",
];

/// Variables that change how a shell itself reads or runs a line.
const OF_SHELL: &[&str] = &[
    "PATH", "IFS", "ENV", "PWD", "OLDPWD", "CDPATH", "SHELLOPTS", "GLOBIGNORE", "POSIXLY_CORRECT", "UID",
    "EUID", "PPID", "GROUPS", "FUNCNAME", "DIRSTACK", "LINENO", "RANDOM", "SRANDOM", "SECONDS",
    "EPOCHSECONDS", "EPOCHREALTIME", "SHLVL", "OPTARG", "OPTIND", "OPTERR", "TMOUT", "EXECIGNORE", "_",
];

impl PlainCommand {
    /// Adds a word: a variable in front of the name, the name, or an argument.
    fn add_word(&mut self, word: scan::ScannedWord) -> Option<()> {
        let scan::ScannedWord { text, assigns } = word;
        if self.words.is_empty()
            && let Some(at) = assigns
        {
            let (name, value) = text.split_at(at);
            let of_shell = OF_SHELL.contains(&name) || name.starts_with("BASH");
            self.assignments.push((name.to_owned(), value.strip_prefix('=')?.to_owned()));
            return (!of_shell).then_some(());
        }
        self.words.push(text);
        Some(())
    }

    fn is_plain_name(&self) -> bool {
        match self.name() {
            "true" | "false" | ":" => true,
            "echo" => self.words.get(1).is_none_or(|first| !first.starts_with('-')),
            // With `=` it could be an assignment.
            name => !name.is_empty() && !name.contains('=') && !RESERVED.contains(&name) && !is_builtin(name),
        }
    }

    /// Returns true for `cd FOLDER` that means the same whether links are followed or not. `moved` is true behind another `cd`.
    fn is_plain_cd(&self, moved: bool) -> bool {
        let [_, folder] = self.words.as_slice() else { return false };
        let mut parts = folder.split('/').filter(|part| !part.is_empty() && *part != ".");
        let climbs = parts.by_ref().take_while(|part| *part == "..").count();
        let plain = !folder.is_empty() && !folder.starts_with('-') && self.redirections.is_empty();
        plain && (climbs == 0 || !moved && !folder.starts_with('/')) && parts.all(|part| part != "..")
    }
}
