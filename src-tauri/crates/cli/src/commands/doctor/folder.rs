//! Findings on the data folder, which the doctor looks at for itself.

use super::DoctorFinding;
use crate::print;
use postern_host::{DataFolderOwner, Diagnosis, DoubtCause, RecordDoubt, RecordHeader};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

/// Fewer free bytes than this are a full disk: a run keeps up to two megabytes of output.
const ROOM: u64 = 16 * 1024 * 1024;

pub(super) fn private_folder(data: &Path) -> DoctorFinding {
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

/// Returns the problem that the data folder, or something in it, belongs to another user: one start with `sudo` is enough.
pub(super) fn foreign_owner(data: &Path) -> Option<DoctorFinding> {
    let own = rustix::process::geteuid();
    let folder = (data.to_owned(), std::fs::metadata(data).ok()?.uid());
    let inside = std::fs::read_dir(data).into_iter().flatten().flatten();
    let inside = inside.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?.uid())));
    // Root can use what belongs to anybody.
    let mut foreign =
        std::iter::once(folder).chain(inside).filter(|(_, owner)| !own.is_root() && *owner != own.as_raw());
    let (path, owner) = foreign.next()?;
    let more = match foreign.count() {
        0 => String::new(),
        more => format!(", as {more} more there do"),
    };
    let owner = if owner == 0 { "root".to_owned() } else { format!("user {owner}") };
    let shown = data.display();
    Some(DoctorFinding::problem(
        format!(
            "{} belongs to {owner}{more}: Postern can’t use it, and denies or doesn’t start",
            path.display()
        ),
        format!("sudo chown -R {} '{shown}', then start Postern without sudo", own.as_raw()),
    ))
}

/// Returns whether the data folder can be written to.
pub(super) fn check_space(data: &Path, found: &Diagnosis) -> DoctorFinding {
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
pub(super) fn record(data: &Path, found: &Diagnosis) -> Option<DoctorFinding> {
    let path = data.join("postern.db");
    let shown = path.display();
    let runs = !matches!(found.owner, Ok(DataFolderOwner::Nobody));
    let denies =
        "Postern will set it aside, start with no agents and no rules, and deny everything until you resume";
    let repair = "postern doctor --repair tells what can be restored";
    let (what, fix) = match (&found.record, &found.doubt) {
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
    Some(DoctorFinding::problem(what, fix))
}

/// Returns the problem that another program keeps the record locked.
pub(super) fn locked_record(data: &Path, found: &Diagnosis) -> Option<DoctorFinding> {
    let pid = found.locked_by?;
    let shown = data.join("postern.db");
    Some(DoctorFinding::problem(
        format!(
            "process {pid} has locked {}: what cannot be written down is not run, and Postern does not start",
            shown.display()
        ),
        format!(
            "ps -p {pid} tells what it is: end it, or let it finish; what waits to be written is tried again by itself"
        ),
    ))
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

/// Returns a key of the control socket that no host would start with.
pub(super) fn unusable_key(data: &Path) -> Option<DoctorFinding> {
    let file = data.join("control.key");
    let text = std::fs::read_to_string(&file).ok()?;
    postern_protocol::SocketKey::from_text(&text).is_err().then(|| {
        DoctorFinding::problem(
            format!("{} holds no key: Postern does not start with it", file.display()),
            format!("rm '{}': the next start makes a new one", file.display()),
        )
    })
}

pub(super) fn own_programs(data: &Path) -> impl Iterator<Item = DoctorFinding> {
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

pub(super) fn socket(what: &str, path: &Path) -> DoctorFinding {
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

#[cfg(test)]
mod tests {
    use super::check_space;
    use crate::commands::doctor::says;
    use postern_host::{DataFolderOwner, Diagnosis, RecordHeader};
    use std::io;
    use std::path::Path;

    fn found(free: io::Result<u64>, read_only: bool) -> Diagnosis {
        Diagnosis {
            free,
            read_only,
            owner: Ok(DataFolderOwner::Nobody),
            record: RecordHeader::Known,
            locked_by: None,
            had_agents: true,
            doubt: None,
            copied: None,
            last_error: None,
        }
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
}
