//! `find`: a program by itself, and one more for each `-exec`.

use std::ops::Range;

use super::{finish, inner_call, refuse, replace_marks};
use crate::call::{Arg, CommandCall, ParseResults};
use crate::invocation::ArgumentWord;
use crate::{Dir, Power, Unparsed, programs};

/// `-exec` that are followed in one `find`.
const MOST: usize = 8;

/// Adds `find` and the programs that it runs.
pub(super) fn add_find(call: CommandCall, found: &mut ParseResults) {
    let inners = match commands(&call.args) {
        Ok(inners) => inners,
        Err((code, what)) => return refuse(call, code, what, found),
    };
    programs::add_program(call.clone(), found);
    for range in inners {
        let word = call.args.get(range.start - 1).and_then(Arg::known_value);
        let elsewhere = matches!(word, Some("-execdir" | "-okdir"));
        let mut cut = call.clone();
        cut.args.truncate(range.end);
        let mut run = inner_call(cut, range.start, Power::Transparent);
        run.redirections.clear();
        if elsewhere {
            run.dir = Dir::Unknown;
        }
        // Found paths begin with where the search started, never with a dash; in its folder with the name itself.
        replace_marks(&mut run, "{}", elsewhere);
        if let Some(root) = root_elsewhere(&call.args) {
            let found = |arg: &&mut Arg| {
                arg.known_value().is_none() && arg.start.is_empty() && arg.word.raw.contains("{}")
            };
            run.args.iter_mut().filter(found).for_each(|arg| root.clone_into(&mut arg.start));
        }
        finish(run, found);
    }
}

/// Returns the first folder to search that is not below the one where it runs.
fn root_elsewhere(args: &[Arg]) -> Option<&str> {
    let begins = |arg: &Arg| arg.known_value().map_or_else(|| arg.start.clone(), str::to_owned);
    let options = args.iter().skip(1).take_while(|arg| begins(arg).starts_with('-')).count();
    let roots =
        args.iter().skip(1 + options).take_while(|arg| !begins(arg).starts_with(['-', '(', '!', ')', ',']));
    roots
        .map(|arg| arg.known_value().unwrap_or(&arg.start))
        .find(|root| root.starts_with(['/', '~']) || root.split('/').any(|part| part == ".."))
}

/// Returns the words of each program that `find` runs.
pub(super) fn commands<W: ArgumentWord>(args: &[W]) -> Result<Vec<Range<usize>>, (Unparsed, &'static str)> {
    let is = |at: usize, words: &[&str]| {
        args.get(at).and_then(ArgumentWord::known_value).is_some_and(|v| words.contains(&v))
    };
    let mut inners = Vec::new();
    let mut at = 1;
    while at < args.len() {
        if !is(at, &["-exec", "-execdir", "-ok", "-okdir"]) {
            at += 1;
            continue;
        }
        let ends = |end: &usize| is(*end, &[";"]) || is(*end, &["+"]) && is(end.wrapping_sub(1), &["{}"]);
        let Some(end) = (at + 1..args.len()).find(ends).filter(|end| *end > at + 1) else {
            return Err((Unparsed::UnknownFlag, "`-exec` has no end"));
        };
        if inners.len() == MOST {
            return Err((Unparsed::TooDeep, "it has more `-exec` than Postern follows"));
        }
        inners.push(at + 1..end);
        at = end + 1;
    }
    Ok(inners)
}
