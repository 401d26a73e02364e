//! Wrappers that run the program named by their operands, with the options that each is known to take.
//!
//! Grammars are written as `options` reads them. An option that is not listed makes the wrapper opaque: that is also how options
//! that run something by themselves, set the environment or replace the program's name are kept out.

mod elsewhere;
mod plain;
mod privilege;
mod tracing;

use crate::Power;

/// How a wrapper is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrapper {
    pub(crate) names: &'static [&'static str],
    pub(in crate::peel) power: Power,
    pub(in crate::peel) options: &'static str,
    /// What stands between the options and the program, a word each.
    pub(in crate::peel) operands: &'static [Operand],
    /// Whether `NAME=value` may stand before the program.
    pub(in crate::peel) assignments: bool,
    /// Options with which it runs nothing (`command -v`, `sudo -l`).
    pub(in crate::peel) asks: &'static str,
    /// Options after which the program is looked up elsewhere.
    pub(in crate::peel) elsewhere: &'static str,
    /// Options that name a file which it writes.
    pub(in crate::peel) writes: &'static str,
    /// Options that name the folder in which the program runs.
    pub(in crate::peel) folder: &'static str,
    /// What it does when no program is named.
    pub(in crate::peel) alone: Alone,
    /// Where its options are documented.
    pub(crate) source: &'static str,
}

/// A word before the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A file or folder.
    Path,
    /// Digits and what goes with them in a time, a priority, a processor list or a mask.
    Number,
}

/// What a wrapper does when no program is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alone {
    /// Nothing that counts: it prints, waits, or runs `echo`.
    Harmless,
    /// It starts a shell, or what it does is not followed.
    Doubt,
}

const PLAIN: Wrapper = Wrapper {
    names: &[],
    power: Power::Transparent,
    options: "",
    operands: &[],
    assignments: false,
    asks: "--help --version",
    elsewhere: "",
    writes: "",
    folder: "",
    alone: Alone::Doubt,
    source: "",
};

pub(in crate::peel) fn find(family: &str) -> Option<&'static Wrapper> {
    all().find(|wrapper| wrapper.names.contains(&family))
}

/// Every wrapper of the tables.
pub(crate) fn all() -> impl Iterator<Item = &'static Wrapper> {
    [plain::WRAPPERS, privilege::WRAPPERS, elsewhere::WRAPPERS, tracing::WRAPPERS].into_iter().flatten()
}

impl Operand {
    /// Whether the word can be this.
    pub(in crate::peel) fn fits(self, word: &str) -> bool {
        match self {
            Self::Path => !word.starts_with('-'),
            Self::Number => {
                word.starts_with(|c: char| c.is_ascii_hexdigit() || c == '.')
                    && word.chars().all(|c| c.is_ascii_hexdigit() || "xsmhd.,:-".contains(c))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Operand, all, find};
    use crate::peel::options::{listed, takes};
    use crate::programs::{Class, class_of};

    #[test]
    fn every_wrapper_says_where_its_options_are_documented_and_names_only_options_that_it_has() {
        for wrapper in all() {
            assert!(!wrapper.source.is_empty(), "{:?}", wrapper.names);
            let sets = [wrapper.elsewhere, wrapper.writes, wrapper.folder];
            for name in sets.iter().flat_map(|names| names.split_whitespace()) {
                assert!(takes(wrapper.options, name).is_some(), "{:?} has no {name}", wrapper.names);
            }
            for (name, _) in listed(wrapper.options) {
                assert!(name.starts_with('-') && name.len() > 1, "{name} of {:?}", wrapper.names);
            }
            for name in wrapper.names {
                let first = find(name).map(|found| found.names);
                assert_eq!(first, Some(wrapper.names), "{name} stands in one row only");
                assert!(
                    matches!(class_of(name), Class::Wrapper | Class::Multicall),
                    "{name} is of the class of wrappers"
                );
            }
        }
    }

    #[test]
    fn a_word_that_is_no_number_is_no_time() {
        for word in ["5", "1.5m", "10s", "0x3", "0-3,5", ".5", "ff"] {
            assert!(Operand::Number.fits(word), "{word}");
        }
        for word in ["rm", "-5", "", "/bin/rm", "5;rm"] {
            assert!(!Operand::Number.fits(word), "{word}");
        }
    }
}
