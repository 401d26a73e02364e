//! Differential test of thousands of lines, each run in real shells.
//!
//! No program may run that the reading of the line did not have, unless it said that there is something in it
//! which it does not understand.

use postern_command::{ParsedCommand, read_shell};
use postern_tests::shells::{Ran, Sandbox, Shell, grammar, mutate, unreported};
use postern_tests::{bubblewrap_works, cases};
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;

/// Lines of the grammar, and lines of the corpora with changes.
const MADE: usize = 2_000;
const CHANGED: usize = 1_000;

#[test]
fn no_program_runs_that_the_reading_did_not_tell_of() {
    if !bubblewrap_works() {
        return;
    }
    let files = cases::files();
    let corpora = corpora(&files);
    let mut runner = TestRunner::deterministic();
    let mut lines = sample(&mut runner, MADE, &grammar::line());
    lines.extend(sample(&mut runner, CHANGED, &mutate::line(corpora.clone())));
    lines.extend(corpora);
    lines.retain(|line| !line.contains('\0'));
    let programs = grammar::words("programs").iter().cloned();
    let sandbox = Sandbox::with(programs.chain(files.iter().flat_map(|file| file.names.keys().cloned())));
    let shells = [Shell::Bash, Shell::Dash, Shell::Zsh].into_iter().filter(|shell| shell.is_here());
    let found: Vec<String> = std::thread::scope(|scope| {
        let (sandbox, lines) = (&sandbox, &lines);
        let running: Vec<_> = shells
            .map(|shell| scope.spawn(move || compare(shell, lines, &sandbox.run(shell, lines))))
            .collect();
        running.into_iter().flat_map(|thread| thread.join().expect("a shell was tried")).collect()
    });
    assert!(found.is_empty(), "{} lines run more than was told:\n{}", found.len(), found.join("\n"));
}

/// Lines that ran something which their reading does not tell of.
fn compare(shell: Shell, lines: &[String], ran: &[Vec<Ran>]) -> Vec<String> {
    let mut found = Vec::new();
    let (mut clear, mut clear_and_ran) = (0, 0);
    for (line, ran) in lines.iter().zip(ran) {
        let reading = read_shell(line, shell.dialect());
        if !reading.is_clear() {
            continue;
        }
        clear += 1;
        clear_and_ran += usize::from(!ran.is_empty());
        let more = unreported(&reading, ran);
        if !more.is_empty() {
            found.push(format!("{} ran {more:?} of {line:?}, read as {:?}", shell.name(), told(&reading)));
        }
    }
    // Were hardly anything understood, or did hardly anything run, this would show nothing.
    assert!(
        clear > lines.len() / 5,
        "{}: only {clear} of {} lines are understood",
        shell.name(),
        lines.len()
    );
    assert!(clear_and_ran > lines.len() / 10, "{}: only {clear_and_ran} lines ran something", shell.name());
    found
}

fn told(reading: &ParsedCommand) -> Vec<String> {
    let raw =
        |words: &[postern_command::Word]| words.iter().map(|w| w.raw.as_str()).collect::<Vec<_>>().join(" ");
    let via =
        |step: &postern_command::Step| step.via.iter().map(|via| raw(&via.argv) + " > ").collect::<String>();
    reading.steps.iter().map(|step| format!("{:?} {}{}", step.role, via(step), raw(&step.argv))).collect()
}

fn sample(runner: &mut TestRunner, count: usize, strategy: &impl Strategy<Value = String>) -> Vec<String> {
    (0..count).map(|_| strategy.new_tree(runner).expect("a line can be made").current()).collect()
}

/// Returns the shell text of every case.
fn corpora(files: &[cases::File]) -> Vec<String> {
    let written = files.iter().flat_map(|file| &file.written);
    written.filter_map(|case| case["shell"].as_str().map(str::to_owned)).collect()
}
