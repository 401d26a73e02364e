//! Findings on the host: why it does not answer, or what it says of itself.

use super::DoctorFinding;
use super::folder::{socket, unusable_key};
use crate::commands::status::{concern, mode_words, stopped};
use crate::commands::{confine, doors};
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use postern_contract::methods::{AuditAsk, GetStatus, ListAgents, Nothing, ReadAudit};
use postern_contract::{ConcernKind, LinesToShell, Status};
use postern_host::{DataFolderOwner, Diagnosis, HostProcess};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Time that the host has for an answer.
pub(super) const HOST: Duration = Duration::from_secs(5);
/// Time that the host has to verify the audit, which it reads whole.
const AUDIT: Duration = Duration::from_mins(2);
/// With fewer files left than this a host answers nobody.
const FILES_LEFT: u64 = 8;
const START: &str = "start the app Postern, or `postern serve`";
/// Fix for a limit of threads.
pub(super) const MORE_THREADS: &str = "end programs of this user, or raise the limit: ulimit -u; TasksMax of a service; the pids limit of a container";

/// Returns the reasons why no host answers.
pub(super) fn not_reached(
    data: &Path,
    control: &Path,
    found: &Diagnosis,
    refused: Option<String>,
) -> Vec<DoctorFinding> {
    match &found.owner {
        Err(error) => {
            let what = format!("the lock of {}: {error}", data.display());
            vec![DoctorFinding::problem(what, "correct that, then start Postern")]
        }
        Ok(DataFolderOwner::Nobody) => {
            let mut findings = Vec::new();
            if let Some(last) = &found.last_error {
                let what =
                    format!("the last start failed at {}: {}", print::format_time(last.at), last.message);
                findings.push(DoctorFinding::problem(what, "correct that first"));
            }
            findings.push(DoctorFinding::problem(
                "Postern isn’t running: nothing is allowed, and nothing is asked", START,
            ));
            findings.extend(unusable_key(data));
            findings
        }
        Ok(DataFolderOwner::Host(process)) => vec![hung_host(control, process.as_ref(), refused)],
    }
}

/// Returns a host that is there and does not answer.
fn hung_host(control: &Path, process: Option<&HostProcess>, refused: Option<String>) -> DoctorFinding {
    let Some(process) = process else {
        let what = refused.unwrap_or_else(|| "Postern runs, and does not answer".to_owned());
        return DoctorFinding::problem(what, "end it, then start it again");
    };
    let pid = process.pid;
    let again =
        format!("end it (kill {pid}; kill -9 {pid} if it is still there after 5 seconds), then {START}");
    if process.stopped {
        return DoctorFinding::problem(
            format!("Postern (process {pid}) was stopped by a signal: it answers nobody"),
            format!("kill -CONT {pid}"),
        );
    }
    if let Some((open, most)) = process.open_files
        && open.saturating_add(FILES_LEFT) >= most
    {
        let what = format!("Postern (process {pid}) has {open} of {most} files open, and can answer nobody");
        return DoctorFinding::problem(what, again);
    }
    let what = if control.symlink_metadata().is_err() {
        format!("Postern runs (process {pid}), but its control socket {} is gone", control.display())
    } else if let Some(why) = refused {
        format!("Postern runs (process {pid}) and cannot be reached: {why}")
    } else {
        format!("Postern (process {pid}) did not answer within {} seconds", HOST.as_secs())
    };
    DoctorFinding::problem(what, again)
}

/// Message of a thread that talks with the host.
pub(super) enum HostAnswer {
    /// Connected.
    Here,
    /// Not admitted.
    Refused(String),
    Findings(Vec<DoctorFinding>),
}

