//! Cost of confinement for a run of `/usr/bin/true`, against the same run unconfined; and a line of two
//! steps, against bash.

use crate::Effort;
use crate::data::{Data, FREE, request};
use crate::figures::round_trip::hear;
use crate::processes::spawn_and_wait;
use crate::sample::{Sample, in_turn};
use crate::table::{Row, times};
use anyhow::ensure;
use postern_client::Channel;
use postern_protocol::{NoticeEvent, RequestedConfinement, RunParams, RunResult, What};
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
        let (ours, rival) = in_turn(
            effort.turns,
            || {
                let sample = Sample::of(times_a_turn, || run(&mut channel, asked(Some(confine))));
                hear(&mut channel)?;
                sample
            },
            || {
                let sample = Sample::of(times_a_turn, || run(&mut free, asked(None)));
                hear(&mut free)?;
                sample
            },
        )?;
        let more = ours.median().saturating_sub(rival.median());
        Ok(Row {
            figure: String::from(figure),
            ours: times(&ours),
            rival: times(&rival).of("unconfined"),
            ratio: Some((more.as_secs_f64() * 1e3, "ms more, p50")),
            goal,
            met: more <= most,
        })
    };
    let look = row("run, confined by look", RequestedConfinement::Look, "<= +1 ms p50", LOOK)?;
    let project = row("run, confined by project", RequestedConfinement::Project, "<= +4 ms p50", PROJECT)?;
    Ok([look, project, line(&mut free, effort)?])
}

fn line(channel: &mut Channel, effort: Effort) -> anyhow::Result<Row> {
    let times_a_turn = 10 * effort.size;
    let (ours, rival) = in_turn(
        effort.turns,
        || {
            let what = What::Shell(LINE.to_owned());
            let params = || RunParams { what: what.clone(), ..request(&[TRUE]) };
            let sample = Sample::of(times_a_turn, || run(channel, params()));
            hear(channel)?;
            sample
        },
        || {
            let arguments = ["--noprofile", "--norc", "-c", LINE];
            Sample::of(times_a_turn, || spawn_and_wait(Path::new("/bin/bash"), &arguments))
        },
    )?;
    let ratio = crate::sample::ratio(ours.median(), rival.median());
    Ok(Row {
        figure: "run, a line of two steps".to_owned(),
        ours: times(&ours),
        rival: times(&rival).of("bash -c"),
        ratio: Some((ratio, "x p50")),
        goal: "<= 1.5 x p50",
        met: ratio <= 1.5,
    })
}

fn run(channel: &mut Channel, params: RunParams) -> anyhow::Result<()> {
    let result = channel.run(params)?;
    let RunResult::Ended(notice) = result else { anyhow::bail!("not ended: {result:?}") };
    ensure!(
        matches!(&notice.event, NoticeEvent::Finished(done) if done.exit_code == Some(0)),
        "it failed: {notice:?}"
    );
    Ok(())
}
