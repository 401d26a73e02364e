//! Result of parsing a command line: the types that every other room reads.

use postern_programs::Power;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

use crate::{UnparsedSpan, UnsafeArg};

/// Shell whose grammar the text is read by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// POSIX `sh`, `dash`.
    Posix,
    /// bash 3.2 and later: what Postern itself starts shell text with.
    Bash,
    /// zsh: read for clients that send `["zsh", "-c", …]` themselves.
    Zsh,
}

/// Everything a request would run, as far as it could be understood.
///
/// A reading is complete unless [`ParsedCommand::opaque`] or a step's own `opaque` says otherwise: a program that bash would
/// run and that is in neither is a bug of this crate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedCommand {
    /// The text that was read; for an argv request its quoted rendering. Spans point into it.
    pub text: String,
    /// Programs and builtins, in the order in which they stand in the text.
    pub steps: Vec<Step>,
    /// Parts that belong to no step and were not understood. Not empty: the whole request is at best asked about.
    pub opaque: Vec<UnparsedSpan>,
    /// The argv to start without a shell, where the request is one simple command with nothing for a shell to do.
    pub plain: Option<Vec<String>>,
    /// Spans of the bodies of here-documents, in the order of the text: those that stand in it character by character and whose
    /// end is certain.
    pub bodies: Vec<Range<usize>>,
    /// Set where the request is not to be judged at all (empty argv, NUL, too long, invisible characters in a name…).
    pub invalid: Option<Invalid>,
}

/// Program (or builtin) that would run, after wrappers were peeled off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// Program and arguments, without wrappers, assignments and redirections. Never empty, except for a step that is
    /// only assignments or only redirections.
    pub argv: Vec<Word>,
    /// Span of the step in [`ParsedCommand::text`] (bytes), wrappers and redirections included.
    pub span: Range<usize>,
    pub role: Role,
    /// Wrappers that were peeled off, outermost first. Each is itself a program that deny rules look at.
    pub via: Vec<Via>,
    /// Environment assignments that this step alone gets (`FOO=1 cmd`, `env FOO=1 cmd`).
    pub assignments: Vec<Assignment>,
    pub redirections: Vec<Redirection>,
    /// True if another step of the line gives it its input by a pipe.
    pub piped: bool,
    /// Working directory relative to the request's, as changed by `cd` or a wrapper before this step.
    pub dir: Dir,
    /// Words that stand for those of the list of a `for` around it.
    pub listed: Vec<ListedWord>,
    /// Arguments by which it runs other code or writes where it should not (`git -c`, `rg --pre`, `find -exec`).
    pub ways_out: Vec<UnsafeArg>,
    /// True if the run makes a part of an argument, which may then hold what a command has read.
    pub computed: bool,
    /// The script file an interpreter or shell would run: index into `argv`.
    pub script: Option<usize>,
    /// Reason why the step is not fully understood. If set: at best asked about, and never saved as more than
    /// the exact command.
    pub opaque: Option<UnparsedSpan>,
}

/// Word that is known but for the variable of a `for`: `"$f"` and `"out/$f.bak"` in its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedWord {
    /// As written.
    pub raw: String,
    /// Words that it stands for: fixed ones, and patterns.
    pub values: Vec<String>,
}

/// Word of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// As written, quotes and all.
    pub raw: String,
    /// Value, if it is known before the run: quotes removed, nothing left to expand.
    pub value: Option<String>,
}

/// Kind of program that a step runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// A program, found by name or path.
    #[default]
    Program,
    /// A shell builtin that is known to be harmless here (`cd`, `true`, `read`, `test`…): it needs no rule.
    HarmlessBuiltin,
    /// A call of a function that the text itself defines and whose body is among the steps.
    Function,
    /// Only assignments to harmless variables, or only redirections.
    Nothing,
}

/// A wrapper that runs another program given in its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Via {
    /// The wrapper's own argv up to the program that it runs: shared, since every step inside carries it.
    pub argv: Arc<[Word]>,
    /// Change that it makes to the program that it runs.
    pub power: Power,
}

/// `NAME=value` in front of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub value: Word,
}

