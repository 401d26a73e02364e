//! The second reading: shuck's tree walked statement by statement, each construct understood or named as not.

use std::collections::HashMap;
use std::ops::Range;

use shuck_ast::{BackgroundOperator, BinaryOp, Command, Span, Stmt, StmtSeq, StmtTerminator, WordPartNode};
use shuck_parser::parser::{Parser, ShellDialect};

use super::flow::{self, After};
use super::fold::Folded;
use super::gate::Outline;
use super::word::{self, Problem, Scanned, Scope, Variables};
use super::{Nest, candidates};
use crate::call::{Feed, Found, Functions};
use crate::{Dialect, Dir, Opaque, Redirection};

/// Statements inside statements that are followed.
const DEEPEST: usize = 16;

/// What a walk over a text found.
pub(super) struct Read {
    pub(super) found: Found,
    pub(super) outline: Outline,
    /// The parser had nothing to repair.
    pub(super) clean: bool,
    pub(super) single: Option<Vec<String>>,
    /// Where a dollar or backquote is escaped in a here-document.
    pub(super) escapes: Vec<usize>,
}

/// Walks a text. What the line makes of its variables is found by walking until nothing new is learnt.
pub(super) fn read(nest: &Nest<'_>, folded: &Folded) -> Read {
    let dialect = match nest.dialect {
        Dialect::Posix | Dialect::Bash => ShellDialect::Bash,
        Dialect::Zsh => ShellDialect::Zsh,
    };
    let parsed = Parser::with_dialect(&folded.text, dialect).parse();
    let mut variables = Variables { hopeful: folded.text.contains('$'), ..Variables::default() };
    for _ in 0..4 {
        let mut walk = Walk::new(nest, folded, &variables);
        walk.sequence(&parsed.file.body, &Around::top(nest));
        let learnt = walk.learnt();
        if !variables.hopeful && learnt == variables {
            return walk.finish(parsed.is_ok());
        }
        variables = learnt;
    }
    let nothing = Variables { moves: true, ..Variables::default() };
    let mut walk = Walk::new(nest, folded, &nothing);
    walk.sequence(&parsed.file.body, &Around::top(nest));
    walk.finish(parsed.is_ok())
}

/// What an assignment makes of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    Number,
    Tame,
    Wild,
}

/// What is around a statement.
#[derive(Debug, Clone)]
pub(super) struct Around {
    pub(super) dir: Dir,
    pub(super) redirections: Vec<Redirection>,
    pub(super) feed: Feed,
    /// Reached for certain, once, in the line's own shell.
    pub(super) certain: bool,
    /// `$1` and the like still mean what the text was started with.
    pub(super) own_parameters: bool,
    pub(super) nesting: usize,
}

impl Around {
    fn top(nest: &Nest<'_>) -> Self {
        Self {
            dir: nest.dir.clone(),
            redirections: nest.redirections.clone(),
            feed: nest.feed.clone(),
            certain: true,
            own_parameters: true,
            nesting: 0,
        }
    }

    pub(super) fn inside(&self, dir: Dir) -> Self {
        Self { dir, certain: false, nesting: self.nesting + 1, ..self.clone() }
    }
}

pub(super) struct Walk<'w> {
    pub(super) nest: &'w Nest<'w>,
    folded: &'w Folded,
    pub(super) variables: &'w Variables,
    pub(super) text: &'w str,
    pub(super) functions: Functions,
    /// A `cd` was met: loops and functions run in a directory that is not known.
    pub(super) moved: bool,
    /// Something was met that may set any variable.
    pub(super) unsettled: bool,
    shifts: bool,
    pub(super) outline: Outline,
    pub(super) made: Vec<(String, Made)>,
    pub(super) found: Found,
    pub(super) singles: Vec<Option<Vec<String>>>,
    /// Escapes in here-documents, which the other parser does not know.
    pub(super) escapes: Vec<usize>,
}

