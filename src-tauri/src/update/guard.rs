//! Rules for updates: which release may be installed, and when.

use super::HostActivity;
use postern_contract::{AppRelease, UpdateState};
use semver::Version;
use std::cmp::Ordering;
use std::time::{Duration, SystemTime};

/// Time between two daily checks.
const DAY: Duration = Duration::from_hours(24);

/// Judges the newest release of the manifest by what runs here: this app, and the host that it is attached to.
///
/// Only a newer one than both may be downloaded: an old release, however well it is signed, has its old faults.
pub(super) fn judge_release(found: Option<AppRelease>, app: &str, host: Option<&str>) -> UpdateState {
    let Some(release) = found else { return UpdateState::Current };
    match compare_release(&release, app, host) {
        Ok((Ordering::Greater, _)) => UpdateState::Available { release },
        Ok((Ordering::Equal, _)) => UpdateState::Current,
        Ok((Ordering::Less, newest)) => {
            UpdateState::Refused { version: release.version, newest: newest.to_string() }
        }
        Err(reason) => UpdateState::Failed { reason },
    }
}

/// Compares a release with the newest version that runs here. Returns that, too.
fn compare_release(
    release: &AppRelease,
    app: &str,
    host: Option<&str>,
) -> Result<(Ordering, Version), String> {
    let read = |text: &str| Version::parse(text).map_err(|error| format!("{text:?} is no version: {error}"));
    let mut newest = read(app)?;
    if let Some(host) = host {
        newest = newest.max(read(host)?);
    }
    Ok((read(&release.version)?.cmp_precedence(&newest), newest))
}

/// Returns the state of a downloaded release: it is installed, or waits for what the host does.
///
/// Nothing is known of a host that was not read yet, so it is waited for.
pub(super) fn when_to_install(release: &AppRelease, host: Option<&HostActivity>) -> UpdateState {
    let release = release.clone();
    match host {
        Some(HostActivity { questions: 0, commands: 0, .. }) => UpdateState::Installing { release },
        Some(HostActivity { questions, commands, .. }) => {
            UpdateState::Waiting { release, questions: *questions, commands: *commands }
        }
        None => UpdateState::Waiting { release, questions: 0, commands: 0 },
    }
}

/// Returns true if the manifest can be read: it is not being read, and no release of it is being installed.
pub(super) fn can_check(state: &UpdateState) -> bool {
    match state {
        UpdateState::Unknown
        | UpdateState::Current
        | UpdateState::Available { .. }
        | UpdateState::Refused { .. }
        | UpdateState::Failed { .. } => true,
        UpdateState::Checking
        | UpdateState::Downloading { .. }
        | UpdateState::Waiting { .. }
        | UpdateState::Installing { .. } => false,
    }
}

/// Returns true if a release is downloaded or waits, so that it is about to be installed.
pub(super) fn is_pending(state: &UpdateState) -> bool {
    matches!(state, UpdateState::Downloading { .. } | UpdateState::Waiting { .. })
}

/// Returns true if the daily check is due. A clock that was set back makes it due.
pub(super) fn is_due(last: Option<SystemTime>, now: SystemTime) -> bool {
    last.is_none_or(|last| now.duration_since(last).ok().is_none_or(|since| since >= DAY))
}

#[cfg(test)]
mod tests {
    use super::super::HostActivity;
    use super::{DAY, can_check, is_due, judge_release, when_to_install};
    use postern_contract::{AppRelease, UpdateState};
    use std::time::{Duration, SystemTime};

    fn release(version: &str) -> AppRelease {
        AppRelease { version: version.to_owned(), size: None }
    }

    #[test]
    fn only_a_release_newer_than_what_runs_here_is_available() {
        let judged = |found: &str, host| judge_release(Some(release(found)), "1.10.0", host);
        for newer in ["1.10.1", "1.11.0-beta.1", "2.0.0"] {
            assert_eq!(judged(newer, None), UpdateState::Available { release: release(newer) });
            assert_eq!(judged(newer, Some("1.9.0")), UpdateState::Available { release: release(newer) });
        }
        for same in ["1.10.0", "1.10.0+rebuilt"] {
            assert_eq!(judged(same, None), UpdateState::Current, "{same}");
        }
        assert_eq!(judge_release(None, "1.10.0", None), UpdateState::Current);
    }

    #[test]
    fn an_older_release_is_refused() {
        let judged = |found: &str, host| judge_release(Some(release(found)), "1.10.0", host);
        for older in ["1.9.9", "1.10.0-rc.1", "0.99.0"] {
            let refused = UpdateState::Refused { version: older.to_owned(), newest: "1.10.0".to_owned() };
            assert_eq!(judged(older, None), refused);
        }
        let refused = UpdateState::Refused { version: "1.11.0".to_owned(), newest: "1.12.0".to_owned() };
        assert_eq!(judged("1.11.0", Some("1.12.0")), refused, "a newer host serves these data already");
    }

    #[test]
    fn what_is_no_version_is_not_installed() {
        for (found, host) in [("latest", None), ("v2.0.0", None), ("2.0.0", Some("dev"))] {
            let judged = judge_release(Some(release(found)), "1.10.0", host);
            assert!(matches!(judged, UpdateState::Failed { .. }), "{found} with {host:?}: {judged:?}");
        }
    }

    #[test]
    fn a_release_waits_for_questions_and_commands() {
        let after = |questions, commands| {
            let host = HostActivity { version: "1.10.0".to_owned(), questions, commands };
            when_to_install(&release("2.0.0"), Some(&host))
        };
        let waits =
            |questions, commands| UpdateState::Waiting { release: release("2.0.0"), questions, commands };
        assert_eq!(after(0, 0), UpdateState::Installing { release: release("2.0.0") });
        assert_eq!(after(1, 0), waits(1, 0));
        assert_eq!(after(0, 2), waits(0, 2));
        assert_eq!(when_to_install(&release("2.0.0"), None), waits(0, 0), "the host was not read yet");
    }

    #[test]
    fn the_manifest_is_not_read_while_a_release_is_installed() {
        let release = release("2.0.0");
        assert!(can_check(&UpdateState::Unknown));
        assert!(can_check(&UpdateState::Available { release: release.clone() }));
        assert!(!can_check(&UpdateState::Checking));
        assert!(!can_check(&UpdateState::Downloading { release: release.clone() }));
        assert!(!can_check(&UpdateState::Installing { release }));
    }

    #[test]
    fn the_daily_check_is_due_once_a_day() {
        let now = SystemTime::UNIX_EPOCH + DAY * 20_000;
        assert!(is_due(None, now));
        assert!(is_due(Some(now - DAY), now));
        assert!(!is_due(Some(now - DAY + Duration::from_secs(1)), now));
        assert!(!is_due(Some(now), now));
        assert!(is_due(Some(now + DAY), now), "the clock was set back");
    }
}
