//! The command line: whole processes of `postern`, as they are typed, and beside them Codex's own matcher where it is installed.

use crate::Effort;
use crate::data::{Data, FREE, RULES};
use crate::processes::{find_program, run_command_line};
use crate::sample::{Sample, in_turn};
use crate::table::{Row, times};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

const EXPLAIN: Duration = Duration::from_millis(10);
const VERSION: Duration = Duration::from_millis(5);

/// Command that is explained.
const COMMAND: [&str; 3] = ["rg", "--count", "error"];

pub(crate) fn measure(program: &Path, data: &Data, effort: Effort) -> anyhow::Result<Vec<Row>> {
    let many = 5 * effort.size;
    let explain = [&["explain", "--agent", FREE, "--cwd", "/", "--"][..], &COMMAND].concat();
    let explained = || Sample::of(many, || run_command_line(program, data.folder(), &explain));
    let sides = in_turn(effort.turns, explained, || {
        Sample::of(many, || run_command_line(program, data.folder(), &["--version"]))
    })?;
    let (ours, version) = (sides.0.median(), &sides.1);
    let mut rows = vec![
        Row::beside("explain, 10,000 rules", &sides, "--version", "p50 <= 10 ms", |_| ours <= EXPLAIN),
        Row::alone("postern --version", times(version), "p50 <= 5 ms", version.median() <= VERSION),
    ];
    if let Some(codex) = find_program("codex") {
        let check = codex_check(data)?;
        let check: Vec<&str> = check.iter().map(String::as_str).collect();
        let checked = || Sample::of(many, || run_command_line(&codex, data.folder(), &check));
        let sides = in_turn(effort.turns, explained, checked)?;
        let (figure, rival) = ("explain beside Codex, 10,000 rules", "codex execpolicy check");
        rows.push(Row::beside(figure, &sides, rival, "<= 1 x p50", |ratio| ratio <= 1.0));
    }
    Ok(rows)
}

/// Writes as many rules in Codex's language, and returns the arguments that check the command by them.
fn codex_check(data: &Data) -> anyhow::Result<Vec<String>> {
    let mut rules = String::new();
    for nth in 1..RULES {
        writeln!(rules, "prefix_rule(pattern=[\"tool-{nth}\", \"sub-{}\"], decision=\"allow\")", nth % 13)?;
    }
    rules.push_str("prefix_rule(pattern=[\"rg\", \"--count\"], decision=\"allow\")\n");
    let file = data.folder().join("codex.rules");
    std::fs::write(&file, rules)?;
    let file = file.to_string_lossy().into_owned();
    let check = ["execpolicy", "check", "--rules", &file, "--"];
    Ok(check.into_iter().chain(COMMAND).map(str::to_owned).collect())
}
