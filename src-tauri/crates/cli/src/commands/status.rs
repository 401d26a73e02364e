//! `postern status`, `pause` and `resume`.

use crate::args::Json;
use crate::failure::Failure;
use crate::link::Link;
use crate::print;
use postern_contract::methods::{GetStatus, Nothing, Pause, PauseAll, ResumeAll};
use postern_contract::{Concern, Mode, Status, StoppedAgent};

pub(crate) fn status(link: &mut Link, json: Json) -> Result<(), Failure> {
    let status = link.call::<GetStatus>(&Nothing {})?;
    if json.json { print::json(&status) } else { show(&status) }
}

pub(super) fn mode(status: &Status) -> String {
    match (status.mode, status.paused_until) {
        (Mode::Listening, _) => "on".to_owned(),
        (Mode::Paused, Some(until)) => format!("blocking all agents until {}", print::time(until)),
        (Mode::Paused, None) => "blocking all agents until postern resume".to_owned(),
        (Mode::DenyAll, _) => "denying all requests: its history is damaged".to_owned(),
    }
}

fn show(status: &Status) -> Result<(), Failure> {
    print::line(format!("Postern {} (process {}) is {}", status.version, status.pid, mode(status)))?;
    print::line(format!("data      {}", status.data))?;
    print::line(format!("since     {}", print::time(status.started_at)))?;
    print::line(format!("waiting   {} questions; running {} commands", status.waiting, status.running))?;
    let faces = if status.faces.is_empty() {
        "nobody; answer with postern approve".to_owned()
    } else {
        status.faces.join(", ")
    };
    print::line(format!("answers   {faces}"))?;
    if let Some(managed) = &status.managed {
        print::line(format!("managed   {managed}"))?;
    }
    for one in &status.stopped {
        print::line(format!("stopped   {}", stopped(one)))?;
    }
    for attention in &status.attention {
        print::line(format!("attention {}", concern(attention)))?;
    }
    Ok(())
}

/// Says what is wrong, and since when.
pub(super) fn concern(concern: &Concern) -> String {
    let since = concern.since.map(|since| format!(" (since {})", print::time(since)));
    format!("{}{}", concern.message, since.unwrap_or_default())
}

/// Describes an agent that the user stopped: the time left, and the command that ends it.
pub(super) fn stopped(one: &StoppedAgent) -> String {
    let StoppedAgent { agent, until } = one;
    let left = print::until(*until);
    format!("{agent} is stopped for another {left}. To end this: postern agents allow-again {agent}")
}

pub(crate) fn pause(link: &mut Link, duration: Option<humantime::Duration>) -> Result<(), Failure> {
    let for_ms =
        duration.map(|duration| u64::try_from(duration.as_millis()).map_err(Failure::own)).transpose()?;
    print::line(format!("Postern is {}", mode(&link.call::<PauseAll>(&Pause { for_ms })?)))
}

pub(crate) fn resume(link: &mut Link) -> Result<(), Failure> {
    print::line(format!("Postern is {}", mode(&link.call::<ResumeAll>(&Nothing {})?)))
}
