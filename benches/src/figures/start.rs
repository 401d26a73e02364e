//! Time from the start of the process to the first accepted connection, with all rules and all history.
//!
//! Against the same program that only prints its version.

use crate::Effort;
use crate::data::{Data, FREE, MANY_RULES};
use crate::processes::{Host, spawn_and_wait};
use crate::sample::{Sample, in_turn};
use crate::table::Row;
use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest time from start to readiness that meets the goal.
const GOAL: Duration = Duration::from_millis(25);
/// With a hundred thousand rules.
const GOAL_MANY: Duration = Duration::from_millis(100);

pub(crate) fn measure(postern: &Path, data: &Data, effort: Effort) -> anyhow::Result<[Row; 2]> {
    let first = row("start, 10,000 rules", postern, data, effort, ("p50 <= 25 ms", GOAL))?;
    let many = Data::with(MANY_RULES)?;
    let second = row("start, 100,000 rules", postern, &many, effort, ("p50 <= 100 ms", GOAL_MANY))?;
    Ok([first, second])
}

fn row(
    figure: &str,
    postern: &Path,
    data: &Data,
    effort: Effort,
    (goal, most): (&'static str, Duration),
) -> anyhow::Result<Row> {
    let sides = in_turn(
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
    Ok(Row::beside(figure, &sides, "--version", goal, |_| sides.0.median() <= most))
}

/// Returns the time from the start of a host to its first connection.
pub(super) fn start(postern: &Path, data: &Data) -> anyhow::Result<Duration> {
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
