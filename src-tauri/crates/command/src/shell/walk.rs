//! The second reading: shuck's tree walked statement by statement, each construct understood or named as not.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use shuck_ast::{
    BackgroundOperator, BinaryOp, Command, CompoundCommand, Redirect, Span, Stmt, StmtSeq, StmtTerminator,
    WordPartNode,
};
use shuck_parser::parser::{Parser, ShellDialect};

use super::around::{Around, Below, LoopList, Made, Pass};

use super::flow::{self, After};
use super::fold::Folded;
use super::gate::Outline;
use super::heredocs::HereDocument;
use super::scanned::{Scanned, WordProblem, WordScope};
use super::span::byte_range;
use super::variables::Variables;
use super::word;
use super::{Nest, candidates};
use crate::call::{Feed, Functions, ParseResults};
use crate::{Dialect, Dir, Unparsed, UnparsedSpan};

/// Statements inside statements that are followed.
const DEEPEST: usize = 16;

/// Findings of a walk over a text.
pub(super) struct WalkResult {
    pub(super) found: ParseResults,
    pub(super) outline: Outline,
    /// The parser had nothing to repair.
    pub(super) clean: bool,
    pub(super) single: Option<Vec<String>>,
    /// Plain characters that the other parser would misread.
    pub(super) masks: Vec<Range<usize>>,
    pub(super) here_documents: Vec<HereDocument>,
}

/// Walks a text; `None` if the parser gives up.
///
/// The values of the line's variables are found first, by walking without a look at what runs until nothing
/// new is learnt. `start` is what was found up to here. The parser panics on some texts with characters
/// beyond ASCII in backquotes, and on others that are not known yet.
pub(super) fn walk_text(nest: &Nest<'_>, folded: &Folded, start: &ParseResults) -> Option<WalkResult> {
    let dialect = match nest.dialect {
        Dialect::Posix | Dialect::Bash => ShellDialect::Bash,
        Dialect::Zsh => ShellDialect::Zsh,
    };
    let parsed = std::panic::catch_unwind(|| Parser::with_dialect(&folded.text, dialect).parse()).ok()?;
    let mut variables =
        Variables { hopeful: folded.text.contains('$'), redefined: start.redefined, ..Variables::default() };
    let mut settled = None;
    for _ in 0..4 {
        let mut walk = Walk { pass: Pass::Learning, ..Walk::new(nest, folded, &variables, start) };
        walk.walk_sequence(&parsed.file.body, &Around::top_level(nest));
        let mut learnt = walk.learnt();
        learnt.redefined |= start.redefined;
        if !variables.hopeful && learnt == variables {
            settled = Some(learnt);
            break;
        }
        variables = learnt;
    }
    let variables = settled.unwrap_or(Variables {
        moves: true,
        unsettled: true,
        sets: true,
        redefined: true,
        ..Variables::default()
    });
    let mut walk = Walk::new(nest, folded, &variables, start);
    walk.walk_sequence(&parsed.file.body, &Around::top_level(nest));
    Some(walk.finish(parsed.is_ok()))
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
    pub(super) pass: Pass,
    /// Names that may be arrays.
    pub(super) arrays: HashSet<String>,
    /// Names that are declared with text that is known only at run time.
    pub(super) declared: Vec<(String, Range<usize>)>,
    pub(super) outline: Outline,
    pub(super) made: Vec<(String, Made)>,
    /// Number of those that are only given to the program behind them.
    pub(super) given: usize,
    /// Number of assignments to each that lead nowhere else, and the value.
    pub(super) below: HashMap<String, (usize, Below)>,
    /// Number of lists that set each.
    pub(super) looped: HashMap<String, usize>,
    /// Lists around the statement, the outermost first.
    pub(super) lists: Vec<LoopList>,
    /// Loops that were met so far.
    pub(super) repeats: usize,
    /// Calls of functions that were met so far.
    pub(super) called: usize,
    /// Loops that may change the directory, by where their bodies begin.
    pub(super) moving: HashSet<usize>,
    /// Variables whose value is known from here on.
    pub(super) constants: HashMap<String, String>,
    pub(super) found: ParseResults,
    pub(super) singles: Vec<Option<Vec<String>>>,
    /// Plain characters that the other parser would misread: escapes in here-documents, lone dashes.
    pub(super) masks: Vec<Range<usize>>,
    pub(super) here_documents: Vec<HereDocument>,
}

