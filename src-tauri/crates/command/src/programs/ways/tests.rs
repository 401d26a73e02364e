//! What holds of the table as a whole.

use serde::Deserialize;

use super::reader::Read;
use super::{all, git, marks};
use crate::call::{Arg, Call, Feed};
use crate::programs::{Class, class_of, family, known_carriers};
use crate::{Dialect, Dir, Reading, read_shell};

#[derive(Deserialize)]
struct Case {
    shell: Option<String>,
    expect: serde_json::Value,
}

/// The readings of our own cases that must not be allowed.
fn questions(text: &str) -> Vec<Reading> {
    let cases = text.lines().map(|line| serde_json::from_str::<Case>(line).unwrap());
    let asked = cases.filter(|case| case.expect != "allow");
    asked.filter_map(|case| Some(read_shell(&case.shell?, Dialect::Bash))).collect()
}

fn call(argv: &[crate::Word]) -> Call {
    Call {
        args: argv
            .iter()
            .map(|word| match &word.value {
                Some(value) => Arg::known(value, 0..0),
                None => Arg::unknown(&word.raw, 0..0, true),
            })
            .collect(),
        span: 0..0,
        via: Vec::new(),
        assignments: Vec::new(),
        redirections: Vec::new(),
        dir: Dir::Same,
        feed: Feed::Inherited,
        shell: None,
        depth: 0,
        opaque: None,
    }
}

#[test]
fn every_row_has_a_case_that_must_not_be_allowed() {
    let cases = questions(include_str!("../../../../../../tests/fixtures/cases/argument.jsonl"));
    let steps: Vec<_> = cases.iter().flat_map(|reading| &reading.steps).collect();
    let mut missing = Vec::new();
    for tool in all() {
        let own: Vec<_> = steps
            .iter()
            .filter(|step| step.program().is_some_and(|name| tool.names.contains(&family(name).as_str())))
            .collect();
        for row in tool.rows {
            let hit = own.iter().any(|step| {
                let call = call(&step.argv);
                let read = Read::new(&call, &family(call.head().unwrap()), tool);
                marks::find(row, tool, &read, &step.dir).is_some()
            });
            if !hit {
                missing.push((tool.names[0], row.marks));
            }
        }
    }
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn every_wrapper_and_interpreter_has_a_case_that_must_not_be_allowed() {
    let mut cases = questions(include_str!("../../../../../../tests/fixtures/cases/wrapper.jsonl"));
    cases.extend(questions(include_str!("../../../../../../tests/fixtures/cases/argument.jsonl")));
    let steps = || cases.iter().flat_map(|reading| &reading.steps);
    let wrappers = steps().flat_map(|step| &step.via).filter_map(|via| via.argv.first()?.value.clone());
    let programs = steps().filter_map(|step| step.program().map(str::to_owned));
    let tried: std::collections::BTreeSet<String> =
        wrappers.chain(programs).map(|name| family(&name)).collect();
    let missing: Vec<_> =
        known_carriers().filter(|known| !known.programs.iter().any(|name| tried.contains(*name))).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

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
                        mark[1..].trim_end_matches('/').parse::<usize>().is_ok_and(|n| n > 0)
                            || matches!(mark, "#*" | "#*/")
                    }
                    Some('@' | '-') => option.starts_with('-') && option.len() > 1,
                    Some(_) => mark
                        .split_once([':', '!'])
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
