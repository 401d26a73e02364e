//! `env -S 'a b' c` is `env a b c`.

use super::{program, refuse};
use crate::Unparsed;
use crate::call::{Arg, CommandCall, ParseResults};
use crate::invocation::Leading;

/// Puts the words of the split text where the option stood, and reads the call again: they may be options too.
pub(super) fn add_env_split(mut call: CommandCall, parsed: &Leading<'_>, found: &mut ParseResults) {
    let split = parsed.given.iter().find(|given| matches!(&*given.name, "-S" | "--split-string"));
    let Some((split, text)) = split.and_then(|split| Some((split, split.value?.to_owned()))) else {
        return refuse(
            call,
            Unparsed::UnknownFlag,
            "`env -S` splits a text that is known only at run time",
            found,
        );
    };
    let words = crate::words_of(&text).ok().filter(|_| !text.contains(['$', '\\', '#']));
    let Some(words) = words else {
        return refuse(
            call,
            Unparsed::UnknownFlag,
            "`env -S` splits a text in a way that Postern doesn’t follow",
            found,
        );
    };
    let word = call.args[split.at].known_value().unwrap_or_default().to_owned();
    let span = call.args[split.value_at].span.clone();
    let rest = call.args.split_off(split.value_at + 1);
    call.args.truncate(split.at);
    // Letters before the `S` of a cluster stay: `-iS text`.
    let before = word.split('S').next().unwrap_or_default();
    if before.len() > 1 && !before.starts_with("--") {
        call.args.push(Arg::from_value(before, span.clone()));
    }
    call.args.extend(words.into_iter().map(|word| Arg::from_value(word, span.clone())).chain(rest));
    call.depth += 1;
    program(call, found);
}
