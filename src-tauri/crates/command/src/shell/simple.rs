//! Simple commands: words and assignments of the tree become a call.

use std::ops::Range;

use shuck_ast::{
    Assignment as TreeAssignment, BuiltinCommand, DeclClause, DeclOperand, Redirect, RedirectKind,
    SimpleCommand, Stmt, Word as TreeWord,
};

use super::around::{Around, Made, Pass};
use super::expansion::is_name;
use super::flow::{self, After};
use super::scanned::Loose;
use super::span::byte_range;
use super::walk::{Walk, has_word};
use crate::call::{Arg, CommandCall};
use crate::{Dialect, Dir, Role, Unparsed, Word, builtins, peel};

impl Walk<'_> {
    pub(super) fn walk_simple(
        &mut self,
        command: &SimpleCommand,
        statement: &Stmt,
        around: &Around,
    ) -> After {
        let mut words: Vec<&TreeWord> = Vec::new();
        if !byte_range(command.name.span).is_empty() {
            words.push(&command.name);
        }
        words.extend(&command.args);
        self.walk_call(&words, &command.assignments, statement, around)
    }

    pub(super) fn typed_builtin(
        &mut self,
        command: &BuiltinCommand,
        statement: &Stmt,
        around: &Around,
    ) -> After {
        let (name, span, first, more, assignments) = match command {
            BuiltinCommand::Break(c) => ("break", c.span, &c.depth, &c.extra_args, &c.assignments),
            BuiltinCommand::Continue(c) => ("continue", c.span, &c.depth, &c.extra_args, &c.assignments),
            BuiltinCommand::Return(c) => ("return", c.span, &c.code, &c.extra_args, &c.assignments),
            BuiltinCommand::Exit(c) => ("exit", c.span, &c.code, &c.extra_args, &c.assignments),
        };
        let at = assignments.last().map_or(byte_range(span).start, |last| byte_range(last.span).end);
        let from = self.text.get(at..).and_then(|rest| rest.find(name)).map_or(at, |offset| at + offset);
        let head = from..from + name.len();
        let words: Vec<&TreeWord> = first.iter().chain(more).collect();
        self.named_call(Some(&head), &words, assignments, statement, around);
        match name {
            "exit" => After { ok: None, failed: None },
            _ => After::same_folder(&around.dir),
        }
    }

    /// Walks `export`, `local` and similar builtins: the assignments are operands here.
    pub(super) fn walk_declaration(
        &mut self,
        clause: &DeclClause,
        statement: &Stmt,
        around: &Around,
    ) -> After {
        let mut call = self.start_call(statement, around);
        let mut spans = vec![byte_range(clause.variant_span)];
        let variant = clause.variant.as_str().to_owned();
        call.args.push(self.arg_of(&byte_range(clause.variant_span), Some(variant)));
        for operand in &clause.operands {
            let span = match operand {
                DeclOperand::Flag(word) | DeclOperand::Dynamic(word) => {
                    self.push_word(&mut call, word, around);
                    byte_range(word.span)
                }
                DeclOperand::Name(name) => {
                    let span = byte_range(name.span);
                    let arg = self.arg_of(&span, Some(self.slice_text(&span).to_owned()));
                    call.args.push(arg);
                    span
                }
                DeclOperand::Assignment(assignment) => {
                    let read = self.assignment(assignment, around);
                    let span = byte_range(assignment.span);
                    let value = read.value.value.map(|value| format!("{}={value}", read.name));
                    let arg = self.arg_of(&span, value);
                    call.args.push(arg);
                    span
                }
            };
            spans.push(span);
        }
        self.outline.push(spans);
        self.singles.push(None);
        call.assignments.extend(clause.assignments.iter().map(|a| self.assignment(a, around)));
        self.note_declared(&call);
        self.place_call(call);
        After::same_folder(&around.dir)
    }

    /// Arrays, and names that are given text which is known only at run time.
    fn note_declared(&mut self, call: &CommandCall) {
        let flags =
            |arg: &Arg| arg.known_value().is_some_and(|v| v.starts_with('-') && v.contains(['a', 'A']));
        let array = call.args.iter().any(flags);
        for arg in call.args.iter().skip(1) {
            let Some((name, value)) = arg.word.raw.split_once('=') else {
                self.arrays.extend(arg.known_value().filter(|_| array).map(str::to_owned));
                continue;
            };
            let name = name.trim_end_matches('+').to_owned();
            if array || value.starts_with('(') {
                self.arrays.insert(name);
            } else if arg.known_value().is_none() {
                self.declared.push((name, 0..self.text.len()));
            }
        }
    }

    /// Returns true for `let` with expressions that are known, each of them over numbers.
    fn is_plain_let(&mut self, call: &CommandCall, spans: &[Range<usize>]) -> bool {
        let plain = |value: &str| !value.contains(['[', '$', '`']);
        let known = call.args.iter().all(|arg| arg.known_value().is_some_and(plain)) && call.opaque.is_none();
        let quotes = |span: &Range<usize>| self.slice_text(span).contains(['\'', '"', '\\']);
        let expressions = spans.get(1..).unwrap_or_default();
        call.program_name() == Some("let")
            && self.nest.dialect != crate::Dialect::Posix
            && known
            && spans.len() == call.args.len()
            && !expressions.iter().any(quotes)
            && expressions.iter().all(|span| self.arithmetic(span).is_ok())
    }

    /// Returns true for `set -a` or `set +a` in a line that reads a file of commands and sets nothing itself.
    ///
    /// What is exported then, the file says, as it could by itself. A text inside of this one does not say all that is set.
    fn exports_file(&self, call: &CommandCall) -> bool {
        let words: Vec<Option<&str>> = call.args.iter().map(Arg::known_value).collect();
        let exports = matches!(
            words.as_slice(),
            [Some("set"), Some("-a" | "+a")] | [Some("set"), Some("-o" | "+o"), Some("allexport")]
        );
        let hidden = ["eval", "let", "trap"].iter().any(|name| has_word(self.text, name));
        exports
            && self.nest.depth == 0
            && self.nest.dialect == Dialect::Bash
            && self.variables.unsettled
            && !self.variables.sets
            && !hidden
            && !self.text.contains("((")
            && call.opaque.is_none()
            && call.assignments.is_empty()
            && call.redirections.is_empty()
    }

    /// Returns the directory after `cd` with these arguments: one of a few where a variable that is written out ends them.
    fn moved_to(&self, args: &[Arg], from: &Dir) -> Dir {
        if let [_, to] = args
            && to.known_value().is_none()
            && let Some((unset, places)) = self.folders_of(&to.word.raw)
        {
            // Where it is not set, `cd ""` stays.
            let unset =
                if unset.is_empty() { from.clone() } else { flow::changed(from, &[Some(unset.as_str())]) };
            let places = places.iter().map(|place| Some(flow::changed(from, &[Some(place.as_str())])));
            return flow::folder_at(places.fold(Some(unset), flow::join_folders));
        }
        // Without quotes `IFS` decides what becomes of a variable, and where it is not set `cd` goes home.
        let whole = |arg: &&Arg| {
            let raw = arg.word.raw.as_str();
            !raw.contains('$')
                || ["\"", "$HOME", "${HOME}"].iter().any(|start| raw.starts_with(start))
                || raw.starts_with(|c: char| c.is_ascii_alphanumeric()) && !self.text.contains("IFS")
        };
        let values: Vec<Option<&str>> =
            args.iter().skip(1).map(|arg| Some(arg).filter(whole)?.known_value()).collect();
        flow::changed(from, &values)
    }

    /// Returns the folders that a word with a variable at its end may name, and first the one where it is not set: `"$d"`,
    /// `packages/$d`.
    fn folders_of(&self, raw: &str) -> Option<(String, Vec<String>)> {
        let quoted = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let (start, variable) = quoted.unwrap_or(raw).split_once('$')?;
        let name = match variable.strip_prefix('{') {
            Some(braced) => braced.strip_suffix('}')?,
            None => variable,
        };
        let plain = start.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
        let whole = quoted.is_some() || !start.is_empty() && !self.text.contains("IFS");
        let all = self.variables.written_out(name).filter(|_| is_name(name) && plain && whole)?;
        Some((start.to_owned(), all.iter().map(|value| format!("{start}{value}")).collect()))
    }

    /// Reads a call, but only once it is known what the line makes of its variables.
    fn place_call(&mut self, call: CommandCall) {
        if self.pass == Pass::Reading {
            peel::add_call(call, &self.functions, &mut self.found);
        }
    }

    fn walk_call(
        &mut self,
        words: &[&TreeWord],
        assignments: &[TreeAssignment],
        statement: &Stmt,
        around: &Around,
    ) -> After {
        let args = self.named_call(None, words, assignments, statement, around);
        let values: Vec<Option<&str>> = args.iter().map(Arg::known_value).collect();
        match values.first() {
            Some(Some("cd" | "pushd")) if values.len() > 1 => {
                self.moved = true;
                let ok = self.moved_to(&args, &around.dir);
                After { ok: Some(ok), failed: Some(around.dir.clone()) }
            }
            Some(Some("cd")) => {
                self.moved = true;
                let home = self.nest.home.map_or(Dir::Unknown, |home| Dir::Under(home.to_owned()));
                After { ok: Some(home), failed: Some(around.dir.clone()) }
            }
            Some(Some("exec")) if values.len() > 1 => After { ok: None, failed: None },
            // Who allows the file allows all that it does: moving to another folder is no more.
            Some(Some("source" | ".")) if self.sources_file(&values, words) => {
                After::same_folder(&around.dir)
            }
            Some(None) if self.is_path(words) => After::same_folder(&around.dir),
            Some(Some("pushd" | "popd" | "chdir" | "eval" | "source" | ".") | None) => {
                self.moved = true;
                After::same_folder(&Dir::Unknown)
            }
            Some(Some("command" | "builtin"))
                if !only_looks_up(&values)
                    && values
                        .iter()
                        .skip(1)
                        .find(|word| !word.is_some_and(|word| word.starts_with('-')))
                        .is_some_and(|word| word.is_none_or(may_move)) =>
            {
                self.moved = true;
                After::same_folder(&Dir::Unknown)
            }
            Some(Some(name)) if self.functions.contains_key(*name) => {
                self.called += 1;
                After::same_folder(&self.settled(&around.dir))
            }
            Some(Some(_)) | None => After::same_folder(&around.dir),
        }
    }

    /// Returns true if `source` reads a file by its name, or by a path with any value of its variables (`. "$DIR/env.sh"`).
    fn sources_file(&self, values: &[Option<&str>], words: &[&TreeWord]) -> bool {
        match values {
            [_, Some(file)] => is_file(file),
            [_, None] => words.get(1..).is_some_and(|file| self.is_path(file)),
            _ => false,
        }
    }

    /// Returns true if the first word is a path, with any value of its variables (`"$DIR/tool"`).
    ///
    /// No builtin has a slash in its name, and no function here.
    fn is_path(&self, words: &[&TreeWord]) -> bool {
        let raw = words.first().map(|word| self.slice_text(&byte_range(word.span))).unwrap_or_default();
        let Some(inner) = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return false };
        let is_name = |part: &str| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        inner.contains('/')
            && inner.chars().all(|c| c.is_ascii_alphanumeric() || "_-./$".contains(c))
            && inner.split('$').skip(1).all(is_name)
            && !self.functions.keys().any(|name| name.contains('/'))
    }

    fn named_call(
        &mut self,
        head: Option<&Range<usize>>,
        words: &[&TreeWord],
        assignments: &[TreeAssignment],
        statement: &Stmt,
        around: &Around,
    ) -> Vec<Arg> {
        let mut call = self.start_call(statement, around);
        let spans: Vec<_> =
            head.into_iter().cloned().chain(words.iter().map(|word| byte_range(word.span))).collect();
        let around_words = assignments
            .iter()
            .map(|a| a.span)
            .chain(statement.redirects.iter().map(|r| r.span))
            .map(byte_range);
        let all: Vec<_> = spans.iter().cloned().chain(around_words).collect();
        let ends = all.iter().map(|span| span.start).min().zip(all.iter().map(|span| span.end).max());
        call.span = ends.map_or(call.span, |(start, end)| self.request_range(&(start..end)));
        self.mask_test(&spans);
        let count = spans.len();
        self.outline.push(self.outlined(spans));
        if let Some(head) = head {
            call.args.push(self.arg_of(head, Some(self.slice_text(head).to_owned())));
        }
        for word in words {
            self.push_word(&mut call, word, around);
        }
        call.assignments.extend(assignments.iter().map(|assignment| self.assignment(assignment, around)));
        self.given += call.program_name().map_or(0, |_| assignments.len());
        if call.args.is_empty() && around.certain && self.nest.dialect == Dialect::Bash {
            self.note_constants(&call.assignments);
        }
        let nothing = call.args.is_empty() && assignments.is_empty() && !around.reads_file;
        self.doubt_call(&mut call, &all[..count], nothing.then_some(statement));
        let plain = assignments.is_empty() && statement.redirects.is_empty() && call.opaque.is_none();
        let values: Option<Vec<String>> =
            call.args.iter().map(|arg| arg.known_value().map(str::to_owned)).collect();
        let external = call
            .program_name()
            .is_some_and(|head| !builtins::is_builtin(head) && !self.functions.contains_key(head));
        self.singles.push(values.filter(|_| plain && external));
        let args = call.args.clone();
        if self.is_plain_let(&call, &all[..count]) || self.exports_file(&call) {
            if self.pass == Pass::Reading {
                self.found.steps.push(call.into_step(Role::HarmlessBuiltin));
            }
            return args;
        }
        self.note_set_variables(&args, head.is_none() && self.is_path(words));
        self.place_call(call);
        args
    }

    /// Notes the parts of a simple command that shells read differently. `only_redirects`: the statement, if
    /// there is nothing else in it.
    fn doubt_call(&self, call: &mut CommandCall, words: &[Range<usize>], only_redirects: Option<&Stmt>) {
        let opens =
            |redirect: &Redirect| !matches!(redirect.kind, RedirectKind::DupOutput | RedirectKind::DupInput);
        if only_redirects.is_some_and(|statement| statement.redirects.iter().any(opens)) {
            call.add_doubt(
                Unparsed::ZshSyntax,
                "zsh runs a program for a redirection without a command",
                Vec::new(),
            );
        }
        if words.windows(2).any(|pair| pair[0].end == pair[1].start) {
            let guess = call.suffixes(1);
            call.add_doubt(
                Unparsed::ParsersDisagree,
                "a process substitution is in the middle of a word",
                guess,
            );
        }
        if call.args.first().is_some_and(|arg| arg.word.raw == "!") {
            let guess = call.suffixes(1);
            call.add_doubt(Unparsed::ProgramName, "shells read two negations in a row differently", guess);
        }
        if sets_trap(&call.args) && (self.variables.moves || self.nest.depth > 0) {
            call.dir = Dir::Unknown;
        }
    }

    /// Builtins that set variables: nothing is known about those afterwards. A program by its path (`is_path`) sets none.
    fn note_set_variables(&mut self, args: &[Arg], is_path: bool) {
        let name = args.first().and_then(Arg::known_value);
        if matches!(name, Some("eval" | "source" | "." | "let") | None) || sets_trap(args) {
            self.unsettled |= !args.is_empty() && !is_path;
        }
        let sets =
            ["read", "mapfile", "readarray", "getopts", "printf", "unset", "wait", "command", "builtin"];
        if name == Some("unset") || args.iter().skip(1).any(|arg| arg.known_value() == Some("unset")) {
            self.found.unset.extend(args.iter().skip(1).filter_map(Arg::known_value).map(str::to_owned));
        }
        if matches!(name, Some("read" | "mapfile" | "readarray" | "command" | "builtin")) {
            self.arrays.extend(args.iter().skip(1).filter_map(Arg::known_value).map(str::to_owned));
        }
        if name.is_some_and(|name| sets.contains(&name)) {
            let names =
                args.iter().skip(1).filter_map(Arg::known_value).map(|word| (word.to_owned(), Made::Wild));
            self.made.extend(names.collect::<Vec<_>>());
        }
    }

    fn start_call(&mut self, statement: &Stmt, around: &Around) -> CommandCall {
        let (redirections, feed) = self.redirections(&statement.redirects, around);
        let unknown = redirections.iter().filter(|redirection| redirection.target.value.is_none());
        let listed = unknown.filter_map(|redirection| self.listed_word(&redirection.target.raw)).collect();
        CommandCall {
            args: Vec::new(),
            span: self.request_range(&byte_range(statement.span)),
            via: self.nest.via.clone(),
            assignments: self.nest.assignments.clone(),
            redirections: around.redirections.iter().cloned().chain(redirections).collect(),
            piped: around.piped,
            dir: around.dir.clone(),
            listed,
            feed,
            shell: Some(self.nest.dialect),
            depth: self.nest.depth,
            opaque: None,
        }
    }

    /// Masks a plain test, as the other parser stumbles over some of them (`[ "$x" = y ]` in a list).
    ///
    /// If there are only blanks between the words of one, it need not see more of it than what runs.
    fn mask_test(&mut self, words: &[Range<usize>]) {
        let [head, inner @ .., last] = words else { return };
        let (Some(first), true, true) =
            (inner.first(), self.slice_text(head) == "[", self.slice_text(last) == "]")
        else {
            return;
        };
        let apart = words.windows(2).all(|pair| {
            self.slice_text(&(pair[0].end..pair[1].start)).bytes().all(|byte| matches!(byte, b' ' | b'\t'))
        });
        if !apart {
            return;
        }
        // All but what runs, so that the rest is one word to it.
        let runs = |word: &Range<usize>| {
            ["`", "$(", "${", "<(", ">(", "=(", "$["].iter().any(|mark| self.slice_text(word).contains(mark))
        };
        let mut from = first.start;
        let mut masks = Vec::new();
        for word in inner.iter().filter(|word| runs(word)) {
            masks.push(from..word.start);
            from = word.end;
        }
        masks.push(from..inner.last().map_or(from, |end| end.end));
        self.masks.extend(masks.into_iter().filter(|mask| !mask.is_empty()));
    }

    /// Returns the words of a command, with `[ … ]` as one (see the gate).
    fn outlined(&self, words: Vec<Range<usize>>) -> Vec<Range<usize>> {
        match words.as_slice() {
            [head, .., last] if self.slice_text(head) == "[" => {
                std::iter::once(head.start..last.end).collect()
            }
            _ => words,
        }
    }

    fn arg_of(&self, span: &Range<usize>, value: Option<String>) -> Arg {
        Arg::from_word(Word { raw: self.raw_text(span), value }, self.request_range(span))
    }

    /// Adds a word; braces and `"$@"` may make several of it.
    fn push_word(&mut self, call: &mut CommandCall, word: &TreeWord, around: &Around) {
        let span = byte_range(word.span);
        if matches!(self.slice_text(&span), "\"$@\"" | "$@")
            && let Some(parameters) = self.parameters(around)
        {
            let place = self.request_range(&span);
            call.args.extend(parameters.iter().skip(1).map(|value| Arg::from_value(value, place.clone())));
            return;
        }
        let scanned = self.scan_word(word.span, &word.parts, around);
        // The other parser loses a lone dash before a here-document, and words of equals signs.
        if self.slice_text(&span).bytes().all(|byte| matches!(byte, b'-' | b'=')) {
            self.masks.push(span.clone());
        }
        if let Some(problem) = scanned.problem {
            call.add_doubt(problem.code, problem.what, super::candidates(self.slice_text(&span)));
            if let Some(advice) = problem.advice {
                call.advise(advice);
            }
        }
        if scanned.beyond_posix {
            self.beyond_posix(&span);
        }
        self.walk_bodies(&scanned.bodies, around);
        match scanned.values {
            Some(values) if values.len() == 1 => {
                call.args.extend(values.into_iter().map(|v| self.arg_of(&span, Some(v))));
            }
            Some(values) => {
                call.args.extend(
                    values.into_iter().map(|value| Arg::from_value(value, self.request_range(&span))),
                );
            }
            None => {
                let Loose { dash, several, splits, free, chosen, strays, climbs, computed } = scanned.loose;
                let (start, number) = (scanned.start, scanned.number);
                let arg = self.arg_of(&span, None);
                call.listed.extend(self.listed_word(&arg.word.raw));
                call.args.push(Arg {
                    dash,
                    several,
                    splits,
                    free,
                    start,
                    chosen,
                    number,
                    strays,
                    climbs,
                    computed,
                    ..arg
                });
            }
        }
    }
}

/// Returns true if a file of commands is named, and not what the request feeds.
fn is_file(path: &str) -> bool {
    !path.starts_with(['-', '<']) && !path.starts_with("/dev/") && !path.starts_with("/proc/")
}

/// Returns true for `command -v NAME`, which runs nothing. Of an option before it, the shells know `-p` alone.
fn only_looks_up(values: &[Option<&str>]) -> bool {
    let mut words = values.iter().map(|word| word.unwrap_or_default());
    words.next() == Some("command")
        && words.find(|word| *word != "-p").is_some_and(|word| matches!(word, "-v" | "-V" | "-pv" | "-pV"))
}

/// Returns true if a call sets a trap, perhaps behind `command`, or behind zsh's words before a command.
fn sets_trap(args: &[Arg]) -> bool {
    let leads_on =
        |word: &str| matches!(word, "command" | "builtin" | "noglob" | "nocorrect") || word.starts_with('-');
    let mut words = args.iter().map(|arg| arg.known_value().unwrap_or_default());
    words.find(|word| !leads_on(word)) == Some("trap")
}

/// Builtins after which the directory may be another.
fn may_move(name: &str) -> bool {
    matches!(name, "cd" | "pushd" | "popd" | "eval" | "source" | ".")
}
