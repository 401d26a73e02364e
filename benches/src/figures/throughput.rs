//! Throughput: 16 agents on their own channels, each asking for denied commands one after another, all recorded.

use crate::Effort;
use crate::data::{DENIED, Data, denied};
use crate::echo::{self, Echo};
use crate::figures::round_trip::{ask_denied, hear, line};
use crate::table::Row;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Goal, in calls a second.
const GOAL: f64 = 10_000.0;

pub(crate) fn measure(data: &Data, effort: Effort) -> anyhow::Result<Row> {
    let echo = echo::serve(data.folder())?;
    let line = line();
    let time = Duration::from_millis(200) * u32::try_from(effort.size)?;
    let mut channels =
        (0..DENIED).map(|nth| data.connect(&denied(nth))).collect::<anyhow::Result<Vec<_>>>()?;
    let mut echoes = (0..DENIED).map(|_| Echo::connect(&echo)).collect::<anyhow::Result<Vec<_>>>()?;
    let (mut ours, mut rival) = (Vec::new(), Vec::new());
    for _ in 0..=effort.turns {
        ours.push(a_second(time, &mut channels, |channel| {
            ask_denied(channel)?;
            hear(channel)
        })?);
        rival.push(a_second(time, &mut echoes, |echo| echo.call(&line))?);
    }
    let (ours, rival) = (median(ours), median(rival));
    Ok(Row {
        figure: "throughput",
        measured: format!("{ours:.0} a second (median of {} turns)", effort.turns),
        rival: format!("echo {rival:.0} a second"),
        ratio: format!("{:.2} x", ours / rival),
        goal: ">= 10,000 a second",
        met: ours >= GOAL,
    })
}

/// Returns the calls a second that all connections make together.
fn a_second<C: Send>(
    time: Duration,
    connections: &mut [C],
    call: impl Fn(&mut C) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<f64> {
    let barrier = Barrier::new(connections.len());
    let begun = Instant::now();
    let counts = std::thread::scope(|scope| {
        let threads: Vec<_> = connections
            .iter_mut()
            .map(|connection| scope.spawn(|| count(time, connection, &call, &barrier)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a client panicked"))))
            .collect::<anyhow::Result<Vec<u32>>>()
    })?;
    Ok(counts.into_iter().map(f64::from).sum::<f64>() / begun.elapsed().as_secs_f64())
}

fn count<C>(
    time: Duration,
    connection: &mut C,
    call: &(impl Fn(&mut C) -> anyhow::Result<()> + Sync),
    barrier: &Barrier,
) -> anyhow::Result<u32> {
    barrier.wait();
    let begun = Instant::now();
    let mut count = 0;
    while begun.elapsed() < time {
        call(connection)?;
        count += 1;
    }
    Ok(count)
}

/// Returns the median of the turns behind the warm-up.
fn median(mut turns: Vec<f64>) -> f64 {
    turns.remove(0);
    turns.sort_unstable_by(f64::total_cmp);
    turns.get(turns.len() / 2).copied().unwrap_or_default()
}
