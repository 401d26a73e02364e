//! What holds of the table as a whole.

use super::{all, git};
use crate::programs::{Class, class_of, family};

#[test]
fn every_row_has_a_source_and_marks_that_can_be_read() {
    for tool in all() {
        assert!(!tool.rows.is_empty(), "{:?} has no way out", tool.names);
        for row in tool.rows {
            assert!(!row.source.is_empty(), "{:?} {} has no source", tool.names, row.marks);
            for mark in row.marks.split(' ') {
                let option = mark.trim_start_matches('@');
                let sub = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-._:+".contains(c));
                let readable = match mark.chars().next() {
                    Some('*') => mark == "*",
                    Some('=' | '^' | '~' | '!') => mark.len() > 1,
                    Some('#') => {
                        mark[1..].trim_end_matches('/').parse::<usize>().is_ok_and(|n| n > 0) || mark == "#*"
                    }
                    Some('@' | '-') => option.starts_with('-') && option.len() > 1,
                    Some(_) => mark
                        .split_once(':')
                        .map_or_else(|| sub(mark), |(name, rest)| sub(name) && !rest.is_empty()),
                    None => false,
                };
                assert!(readable, "{:?}: {mark:?}", tool.names);
            }
        }
    }
}

#[test]
fn every_program_stands_in_one_row_by_the_name_that_it_is_looked_up_by() {
    let mut seen = std::collections::BTreeSet::new();
    let mut wrong = Vec::new();
    for name in all().flat_map(|tool| tool.names) {
        let again = !seen.insert(*name);
        // What is no ordinary program has its arguments read elsewhere.
        if again || family(name) != *name || class_of(name) != Class::Ordinary {
            wrong.push((*name, again, family(name), class_of(name)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(git::COMMANDS.is_sorted(), "git's commands are in order");
}
