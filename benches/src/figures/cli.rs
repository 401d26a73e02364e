//! The command line: whole processes of `postern`, as they are typed.

use crate::Effort;
use crate::data::{Data, FREE};
use crate::processes::postern;
use crate::sample::{Sample, in_turn, ratio};
use crate::table::{Row, times};
use std::path::Path;
use std::time::Duration;

const EXPLAIN: Duration = Duration::from_millis(10);
const VERSION: Duration = Duration::from_millis(5);

pub(crate) fn measure(program: &Path, data: &Data, effort: Effort) -> anyhow::Result<[Row; 2]> {
    let many = 5 * effort.size;
    let explain = ["explain", "--agent", FREE, "--cwd", "/", "--", "rg", "--count", "error"];
    let (ours, version) = in_turn(
        effort.turns,
        || Sample::of(many, || postern(program, data.folder(), &explain)),
        || Sample::of(many, || postern(program, data.folder(), &["--version"])),
    )?;
    Ok([
        Row {
            figure: "explain, 10,000 rules".to_owned(),
            ours: times(&ours),
            rival: times(&version).of("--version"),
            ratio: Some((ratio(ours.median(), version.median()), "x p50")),
            goal: "p50 <= 10 ms",
            met: ours.median() <= EXPLAIN,
        },
        Row::alone("postern --version", times(&version), "p50 <= 5 ms", version.median() <= VERSION),
    ])
}
