//! Builtins that set variables named in their arguments.

use super::{Arg, Ruling, known_value};
use crate::environment::{decides_what_runs, evaluates, is_name};
use crate::{Dialect, Unparsed};

pub(super) const WILD: Ruling = Ruling::Doubt(
    Unparsed::Environment,
    "it sets a variable that decides what runs, or one named at run time",
);

/// Options of a builtin whose operands are names.
pub(super) struct BuiltinOptions {
    /// Letters without a value.
    pub(super) flags: &'static str,
    /// Letters with a value that may be any text.
    pub(super) texts: &'static str,
    /// Letters with a value that must be a number: zsh evaluates it.
    pub(super) numbers: &'static str,
    /// Letters with a value that is a name too.
    pub(super) names: &'static str,
}

/// Returns true if the variable may be set to text that is not known.
pub(crate) fn may_set(name: &str, shell: Dialect) -> bool {
    is_name(name) && !decides_what_runs(name, Some(shell)) && !evaluates(name, None, Some(shell))
}

/// Checks that every operand is the plain name of a variable that decides nothing.
pub(super) fn after_options(arguments: &[Arg], options: &BuiltinOptions, shell: Dialect) -> Ruling {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(value) = known_value(argument) else { return WILD };
        let Some(cluster) = value.strip_prefix('-').filter(|cluster| !cluster.is_empty()) else {
            if !may_set(value, shell) {
                return WILD;
            }
            continue;
        };
        if !cluster_is_fine(cluster, &mut rest, options, shell) {
            return WILD;
        }
    }
    Ruling::Harmless
}

fn cluster_is_fine<'a>(
    cluster: &str,
    rest: &mut impl Iterator<Item = &'a Arg>,
    options: &BuiltinOptions,
    shell: Dialect,
) -> bool {
    for (at, letter) in cluster.char_indices() {
        if options.flags.contains(letter) || cluster == "-" {
            continue;
        }
        let attached = cluster.get(at + letter.len_utf8()..).filter(|attached| !attached.is_empty());
        let value = match (attached, attached.is_none().then(|| rest.next()).flatten()) {
            (Some(attached), _) => Some(attached),
            (None, Some(next)) if !next.several => known_value(next),
            // Nothing follows, or what follows may be several words, of which the next would be a name.
            (None, _) => return false,
        };
        let number = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        return options.texts.contains(letter)
            || options.numbers.contains(letter) && value.is_some_and(number)
            || options.names.contains(letter) && value.is_some_and(|name| may_set(name, shell));
    }
    true
}