impl<'w> Walk<'w> {
    fn new(nest: &'w Nest<'w>, folded: &'w Folded, variables: &'w Variables, start: &ParseResults) -> Self {
        let text = folded.text.as_str();
        let has = |name: &str| has_word(text, name);
        Self {
            nest,
            folded,
            variables,
            text,
            functions: Functions::new(),
            moved: false,
            unsettled: false,
            shifts: has("shift") || has("set"),
            pass: Pass::Reading,
            arrays: HashSet::new(),
            declared: Vec::new(),
            outline: Outline::default(),
            made: Vec::new(),
            given: 0,
            below: HashMap::new(),
            looped: HashMap::new(),
            lists: Vec::new(),
            repeats: 0,
            called: 0,
            moving: HashSet::new(),
            constants: HashMap::new(),
            found: ParseResults {
                cost: start.cost,
                home: nest.home.map(str::to_owned),
                redefined: variables.redefined,
                ..ParseResults::default()
            },
            singles: Vec::new(),
            masks: Vec::new(),
            here_documents: Vec::new(),
        }
    }

    fn learnt(&self) -> Variables {
        let mut learnt = Variables {
            moves: self.moved,
            unsettled: self.unsettled,
            sets: self.made.len() > self.given,
            redefined: self.found.redefined || self.unsettled,
            moving: self.moving.clone(),
            ..Variables::default()
        };
        if self.unsettled {
            return learnt;
        }
        // These change what an assignment means.
        let declares = ["declare", "typeset", "local", "integer", "float", "IFS"];
        let declares = declares.into_iter().any(|name| has_word(self.text, name));
        // A function that is called in the body of a loop may have a list of its own.
        let mut groups = self.text.split('(').skip(1);
        let defines =
            has_word(self.text, "function") || groups.any(|rest| rest.trim_start().starts_with(')'));
        let mut all: HashMap<&str, (Made, usize)> = HashMap::new();
        for (name, made) in &self.made {
            let (known, times) = all.entry(name).or_insert((*made, 0));
            *known = (*known).max(*made);
            *times += 1;
        }
        for (name, (known, times)) in all {
            if times == 1 && !declares {
                learnt.once.insert(name.to_owned());
            }
            if self.looped.get(name) == Some(&times) && !declares && (times == 1 || !defines) {
                learnt.looped.insert(name.to_owned());
            }
            let names = match known {
                Made::Number => &mut learnt.numbers,
                Made::Tame => &mut learnt.tame,
                Made::Plain => &mut learnt.plain,
                Made::Wild => &mut learnt.wild,
            };
            names.insert(name.to_owned());
        }
        for (name, (times, values)) in &self.below {
            // Each time that it is set has to be one of those.
            if self.made.iter().filter(|(made, _)| made == name).count() == *times {
                learnt.below.insert(name.clone(), values.clone());
            }
        }
        learnt
    }

    fn finish(mut self, clean: bool) -> WalkResult {
        self.check_functions();
        self.check_declared();
        self.outline.sort_commands();
        let single = if let [single] = self.singles.as_mut_slice() { single.take() } else { None };
        let (masks, here_documents) = (self.masks, self.here_documents);
        WalkResult { found: self.found, outline: self.outline, clean, single, masks, here_documents }
    }

    /// Checks functions: `unset NAME` brings the program back that a function of that name stood for; so may
    /// one in a loop, or in `eval`.
    fn check_functions(&mut self) {
        if self.found.unset.iter().any(|name| self.functions.contains_key(name)) {
            let what = "a function of this text is unset again";
            let problem = WordProblem {
                code: Unparsed::Function,
                what,
                advice: Some("give the function another name"),
            };
            self.add_doubt(&(0..self.text.len()), problem);
        }
    }

    /// Checks texts that are declared to be the value of an array: bash evaluates them.
    fn check_declared(&mut self) {
        for (name, span) in std::mem::take(&mut self.declared) {
            if self.arrays.contains(&name) {
                let what = "bash evaluates a text that is made an array";
                self.add_doubt(&span, WordProblem { code: Unparsed::Arithmetic, what, advice: None });
            }
        }
    }

