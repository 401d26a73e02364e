//! Idle: memory and wake-ups of a host that nobody talks to. It has no rival but zero.

use crate::Effort;
use crate::data::Data;
use crate::proc::{mebibytes, resident, switches};
use crate::processes::Host;
use crate::table::Row;
use std::path::Path;
use std::time::Duration;

/// Goal, in KiB.
const MEMORY: u64 = 15 * 1024;
/// Time that it may take to come to rest after its start.
const PATIENCE: usize = 60;

pub(crate) fn measure(postern: &Path, data: &Data, effort: Effort) -> anyhow::Result<[Row; 2]> {
    let host = Host::start(postern, data.folder())?;
    let pid = host.pid();
    let second = Duration::from_secs(1);
    let mut before = switches(pid)?;
    for _ in 0..PATIENCE {
        std::thread::sleep(second);
        let now = switches(pid)?;
        if now == before {
            break;
        }
        before = now;
    }
    let seconds = 3 * u32::try_from(effort.size)?;
    std::thread::sleep(second * seconds);
    let woken = switches(pid)? - before;
    let resident = resident(pid)?;
    host.stop()?;
    let memory = Row::alone(
        "idle memory",
        format!("{} resident", mebibytes(resident)),
        "<= 15 MiB",
        resident <= MEMORY,
    );
    let wakes = Row::alone("idle wake-ups", format!("{woken} in {seconds} s"), "none", woken == 0);
    Ok([memory, wakes])
}
