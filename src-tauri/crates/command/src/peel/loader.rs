//! The dynamic loader by hand: `/lib64/ld-linux-x86-64.so.2 /bin/rm x` runs `/bin/rm x`. ld.so(8).

use super::{finish, inner_call, refuse};
use crate::call::{Arg, CommandCall, ParseResults};
use crate::{Power, Unparsed};

/// Adds the program that the loader starts. With options (`--preload`, `--library-path`, `--argv0`) it is not followed, and a
/// name without a folder is looked for among libraries.
pub(super) fn add_loaded(call: CommandCall, found: &mut ParseResults) {
    match call.args.get(1).map(Arg::known_value) {
        Some(Some(path)) if path.contains('/') && !path.starts_with('-') => {
            finish(inner_call(call, 1, Power::Transparent), found);
        }
        _ => refuse(
            call,
            Unparsed::Wrapper,
            "Postern doesn’t follow options by which the dynamic loader loads more",
            found,
        ),
    }
}
