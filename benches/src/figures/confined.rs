//! Cost of confinement for a run of `/usr/bin/true`, against the same run unconfined; and a line of two
//! steps, against bash.

use crate::Effort;
use crate::data::{Data, FREE, request};
use crate::figures::round_trip::{over, run_well};
use crate::processes::spawn_and_wait;
use crate::sample::{Sample, in_turn};
use crate::table::Row;
use postern_client::Channel;
use postern_protocol::{RequestedConfinement, RunParams, What};
use std::path::Path;
use std::time::Duration;

const TRUE: &str = "/usr/bin/true";
const LINE: &str = "/usr/bin/true && /usr/bin/true";
/// Time that each profile may add.
const LOOK: Duration = Duration::from_millis(1);
const PROJECT: Duration = Duration::from_millis(4);

pub(crate) fn measure(data: &Data, effort: Effort) -> anyhow::Result<[Row; 3]> {
    let project = tempfile::Builder::new().prefix("postern-bench-").tempdir_in("/var/tmp")?;
    let (mut channel, mut free) = (data.connect(FREE)?, data.connect(FREE)?);
    let times_a_turn = 5 * effort.size;
    let asked =
        |confine| RunParams { cwd: Some(project.path().display().to_string()), confine, ..request(&[TRUE]) };
    let mut row = |figure: &str, confine, goal, most| -> anyhow::Result<Row> {
        let sides = in_turn(
            effort.turns,
            || over(&mut channel, times_a_turn, |channel| run_well(channel, asked(Some(confine)))),
            || over(&mut free, times_a_turn, |channel| run_well(channel, asked(None))),
        )?;
        Ok(Row::longer(figure, &sides, "unconfined", goal, most))
    };
    let look = row("run, confined by look", RequestedConfinement::Look, "<= +1 ms p50", LOOK)?;
    let project = row("run, confined by project", RequestedConfinement::Project, "<= +4 ms p50", PROJECT)?;
    Ok([look, project, line(&mut free, effort)?])
}

fn line(channel: &mut Channel, effort: Effort) -> anyhow::Result<Row> {
    let times_a_turn = 10 * effort.size;
    let params = || RunParams { what: What::Shell(LINE.to_owned()), ..request(&[TRUE]) };
    let sides = in_turn(
        effort.turns,
        || over(channel, times_a_turn, |channel| run_well(channel, params())),
        || {
            let arguments = ["--noprofile", "--norc", "-c", LINE];
            Sample::of(times_a_turn, || spawn_and_wait(Path::new("/bin/bash"), &arguments))
        },
    )?;
    Ok(Row::beside("run, a line of two steps", &sides, "bash -c", "<= 1.5 x p50", |ratio| ratio <= 1.5))
}
