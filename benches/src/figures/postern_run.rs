//! `postern-run` as it goes into sandboxes: a whole process that forwards `/usr/bin/true`, against running it; its size and
//! its memory.

use crate::Effort;
use crate::data::{Data, FREE};
use crate::proc::peak;
use crate::processes::{Forwarder, spawn_and_wait};
use crate::sample::{Sample, in_turn};
use crate::table::mebibytes;
use crate::table::{Row, times};
use anyhow::Context as _;
use std::path::Path;
use std::time::Duration;

const TRUE: &str = "/usr/bin/true";
/// Time that it may add.
const GOAL: Duration = Duration::from_millis(4);
/// Size limit, in bytes.
const SIZE: u64 = 3 << 19;
/// Memory limit, in KiB.
const MEMORY: u64 = 3 * 1024;

pub(crate) fn measure(program: &Path, data: &Data, effort: Effort) -> anyhow::Result<[Row; 3]> {
    let size = std::fs::metadata(program)
        .with_context(|| format!("{}: scripts/bench builds it", program.display()))?
        .len();
    let socket = data.socket(FREE);
    let forwarder = Forwarder { program, socket: &socket };
    let times_a_turn = 20 * effort.size;
    let (ours, rival) = in_turn(
        effort.turns,
        || Sample::of(times_a_turn, || forwarder.run(&[TRUE])),
        || Sample::of(times_a_turn, || spawn_and_wait(Path::new(TRUE), &[])),
    )?;
    let more = ours.median().saturating_sub(rival.median());
    let memory = forwarder.while_forwarding(peak)?;
    Ok([
        Row {
            figure: "postern-run".to_owned(),
            ours: times(&ours),
            rival: times(&rival).of("the command itself"),
            ratio: Some((more.as_secs_f64() * 1e3, "ms more, p50")),
            goal: "<= +4 ms p50",
            met: more <= GOAL,
        },
        Row::alone("postern-run, size", mebibytes(size >> 10), "<= 1.5 MiB", size <= SIZE),
        Row::alone("postern-run, memory", mebibytes(memory), "<= 3 MiB", memory <= MEMORY),
    ])
}
