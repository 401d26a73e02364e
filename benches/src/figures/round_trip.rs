//! Round trip: an authenticated `system.run` of a command that a rule denies, durable before it is answered, against
//! a bare echo of as many bytes.

use crate::Effort;
use crate::data::{Data, denied, request};
use crate::echo::{self, Echo};
use crate::sample::{Sample, in_turn, ratio};
use crate::table::{Row, times};
use anyhow::ensure;
use postern_client::Channel;
use postern_protocol::{Call, Event, Id, RunResult};
use std::time::Duration;

/// Asks for something that a rule denies. What is told about it besides is heard outside of the measured time.
pub(crate) fn ask_denied(channel: &mut Channel) -> anyhow::Result<()> {
    let result = channel.run(request(&["rm", "-r", "build"]))?;
    let RunResult::Ended(notice) = result else { anyhow::bail!("not ended: {result:?}") };
    ensure!(matches!(notice.event, Event::Denied(_)), "not denied: {notice:?}");
    Ok(())
}

/// Hears what was told and waits to be heard.
pub(crate) fn hear(channel: &mut Channel) -> anyhow::Result<()> {
    while channel.next_event(Some(Duration::ZERO))?.is_some() {}
    Ok(())
}

/// Returns the line that such a request is on the wire.
pub(crate) fn line() -> Vec<u8> {
    Call::Run(Box::new(request(&["rm", "-r", "build"]))).line(&Id::Number(1))
}

pub(crate) fn measure(data: &Data, effort: Effort) -> anyhow::Result<Row> {
    let mut channel = data.connect(&denied(0))?;
    let mut echo = Echo::connect(&echo::serve(data.folder())?)?;
    let line = line();
    let times_a_turn = 200 * effort.size;
    let (ours, rival) = in_turn(
        effort.turns,
        || {
            let sample = Sample::of(times_a_turn, || ask_denied(&mut channel));
            hear(&mut channel)?;
            sample
        },
        || Sample::of(times_a_turn, || echo.call(&line)),
    )?;
    let ratio = ratio(ours.median(), rival.median());
    Ok(Row {
        figure: "round trip",
        measured: times(&ours),
        rival: format!("echo {}", times(&rival)),
        ratio: format!("{ratio:.1} x p50"),
        goal: "<= 5 x p50",
        met: ratio <= 5.0,
    })
}
