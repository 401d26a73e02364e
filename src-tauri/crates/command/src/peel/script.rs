//! `script`: macOS's `script FILE PROGRAM…`, util-linux's `script -c TEXT FILE`. Both write what is shown to FILE.

use super::{finish, inner_call, inner_shell, refuse};
use crate::call::{Arg, CommandCall, ParseResults};
use crate::invocation::Leading;
use crate::programs::table;
use crate::{Note, Power, Redirection, RedirectionKind, Unparsed, Word};

/// Options that name a file which is written.
const LOGS: &str = "-I -B -O -T --log-in --log-io --log-out --log-timing";

/// Adds what `script` runs, with the files that it writes.
pub(super) fn add_script(mut call: CommandCall, found: &mut ParseResults) {
    let args = call.args.clone();
    let (parsed, operands) = match read_options(&args) {
        Ok(read) => read,
        Err(what) => return refuse(call, Unparsed::UnknownFlag, what, found),
    };
    let logs = LOGS
        .split(' ')
        .filter_map(|name| parsed.last_option(name))
        .filter_map(|given| parsed.value_word(given));
    let file = operands.first().map_or_else(|| Word::literal("typescript"), |at| call.args[*at].word.clone());
    let written: Vec<Word> = logs.chain([file]).collect();
    let writes = |target| Redirection { kind: RedirectionKind::Write, target, text: None };
    call.redirections.extend(written.into_iter().map(writes));
    let program = operands.first().map(|at| at + 1).filter(|at| *at < call.args.len());
    match (parsed.last_option("-c --command"), program) {
        (Some(given), _) => inner_shell::place_value(call, given, Power::Transparent, found),
        (None, Some(at)) => finish(inner_call(call, at, Power::Transparent), found),
        (None, None) => refuse(call, Unparsed::Wrapper, "`script` starts a shell", found),
    }
}

/// Returns the options, and the file. Without a text, what follows the file is a program with options of its
/// own.
fn read_options(args: &[Arg]) -> Result<(Leading<'_>, Vec<usize>), Note> {
    let options = table::program("script").map_or("", |script| script.behind);
    let before = Leading::parse_leading(args, options)?;
    let after = args.get(before.operand + 1).and_then(Arg::known_value);
    if before.last_option("-c --command").is_some() || after.is_some_and(|word| word.starts_with('-')) {
        return Leading::everywhere(args, options);
    }
    let file = Some(before.operand).filter(|at| *at < args.len());
    Ok((before, file.into_iter().collect()))
}
