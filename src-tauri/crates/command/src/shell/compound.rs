//! Compound commands: what is inside runs, so it is walked; what is not followed is named.

use std::ops::Range;

use shuck_ast::{
    ArithmeticForCommand, CaseCommand, CaseTerminator, CompoundCommand, ConditionalExpr,
    ConditionalUnaryExpr, ConditionalUnaryOp, ForCommand, FunctionDef, IfCommand, StmtSeq, Word,
};

use super::around::{Around, Below, Made, Pass};
use super::expansion::{self, is_name};
use super::flow::{self, After};
use super::output;
use super::scanned::WordProblem;
use super::span::byte_range;
use super::walk::Walk;
use super::word;
use crate::programs::{ProgramClass, class_of};
use crate::{Dialect, Dir, Role, Step, Unparsed, builtins};

const ZSH_SYNTAX: WordProblem = WordProblem {
    code: Unparsed::ZshSyntax,
    what: "only zsh has this, and other shells read it otherwise",
    advice: None,
};

impl Walk<'_> {
    pub(super) fn walk_compound(
        &mut self,
        command: &CompoundCommand,
        span: &Range<usize>,
        around: &Around,
    ) -> After {
        let here = After::same_folder(&around.dir);
        match command {
            CompoundCommand::If(command) => return self.walk_conditional(command, around),
            CompoundCommand::For(command) => return self.walk_for(command, around),
            CompoundCommand::While(command) => {
                return self.walk_loop(Some(&command.condition), &command.body, around);
            }
            CompoundCommand::Until(command) => {
                return self.walk_loop(Some(&command.condition), &command.body, around);
            }
            CompoundCommand::ArithmeticFor(command) => return self.walk_counted_for(command, span, around),
            CompoundCommand::Case(command) => return self.walk_case(command, around),
            CompoundCommand::BraceGroup(body) => {
                return self.walk_sequence(
                    body,
                    &Around { certain: around.certain, ..around.inside(around.dir.clone()) },
                );
            }
            CompoundCommand::Subshell(body) => {
                self.walk_own_shell(body, &around.inside(around.dir.clone()));
            }
            CompoundCommand::Time(command) => {
                self.beyond_posix(span);
                return match &command.command {
                    Some(timed) => self.walk_statement(timed, &around.inside(around.dir.clone())),
                    None => here,
                };
            }
            CompoundCommand::Arithmetic(_) => {
                self.beyond_posix(span);
                if let Err(problem) = self.arithmetic(span) {
                    self.add_doubt(span, problem);
                }
                self.expression_step(span, "((", around);
            }
            CompoundCommand::Conditional(command) => {
                self.beyond_posix(span);
                self.walk_test(&command.expression, around);
                self.expression_step(span, "[[", around);
            }
            CompoundCommand::Select(command) => {
                self.beyond_posix(span);
                self.walk_words(&command.words, around);
                self.made.push((command.variable.as_str().to_owned(), Made::Wild));
                self.name_is_safe(command.variable.as_str(), span);
                return self.walk_loop(None, &command.body, around);
            }
            CompoundCommand::Coproc(_)
            | CompoundCommand::Repeat(_)
            | CompoundCommand::Foreach(_)
            | CompoundCommand::Always(_) => return self.of_some_shells(command, span, around),
        }
        here
    }

    /// Walks a construct that only some shells have. The inside is walked all the same: deny rules look at
    /// it.
    fn of_some_shells(&mut self, command: &CompoundCommand, span: &Range<usize>, around: &Around) -> After {
        match command {
            // The bash that comes with macOS runs a program of the name `coproc` instead.
            CompoundCommand::Coproc(command) => {
                if self.nest.dialect != Dialect::Zsh {
                    let what = "the bash of macOS doesn’t know `coproc`";
                    self.add_doubt(
                        span,
                        WordProblem { code: Unparsed::NewerBash, what, advice: Some("write `&` behind it") },
                    );
                }
                self.walk_statement(&command.body, &around.inside(around.dir.clone()));
            }
            CompoundCommand::Repeat(command) => {
                self.add_doubt(span, ZSH_SYNTAX);
                self.walk_words(std::slice::from_ref(&command.count), around);
                return self.walk_loop(None, &command.body, around);
            }
            CompoundCommand::Foreach(command) => {
                self.add_doubt(span, ZSH_SYNTAX);
                self.walk_words(&command.words, around);
                self.made.push((command.variable.as_str().to_owned(), Made::Wild));
                return self.walk_loop(None, &command.body, around);
            }
            CompoundCommand::Always(command) => {
                self.add_doubt(span, ZSH_SYNTAX);
                self.walk_sequence(&command.body, &around.inside(around.dir.clone()));
                self.walk_sequence(&command.always_body, &around.inside(Dir::Unknown));
            }
            _ => {}
        }
        After::same_folder(&around.dir)
    }

    fn walk_conditional(&mut self, command: &IfCommand, around: &Around) -> After {
        let mut tested = self.walk_sequence(&command.condition, &around.inside(around.dir.clone()));
        let mut after =
            self.walk_sequence(&command.then_branch, &around.inside(flow::folder_at(tested.ok.clone())));
        for (condition, branch) in &command.elif_branches {
            tested = self.walk_sequence(condition, &around.inside(flow::folder_at(tested.failed)));
            after =
                after.joined(self.walk_sequence(branch, &around.inside(flow::folder_at(tested.ok.clone()))));
        }
        match &command.else_branch {
            Some(branch) => {
                after.joined(self.walk_sequence(branch, &around.inside(flow::folder_at(tested.failed))))
            }
            None => after.joined(After { ok: tested.failed.clone(), failed: tested.failed }),
        }
    }

    fn walk_for(&mut self, command: &ForCommand, around: &Around) -> After {
        let mut made = if command.words.is_some() { Made::Number } else { Made::Wild };
        let mut below = command.words.is_some().then(|| Below::These(Vec::new()));
        for word in command.words.iter().flatten() {
            made = made.max(self.made_by(word, around));
            let word = self.leads_below(word, around);
            below = below.and_then(|all| Some(all.merge_with(word?)));
        }
        for target in &command.targets {
            let name = target.name.as_ref().map_or("", shuck_ast::Name::as_str);
            self.name_is_safe(name, &byte_range(target.span));
            self.made.push((name.to_owned(), made));
            *self.looped.entry(name.to_owned()).or_default() += usize::from(command.words.is_some());
            self.note_below(name, below.clone());
        }
        self.walk_words(command.words.as_deref().unwrap_or_default(), around);
        let outer = self.lists.len();
        self.enter_list(command, around);
        let after = self.walk_loop(None, &command.body, around);
        self.lists.truncate(outer);
        after
    }

    /// Walks what runs in a shell of its own, a group or a substitution: it changes its own directory only.
    ///
    /// Traps and functions outside of it run in their own folder as before; those inside of it are not told
    /// apart.
    pub(super) fn walk_own_shell(&mut self, body: &StmtSeq, around: &Around) {
        let (moved, repeats) = (self.moved, self.repeats);
        self.walk_sequence(body, around);
        let later = ["()", "function", "trap", "alias", "eval", "source"];
        if self.repeats == repeats && !self.may_have(&later) {
            self.moved = moved;
        }
    }

    /// Returns true if one of these words may be in the text, however its letters are quoted (`tr''ap`).
    fn may_have(&self, words: &[&str]) -> bool {
        let is_passed = |letter: char| letter.is_whitespace() || "'\"\\$".contains(letter);
        let text: String = self.text.chars().filter(|letter| !is_passed(*letter)).collect();
        // `$'tr\x61p'` names letters by their numbers.
        let is_number = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit() || "xuU".contains(c));
        let numbers = || self.text.contains("$'") && self.text.split('\\').skip(1).any(is_number);
        words.iter().any(|word| text.contains(word)) || numbers()
    }

    fn walk_loop(&mut self, condition: Option<&StmtSeq>, body: &StmtSeq, around: &Around) -> After {
        self.repeats += 1;
        let place = body.stmts.first().map_or(0, |first| byte_range(first.span).start);
        let moves = self.variables.unsettled || self.variables.moving.contains(&place);
        let dir = if moves { self.settled(&around.dir) } else { around.dir.clone() };
        let moved_before = std::mem::take(&mut self.moved);
        let called_before = self.called;
        if let Some(condition) = condition {
            self.walk_sequence(condition, &around.inside(dir.clone()));
        }
        self.walk_sequence(body, &around.inside(dir.clone()));
        // A function that it calls may move, and so may a trap.
        if self.moved || self.called != called_before || self.may_have(&["trap"]) {
            self.moving.insert(place);
        }
        self.moved |= moved_before;
        After::same_folder(&dir)
    }

    fn walk_counted_for(
        &mut self,
        command: &ArithmeticForCommand,
        span: &Range<usize>,
        around: &Around,
    ) -> After {
        self.beyond_posix(span);
        for part in [command.init_span, command.condition_span, command.step_span].into_iter().flatten() {
            let part = byte_range(part);
            let names = self
                .slice_text(&part)
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .filter(|name| is_name(name));
            let names: Vec<String> = names.map(str::to_owned).collect();
            self.made.extend(names.into_iter().map(|name| (name, Made::Number)));
            if let Err(problem) = self.arithmetic(&part) {
                self.add_doubt(&part, problem);
            }
        }
        self.walk_loop(None, &command.body, around)
    }

    fn walk_case(&mut self, command: &CaseCommand, around: &Around) -> After {
        self.walk_words(std::slice::from_ref(&command.word), around);
        let mut after = After::same_folder(&around.dir);
        for item in &command.cases {
            for pattern in &item.patterns {
                self.pattern(&byte_range(pattern.span));
            }
            if item.terminator != CaseTerminator::Break {
                let what = "the bash of macOS doesn’t know this end of a `case` branch";
                let span = item.terminator_span.map_or_else(|| byte_range(command.span), byte_range);
                self.add_doubt(&span, WordProblem { code: Unparsed::NewerBash, what, advice: None });
            }
            after = after.joined(self.walk_sequence(&item.body, &around.inside(around.dir.clone())));
        }
        after
    }

    pub(super) fn walk_function(&mut self, function: &FunctionDef, around: &Around) {
        let span = byte_range(function.span);
        for entry in &function.header.entries {
            let name = entry.static_name.as_ref().map_or("", shuck_ast::Name::as_str);
            if !is_own_name(name) {
                let what = "a function has the name of a builtin or a wrapper";
                self.add_doubt(
                    &span,
                    WordProblem {
                        code: Unparsed::FunctionName,
                        what,
                        advice: Some("give the function another name"),
                    },
                );
            }
            self.found.redefined |= output::affects_output(name);
            self.functions.insert(name.to_owned(), around.certain);
        }
        if function.uses_function_keyword() {
            self.beyond_posix(&span);
        }
        let inside = Around { own_parameters: false, ..around.inside(self.settled(&around.dir)) };
        self.walk_statement(&function.body, &inside);
    }

    /// Reads words for the substitutions in them.
    pub(super) fn walk_words(&mut self, words: &[Word], around: &Around) {
        for word in words {
            let scanned = self.scan_word(word.span, &word.parts, around);
            if let Some(problem) = scanned.problem {
                self.add_doubt(&byte_range(word.span), problem);
            }
            if scanned.beyond_posix {
                self.beyond_posix(&byte_range(word.span));
            }
            self.walk_bodies(&scanned.bodies, around);
        }
    }

    /// Walks a pattern, which may hold plain variables, but nothing that runs.
    fn pattern(&mut self, span: &Range<usize>) {
        let text = self.slice_text(span);
        let runs = ["`", "$(", "${", "$[", "<(", ">("].iter().any(|mark| text.contains(mark));
        if runs || (self.nest.dialect == Dialect::Zsh && text.contains('(')) {
            self.add_doubt(
                span,
                WordProblem {
                    code: Unparsed::Pattern,
                    what: "a pattern is computed at run time",
                    advice: None,
                },
            );
        }
    }

    fn walk_test(&mut self, expression: &ConditionalExpr, around: &Around) {
        let mut open = vec![expression];
        while let Some(expression) = open.pop() {
            match expression {
                ConditionalExpr::Binary(binary) => {
                    if self.slice_text(&byte_range(binary.op_span)).starts_with('-')
                        && self.compares_texts(binary.op_span, expression, around)
                    {
                        let what = "a comparison of numbers evaluates what a variable holds";
                        self.add_doubt(
                            &byte_range(binary.op_span),
                            WordProblem { code: Unparsed::Arithmetic, what, advice: Some("use `[ … ]`") },
                        );
                    }
                    open.extend([binary.left.as_ref(), binary.right.as_ref()]);
                }
                ConditionalExpr::Unary(unary) => {
                    if unary.op == ConditionalUnaryOp::VariableSet {
                        let what = "`-v` evaluates a subscript";
                        self.add_doubt(
                            &byte_range(unary.op_span),
                            WordProblem { code: Unparsed::Arithmetic, what, advice: None },
                        );
                    }
                    if self.asks_of_computed_terminal(unary) {
                        let what = "zsh evaluates which descriptor is meant";
                        self.add_doubt(
                            &byte_range(unary.op_span),
                            WordProblem { code: Unparsed::Arithmetic, what, advice: None },
                        );
                    }
                    open.push(unary.expr.as_ref());
                }
                ConditionalExpr::Parenthesized(inner) => open.push(inner.expr.as_ref()),
                ConditionalExpr::Word(word) => self.walk_words(std::slice::from_ref(word), around),
                ConditionalExpr::Pattern(pattern) => self.pattern(&byte_range(pattern.span)),
                ConditionalExpr::Regex(word) => self.pattern(&byte_range(word.span)),
                ConditionalExpr::VarRef(variable) => {
                    let what = "a variable is named at run time";
                    self.add_doubt(
                        &byte_range(variable.span),
                        WordProblem { code: Unparsed::Arithmetic, what, advice: None },
                    );
                }
            }
        }
    }

    /// Returns true for `-t` with an operand that is no plain number, if the shell may be zsh.
    fn asks_of_computed_terminal(&self, unary: &ConditionalUnaryExpr) -> bool {
        let number = |side: &ConditionalExpr| match side {
            ConditionalExpr::Word(word) => {
                self.slice_text(&byte_range(word.span)).bytes().all(|byte| byte.is_ascii_digit())
            }
            _ => false,
        };
        self.nest.dialect != Dialect::Bash
            && self.slice_text(&byte_range(unary.op_span)) == "-t"
            && !number(&unary.expr)
    }

    /// Returns true for `-eq` and similar operators with an operand that is no number.
    ///
    /// Numbers are plain ones, and what surely turns out to be one (`$?`, a variable that is set to numbers,
    /// `$(wc -l < f)`).
    fn compares_texts(&self, op: shuck_ast::Span, expression: &ConditionalExpr, around: &Around) -> bool {
        let ConditionalExpr::Binary(binary) = expression else { return false };
        let number = |side: &ConditionalExpr| match side {
            ConditionalExpr::Word(word) => {
                let span = byte_range(word.span);
                self.slice_text(&span).chars().all(|c| c.is_ascii_digit())
                    || word::scan_word(self.word_scope(around), span, &word.parts).number
            }
            _ => false,
        };
        let arithmetic =
            ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"].contains(&self.slice_text(&byte_range(op)));
        arithmetic && !(number(&binary.left) && number(&binary.right))
    }

    /// Walks arithmetic of numbers. A variable that it sets is a number from then on.
    pub(super) fn arithmetic(&mut self, span: &Range<usize>) -> Result<(), WordProblem> {
        let text = self.slice_text(span);
        for name in expansion::set_in(text) {
            self.name_is_safe(name, span);
            self.made.push((name.to_owned(), Made::Number));
        }
        expansion::arithmetic(text, self.variables)
    }

    /// Adds a step for `[[ … ]]` and `((…))`, which run nothing by themselves, but are shown.
    fn expression_step(&mut self, span: &Range<usize>, keyword: &str, around: &Around) {
        if self.pass == Pass::Learning {
            return;
        }
        self.found.steps.push(Step {
            argv: vec![crate::Word::literal(keyword), crate::Word { raw: self.raw_text(span), value: None }],
            span: self.request_range(span),
            role: Role::HarmlessBuiltin,
            via: self.nest.via.clone(),
            assignments: Vec::new(),
            redirections: around.redirections.clone(),
            piped: around.piped,
            dir: around.dir.clone(),
            listed: Vec::new(),
            ways_out: Vec::new(),
            computed: false,
            script: None,
            opaque: None,
        });
    }

    /// Checks that a variable that the line sets does not decide what runs.
    pub(super) fn name_is_safe(&mut self, name: &str, span: &Range<usize>) {
        if !builtins::may_set(name, self.nest.dialect) {
            let what = "it sets a variable that decides what runs";
            self.add_doubt(
                span,
                WordProblem { code: Unparsed::Environment, what, advice: Some("leave that variable alone") },
            );
        }
    }
}

/// Returns true if a function's name means nothing else.
fn is_own_name(name: &str) -> bool {
    is_name(&name.replace(['-', '.'], "_"))
        && !builtins::is_builtin(name)
        && class_of(name) == ProgramClass::Ordinary
}
