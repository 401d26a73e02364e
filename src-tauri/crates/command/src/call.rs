//! Program call on its way to becoming steps: the type that the readers of shell text and of argv pass on.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::guess::LONGEST;
use crate::{
    Assignment, CandidateCommand, Dialect, Dir, ListedWord, Note, Redirection, Role, Step, Unparsed,
    UnparsedSpan, Via, Word,
};

/// A word of a call, with where it stands in the request's text.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "nine facts about a word, none of which follows from another"
)]
pub(crate) struct Arg {
    pub(crate) word: Word,
    pub(crate) span: Range<usize>,
    /// Not known before the run, and it could turn out to begin with a dash.
    pub(crate) dash: bool,
    /// Not surely exactly one word: an expansion or a pattern that is not quoted, which may vanish or become several.
    pub(crate) several: bool,
    /// Not known before the run, and a word behind the first of those that it is split into could begin with a dash.
    pub(crate) splits: bool,
    /// True if its unknown part may be any text, or any path.
    pub(crate) free: bool,
    /// Beginning, if the rest is known only at run time.
    pub(crate) start: String,
    /// True if the request may have chosen any text as its value: from a substitution, a parameter, or a
    /// variable that it sets.
    pub(crate) chosen: bool,
    /// Not known before the run, but surely a number (`$?`, `$((…))`, a variable that is set to numbers only).
    pub(crate) number: bool,
    /// True if its unknown part may lead out of the folder that it begins in.
    pub(crate) strays: bool,
    /// True if its known part holds a `..`, so that it may lead anywhere.
    pub(crate) climbs: bool,
    /// True if the run makes a part of it: what a command prints, or a variable whose values the text does not write out.
    pub(crate) computed: bool,
}

impl Arg {
    /// Returns a word that is known.
    pub(crate) fn from_word(word: Word, span: Range<usize>) -> Self {
        Self { word, span, ..Self::default() }
    }

    pub(crate) fn from_value(value: impl Into<String>, span: Range<usize>) -> Self {
        let value = value.into();
        Self::from_word(Word { raw: crate::quote::quote_word(&value), value: Some(value) }, span)
    }

    /// Words that are only known at run time (`xargs` reads them from its input).
    pub(crate) fn unknown(raw: &str, span: Range<usize>, dash: bool) -> Self {
        let word = Word { raw: raw.to_owned(), value: None };
        Self {
            dash,
            several: true,
            splits: dash,
            free: true,
            chosen: true,
            strays: true,
            computed: true,
            ..Self::from_word(word, span)
        }
    }

    pub(crate) fn known_value(&self) -> Option<&str> {
        self.word.value.as_deref()
    }

    /// Returns true if it is a whole number, with a sign or without.
    pub(crate) fn is_number(&self) -> bool {
        self.known_value().map_or(self.number, |value| {
            let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    }
}

/// Standard input of a call, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Feed {
    /// The request's own standard input.
    #[default]
    Inherited,
    /// This text (a here-document, or `echo '…' |`).
    Text(String),
    /// Something else's output.
    Unknown,
}

/// A simple command before its wrappers are peeled off.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommandCall {
    pub(crate) args: Vec<Arg>,
    pub(crate) span: Range<usize>,
    pub(crate) via: Vec<Via>,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) redirections: Vec<Redirection>,
    pub(crate) piped: bool,
    pub(crate) dir: Dir,
    pub(crate) listed: Vec<ListedWord>,
    pub(crate) feed: Feed,
    /// The shell that looks the name up, with its builtins; `None` if a program is started directly.
    pub(crate) shell: Option<Dialect>,
    /// Number of wrappers and shells around it.
    pub(crate) depth: usize,
    /// The first thing that is not understood about it.
    pub(crate) opaque: Option<UnparsedSpan>,
}

impl CommandCall {
    pub(crate) fn program_name(&self) -> Option<&str> {
        self.args.first().and_then(Arg::known_value)
    }

    /// Notes why the call is not understood; the first reason stays, candidates add up.
    pub(crate) fn add_doubt(
        &mut self,
        code: Unparsed,
        what: impl Into<Note>,
        candidates: Vec<CandidateCommand>,
    ) {
        if let Some(opaque) = &mut self.opaque {
            opaque.candidates.extend(candidates);
            return;
        }
        self.opaque = Some(UnparsedSpan::new(code, what, self.span.clone()).with_candidates(candidates));
    }

    pub(crate) fn advise(&mut self, advice: &'static str) {
        if let Some(opaque) = &mut self.opaque {
            opaque.advise(advice);
        }
    }

    pub(crate) fn into_step(self, role: Role) -> Step {
        let computed = self.args.iter().skip(1).any(|arg| arg.computed);
        Step {
            argv: self.args.into_iter().map(|arg| arg.word).collect(),
            span: self.span,
            role,
            via: self.via,
            assignments: self.assignments,
            redirections: self.redirections,
            piped: self.piped,
            dir: self.dir,
            listed: self.listed,
            ways_out: Vec::new(),
            computed,
            script: None,
            opaque: self.opaque,
        }
    }

    /// Returns the commands that the rest of its words could be: every suffix that begins with a known word
    /// that is no option.
    ///
    /// The first ones are long; of hundreds each has few words, which is enough for a rule that denies a
    /// program or a subcommand.
    pub(crate) fn suffixes(&self, from: usize) -> Vec<CandidateCommand> {
        const LONG_ONES: usize = 32;
        const SHORTEST: usize = 3;
        let starts = (from..self.args.len())
            .filter(|&at| self.args[at].known_value().is_some_and(|v| !v.starts_with('-')));
        let words: Arc<[String]> =
            self.args.iter().map(|arg| arg.known_value().unwrap_or_default().to_owned()).collect();
        let guess = |(nth, at): (usize, usize)| {
            CandidateCommand::slice_words(&words, at, if nth < LONG_ONES { LONGEST } else { SHORTEST })
        };
        let mut seen = HashSet::new();
        starts.enumerate().map(guess).filter(|guess| seen.insert(guess.clone())).collect()
    }
}

/// Collected results of reading a request.
#[derive(Debug, Default)]
pub(crate) struct ParseResults {
    pub(crate) steps: Vec<Step>,
    pub(crate) opaque: Vec<UnparsedSpan>,
    /// Spans of the bodies of here-documents.
    pub(crate) bodies: Vec<Range<usize>>,
    /// Cost of the reading so far, texts inside texts included (see `shell::bounds`).
    pub(crate) cost: usize,
    /// The person's home folder, where it is known.
    pub(crate) home: Option<String>,
    /// A function stands, or may stand, for a program whose output is known.
    pub(crate) redefined: bool,
    /// Names that `unset` was told in the shell that reads the text, also in what `eval` or a trap would run.
    pub(crate) unset: Vec<String>,
}

/// Functions that a text defines. True: defined for certain before the calls that follow.
pub(crate) type Functions = HashMap<String, bool>;