/// Takes what the host says as it comes, each within its time.
pub(super) fn collect_replies(
    answers: &Receiver<HostAnswer>,
    found: &Diagnosis,
    findings: &mut Vec<DoctorFinding>,
) {
    for limit in [AUDIT, HOST, HOST] {
        match answers.recv_timeout(limit) {
            Ok(HostAnswer::Findings(more)) => findings.extend(more),
            Ok(HostAnswer::Here) => {}
            Ok(HostAnswer::Refused(why)) => {
                findings.push(DoctorFinding::problem(format!("Postern said: {why}"), "run this again"));
            }
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let pid = match &found.owner {
                    Ok(DataFolderOwner::Host(Some(process))) => format!("kill {}", process.pid),
                    _ => "end it".to_owned(),
                };
                let what = format!("Postern did not answer within {} seconds", limit.as_secs());
                findings.push(DoctorFinding::problem(
                    what,
                    format!("wait; if that stays so, restart Postern ({pid})"),
                ));
                return;
            }
        }
    }
}

/// Look through the host's own eyes.
type HostCheck = fn(&mut HostLink) -> Result<Vec<DoctorFinding>, Failure>;

pub(super) fn ask_host(data: &Path, say: &dyn Fn(HostAnswer)) {
    let mut link = match HostLink::open(data) {
        Ok(link) => link,
        Err(failure) => return say(HostAnswer::Refused(failure.message)),
    };
    say(HostAnswer::Here);
    let looks: [HostCheck; 3] = [check_audit, running, doors::examine];
    for look in looks {
        match look(&mut link) {
            Ok(findings) => say(HostAnswer::Findings(findings)),
            Err(failure) => say(HostAnswer::Refused(failure.message)),
        }
    }
}

/// Verifies the audit, which comes first, because its faults go into the status.
fn check_audit(link: &mut HostLink) -> Result<Vec<DoctorFinding>, Failure> {
    let audit = link.call_method::<ReadAudit>(&AuditAsk {
        limit: Some(1),
        verify: Some(true),
        ..AuditAsk::default()
    })?;
    let whole = audit.verified.filter(|found| found.problem.is_none() && found.strayed.is_empty());
    Ok(whole
        .map(|whole| DoctorFinding::healthy(format!("the audit is intact, {} rows", whole.rows)))
        .into_iter()
        .collect())
}

fn running(link: &mut HostLink) -> Result<Vec<DoctorFinding>, Failure> {
    let status = link.call_method::<GetStatus>(&Nothing {})?;
    let mut findings = status_findings(&status);
    let agents = link.call_method::<ListAgents>(&Nothing {})?.agents;
    if agents.is_empty() {
        findings.push(DoctorFinding::problem(
            "no agent is enrolled",
            "postern setup connects the agents here; postern agents add NAME enrolls another",
        ));
    }
    let sockets =
        agents.iter().map(|agent| socket(&format!("channel of {}", agent.id), Path::new(&agent.socket)));
    let (open, missing): (Vec<_>, Vec<_>) = sockets.partition(|socket| socket.ok);
    findings.extend(open);
    // What the host could not open, its status names with the reason.
    let named = status.attention.iter().filter(|one| one.kind == ConcernKind::Channel).count();
    if missing.len() > named {
        findings.extend(missing);
    }
    Ok(findings)
}

fn status_findings(status: &Status) -> Vec<DoctorFinding> {
    let mut findings =
        vec![DoctorFinding::healthy(format!("Postern {} is {}", status.version, mode_words(status)))];
    if status.version != env!("CARGO_PKG_VERSION") {
        let what =
            format!("the host is version {}, this program {}", status.version, env!("CARGO_PKG_VERSION"));
        findings.push(DoctorFinding::problem(what, "restart Postern"));
    }
    findings.extend(status.stopped.iter().map(|one| DoctorFinding::healthy(stopped(one))));
    findings.extend(
        status.attention.iter().map(|what| DoctorFinding::problem(concern(what), fix_for(what.kind))),
    );
    findings.extend(confine::examine(status));
    findings.push(steps_finding(status.lines_to_shell));
    if status.faces.is_empty() {
        findings.push(DoctorFinding::note(
            "no window, terminal or chat shows questions: they are denied after 10 seconds, except those of agents with unattended=wait",
            "open the app, or keep postern tui open; to let an agent wait: postern agents set ID unattended=wait",
        ));
    }
    findings
}

