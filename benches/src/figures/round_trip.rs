//! Round trip: an authenticated `system.run` of a command that a rule denies, on the record before it is answered.
//!
//! With everything on one processor, the rival is an echo that commits one slim row for each line. With the ends on
//! two, it is a bare echo across both.

use crate::Effort;
use crate::cpu::{all, pin, pin_this};
use crate::data::{Data, denied, request};
use crate::echo::{self, Echo};
use crate::sample::{Sample, in_turn};
use crate::slim::Slim;
use crate::table::Row;
use anyhow::ensure;
use parking_lot::Mutex;
use postern_client::Channel;
use postern_protocol::{AgentCall, CallId, NoticeEvent, RunParams, RunResult};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Asks for something that a rule denies. What is told about it besides is heard outside of the measured time.
pub(crate) fn ask_denied(channel: &mut Channel) -> anyhow::Result<()> {
    let result = channel.run(request(&["rm", "-r", "build"]))?;
    let RunResult::Ended(notice) = result else { anyhow::bail!("not ended: {result:?}") };
    ensure!(matches!(notice.event, NoticeEvent::Denied(_)), "not denied: {notice:?}");
    Ok(())
}

/// Asks for something that is allowed, and that ends well.
pub(crate) fn run_well(channel: &mut Channel, params: RunParams) -> anyhow::Result<()> {
    let result = channel.run(params)?;
    let RunResult::Ended(notice) = result else { anyhow::bail!("not ended: {result:?}") };
    ensure!(
        matches!(&notice.event, NoticeEvent::Finished(done) if done.exit_code == Some(0)),
        "it failed: {notice:?}"
    );
    Ok(())
}

/// Measures calls over a channel, and then hears what was told besides.
pub(crate) fn over(
    channel: &mut Channel,
    times: usize,
    call: impl Fn(&mut Channel) -> anyhow::Result<()>,
) -> anyhow::Result<Sample> {
    let sample = Sample::of(times, || call(channel));
    hear(channel)?;
    sample
}

/// Hears what was told and waits to be heard.
pub(crate) fn hear(channel: &mut Channel) -> anyhow::Result<()> {
    while channel.next_event(Some(Duration::ZERO))?.is_some() {}
    Ok(())
}

/// Returns the line that such a request is on the wire.
pub(crate) fn line() -> Vec<u8> {
    AgentCall::Run(Box::new(request(&["rm", "-r", "build"]))).to_line(&CallId::Number(1))
}

pub(crate) fn measure(host: u32, data: &Data, effort: Effort) -> anyhow::Result<Vec<Row>> {
    let cpus = all()?;
    let (here, other) = (cpus[0], cpus.get(1).copied());
    let slim = Arc::new(Mutex::new(Slim::create(data.folder(), "slim-echo.db")?));
    let commit = move || {
        let mut slim = slim.lock();
        slim.commit().is_ok()
    };
    let mut rows = Vec::new();
    pin_this(&[here])?;
    pin(host, &[here])?;
    let echo = echo::serve(data.folder(), "echo-commit", &[here], commit)?;
    // An agent of its own for each: one may not record as much as both do.
    rows.push(row(
        "round trip, one CPU",
        data.connect(&denied(0))?,
        effort,
        &echo,
        "echo + slim commit",
        (5.0, "<= 5 x p50"),
    )?);
    if let Some(other) = other {
        pin(host, &[other])?;
        let echo = echo::serve(data.folder(), "echo-across", &[other], || true)?;
        rows.push(row(
            "round trip, two CPUs",
            data.connect(&denied(1))?,
            effort,
            &echo,
            "echo across",
            (2.0, "<= 2 x p50"),
        )?);
    }
    pin_this(&cpus)?;
    pin(host, &cpus)?;
    Ok(rows)
}

fn row(
    figure: &str,
    mut channel: Channel,
    effort: Effort,
    echo: &Path,
    rival: &'static str,
    (most, goal): (f64, &'static str),
) -> anyhow::Result<Row> {
    let mut echo = Echo::connect(echo)?;
    let line = line();
    let times_a_turn = 200 * effort.size;
    let sides = in_turn(
        effort.turns,
        || over(&mut channel, times_a_turn, ask_denied),
        || Sample::of(times_a_turn, || echo.call(&line)),
    )?;
    Ok(Row::beside(figure, &sides, rival, goal, |ratio| ratio <= most))
}
