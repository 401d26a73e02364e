//! `postern status`, `doctor`, `pause` and `resume`.

use crate::args::Json;
use crate::failure::Failure;
use crate::link::Link;
use crate::print;
use postern_contract::methods::{
    AuditAsk, GetStatus, ListAgents, Nothing, Pause, PauseAll, ReadAudit, ResumeAll,
};
use postern_contract::{ConcernKind, LinesToShell, Mode, Status, StoppedAgent};
use serde::Serialize;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

pub(crate) fn status(link: &mut Link, json: Json) -> Result<(), Failure> {
    let status = link.call::<GetStatus>(&Nothing {})?;
    if json.json { print::json(&status) } else { show(&status) }
}

fn mode(status: &Status) -> String {
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
        print::line(format!("attention {}", attention.message))?;
    }
    Ok(())
}

/// Describes an agent that the user stopped: the time left, and the command that ends it.
fn stopped(one: &StoppedAgent) -> String {
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

/// One thing that `doctor` looked at.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    ok: bool,
    what: String,
    /// What fixes it.
    mend: Option<String>,
}

impl Finding {
    fn good(what: impl Into<String>) -> Self {
        Self { ok: true, what: what.into(), mend: None }
    }

    fn bad(what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { ok: false, what: what.into(), mend: Some(mend.into()) }
    }
}

/// How to fix what the host says needs attention.
fn mend_of(kind: ConcernKind) -> &'static str {
    match kind {
        ConcernKind::Managed => {
            "correct the file, or have it corrected; it is read again at once (postern help managed)"
        }
        ConcernKind::Permissions => {
            "correct that line of the file; it is read again at once (postern policy lint looks it over)"
        }
        ConcernKind::Rule => "remove the rule (postern rules remove) and write it again",
        ConcernKind::Audit => "run postern audit --verify for every fault; docs/AUDIT.md explains them",
        ConcernKind::Records => "look at what was set aside, then: postern resume",
        ConcernKind::Unwritten => {
            "make room on the disk, or let Postern write to its data folder; it tries again"
        }
    }
}

/// Looks at everything that commonly goes wrong. Exits 1 where something is.
pub(crate) fn doctor(data: &Path, json: Json) -> Result<(), Failure> {
    let control = data.join(postern_protocol::CONTROL_SOCKET);
    let mut findings = vec![private_folder(data), socket("control socket", &control)];
    match Link::open(data) {
        Ok(mut link) => running(&mut link, &mut findings)?,
        Err(failure) => {
            findings.push(Finding::bad(failure.message, "start the app Postern, or `postern serve`"));
        }
    }
    findings.extend(postern_host::own_programs(data).into_iter().map(|(path, file)| {
        let shown = path.display();
        match file {
            Ok(_) => Finding::good(format!("{shown} describes a program")),
            Err(error) => {
                // Without the lines of the file that the error quotes.
                let said: Vec<&str> = error.lines().filter(|line| !line.contains('|')).collect();
                let said = postern_command::escape::text(&said.join(": "));
                Finding::bad(
                    format!("{shown}: {said}"),
                    format!("correct the file: postern programs check '{shown}'"),
                )
            }
        }
    }));
    let wrong = findings.iter().filter(|finding| !finding.ok).count();
    if json.json {
        print::json(&findings)?;
    } else {
        for finding in &findings {
            print::line(format!("{}  {}", if finding.ok { "ok   " } else { "WRONG" }, finding.what))?;
            if let Some(fix) = &finding.mend {
                print::line(format!("       {fix}"))?;
            }
        }
    }
    if wrong == 0 { Ok(()) } else { Err(Failure::no(format!("{wrong} wrong"))) }
}

fn private_folder(data: &Path) -> Finding {
    let shown = data.display();
    match std::fs::metadata(data) {
        Err(error) => Finding::bad(format!("data folder {shown}: {error}"), "starting Postern makes it"),
        Ok(found) if !found.is_dir() => Finding::bad(format!("{shown} is no folder"), "move it away"),
        Ok(found) if found.mode() & 0o077 != 0 => {
            Finding::bad(format!("others can look into {shown}"), format!("chmod 700 '{shown}'"))
        }
        Ok(_) => Finding::good(format!("data folder {shown} is private")),
    }
}

