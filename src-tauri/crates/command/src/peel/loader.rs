//! The dynamic loader by hand: `/lib64/ld-linux-x86-64.so.2 /bin/rm x` runs `/bin/rm x`. ld.so(8).

use super::{finish, inner, refuse};
use crate::call::{Arg, Call, Found};
use crate::{Power, Unparsed};

/// Adds the program that the loader starts. With options (`--preload`, `--library-path`, `--argv0`) it is not followed, and a
/// name without a folder is looked for among libraries.
pub(super) fn place(call: Call, found: &mut Found) {
    match call.args.get(1).map(Arg::value) {
        Some(Some(path)) if path.contains('/') && !path.starts_with('-') => {
            finish(inner(call, 1, Power::Transparent), found);
        }
        _ => refuse(
            call,
            Unparsed::Wrapper,
            "the dynamic loader is told what to load in a way that is not followed",
            found,
        ),
    }
}
