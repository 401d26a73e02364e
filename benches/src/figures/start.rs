//! Time from the start of the process to the first accepted connection, with all rules and all history.
//!
//! Against the same program that only prints its version.

use crate::Effort;
use crate::data::{Data, FREE};
use crate::processes::{Host, spawn_and_wait};
use crate::sample::{Sample, in_turn, ratio};
use crate::table::{Row, times};
use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// Goal.
const GOAL: Duration = Duration::from_millis(50);

pub(crate) fn measure(postern: &Path, data: &Data, effort: Effort) -> anyhow::Result<Row> {
    let (ours, rival) = in_turn(
        effort.turns,
        || {
            let mut sample = Sample::default();
            for _ in 0..effort.size {
                sample.push(start(postern, data)?);
            }
            Ok::<_, anyhow::Error>(sample)
        },
        || Sample::of(effort.size, || spawn_and_wait(postern, &["--version"])),
    )?;
    Ok(Row {
        figure: "start",
        measured: times(&ours),
        rival: format!("--version {}", times(&rival)),
        ratio: format!("{:.1} x p50", ratio(ours.median(), rival.median())),
        goal: "<= 50 ms p50",
        met: ours.median() <= GOAL,
    })
}

fn start(postern: &Path, data: &Data) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let host = Host::start(postern, data.folder())?;
    let mut connection = UnixStream::connect(data.socket(FREE))?;
    // The first byte of its hello: the connection was accepted.
    connection.read_exact(&mut [0])?;
    let took = begun.elapsed();
    drop(connection);
    host.stop()?;
    Ok(took)
}
