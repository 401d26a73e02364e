//! Run: `/usr/bin/true` that is allowed, from the request to `exec.finished`, against starting and waiting for it.

use crate::Effort;
use crate::data::{Data, FREE, request};
use crate::figures::round_trip::hear;
use crate::processes::spawn_and_wait;
use crate::sample::{Sample, in_turn, ratio};
use crate::table::{Row, times};
use anyhow::ensure;
use postern_client::Channel;
use postern_protocol::{Event, RunResult};
use std::path::Path;

const TRUE: &str = "/usr/bin/true";

pub(crate) fn measure(data: &Data, effort: Effort) -> anyhow::Result<[Row; 2]> {
    let mut channel = data.connect(FREE)?;
    let times_a_turn = 20 * effort.size;
    let (ours, rival) = in_turn(
        effort.turns,
        || {
            let sample = Sample::of(times_a_turn, || run_true(&mut channel));
            hear(&mut channel)?;
            sample
        },
        || Sample::of(times_a_turn, || spawn_and_wait(Path::new(TRUE), &[])),
    )?;
    let row = |figure, percent, most: f64, goal| {
        let ratio = ratio(ours.percentile(percent), rival.percentile(percent));
        Row {
            figure,
            measured: times(&ours),
            rival: format!("posix_spawn + wait {}", times(&rival)),
            ratio: format!("{ratio:.1} x p{percent}"),
            goal,
            met: ratio <= most,
        }
    };
    Ok([row("run", 50, 1.5, "<= 1.5 x p50"), row("run, slowest", 99, 2.0, "<= 2 x p99")])
}

fn run_true(channel: &mut Channel) -> anyhow::Result<()> {
    let result = channel.run(request(&[TRUE]))?;
    let RunResult::Ended(notice) = result else { anyhow::bail!("not ended: {result:?}") };
    ensure!(
        matches!(&notice.event, Event::Finished(done) if done.exit_code == Some(0)),
        "it failed: {notice:?}"
    );
    Ok(())
}
