//! `fd`: a program by itself, and one more for each `-x` and `-X`. fd(1).

use std::ops::Range;

use super::{finish, inner, refuse, replace_marks};
use crate::call::{Arg, Call, Found};
use crate::invocation::Text;
use crate::{Power, Unparsed, programs};

/// Letters of fd that take a value, so that an `x` behind them is none of its own.
const VALUES: &str = "detESocjC";

/// `-x` that are followed in one `fd`.
const MOST: usize = 8;

/// Adds `fd` and the programs that it runs.
pub(super) fn place(call: Call, found: &mut Found) {
    let inners = match commands(&call.args) {
        Ok(inners) => inners,
        Err(what) => return refuse(call, Unparsed::UnknownFlag, what, found),
    };
    programs::place(call.clone(), found);
    for range in inners {
        let mut cut = call.clone();
        cut.args.truncate(range.end);
        let mut run = inner(cut, range.start, Power::Transparent);
        run.redirections.clear();
        if !run.args.iter().any(|arg| arg.value().is_some_and(|word| word.contains('{'))) {
            run.args.push(Arg::unknown("{}", call.span.clone(), true));
        }
        replace_marks(&mut run, "{", true);
        finish(run, found);
    }
}

/// The words of each program that `fd` runs.
pub(super) fn commands<W: Text>(args: &[W]) -> Result<Vec<Range<usize>>, &'static str> {
    let value = |at: usize| args.get(at).and_then(Text::value);
    let mut inners = Vec::new();
    let mut at = 1;
    while at < args.len() {
        match value(at).map_or(Runs::Nothing, runs) {
            Runs::Nothing if value(at) == Some("--") => break,
            Runs::Nothing => at += 1,
            Runs::Attached => return Err("runs a program in a way that is not followed"),
            Runs::Next => {
                let end = (at + 1..args.len()).find(|end| value(*end) == Some(";")).unwrap_or(args.len());
                if end == at + 1 || inners.len() == MOST {
                    return Err("`-x` without a program, or too many");
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

/// Whether a word says that a program is run.
fn runs(word: &str) -> Runs {
    if let Some(long) = word.strip_prefix("--") {
        return match long.split_once('=') {
            None if matches!(long, "exec" | "exec-batch") => Runs::Next,
            _ if long.starts_with("ex")
                && "exec-batch".starts_with(long.split('=').next().unwrap_or(long)) =>
            {
                Runs::Attached
            }
            _ => Runs::Nothing,
        };
    }
    let Some(cluster) = word.strip_prefix('-') else { return Runs::Nothing };
    let own = cluster.split(|c| VALUES.contains(c)).next().unwrap_or_default();
    match own.find(['x', 'X']) {
        Some(at) if at + 1 == cluster.len() => Runs::Next,
        Some(_) => Runs::Attached,
        None => Runs::Nothing,
    }
}
