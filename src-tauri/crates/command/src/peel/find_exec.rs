//! `find`: a program by itself, and one more for each `-exec`.

use std::ops::Range;

use super::{finish, inner, refuse, replace_marks};
use crate::call::{Arg, Call, Found};
use crate::{Dir, Power, programs};

/// `-exec` that are followed in one `find`.
const MOST: usize = 8;

/// Adds `find` and the programs that it runs.
pub(super) fn place(call: Call, found: &mut Found) {
    let inners = match commands(&call.args) {
        Ok(inners) => inners,
        Err((code, what)) => return refuse(call, code, what, found),
    };
    programs::place(call.clone(), found);
    for range in inners {
        let word = call.args.get(range.start - 1).and_then(Arg::value);
        let elsewhere = matches!(word, Some("-execdir" | "-okdir"));
        let mut cut = call.clone();
        cut.args.truncate(range.end);
        let mut run = inner(cut, range.start, Power::Transparent);
        run.redirections.clear();
        if elsewhere {
            run.dir = Dir::Unknown;
        }
        // Found paths begin with where the search started, never with a dash; in its folder with the name itself.
        replace_marks(&mut run, "{}", elsewhere);
        finish(run, found);
    }
}

/// The words of each program that `find` runs.
pub(super) fn commands(args: &[Arg]) -> Result<Vec<Range<usize>>, (&'static str, &'static str)> {
    let is =
        |at: usize, words: &[&str]| args.get(at).and_then(Arg::value).is_some_and(|v| words.contains(&v));
    let mut inners = Vec::new();
    let mut at = 1;
    while at < args.len() {
        if !is(at, &["-exec", "-execdir", "-ok", "-okdir"]) {
            at += 1;
            continue;
        }
        let ends = |end: &usize| is(*end, &[";"]) || is(*end, &["+"]) && is(end.wrapping_sub(1), &["{}"]);
        let Some(end) = (at + 1..args.len()).find(ends).filter(|end| *end > at + 1) else {
            return Err(("unknown-flag", "`-exec` without its end"));
        };
        if inners.len() == MOST {
            return Err(("too-deep", "more `-exec` than are followed"));
        }
        inners.push(at + 1..end);
        at = end + 1;
    }
    Ok(inners)
}
