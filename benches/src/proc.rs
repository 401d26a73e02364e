//! Facts of Linux about a process in `/proc`: memory, wake-ups, open files.

use anyhow::{Context as _, ensure};
use std::time::{Duration, Instant};

/// Longest time for a process to come to rest: after a day's load there is much to index.
const PATIENCE: Duration = Duration::from_mins(10);

/// Returns resident memory, in KiB.
pub(crate) fn resident(pid: u32) -> anyhow::Result<u64> {
    number(&format!("/proc/{pid}/status"), "VmRSS:")
}

/// Returns the most memory that was resident since it began, or since [`forget_peak`], in KiB.
pub(crate) fn peak(pid: u32) -> anyhow::Result<u64> {
    number(&format!("/proc/{pid}/status"), "VmHWM:")
}

/// Begins to look for the peak again.
pub(crate) fn forget_peak(pid: u32) -> anyhow::Result<()> {
    std::fs::write(format!("/proc/{pid}/clear_refs"), "5").context("this figure needs Linux")
}

/// Returns the number of times that the threads of a process were put on a CPU so far.
pub(crate) fn switches(pid: u32) -> anyhow::Result<u64> {
    let mut sum = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let status = thread?.path().join("status");
        let status = status.to_str().context("an odd path")?;
        sum += number(status, "voluntary_ctxt_switches:")? + number(status, "nonvoluntary_ctxt_switches:")?;
    }
    Ok(sum)
}

/// Waits until no thread of a process was put on a CPU for this long.
pub(crate) fn wait_for_rest(pid: u32, quiet: Duration) -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut before = switches(pid)?;
    loop {
        std::thread::sleep(quiet);
        let now = switches(pid)?;
        if now == before {
            return Ok(());
        }
        ensure!(begun.elapsed() < PATIENCE, "process {pid} does not come to rest");
        before = now;
    }
}

/// Returns the number of open files.
pub(crate) fn descriptors(pid: u32) -> anyhow::Result<usize> {
    Ok(std::fs::read_dir(format!("/proc/{pid}/fd")).context("this figure needs Linux")?.count())
}

/// Reads the private memory that a process has written to, in KiB. The text of its program is not in it.
pub(crate) fn private_dirty(pid: u32) -> anyhow::Result<u64> {
    number(&format!("/proc/{pid}/smaps_rollup"), "Private_Dirty:")
}

/// Returns the number behind a name in a file of `/proc`.
fn number(file: &str, name: &str) -> anyhow::Result<u64> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{file}: this figure needs Linux"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let value = line.and_then(|line| line.split_whitespace().next()).with_context(|| format!("no {name}"))?;
    Ok(value.parse()?)
}
