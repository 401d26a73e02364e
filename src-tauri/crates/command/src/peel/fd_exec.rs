//! `fd`: a program by itself, and one more for each `-x` and `-X`. fd(1).

use std::ops::Range;

use postern_programs::Style;

use super::{finish, inner_call, refuse, replace_marks};
use crate::call::{Arg, CommandCall, ParseResults};
use crate::invocation::{ArgumentWord, Grammar};
use crate::programs::table;
use crate::{Power, Unparsed, programs};

/// `-x` that are followed in one `fd`.
const MOST: usize = 8;

/// Adds `fd` and the programs that it runs.
pub(super) fn add_fd(call: CommandCall, found: &mut ParseResults) {
    let inners = match commands(&call.args) {
        Ok(inners) => inners,
        Err(what) => return refuse(call, Unparsed::UnknownFlag, what, found),
    };
    programs::add_program(call.clone(), found);
    for range in inners {
        let mut cut = call.clone();
        cut.args.truncate(range.end);
        let mut run = inner_call(cut, range.start, Power::Transparent);
        run.redirections.clear();
        if !run.args.iter().any(|arg| arg.known_value().is_some_and(|word| word.contains('{'))) {
            run.args.push(Arg::unknown("{}", call.span.clone(), true));
        }
        replace_marks(&mut run, "{", true);
        finish(run, found);
    }
}

/// Returns the words of each program that `fd` runs.
pub(super) fn commands<W: ArgumentWord>(args: &[W]) -> Result<Vec<Range<usize>>, &'static str> {
    let value = |at: usize| args.get(at).and_then(ArgumentWord::known_value);
    let mut inners = Vec::new();
    let mut at = 1;
    while at < args.len() {
        match value(at).map_or(Runs::Nothing, option_runs) {
            Runs::Nothing if value(at) == Some("--") => break,
            Runs::Nothing => at += 1,
            Runs::Attached => return Err("it runs a program in a way that Postern doesn’t follow"),
            Runs::Next => {
                let end = (at + 1..args.len()).find(|end| value(*end) == Some(";")).unwrap_or(args.len());
                if end == at + 1 || inners.len() == MOST {
                    return Err("`-x` has no program, or too many");
                }
                inners.push(at + 1..end);
                at = end + 1;
            }
        }
    }
    Ok(inners)
}

enum Runs {
    Nothing,
    /// The program begins with the next word.
    Next,
    /// The program stands in the option's own word.
    Attached,
}

fn option_runs(word: &str) -> Runs {
    let options = table::program("fd").map_or("", |fd| fd.behind);
    let grammar = Grammar { options: &[options], style: Style::Getopt, abbreviates: false };
    let mut found = None;
    if word.starts_with('-') {
        grammar.read_word(word, |part| {
            let shortened = part.name.starts_with("--ex") && "--exec-batch".starts_with(&*part.name);
            let runs = match (&*part.name, part.attached) {
                ("-x" | "-X" | "--exec" | "--exec-batch", None) => Some(Runs::Next),
                ("-x" | "-X", Some(_)) => Some(Runs::Attached),
                _ => shortened.then_some(Runs::Attached),
            };
            found = found.take().or(runs);
        });
    }
    found.unwrap_or(Runs::Nothing)
}
