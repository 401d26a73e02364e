//! `postern status`, `pause` and `resume`.

use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use crate::shared_args::JsonOutput;
use postern_contract::methods::{GetStatus, Nothing, Pause, PauseAll, ResumeAll};
use postern_contract::{Concern, Mode, Status, StoppedAgent};

pub(crate) fn status(link: &mut HostLink, json: JsonOutput) -> Result<(), Failure> {
    let status = link.call_method::<GetStatus>(&Nothing {})?;
    if json.json { print::write_json(&status) } else { print_status(&status) }
}

pub(crate) fn mode_words(status: &Status) -> String {
    match (status.mode, status.paused_until) {
        (Mode::Listening, _) => "on".to_owned(),
        (Mode::Paused, Some(until)) => format!("blocking all agents until {}", print::format_time(until)),
        (Mode::Paused, None) => "blocking all agents until postern resume".to_owned(),
        (Mode::DenyAll, _) => "denying all requests: its record can’t be trusted".to_owned(),
    }
}

fn print_status(status: &Status) -> Result<(), Failure> {
    print::say!("Postern {} (process {}) is {}", status.version, status.pid, mode_words(status))?;
    print::say!("data      {}", status.data)?;
    print::say!("since     {}", print::format_time(status.started_at))?;
    let waiting = print::counted(status.waiting, "question", "questions");
    let running = print::counted(status.running, "command", "commands");
    print::say!("waiting   {waiting}; running {running}")?;
    let approvers = if status.faces.is_empty() {
        "no one: questions are denied after 10 seconds, except those of agents with unattended=wait; \
         postern tui shows them here"
            .to_owned()
    } else {
        status.faces.join(", ")
    };
    print::say!("answers   {approvers}")?;
    if let Some(managed) = &status.managed {
        print::say!("managed   {managed}")?;
    }
    for one in &status.stopped {
        print::say!("stopped   {}", stopped(one))?;
    }
    for attention in &status.attention {
        print::say!("attention {}", concern(attention))?;
    }
    if !status.attention.is_empty() {
        print::write_line("          postern doctor says what to do")?;
    }
    Ok(())
}

/// Says what is wrong, and since when.
pub(super) fn concern(concern: &Concern) -> String {
    let since = concern.since.map(|since| format!(" (since {})", print::format_time(since)));
    format!("{}{}", concern.message, since.unwrap_or_default())
}

/// Describes an agent that the user stopped: the time left, and the command that ends it.
pub(super) fn stopped(one: &StoppedAgent) -> String {
    let StoppedAgent { agent, until } = one;
    let left = print::time_until(*until);
    format!("{agent} is stopped for another {left}. To end this: postern agents allow-again {agent}")
}

pub(crate) fn pause_all(link: &mut HostLink, duration: Option<humantime::Duration>) -> Result<(), Failure> {
    let for_ms = duration
        .map(|duration| u64::try_from(duration.as_millis()).map_err(Failure::from_error))
        .transpose()?;
    print::say!("Postern is {}", mode_words(&link.call_method::<PauseAll>(&Pause { for_ms })?))
}

pub(crate) fn resume(link: &mut HostLink) -> Result<(), Failure> {
    print::say!("Postern is {}", mode_words(&link.call_method::<ResumeAll>(&Nothing {})?))
}
