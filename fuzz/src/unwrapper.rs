//! Argument vectors: wrappers are peeled off whatever their words are, and one more wrapper hides nothing.

use super::reader::holds_together;
use postern_command::{ParsedCommand, read_argv};

/// Reads the bytes as an argv: words end at a NUL, as they do for the kernel.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let argv: Vec<String> = text.split('\0').map(str::to_owned).collect();
    let reading = read_argv(&argv);
    holds_together(&reading);
    assert_eq!(reading, read_argv(&argv), "the same argv is read the same way");
    wrapped_the_same(&argv, &reading);
}

/// Checks that `nohup`, `nice` and `env` in front change nothing about what runs.
fn wrapped_the_same(argv: &[String], bare: &ParsedCommand) {
    let plain =
        argv.first().is_some_and(|name| !name.is_empty() && !name.starts_with('-') && !name.contains('='));
    if !plain || bare.invalid.is_some() {
        return;
    }
    for wrapper in ["nohup", "nice", "env"] {
        let wrapped: Vec<String> = std::iter::once(wrapper.to_owned()).chain(argv.iter().cloned()).collect();
        let reading = read_argv(&wrapped);
        if reading.invalid.is_none() && reading.is_clear() {
            for program in programs(bare) {
                assert!(programs(&reading).contains(&program), "{wrapper} hides {program:?} of {argv:?}");
            }
        }
    }
}

fn programs(reading: &ParsedCommand) -> Vec<String> {
    reading.steps.iter().filter_map(|step| step.program().map(str::to_owned)).collect()
}
