//! Addresses that curl and wget are given: every operand is one, whatever it looks like.

use super::command::ExaminedCommand;
use super::host::machine_of;

/// Programs of which every operand is an address, with the letters of options that take a value and are not listed as such.
const FETCHERS: [(&str, &str); 2] = [("curl", "bcdDFKoQT"), ("wget", "aeioPQw")];

/// Beginnings of long options of theirs that take a value.
const VALUES: [&str; 14] = [
    "--append-output",
    "--body-",
    "--cookie",
    "--data",
    "--directory-prefix",
    "--dump-header",
    "--form",
    "--input-file",
    "--json",
    "--output",
    "--post-",
    "--quote",
    "--upload-file",
    "--url-query",
];

/// Returns true if every operand of a program is an address.
pub(super) fn fetches_operands(program: &str) -> bool {
    FETCHERS.iter().any(|(name, _)| *name == program)
}

/// Returns the addresses that a command names from an index on: its operands, and the values of `--url`.
pub(super) fn addresses<'a>(command: &ExaminedCommand<'a>, from: usize) -> Vec<&'a str> {
    let letters = FETCHERS.iter().find(|(name, _)| *name == command.name).map_or("", |(_, letters)| letters);
    let takes = |option: &str| match option.strip_prefix('-') {
        Some(long) if long.starts_with('-') => VALUES.iter().any(|value| option.starts_with(value)),
        Some(cluster) => cluster.ends_with(|letter| letters.contains(letter)),
        None => false,
    };
    let read = command.read();
    let operands = read.operands.iter().filter(|at| **at >= from).filter_map(|at| {
        let word = read.word_at(*at)?;
        let is_value = read.word_at(at.checked_sub(1)?).is_some_and(takes);
        (!is_value || machine_of(word).is_some()).then_some(word)
    });
    operands.chain(command.values_of("--url")).collect()
}
