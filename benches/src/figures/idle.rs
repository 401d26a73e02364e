//! Idle: memory and wake-ups of a host that nobody talks to. It has no rival but zero.

use crate::Effort;
use crate::data::Data;
use crate::proc::{private_dirty, resident, switches, wait_for_rest};
use crate::processes::Host;
use crate::table::{Row, Value, mebibytes};
use std::path::Path;
use std::time::Duration;

/// Limit of dirty private memory, in KiB.
const DIRTY: u64 = 15 * 1024;
/// Limit of resident memory, its program included, in KiB.
const RESIDENT: u64 = 20 * 1024;

pub(crate) fn measure(postern: &Path, data: &Data, effort: Effort) -> anyhow::Result<[Row; 3]> {
    let host = Host::start(postern, data.folder())?;
    let pid = host.pid();
    let second = Duration::from_secs(1);
    wait_for_rest(pid, second)?;
    let before = switches(pid)?;
    let seconds = 3 * u32::try_from(effort.size)?;
    std::thread::sleep(second * seconds);
    let woken = switches(pid)? - before;
    let (dirty, resident) = (private_dirty(pid)?, resident(pid)?);
    host.stop()?;
    let wakes = Value::Text(format!("{woken} in {seconds} s"));
    Ok([
        Row::alone("idle, private memory", mebibytes(dirty), "<= 15 MiB", dirty <= DIRTY),
        Row::alone("idle, resident", mebibytes(resident), "<= 20 MiB", resident <= RESIDENT),
        Row::alone("idle, wake-ups", wakes, "none", woken == 0),
    ])
}
