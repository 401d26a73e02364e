//! Idle: memory and wake-ups of a host that nobody talks to. It has no rival but zero.

use crate::Effort;
use crate::data::Data;
use crate::processes::Host;
use crate::table::Row;
use anyhow::Context as _;
use std::path::Path;
use std::time::Duration;

/// What is wanted, in KiB.
const MEMORY: u64 = 15 * 1024;
/// How long it may take to come to rest after its start.
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
    let resident = number(&format!("/proc/{pid}/status"), "VmRSS:")?;
    host.stop()?;
    let memory = Row {
        figure: "idle memory",
        measured: format!("{:.1} MiB resident", f64::from(u32::try_from(resident)?) / 1024.0),
        rival: "-".to_owned(),
        ratio: "-".to_owned(),
        goal: "<= 15 MiB",
        met: resident <= MEMORY,
    };
    let wakes = Row {
        figure: "idle wake-ups",
        measured: format!("{woken} in {seconds} s"),
        rival: "-".to_owned(),
        ratio: "-".to_owned(),
        goal: "none",
        met: woken == 0,
    };
    Ok([memory, wakes])
}

/// How often the threads of a process were put on a CPU so far.
fn switches(pid: u32) -> anyhow::Result<u64> {
    let mut sum = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let status = thread?.path().join("status");
        let status = status.to_str().context("an odd path")?;
        sum += number(status, "voluntary_ctxt_switches:")? + number(status, "nonvoluntary_ctxt_switches:")?;
    }
    Ok(sum)
}

/// The number behind a name in a file of `/proc`.
fn number(file: &str, name: &str) -> anyhow::Result<u64> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{file}: this figure needs Linux"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let value = line.and_then(|line| line.split_whitespace().next()).with_context(|| format!("no {name}"))?;
    Ok(value.parse()?)
}
