//! `postern doctor`: what is wrong, since when, what it means, and what to type. It looks for itself first, because the host
//! may be gone or hang, and no look may take long.

mod folder;
mod host;

use super::finding::DoctorFinding;
use crate::args::Doctor;
use crate::failure::Failure;
use crate::link::run_on_thread;
use crate::print;
use folder::{check_space, foreign_owner, locked_record, own_programs, private_folder, record, socket};
use host::{HOST, HostAnswer, MORE_THREADS, ask_host, collect_replies, not_reached};
use postern_contract::THIS_COMPUTER;
use postern_exec::threads::start_thread;
use postern_host::DataFolderOwner;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// Time that a disk has to answer.
const DISK: Duration = Duration::from_secs(3);
/// Time that the broker of a fleet has, for two members of this Mac.
const BROKER: Duration = Duration::from_secs(45);

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
            print::say!("{}  {}", finding.mark(), finding.what)?;
            if let Some(fix) = &finding.fix {
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
        drop(say.send((private_folder(&folder), foreign_owner(&folder), postern_host::diagnose(&folder))));
    });
    let Ok((private, foreign, found)) = looked.recv_timeout(DISK) else {
        let what = format!("the disk of the data folder {} does not answer", data.display());
        return vec![DoctorFinding::problem(
            what, "look at that disk or network folder; Postern denies what it cannot write down",
        )];
    };
    let mut findings = vec![private];
    if let Some(foreign) = foreign {
        findings.push(foreign);
        if !matches!(found.owner, Ok(DataFolderOwner::Host(_))) {
            // What cannot be read because of that has no fault of its own.
            return findings;
        }
    }
    // A folder that is not there was told of.
    if !found.free.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        findings.push(check_space(data, &found));
    }
    findings.extend(record(data, &found));
    findings.extend(locked_record(data, &found));
    if let Err(error) = start_thread("look", || {}) {
        findings.push(DoctorFinding::problem(error.to_string(), MORE_THREADS));
    }
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

/// Asserts that a finding names a problem and its fix.
#[cfg(test)]
#[track_caller]
fn says(finding: &DoctorFinding, what: &str, fix: &str) {
    assert!(!finding.ok && finding.what.contains(what), "{finding:?}");
    assert!(finding.fix.as_ref().is_some_and(|found| found.contains(fix)), "{finding:?}");
}
