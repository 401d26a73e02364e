//! Run: `/usr/bin/true` that is allowed, from the request to `exec.finished`. The rival starts it and waits for it
//! after 700 bytes were flushed to the same drive.
//!
//! A power cut must not erase the record of a command that is about to run.

use crate::Effort;
use crate::data::{Data, FREE, request};
use crate::figures::round_trip::{over, run_well};
use crate::processes::spawn_and_wait;
use crate::sample::{Sample, in_turn, ratio};
use crate::table::{Row, times};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

const TRUE: &str = "/usr/bin/true";
/// Bytes of what is flushed before a start.
const ENTRY: usize = 700;

pub(crate) fn measure(data: &Data, effort: Effort) -> anyhow::Result<[Row; 2]> {
    let mut channel = data.connect(FREE)?;
    let times_a_turn = 20 * effort.size;
    let mut journal = File::create(data.folder().join("journal"))?;
    let entry = [b'x'; ENTRY];
    let (ours, rival) = in_turn(
        effort.turns,
        || over(&mut channel, times_a_turn, |channel| run_well(channel, request(&[TRUE]))),
        || {
            Sample::of(times_a_turn, || {
                journal.write_all(&entry)?;
                journal.sync_data()?;
                spawn_and_wait(Path::new(TRUE), &[])
            })
        },
    )?;
    let row = |figure: &str, percent, most: f64, goal| {
        let ratio = ratio(ours.percentile(percent), rival.percentile(percent));
        Row {
            figure: String::from(figure),
            ours: times(&ours),
            rival: times(&rival).of("flush + posix_spawn + wait"),
            ratio: Some((ratio, if percent == 50 { "x p50" } else { "x p99" })),
            goal,
            met: ratio <= most,
        }
    };
    Ok([row("run", 50, 1.5, "<= 1.5 x p50"), row("run, slowest", 99, 2.0, "<= 2 x p99")])
}
