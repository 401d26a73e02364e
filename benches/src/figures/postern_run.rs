//! `postern-run` as it goes into sandboxes: a whole process that forwards `/usr/bin/true`, against running it; its size and
//! its memory.

use crate::Effort;
use crate::data::{Data, FREE};
use crate::proc::peak;
use crate::processes::{Forwarder, spawn_and_wait};
use crate::sample::{Sample, in_turn};
use crate::table::{Row, mebibytes};
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
    let sides = in_turn(
        effort.turns,
        || Sample::of(times_a_turn, || forwarder.run(&[TRUE])),
        || Sample::of(times_a_turn, || spawn_and_wait(Path::new(TRUE), &[])),
    )?;
    let memory = forwarder.while_forwarding(peak)?;
    Ok([
        Row::longer("postern-run", &sides, "the command itself", "<= +4 ms p50", GOAL),
        Row::alone("postern-run, size", mebibytes(size >> 10), "<= 1.5 MiB", size <= SIZE),
        Row::alone("postern-run, memory", mebibytes(memory), "<= 3 MiB", memory <= MEMORY),
    ])
}