impl<'w> Walk<'w> {
    fn new(nest: &'w Nest<'w>, folded: &'w Folded, variables: &'w Variables) -> Self {
        let text = folded.text.as_str();
        let has = |name: &str| text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name);
        Self {
            nest,
            folded,
            variables,
            text,
            functions: Functions::new(),
            moved: false,
            unsettled: false,
            shifts: has("shift") || has("set"),
            outline: Outline::default(),
            made: Vec::new(),
            found: Found::default(),
            singles: Vec::new(),
            escapes: Vec::new(),
        }
    }

    fn learnt(&self) -> Variables {
        let mut learnt = Variables { moves: self.moved, ..Variables::default() };
        if self.unsettled {
            return learnt;
        }
        let mut all: HashMap<&str, (bool, bool)> = HashMap::new();
        for (name, made) in &self.made {
            let (number, tame) = all.entry(name).or_insert((true, true));
            *number &= *made == Made::Number;
            *tame &= *made != Made::Wild;
        }
        for (name, known) in all {
            match known {
                (true, _) => learnt.numbers.insert(name.to_owned()),
                (false, true) => learnt.tame.insert(name.to_owned()),
                (false, false) => false,
            };
        }
        learnt
    }

    fn finish(mut self, clean: bool) -> Read {
        self.outline.sort();
        let single = if let [single] = self.singles.as_mut_slice() { single.take() } else { None };
        Read { found: self.found, outline: self.outline, clean, single, escapes: self.escapes }
    }

    /// Where something of the folded text stands in the request's text. The parser's own spans may run past the end.
    pub(super) fn place(&self, range: &Range<usize>) -> Range<usize> {
        let within = |offset: usize| self.text.floor_char_boundary(offset.min(self.text.len()));
        let range = within(range.start)..within(range.end).max(within(range.start));
        self.nest.place.locate(&self.folded.original(&range))
    }

    /// As written, continuations included.
    pub(super) fn raw(&self, range: &Range<usize>) -> String {
        self.nest.text.get(self.folded.original(range)).unwrap_or_default().to_owned()
    }

    pub(super) fn slice(&self, range: &Range<usize>) -> &'w str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// Notes a part that is not understood; deny rules look at what it may run.
    pub(super) fn doubt(&mut self, range: &Range<usize>, problem: Problem) {
        let opaque = Opaque {
            code: problem.code,
            what: problem.what.to_owned(),
            advice: problem.advice.map(str::to_owned),
            span: self.place(range),
            candidates: candidates(self.slice(range)),
        };
        self.found.opaque.push(opaque);
    }

    pub(super) fn beyond_posix(&mut self, range: &Range<usize>) {
        if self.nest.dialect == Dialect::Posix {
            let what = "`sh` is another shell on each system, and they read this differently";
            self.doubt(range, Problem { code: "not-posix", what, advice: Some("use `bash -c`") });
        }
    }

    /// The directory of something that may run later or more than once.
    pub(super) fn settled(&self, dir: &Dir) -> Dir {
        if self.variables.moves { Dir::Unknown } else { dir.clone() }
    }

    pub(super) fn parameters(&self, around: &Around) -> Option<&'w [String]> {
        self.nest.parameters.as_deref().filter(|_| around.own_parameters && !self.shifts)
    }

    pub(super) fn scope(&self, around: &Around) -> Scope<'w> {
        Scope {
            source: self.text,
            dialect: self.nest.dialect,
            parameters: self.parameters(around),
            variables: self.variables,
        }
    }

    pub(super) fn scan<'a>(&self, span: Span, parts: &'a [WordPartNode], around: &Around) -> Scanned<'a> {
        word::scan(self.scope(around), range(span), parts)
    }

    /// The commands of substitutions: each in a shell of its own.
    pub(super) fn bodies(&mut self, bodies: &[&StmtSeq], around: &Around) {
        for body in bodies {
            let inside = Around {
                redirections: Vec::new(),
                feed: Feed::Inherited,
                ..around.inside(around.dir.clone())
            };
            self.singles.push(None);
            self.sequence(body, &inside);
        }
    }

    pub(super) fn sequence(&mut self, sequence: &StmtSeq, around: &Around) -> After {
        let mut after = After::same(&around.dir);
        for statement in &sequence.stmts {
            let here = Around { dir: flow::at(after.either()), ..around.clone() };
            after = self.statement(statement, &here);
        }
        after
    }

    pub(super) fn statement(&mut self, statement: &Stmt, around: &Around) -> After {
        let span = range(statement.span);
        if around.nesting > DEEPEST {
            let what = "statements inside statements, too deep to follow";
            self.doubt(
                &span,
                Problem { code: "too-deep", what, advice: Some("split it into several commands") },
            );
            return After::same(&Dir::Unknown);
        }
        if statement.negated {
            self.singles.push(None);
        }
        let after = match &statement.command {
            Command::Simple(command) => self.simple(command, statement, around),
            Command::Builtin(command) => self.typed_builtin(command, statement, around),
            Command::Decl(command) => self.declaration(command, statement, around),
            Command::Binary(_) => self.chain(statement, around),
            Command::Compound(command) => {
                self.singles.push(None);
                let inner = self.with_redirections(statement, around);
                self.compound(command, &span, &inner)
            }
            Command::Function(function) => {
                self.singles.push(None);
                let inner = self.with_redirections(statement, around);
                self.function(function, &inner);
                After::same(&around.dir)
            }
            Command::AnonymousFunction(_) => {
                let what = "a function without a name";
                self.doubt(&span, Problem { code: "zsh-syntax", what, advice: None });
                After::same(&Dir::Unknown)
            }
        };
        match statement.terminator {
            Some(StmtTerminator::Background(BackgroundOperator::Plain)) => {
                self.singles.push(None);
                After::same(&around.dir)
            }
            Some(StmtTerminator::Background(_)) => {
                let what = "read differently by different shells";
                self.doubt(&span, Problem { code: "zsh-syntax", what, advice: None });
                After::same(&around.dir)
            }
            Some(StmtTerminator::Semicolon) | None if statement.negated => after.swapped(),
            Some(StmtTerminator::Semicolon) | None => after,
        }
    }

    /// `a && b || c | d`: unrolled, since a chain may be a thousand links long.
    fn chain(&mut self, statement: &Stmt, around: &Around) -> After {
        let mut links = Vec::new();
        let mut first = statement;
        while let Command::Binary(binary) = &first.command {
            links.push((binary.op, binary.right.as_ref(), binary.op_span, first.negated));
            first = binary.left.as_ref();
        }
        let piped = |op: Option<&(BinaryOp, &Stmt, Span, bool)>| {
            matches!(op, Some((BinaryOp::Pipe | BinaryOp::PipeAll, ..)))
        };
        let inside = around.inside(around.dir.clone());
        let start = Around { certain: around.certain && !piped(links.last()), ..inside.clone() };
        let mut after = self.statement(first, &start);
        let mut left = first;
        while let Some((op, right, op_span, negated)) = links.pop() {
            let feed = if matches!(op, BinaryOp::Pipe | BinaryOp::PipeAll) {
                self.output(left)
            } else {
                around.feed.clone()
            };
            let dir = match op {
                BinaryOp::And => flow::at(after.ok.clone()),
                BinaryOp::Or => flow::at(after.failed.clone()),
                BinaryOp::Pipe | BinaryOp::PipeAll => around.dir.clone(),
            };
            let next = self.statement(right, &Around { dir, feed, ..inside.clone() });
            after = match op {
                BinaryOp::And => After { ok: next.ok, failed: flow::join(after.failed, next.failed) },
                BinaryOp::Or => After { ok: flow::join(after.ok, next.ok), failed: next.failed },
                BinaryOp::Pipe => After::same(&around.dir),
                BinaryOp::PipeAll => {
                    let what = "`|&` is not known to the bash that comes with macOS";
                    self.doubt(
                        &range(op_span),
                        Problem { code: "newer-bash", what, advice: Some("write `2>&1 |`") },
                    );
                    After::same(&around.dir)
                }
            };
            if negated && !links.is_empty() {
                after = after.swapped();
            }
            left = right;
        }
        after
    }
}

pub(super) fn range(span: Span) -> Range<usize> {
    span.start.offset()..span.end.offset()
}
