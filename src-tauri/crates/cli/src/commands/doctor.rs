//! `postern doctor`: what is wrong, since when, what it means, and what to type. It looks for itself first, because the host
//! may be gone or hang, and no look may take long.

use super::finding::DoctorFinding;
use super::status::{concern, mode_words, stopped};
use crate::args::Doctor;
use crate::failure::Failure;
use crate::link::HostLink;
use crate::print;
use postern_contract::methods::{AuditAsk, GetStatus, ListAgents, Nothing, ReadAudit};
use postern_contract::{ConcernKind, LinesToShell, Status, THIS_COMPUTER};
use postern_host::{DataFolderOwner, Diagnosis, DoubtCause, HostProcess, RecordDoubt, RecordHeader};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Time that a disk has to answer.
const DISK: Duration = Duration::from_secs(3);
/// Time that the host has for an answer.
const HOST: Duration = Duration::from_secs(5);
/// Time that the host has to verify the audit, which it reads whole.
const AUDIT: Duration = Duration::from_mins(2);
/// Time that the broker of a fleet has, for two members of this Mac.
const BROKER: Duration = Duration::from_secs(45);
/// Fewer free bytes than this are a full disk: a run keeps up to two megabytes of output.
const ROOM: u64 = 16 * 1024 * 1024;
/// With fewer files left than this a host answers nobody.
const FILES_LEFT: u64 = 8;
const START: &str = "start the app Postern, or `postern serve`";

/// Looks at everything that commonly goes wrong. Exits 1 where something is.
pub(crate) fn run(data: &Path, command: &Doctor) -> Result<(), Failure> {
    if command.repair {
        return super::repair::run(data, command.yes);
    }
    let findings = examine(data);
    let wrong = findings.iter().filter(|finding| !finding.ok).count();
    if command.json.json {
        print::write_json(&findings)?;
    } else {
        for finding in &findings {
            print::write_line(format!("{}  {}", finding.mark(), finding.what))?;
            if let Some(fix) = &finding.mend {
                print::write_hanging(&format!("       {fix}"), 7)?;
            }
        }
    }
    match wrong {
        0 => Ok(()),
        1 => Err(Failure::negative("1 problem")),
        several => Err(Failure::negative(format!("{several} problems"))),
    }
}

fn examine(data: &Path) -> Vec<DoctorFinding> {
    let folder = data.to_owned();
    let looked = run_on_thread(move |say| {
        // Nobody waits any more where the disk took too long.
        drop(say.send((vec![private_folder(&folder)], postern_host::diagnose(&folder))));
    });
    let Ok((mut findings, found)) = looked.recv_timeout(DISK) else {
        let what = format!("the disk of the data folder {} does not answer", data.display());
        return vec![DoctorFinding::problem(
            what,
            "look at that disk or network folder; Postern denies what it cannot write down",
        )];
    };
    // A folder that is not there was told of.
    if !found.free.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        findings.push(check_space(data, &found));
    }
    findings.extend(record(data, &found));
    if let Some(at) = found.copied {
        let what = format!(
            "a copy of agents, rules, settings and audit is kept, last written at {}",
            print::format_time(at)
        );
        findings.push(DoctorFinding::healthy(what));
    }
    let (folder, control) = (data.to_owned(), data.join(postern_protocol::CONTROL_SOCKET));
    let answers = run_on_thread(move |say| ask_host(&folder, &|answer| drop(say.send(answer))));
    match answers.recv_timeout(HOST) {
        Ok(HostAnswer::Refused(why)) => findings.extend(not_reached(data, &control, &found, Some(why))),
        Ok(HostAnswer::Here) => {
            findings.push(socket("control socket", &control));
            collect_replies(&answers, &found, &mut findings);
        }
        Ok(HostAnswer::Findings(_)) | Err(_) => findings.extend(not_reached(data, &control, &found, None)),
    }
    findings.extend(own_programs(data));
    let folder = data.to_owned();
    let fleet = run_on_thread(move |say| drop(say.send(super::fleet::examine(&folder))));
    match fleet.recv_timeout(BROKER) {
        Ok(found) => findings.extend(found),
        Err(_) => findings.push(DoctorFinding::problem(
            "the fleet's broker does not answer",
            format!("everything on {THIS_COMPUTER} works without it: look at nats-server there"),
        )),
    }
    findings
}

/// Runs `work` on a thread of its own. It is left behind where nobody waits for it any more.
fn run_on_thread<T: Send + 'static>(
    work: impl FnOnce(std::sync::mpsc::Sender<T>) + Send + 'static,
) -> Receiver<T> {
    let (say, hear) = channel();
    std::thread::spawn(move || work(say));
    hear
}