fn fix_for(kind: ConcernKind) -> &'static str {
    match kind {
        ConcernKind::Managed => {
            "correct the file, or have it corrected; it is read again at once (postern help managed)"
        }
        ConcernKind::Permissions => {
            "correct that line of policy/AGENT/permissions.jsonc in the data folder, or put the file back; it is read again at once (postern policy lint looks it over)"
        }
        ConcernKind::Rule => "remove the rule (postern rules remove) and write it again",
        ConcernKind::Audit => "run postern audit --verify for every fault; docs/AUDIT.md explains them",
        ConcernKind::Records => {
            "look at postern agents list and postern rules list, then: postern resume; to restore a lost record first, end Postern, then: postern doctor --repair"
        }
        ConcernKind::Unwritten => {
            "make room on the disk, end what has locked the record, or let Postern write to its data folder; it tries again"
        }
        ConcernKind::Threads => MORE_THREADS,
        ConcernKind::Signatures => "look at each, then sign or withdraw it: postern fleet sign",
        ConcernKind::Channel => {
            "if the reason is not its key, correct that first; postern agents rotate-key AGENT gives it a new key, and opens its channel"
        }
        ConcernKind::Skills => {
            "look at that disk or network folder, or let Postern watch it no more: postern skills list, postern skills remove-folder FOLDER"
        }
        ConcernKind::Window => "answer in a terminal (postern questions), or restart Postern",
        ConcernKind::Clock => "if the clock is right now, restart Postern to go by it; if not, set it right",
    }
}

/// Returns the finding on when the programs of a line are compared with what was approved.
fn steps_finding(to_shell: Option<LinesToShell>) -> DoctorFinding {
    const AT_START: &str =
        "the programs of a line are compared when the line starts, not when each of its steps does";
    match to_shell {
        None => DoctorFinding::healthy("the programs of a line are compared when each of its steps starts"),
        Some(LinesToShell::System) => {
            DoctorFinding::healthy(format!("{AT_START}: this system can't execute an open file"))
        }
        Some(LinesToShell::Missing) => DoctorFinding::problem(
            format!("{AT_START}: postern-steps is missing beside the program that hosts Postern"),
            "reinstall Postern, whose package has it, then restart Postern",
        ),
        Some(LinesToShell::Replaced) => DoctorFinding::problem(
            format!("{AT_START}: postern-steps was replaced or removed since Postern started"),
            "restart Postern; if you did not update it, find out what replaced it",
        ),
        Some(LinesToShell::Hidden) => DoctorFinding::problem(
            format!("{AT_START}: confined runs don't see the folder of postern-steps"),
            "install Postern outside of /tmp, /run, /dev and /proc",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::hung_host;
    use crate::commands::doctor::says;
    use postern_host::HostProcess;
    use std::path::Path;

    #[test]
    fn a_host_without_files_left_is_told_from_one_that_hangs() {
        let control = Path::new("/");
        let process = |open| HostProcess { pid: 7, stopped: false, open_files: Some((open, 256)) };
        says(&hung_host(control, Some(&process(255)), None), "has 255 of 256 files open", "kill 7");
        says(&hung_host(control, Some(&process(20)), None), "did not answer within 5 seconds", "kill 7");
        let refused = Some("it holds no key".to_owned());
        says(
            &hung_host(control, Some(&process(20)), refused),
            "cannot be reached: it holds no key",
            "kill 7",
        );
        let stopped = HostProcess { stopped: true, ..process(20) };
        says(&hung_host(control, Some(&stopped), None), "was stopped by a signal", "kill -CONT 7");
    }
}
