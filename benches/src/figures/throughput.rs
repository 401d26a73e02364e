//! Throughput: 16 agents on their own channels, with one connection each and with four, and the wait of the slowest.
//!
//! Each asks for denied commands one after another, all recorded.

use crate::Effort;
use crate::cpu::all;
use crate::data::{DENIED, Data, denied};
use crate::echo::{self, Echo};
use crate::figures::round_trip::{ask_denied, hear, line};
use crate::sample::{Sample, ratio};
use crate::table::{Row, Value, times};
use std::path::Path;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Goal, in calls a second.
const GOAL: f64 = 10_000.0;
/// Goal for the 99th percentile of a call.
const TAIL: Duration = Duration::from_millis(5);

pub(crate) fn measure(data: &Data, effort: Effort) -> anyhow::Result<Vec<Row>> {
    let echo = echo::serve(data.folder(), "echo-many", &all()?, || true)?;
    let mut rows = of(16, &echo, data, effort)?;
    // Of these alone the tail is wanted.
    rows.extend(of(64, &echo, data, effort)?.pop());
    Ok(rows)
}

/// Measures this number of connections, spread over the agents.
fn of(connections: usize, echo: &Path, data: &Data, effort: Effort) -> anyhow::Result<Vec<Row>> {
    let line = line();
    let time = Duration::from_millis(200) * u32::try_from(effort.size)?;
    let mut channels = (0..connections)
        .map(|nth| data.connect(&denied(nth % DENIED)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut echoes = (0..connections).map(|_| Echo::connect(echo)).collect::<anyhow::Result<Vec<_>>>()?;
    let (mut ours, mut rival) = (Vec::new(), Vec::new());
    let (mut all_ours, mut all_rival) = (Sample::default(), Sample::default());
    for turn in 0..=effort.turns {
        let (rate, sample) = a_second(time, &mut channels, |channel| {
            ask_denied(channel)?;
            hear(channel)
        })?;
        let (other_rate, other) = a_second(time, &mut echoes, |echo| echo.call(&line))?;
        // The first turn warms up.
        if turn > 0 {
            ours.push(rate);
            rival.push(other_rate);
            all_ours.append(sample);
            all_rival.append(other);
        }
    }
    let (ours, rival) = (median(ours), median(rival));
    let tail = all_ours.percentile(99);
    let ratio = ratio(tail, all_rival.percentile(99));
    Ok(vec![
        Row {
            figure: format!("throughput, {connections} connections"),
            ours: Value::number(ours, "a second"),
            rival: Value::number(rival, "a second").of("echo"),
            ratio: Some((ours / rival, "x")),
            goal: ">= 10,000 a second",
            met: ours >= GOAL,
        },
        Row {
            figure: format!("latency, {connections} connections"),
            ours: times(&all_ours),
            rival: times(&all_rival).of("echo"),
            ratio: Some((ratio, "x p99")),
            goal: "p99 <= 5 ms",
            met: tail <= TAIL,
        },
    ])
}

/// Counts the calls a second of all connections together, and times each call.
fn a_second<C: Send>(
    time: Duration,
    connections: &mut [C],
    call: impl Fn(&mut C) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<(f64, Sample)> {
    let barrier = Barrier::new(connections.len());
    let begun = Instant::now();
    let samples = std::thread::scope(|scope| {
        let threads: Vec<_> = connections
            .iter_mut()
            .map(|connection| scope.spawn(|| count(time, connection, &call, &barrier)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a client panicked"))))
            .collect::<anyhow::Result<Vec<Sample>>>()
    })?;
    let took = begun.elapsed().as_secs_f64();
    let mut all = Sample::default();
    for sample in samples {
        all.append(sample);
    }
    Ok((f64::from(u32::try_from(all.count())?) / took, all))
}

fn count<C>(
    time: Duration,
    connection: &mut C,
    call: &(impl Fn(&mut C) -> anyhow::Result<()> + Sync),
    barrier: &Barrier,
) -> anyhow::Result<Sample> {
    barrier.wait();
    let begun = Instant::now();
    let mut sample = Sample::default();
    while begun.elapsed() < time {
        let before = Instant::now();
        call(connection)?;
        sample.push(before.elapsed());
    }
    Ok(sample)
}

fn median(mut turns: Vec<f64>) -> f64 {
    turns.sort_unstable_by(f64::total_cmp);
    turns.get(turns.len() / 2).copied().unwrap_or_default()
}
