//! `find`: a program by itself, and one more for each `-exec`.

use super::{finish, inner, refuse, replace_marks};
use crate::call::{Call, Found};
use crate::{Dir, Power, programs};

/// `-exec` that are followed in one `find`.
const MOST: usize = 8;

/// Adds `find` and the programs that it runs.
pub(super) fn place(call: Call, found: &mut Found) {
    let is = |at: usize, words: &[&str]| {
        call.args.get(at).and_then(|arg| arg.value()).is_some_and(|v| words.contains(&v))
    };
    let mut inners = Vec::new();
    let mut at = 1;
    while at < call.args.len() {
        if !is(at, &["-exec", "-execdir", "-ok", "-okdir"]) {
            at += 1;
            continue;
        }
        let ends = |end: &usize| is(*end, &[";"]) || is(*end, &["+"]) && is(end.wrapping_sub(1), &["{}"]);
        let Some(end) = (at + 1..call.args.len()).find(ends).filter(|end| *end > at + 1) else {
            return refuse(call, "unknown-flag", "`-exec` without its end", found);
        };
        if inners.len() == MOST {
            return refuse(call, "too-deep", "more `-exec` than are followed", found);
        }
        inners.push((at + 1..end, is(at, &["-execdir", "-okdir"])));
        at = end + 1;
    }
    programs::place(call.clone(), found);
    for (range, elsewhere) in inners {
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
