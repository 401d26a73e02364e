//! Parts of a request that were not understood, as facts: `contract::render` makes the sentences.

use std::ops::Range;

use crate::{CandidateCommand, Note};

/// A part that was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnparsedSpan {
    pub kind: Unparsed,
    /// Span in [`ParsedCommand::text`](crate::ParsedCommand::text) (bytes).
    pub span: Range<usize>,
    /// Commands that it may run, as far as they can be guessed: every candidate is looked at by deny rules, none by
    /// allow rules. More than [`MOST_GUESSES`](crate::MOST_GUESSES) are not all of them.
    pub candidates: Vec<CandidateCommand>,
    /// Private, so that nothing is decided by it.
    note: Note,
    /// Advice to the agent on what to write instead.
    advice: Option<&'static str>,
}

impl UnparsedSpan {
    pub(crate) fn new(kind: Unparsed, note: impl Into<Note>, span: Range<usize>) -> Self {
        Self { kind, span, candidates: Vec::new(), note: note.into(), advice: None }
    }

    /// Adds the commands that it may run.
    pub(crate) fn with_candidates(self, candidates: Vec<CandidateCommand>) -> Self {
        Self { candidates, ..self }
    }

    /// Adds the advice to an agent on what to write instead.
    pub(crate) fn advised(self, advice: Option<&'static str>) -> Self {
        Self { advice, ..self }
    }

    /// Keeps the first advice.
    pub(crate) fn advise(&mut self, advice: &'static str) {
        self.advice.get_or_insert(advice);
    }

    /// Returns what an agent could write instead, for a person or an agent to read.
    pub fn advice(&self) -> Option<&'static str> {
        self.advice
    }

    /// Returns what is not understood about the part, as a sentence fragment to be rendered.
    pub fn note(&self) -> &Note {
        &self.note
    }
}

/// The construct that was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unparsed {
    Alias,
    /// A `$'…'` that shells read differently.
    AnsiQuote,
    /// An arithmetic expression, which can run commands.
    Arithmetic,
    /// A substitution in backquotes that shells read differently.
    Backquotes,
    /// A builtin whose effect is not followed.
    Builtin,
    /// A line continuation whose meaning is hard to follow.
    Continuation,
    /// A program that is known only at run time.
    DynamicProgram,
    /// A change of what later names mean.
    Enable,
    /// A variable that may decide what a program does.
    Environment,
    /// A text that `eval` runs.
    Eval,
    /// A function that may not be defined, or that stands for a program.
    Function,
    /// A function whose name stands for something else.
    FunctionName,
    /// A change of the shell's table of programs.
    Hash,
    /// A here-document that shells read differently.
    HereDocument,
    /// Code, or a script, that stands in no file that is known.
    InlineCode,
    /// Code that an interpreter reads from its input.
    InputCode,
    /// An interpreter whose options are not followed.
    Interpreter,
    /// Characters that cannot be seen.
    InvisibleCharacters,
    /// A redirection to another machine.
    NetworkRedirect,
    /// Syntax that macOS's bash does not have.
    NewerBash,
    /// Syntax that only some shells called `sh` have.
    NotPosix,
    /// A text that could not be read in full.
    NotRead,
    /// A parameter expansion that is not followed.
    ParameterExpansion,
    /// A text that two parsers read differently.
    ParsersDisagree,
    /// A pattern that is computed at run time.
    Pattern,
    /// A program whose name is unusual or computed.
    ProgramName,
    /// A redirection to a file that is known only at run time.
    RedirectTarget,
    /// A shell whose language is not read.
    Shell,
    /// A shell that reads its commands from its input.
    ShellInput,
    /// A file whose commands the shell runs.
    Source,
    /// A text that is too long or too deep to follow.
    TooDeep,
    /// A string that is translated at run time.
    TranslatedString,
    /// An option of a program that runs others, which is not known.
    UnknownFlag,
    /// A program that runs others in a way that is not followed.
    Wrapper,
    /// An expansion that only zsh has.
    ZshExpansion,
    /// Syntax that only zsh has.
    ZshSyntax,
}