fn private_folder(data: &Path) -> DoctorFinding {
    let shown = data.display();
    match std::fs::metadata(data) {
        Err(error) if error.kind() == ErrorKind::NotFound => DoctorFinding::problem(
            format!("Postern was never started here: its data folder {shown} is not there"),
            "starting Postern makes it",
        ),
        Err(error) => {
            DoctorFinding::problem(format!("data folder {shown}: {error}"), "let Postern read and write it")
        }
        Ok(found) if !found.is_dir() => {
            DoctorFinding::problem(format!("{shown} is no folder"), "move it away")
        }
        Ok(found) if found.mode() & 0o077 != 0 => {
            DoctorFinding::problem(format!("others can look into {shown}"), format!("chmod 700 '{shown}'"))
        }
        Ok(_) => DoctorFinding::healthy(format!("data folder {shown} is private")),
    }
}

/// Returns whether the data folder can be written to.
fn check_space(data: &Path, found: &Diagnosis) -> DoctorFinding {
    let shown = data.display();
    match &found.free {
        Err(error) => DoctorFinding::problem(
            format!("the disk of {shown}: {error}"),
            "correct that, then run this again",
        ),
        Ok(_) if found.read_only => DoctorFinding::problem(
            format!(
                "the disk of {shown} can only be read: Postern cannot write anything down, so it runs nothing"
            ),
            "make that disk writable, then restart Postern",
        ),
        Ok(free) if *free < ROOM => DoctorFinding::problem(
            format!(
                "the disk of {shown} is full ({} KiB are free): what cannot be written down is not run",
                free / 1024
            ),
            "delete something on that disk; what waits to be written is tried again by itself",
        ),
        Ok(free) => {
            DoctorFinding::healthy(format!("{} MiB are free for the data folder", free / 1024 / 1024))
        }
    }
}

/// Returns the problem of the record, as far as its first bytes and the mark beside it tell. A running host
/// has more to say.
fn record(data: &Path, found: &Diagnosis) -> Option<DoctorFinding> {
    let path = data.join("postern.db");
    let shown = path.display();
    let runs = !matches!(found.owner, Ok(DataFolderOwner::Nobody));
    let denies =
        "Postern will set it aside, start with no agents and no rules, and deny everything until you resume";
    let repair = "postern doctor --repair tells what can be restored";
    let (what, mend) = match (&found.record, &found.doubt) {
        (RecordHeader::Newer { found, known }, _) => (
            format!("{shown} was written by a newer Postern (format {found}, this one knows {known})"),
            "update Postern",
        ),
        (RecordHeader::Foreign, _) => (
            format!("{shown} is a database of another program: Postern does not start with it"),
            "move that file away, then start Postern",
        ),
        (RecordHeader::Unreadable(why), _) => {
            (format!("{shown}: {why}"), "correct that, or move it away, then start Postern")
        }
        (RecordHeader::Damaged, _) if !runs => (format!("{shown} is damaged. {denies}"), repair),
        (RecordHeader::Missing | RecordHeader::Empty, _) if !runs && found.had_agents => (
            format!(
                "{shown} is gone or empty, and with it every agent and every rule. Postern will deny everything until you resume"
            ),
            repair,
        ),
        (_, Some(doubt)) if !runs && matches!(doubt.cause, DoubtCause::Restored { .. }) => (
            doubted(doubt),
            "start Postern, look at postern agents list and postern rules list, then: postern resume",
        ),
        (_, Some(doubt)) if !runs => (doubted(doubt), repair),
        _ => return None,
    };
    Some(DoctorFinding::problem(what, mend))
}

/// Returns the mark that an earlier host left.
fn doubted(doubt: &RecordDoubt) -> String {
    let since = print::format_time(doubt.since);
    let what = match &doubt.cause {
        DoubtCause::Damaged { aside: Some(aside), .. } => {
            format!("the record was damaged, and is set aside as {}", aside.display())
        }
        DoubtCause::Damaged { what, aside: None } => format!("the record is damaged ({what})"),
        DoubtCause::Gone => "the record was gone or empty".to_owned(),
        DoubtCause::Older => "the record is older than its audit".to_owned(),
        DoubtCause::Displaced => "the record was exchanged or removed while Postern ran".to_owned(),
        DoubtCause::Restored { made, .. } => {
            format!("the record was restored from the copy of {}", print::format_time(*made))
        }
    };
    format!("{what} (since {since}): everything is denied until you resume")
}

/// Returns the reasons why no host answers.
fn not_reached(
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
                "Postern does not run: nothing is allowed, and nothing is asked",
                START,
            ));
            findings.extend(unusable_key(data));
            findings
        }
        Ok(DataFolderOwner::Host(process)) => vec![hung_host(control, process.as_ref(), refused)],
    }
}