    /// Returns the position of folded text in the request's text. The parser's own spans may run past the
    /// end.
    pub(super) fn request_range(&self, range: &Range<usize>) -> Range<usize> {
        let within = |offset: usize| self.text.floor_char_boundary(offset.min(self.text.len()));
        let range = within(range.start)..within(range.end).max(within(range.start));
        self.nest.place.locate(&self.folded.original(&range))
    }

    /// Notes where the body of a here-document stands in the request's text, if it does character by character.
    pub(super) fn note_body(&mut self, body: &Range<usize>) {
        if self.nest.place.base.is_some() {
            let body = self.request_range(body);
            self.found.bodies.push(body);
        }
    }

    /// Returns the text as written, continuations included.
    pub(super) fn raw_text(&self, range: &Range<usize>) -> String {
        self.nest.text.get(self.folded.original(range)).unwrap_or_default().to_owned()
    }

    pub(super) fn slice_text(&self, range: &Range<usize>) -> &'w str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// Notes a part that is not understood; deny rules look at what it may run.
    pub(super) fn add_doubt(&mut self, range: &Range<usize>, problem: WordProblem) {
        if self.pass == Pass::Learning {
            return;
        }
        let opaque = UnparsedSpan::new(problem.code, problem.what, self.request_range(range))
            .with_candidates(candidates(self.slice_text(range)))
            .advised(problem.advice);
        self.found.opaque.push(opaque);
    }

    pub(super) fn beyond_posix(&mut self, range: &Range<usize>) {
        if self.nest.dialect == Dialect::Posix {
            let what = "`sh` is another shell on each system, and they read this differently";
            self.add_doubt(
                range,
                WordProblem { code: Unparsed::NotPosix, what, advice: Some("use `bash -c`") },
            );
        }
    }

    /// Returns the directory of something that may run later or more than once.
    pub(super) fn settled(&self, dir: &Dir) -> Dir {
        if self.variables.moves { Dir::Unknown } else { dir.clone() }
    }