fn socket(what: &str, path: &Path) -> Finding {
    let shown = path.display();
    if path.as_os_str().len() > 90 {
        return Finding::bad(
            format!("the path of the {what} {shown} is too long"),
            "use a shorter data folder (--data)",
        );
    }
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => Finding::good(format!("{what} {shown}")),
        Ok(_) => Finding::bad(format!("{what} {shown}: not a socket"), "move it away"),
        Err(error) => {
            Finding::bad(format!("{what} {shown}: {error}"), "start the app Postern, or `postern serve`")
        }
    }
}

/// When the programs of a line are compared with what was approved.
fn steps(to_shell: Option<LinesToShell>) -> Finding {
    const AT_START: &str =
        "the programs of a line are compared when the line starts, not when each of its steps does";
    match to_shell {
        None => Finding::good("the programs of a line are compared when each of its steps starts"),
        Some(LinesToShell::System) => {
            Finding::good(format!("{AT_START}: this system can't execute an open file"))
        }
        Some(LinesToShell::Missing) => Finding::bad(
            format!(
                "{AT_START}: beside the program that hosts Postern there is no postern-steps that can be executed"
            ),
            "install postern-steps there, then restart Postern",
        ),
        Some(LinesToShell::Replaced) => Finding::bad(
            format!("{AT_START}: postern-steps was replaced or removed since Postern started"),
            "restart Postern; if you did not update it, find out what replaced it",
        ),
        Some(LinesToShell::Hidden) => Finding::bad(
            format!("{AT_START}: confined runs don't see the folder of postern-steps"),
            "install Postern outside of /tmp, /run, /dev and /proc",
        ),
    }
}

fn running(link: &mut Link, findings: &mut Vec<Finding>) -> Result<(), Failure> {
    // First, because it puts the audit's faults into the status.
    let audit =
        link.call::<ReadAudit>(&AuditAsk { limit: Some(1), verify: Some(true), ..AuditAsk::default() })?;
    if let Some(whole) = audit.verified.filter(|found| found.problem.is_none() && found.strayed.is_empty()) {
        findings.push(Finding::good(format!("the audit is intact, {} rows", whole.rows)));
    }
    let status = link.call::<GetStatus>(&Nothing {})?;
    findings.push(Finding::good(format!("Postern {} is {}", status.version, mode(&status))));
    if status.version != env!("CARGO_PKG_VERSION") {
        let what =
            format!("the host is version {}, this program {}", status.version, env!("CARGO_PKG_VERSION"));
        findings.push(Finding::bad(what, "restart Postern"));
    }
    findings.extend(status.stopped.iter().map(|one| Finding::good(stopped(one))));
    findings.extend(status.attention.iter().map(|what| Finding::bad(&*what.message, mend_of(what.kind))));
    findings.push(match &status.cannot_confine {
        None => Finding::good("commands that only read run confined"),
        Some(why) => Finding::good(format!(
            "commands that only read cannot be confined here, so the read-only list asks: {why}"
        )),
    });
    findings.push(match &status.cannot_confine_project {
        None => Finding::good("builds and edits can run confined to their folders (profile project)"),
        Some(why) => Finding::good(format!("builds cannot be confined to their folders here: {why}")),
    });
    findings.push(steps(status.lines_to_shell));
    if status.faces.is_empty() {
        findings.push(Finding::good("no window is connected: questions wait for postern approve"));
    }
    let agents = link.call::<ListAgents>(&Nothing {})?.agents;
    if agents.is_empty() {
        findings.push(Finding::bad("no agent is enrolled", "postern agents add NAME"));
    }
    for agent in agents {
        findings.push(socket(&format!("channel of {}", agent.id), Path::new(&agent.socket)));
    }
    Ok(())
}
