//! Wrappers that run a program once for each of many words: what they add is known only at run time.

use super::{finish, inner_call, refuse, replace_marks};
use crate::call::{Arg, CommandCall, ParseResults};
use crate::invocation::Leading;
use crate::{Power, Unparsed};

/// Reads `xargs`, which adds words from its input.
pub(super) fn add_xargs(call: CommandCall, start: usize, parsed: &Leading<'_>, found: &mut ParseResults) {
    let replace = parsed.last_option("-I -J -i --replace");
    let mark = replace.map(|given| given.value.unwrap_or("{}").to_owned());
    // `-J` and the options that count words add them at the end where the mark is missing.
    let appends = parsed.last_option("-J -n -L -l --max-args --max-lines").is_some();
    let known = replace.is_none_or(|given| parsed.value_word(given).is_none_or(|word| word.value.is_some()));
    if !known {
        return refuse(call, Unparsed::UnknownFlag, "what `xargs` replaces is known only at run time", found);
    }
    let span = call.span.clone();
    let mut inner = inner_call(call, start, Power::Transparent);
    match mark.filter(|mark| !mark.is_empty()) {
        Some(mark) => {
            replace_marks(&mut inner, &mark, true);
            if appends {
                inner.args.push(Arg::unknown("…", span, true));
            }
        }
        None => inner.args.push(Arg::unknown("…", span, true)),
    }
    finish(inner, found);
}

/// Reads `parallel`, which hands its words to a shell, with words from after `:::` or from its input.
pub(super) fn add_parallel(
    mut call: CommandCall,
    start: usize,
    parsed: &Leading<'_>,
    found: &mut ParseResults,
) {
    let marks = |arg: &Arg| arg.known_value().is_some_and(|value| value.starts_with(":::"));
    let end = call.args.iter().position(marks).unwrap_or(call.args.len());
    let simple = |arg: &Arg| {
        arg.known_value()
            .is_some_and(|v| v.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:@%+,={}".contains(c)))
    };
    if end <= start || !call.args[start..end].iter().all(simple) || parsed.last_option("-I").is_some() {
        return refuse(call, Unparsed::Wrapper, "`parallel` hands this to a shell", found);
    }
    call.args.truncate(end);
    let span = call.span.clone();
    let mut inner = inner_call(call, start, Power::Transparent);
    replace_marks(&mut inner, "{", true);
    inner.args.push(Arg::unknown("…", span, true));
    finish(inner, found);
}