    pub(super) fn parameters(&self, around: &Around) -> Option<&'w [String]> {
        self.nest.parameters.as_deref().filter(|_| around.own_parameters && !self.shifts)
    }

    pub(super) fn word_scope(&self, around: &Around) -> WordScope<'_> {
        WordScope {
            source: self.text,
            dialect: self.nest.dialect,
            parameters: self.parameters(around),
            home: self.nest.home,
            variables: self.variables,
            constants: &self.constants,
        }
    }

    pub(super) fn scan_word<'a>(
        &mut self,
        span: Span,
        parts: &'a [WordPartNode],
        around: &Around,
    ) -> Scanned<'a> {
        let scanned = word::scan_word(self.word_scope(around), byte_range(span), parts);
        self.made.extend(scanned.sets.iter().map(|(name, _)| (name.clone(), Made::Wild)));
        self.masks.extend(scanned.qualifiers.clone());
        scanned
    }

    /// Walks the commands of substitutions: each in a shell of its own.
    pub(super) fn walk_bodies(&mut self, bodies: &[&StmtSeq], around: &Around) {
        for body in bodies {
            let inside = Around {
                redirections: Vec::new(),
                feed: Feed::Inherited,
                piped: false,
                reads_file: matches!(body.stmts.as_slice(), [only] if only.redirects.len() == 1),
                ..around.inside(around.dir.clone())
            };
            self.singles.push(None);
            self.walk_own_shell(body, &inside);
        }
    }

    pub(super) fn walk_sequence(&mut self, sequence: &StmtSeq, around: &Around) -> After {
        let mut after = After::same_folder(&around.dir);
        for statement in &sequence.stmts {
            let here = Around { dir: flow::folder_at(after.either()), ..around.clone() };
            after = self.walk_statement(statement, &here);
        }
        after
    }

    pub(super) fn walk_statement(&mut self, statement: &Stmt, around: &Around) -> After {
        let span = byte_range(statement.span);
        if !matches!(statement.terminator, Some(StmtTerminator::Background(_))) {
            return self.foreground(statement, around);
        }
        // In a shell of its own: functions that it defines and folders that it enters are not seen afterwards.
        self.singles.push(None);
        self.foreground(statement, &Around { certain: false, ..around.clone() });
        if statement.terminator != Some(StmtTerminator::Background(BackgroundOperator::Plain)) {
            let what = "different shells read it differently";
            self.add_doubt(&span, WordProblem { code: Unparsed::ZshSyntax, what, advice: None });
        }
        After::same_folder(&around.dir)
    }

    fn foreground(&mut self, statement: &Stmt, around: &Around) -> After {
        let span = byte_range(statement.span);
        if around.nesting > DEEPEST {
            let what = "it has statements inside statements, too deep to follow";
            self.add_doubt(
                &span,
                WordProblem { code: Unparsed::TooDeep, what, advice: Some("split it into several commands") },
            );
            return After::same_folder(&Dir::Unknown);
        }
        if statement.negated {
            self.singles.push(None);
        }
        self.check_clobber(statement);
        let after = match &statement.command {
            Command::Simple(command) => self.walk_simple(command, statement, around),
            Command::Builtin(command) => self.typed_builtin(command, statement, around),
            Command::Decl(command) => self.walk_declaration(command, statement, around),
            Command::Binary(_) => self.walk_chain(statement, around),
            Command::Compound(command) => {
                self.singles.push(None);
                let inner = self.with_redirections(statement, around);
                self.walk_compound(command, &span, &inner)
            }
            Command::Function(function) => {
                self.singles.push(None);
                let inner = self.with_redirections(statement, around);
                self.walk_function(function, &inner);
                After::same_folder(&around.dir)
            }
            Command::AnonymousFunction(function) => {
                let what = "a function has no name";
                self.add_doubt(&span, WordProblem { code: Unparsed::ZshSyntax, what, advice: None });
                self.walk_statement(&function.body, &around.inside(Dir::Unknown));
                After::same_folder(&Dir::Unknown)
            }
        };
        if statement.negated { after.swapped() } else { after }
    }

    /// Checks for zsh's `>!`, which overwrites: the target is the next word, and what seems to be the program
    /// is not.
    fn check_clobber(&mut self, statement: &Stmt) {
        let marked = |redirect: &Redirect| {
            redirect
                .word_target()
                .is_some_and(|word| self.slice_text(&byte_range(word.span)).starts_with('!'))
        };
        if self.nest.dialect == Dialect::Zsh && statement.redirects.iter().any(marked) {
            let what = "`>!` is read differently by different shells";
            let problem = WordProblem { code: Unparsed::ZshSyntax, what, advice: Some("write `>|`") };
            self.add_doubt(&byte_range(statement.span), problem);
        }
    }

    /// Checks `time` after a pipe: bash runs a program of that name; to zsh it is a keyword there too.
    fn check_time(&mut self, piped: &Stmt) {
        let timed = matches!(&piped.command, Command::Compound(CompoundCommand::Time(_)));
        if timed && self.nest.dialect != Dialect::Zsh {
            let what = "`time` behind a pipe is a program to some shells and a keyword to others";
            let advice = Some("write `time` before the whole pipeline");
            self.add_doubt(
                &byte_range(piped.span),
                WordProblem { code: Unparsed::ProgramName, what, advice },
            );
        }
    }

    /// Walks `a && b || c | d`: unrolled, since a chain may be a thousand links long.
    fn walk_chain(&mut self, statement: &Stmt, around: &Around) -> After {
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
        let mut after = self.walk_statement(first, &start);
        let mut left = first;
        while let Some((op, right, op_span, negated)) = links.pop() {
            let by_pipe = matches!(op, BinaryOp::Pipe | BinaryOp::PipeAll);
            let feed = if by_pipe {
                self.check_time(right);
                self.output(left)
            } else {
                around.feed.clone()
            };
            let dir = match op {
                BinaryOp::And => flow::folder_at(after.ok.clone()),
                BinaryOp::Or => flow::folder_at(after.failed.clone()),
                BinaryOp::Pipe | BinaryOp::PipeAll => around.dir.clone(),
            };
            let next = self.walk_statement(
                right,
                &Around { dir, feed, piped: by_pipe || around.piped, ..inside.clone() },
            );
            after = match op {
                BinaryOp::And => After { ok: next.ok, failed: flow::join_folders(after.failed, next.failed) },
                BinaryOp::Or => After { ok: flow::join_folders(after.ok, next.ok), failed: next.failed },
                BinaryOp::Pipe => After::same_folder(&around.dir),
                // The bash that comes with macOS refuses the whole text; other shells of the name `sh` start a coprocess.
                BinaryOp::PipeAll => {
                    self.beyond_posix(&byte_range(op_span));
                    After::same_folder(&around.dir)
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

/// Returns true if a word stands in a text, whatever is around it.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|one| one == word)
}