/// A redirection of a step or of a group that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    pub kind: RedirectionKind,
    /// The file, descriptor, or here-document delimiter.
    pub target: Word,
    /// The text of a here-document or here-string in which nothing is expanded.
    pub text: Option<String>,
}

/// Kind of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RedirectionKind {
    /// `< file`
    Read,
    /// `> file`, `>| file`, `&> file`
    Write,
    /// `>> file`, `&>> file`
    Append,
    /// `<> file`
    ReadWrite,
    /// `2>&1`, `3<&-`: descriptors only.
    Descriptor,
    /// Here-document or here-string: text is fed to the step.
    Here,
}

impl Redirection {
    /// Returns true if it can change a file: a writing kind whose target is neither the null device nor an
    /// output of the step itself.
    pub fn writes(&self) -> bool {
        const NO_FILE: [Option<&str>; 3] = [Some("/dev/null"), Some("/dev/stdout"), Some("/dev/stderr")];
        matches!(self.kind, RedirectionKind::Write | RedirectionKind::Append | RedirectionKind::ReadWrite)
            && !NO_FILE.contains(&self.target.value.as_deref())
    }

    /// Returns true if its target is a file.
    pub fn names_file(&self) -> bool {
        !matches!(self.kind, RedirectionKind::Descriptor | RedirectionKind::Here)
    }

    /// Returns true if it opens a file to read: neither a device that holds nothing of anybody, nor the output of a command.
    pub fn reads(&self) -> bool {
        const NO_FILE: [Option<&str>; 4] =
            [Some("/dev/null"), Some("/dev/zero"), Some("/dev/stdin"), Some("/dev/tty")];
        self.kind == RedirectionKind::Read
            && !self.target.raw.starts_with("<(")
            && !NO_FILE.contains(&self.target.value.as_deref())
    }
}

/// Folder that a step runs in, relative to the request's working directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Dir {
    /// In the request's own working directory.
    #[default]
    Same,
    /// In this path (absolute, or relative to the request's), because of a `cd` with a literal operand.
    Under(String),
    /// In one of these (each as in [`Dir::Under`], `.` for the request's own), by how a `cd` before it ended. A folder that a `cd ..`
    /// went back over is among them.
    OneOf(Vec<String>),
    /// Not known: a `cd` that may fail or whose operand is not literal. Relative program paths cannot be resolved.
    Unknown,
}

/// Reason why a request cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Stable kebab-case name (`empty-argv`, `empty-program`, `nul`, `too-long`, `too-deep`).
    pub code: &'static str,
    /// Problem and what would be right, in one sentence.
    pub message: &'static str,
}

impl Word {
    /// Returns a word whose value is exactly its text.
    pub fn literal(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { raw: text.clone(), value: Some(text) }
    }

    /// Returns the value, or the word as written if its value is only known at run time.
    pub fn text(&self) -> &str {
        self.value.as_deref().unwrap_or(&self.raw)
    }
}

impl Step {
    /// Returns the program's name as it would be looked up, where it is known.
    pub fn program(&self) -> Option<&str> {
        self.argv.first().and_then(|word| word.value.as_deref())
    }

    /// Returns the program's name without folders, where it is known.
    pub fn program_name(&self) -> Option<&str> {
        self.program()?.rsplit('/').next()
    }

    /// Returns the value of each word of the argv, where it is known before the run.
    pub fn known_words(&self) -> Vec<Option<&str>> {
        self.argv.iter().map(|word| word.value.as_deref()).collect()
    }

    /// Returns true if a redirection opens a file to read.
    pub fn reads_by_redirection(&self) -> bool {
        self.redirections.iter().any(Redirection::reads)
    }

    /// Returns true if a redirection opens a file to write.
    pub fn writes_by_redirection(&self) -> bool {
        self.redirections.iter().any(Redirection::writes)
    }

    /// Returns the argv where every word is known before the run.
    pub fn literal_argv(&self) -> Option<Vec<&str>> {
        self.argv.iter().map(|word| word.value.as_deref()).collect()
    }
}

impl ParsedCommand {
    /// Returns true if every part was understood.
    pub fn is_clear(&self) -> bool {
        self.invalid.is_none()
            && self.opaque.is_empty()
            && self.steps.iter().all(|step| step.opaque.is_none())
    }
}
