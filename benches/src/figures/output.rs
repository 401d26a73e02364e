//! Output: `cat` of a large file through `exec.output`, and the host's memory meanwhile. The rival is the same through
//! a pipe and one relay to a unix socket.
//!
//! Both sides may use two processors, and no more.

use crate::Effort;
use crate::data::{Data, FREE, request};
use crate::proc::{forget_peak, peak, resident};
use crate::processes::relay_all;
use crate::sample::{Sample, in_turn, ratio};
use crate::table::{Row, mebibytes, times};
use anyhow::{Context as _, ensure};
use postern_client::Channel;
use postern_protocol::{AgentCall, NoticeEvent, RunParams, Wait};
use std::io::Write as _;

const CAT: &str = "/bin/cat";
/// Bytes of the file for each unit of effort: 1 GiB in all where everything is measured.
const PIECE: usize = 103 << 20;
/// Growth of the host's memory, in KiB: what is kept of an output, and what is under way.
const GROWTH: u64 = 16 * 1024;
/// Turns at least: each is one sample.
const TURNS: usize = 9;

pub(crate) fn measure(host: u32, data: &Data, effort: Effort) -> anyhow::Result<[Row; 2]> {
    // Not in the data folder, which no agent may read.
    let folder = tempfile::tempdir_in("/var/tmp")?;
    let path = folder.path().join("long-output");
    let line = format!("{}\n", "a line of a long output ".repeat(5));
    let size = PIECE * effort.size / line.len() * line.len();
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
    (0..size / line.len()).try_for_each(|_| file.write_all(line.as_bytes()))?;
    file.flush()?;
    let (name, size) = (path.to_str().context("an odd path")?, size as u64);
    let mut channel = data.connect(FREE)?;
    let before = resident(host)?;
    forget_peak(host)?;
    let (ours, rival) = in_turn(
        effort.turns.max(TURNS),
        || Sample::of(1, || told(&mut channel, name, size)),
        || {
            Sample::of(1, || {
                ensure!(relay_all(CAT, &[name])? == size, "the relay lost something");
                Ok(())
            })
        },
    )?;
    let growth = peak(host)?.saturating_sub(before);
    let ratio = ratio(ours.median(), rival.median());
    let speed = Row {
        figure: format!("output of {}", mebibytes(size >> 10)),
        ours: times(&ours),
        rival: times(&rival).of("relay"),
        ratio: Some((1.0 / ratio, "of its speed")),
        goal: ">= half of a relay",
        met: ratio <= 2.0,
    };
    let memory = Row::alone("output, memory", mebibytes(growth), "<= 16 MiB more", growth <= GROWTH);
    Ok([speed, memory])
}

/// Runs `cat` and hears all that it writes.
fn told(channel: &mut Channel, file: &str, size: u64) -> anyhow::Result<()> {
    let params = RunParams { wait: Wait::None, stream: true, ..request(&[CAT, file]) };
    let id = params.request_id;
    channel.send(&AgentCall::Run(Box::new(params)))?;
    let mut heard = 0;
    loop {
        let notice = channel.next_event(None)?.context("the host is gone")?;
        if notice.request_id != id {
            continue;
        }
        match notice.event {
            NoticeEvent::Output(output) => heard += output.into_bytes()?.len() as u64,
            NoticeEvent::Finished(done) => {
                ensure!(done.exit_code == Some(0) && heard == size, "{heard} bytes of {size}, then {done:?}");
                return Ok(());
            }
            NoticeEvent::Denied(denied) => anyhow::bail!("denied: {denied:?}"),
            NoticeEvent::Pending(_) | NoticeEvent::Started(_) | NoticeEvent::ToolResolved(_) => {}
        }
    }
}