/// Returns a key of the control socket that no host would start with.
fn unusable_key(data: &Path) -> Option<DoctorFinding> {
    let file = data.join("control.key");
    let text = std::fs::read_to_string(&file).ok()?;
    postern_protocol::SocketKey::from_text(&text).is_err().then(|| {
        DoctorFinding::problem(
            format!("{} holds no key: Postern does not start with it", file.display()),
            format!("rm '{}': the next start makes a new one", file.display()),
        )
    })
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
enum HostAnswer {
    /// Connected.
    Here,
    /// Not admitted.
    Refused(String),
    /// Findings of the host.
    Findings(Vec<DoctorFinding>),
}

/// Takes what the host says as it comes, each within its time.
fn collect_replies(answers: &Receiver<HostAnswer>, found: &Diagnosis, findings: &mut Vec<DoctorFinding>) {
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

fn ask_host(data: &Path, say: &dyn Fn(HostAnswer)) {
    let mut link = match HostLink::open(data) {
        Ok(link) => link,
        Err(failure) => return say(HostAnswer::Refused(failure.message)),
    };
    say(HostAnswer::Here);
    let looks: [HostCheck; 3] = [check_audit, running, super::doors::examine];
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
        findings.push(DoctorFinding::problem("no agent is enrolled", "postern agents add NAME"));
    }
    for agent in agents {
        let socket = socket(&format!("channel of {}", agent.id), Path::new(&agent.socket));
        // What the host could not open, its status names with the reason.
        let told = status.attention.iter().any(|one| one.kind == ConcernKind::Channel);
        if socket.ok || !told {
            findings.push(socket);
        }
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
        status.attention.iter().map(|what| DoctorFinding::problem(concern(what), mend_of(what.kind))),
    );
    findings.extend(super::confine::examine(status));
    findings.push(steps_finding(status.lines_to_shell));
    if status.faces.is_empty() {
        findings.push(DoctorFinding::note(
            "no window, terminal or chat shows questions: they are denied after 10 seconds",
            "open the app, or keep postern tui open; to let an agent wait: postern agents set ID unattended=wait",
        ));
    }
    findings
}

/// Returns the fix for a concern of the host.
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
        ConcernKind::Records => {
            "look at postern agents list and postern rules list, then: postern resume; to restore a lost record first, end Postern, then: postern doctor --repair"
        }
        ConcernKind::Unwritten => {
            "make room on the disk, or let Postern write to its data folder; it tries again"
        }
        ConcernKind::Signatures => "look at each, then sign or withdraw it: postern fleet sign",
        ConcernKind::Channel => "postern agents rotate-key AGENT gives it a new key, and opens its channel",
        ConcernKind::Clock => "if the clock is right now, restart Postern to go by it; if not, set it right",
    }
}

fn own_programs(data: &Path) -> impl Iterator<Item = DoctorFinding> {
    postern_host::own_programs(data).into_iter().map(|(path, file)| {
        let shown = path.display();
        match file {
            Ok(_) => DoctorFinding::healthy(format!("{shown} describes a program")),
            Err(error) => {
                // Without the lines of the file that the error quotes.
                let said: Vec<&str> = error.lines().filter(|line| !line.contains('|')).collect();
                let said = postern_command::escape::visible_text(&said.join(": "));
                DoctorFinding::problem(
                    format!("{shown}: {said}"),
                    format!("correct the file: postern programs check '{shown}'"),
                )
            }
        }
    })
}

fn socket(what: &str, path: &Path) -> DoctorFinding {
    let shown = path.display();
    if path.as_os_str().len() > 90 {
        return DoctorFinding::problem(
            format!("the path of the {what} {shown} is too long"),
            "use a shorter data folder (--data)",
        );
    }
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => DoctorFinding::healthy(format!("{what} {shown}")),
        Ok(_) => DoctorFinding::problem(
            format!("{what} {shown}: not a socket"),
            "move it away, then restart Postern",
        ),
        Err(error) => DoctorFinding::problem(format!("{what} {shown}: {error}"), "restart Postern"),
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
    use super::{DoctorFinding, check_space, hung_host};
    use postern_host::{DataFolderOwner, Diagnosis, HostProcess, RecordHeader};
    use std::io;
    use std::path::Path;

    fn found(free: io::Result<u64>, read_only: bool) -> Diagnosis {
        Diagnosis {
            free,
            read_only,
            owner: Ok(DataFolderOwner::Nobody),
            record: RecordHeader::Known,
            had_agents: true,
            doubt: None,
            copied: None,
            last_error: None,
        }
    }

    #[track_caller]
    fn says(finding: &DoctorFinding, what: &str, mend: &str) {
        assert!(!finding.ok && finding.what.contains(what), "{finding:?}");
        assert!(finding.mend.as_ref().is_some_and(|fix| fix.contains(mend)), "{finding:?}");
    }

    #[test]
    fn a_disk_that_cannot_be_written_to_is_named() {
        let data = Path::new("/data");
        assert!(check_space(data, &found(Ok(1 << 30), false)).ok);
        says(&check_space(data, &found(Ok(4096), false)), "is full (4 KiB are free)", "delete something");
        says(&check_space(data, &found(Ok(1 << 30), true)), "can only be read", "writable");
        let closed = io::Error::from(io::ErrorKind::PermissionDenied);
        says(&check_space(data, &found(Err(closed), false)), "the disk of /data", "correct that");
    }

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
