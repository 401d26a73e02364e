//! Limit of open files: raised for the host at its start. Linux runs get the original limit back; macOS, where
//! `posix_spawn` sets no limits, passes the raised one on.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::sync::OnceLock;

/// Requested limit. macOS gives no process more than 10,240 (`OPEN_MAX`).
const WANTED: u64 = if cfg!(target_os = "macos") { 10_240 } else { 65_536 };
/// Limit to use if the system names none.
const UNLIMITED: u64 = WANTED;

/// Soft limit before it was raised.
static FOUND: OnceLock<Rlimit> = OnceLock::new();

/// Raises the soft limit as far as the system permits, and returns it. Programs started from a desktop get 256
/// files on macOS and 1,024 on Linux, which a few connections use up.
pub fn raise_descriptor_limit() -> u64 {
    let found = *FOUND.get_or_init(|| getrlimit(Resource::Nofile));
    let most = found.maximum.map_or(WANTED, |hard| hard.min(WANTED));
    let before = found.current.unwrap_or(UNLIMITED);
    if before >= most {
        return before;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum: found.maximum }) {
        Ok(()) => most,
        Err(error) => {
            tracing::warn!(%error, before, "the limit of open files could not be raised");
            before
        }
    }
}

/// Returns the limit for runs, because some programs walk every descriptor up to it; `None` if it was never raised.
#[cfg(target_os = "linux")]
pub(crate) fn given_to_children() -> Option<libc::rlimit> {
    let raw = |limit: Option<u64>| limit.unwrap_or(libc::RLIM_INFINITY);
    let found = FOUND.get()?;
    Some(libc::rlimit { rlim_cur: raw(found.current), rlim_max: raw(found.maximum) })
}

#[cfg(test)]
mod tests {
    use super::raise_descriptor_limit;
    use rustix::process::{Resource, getrlimit};

    #[test]
    fn the_limit_is_raised_once_and_what_is_started_finds_the_old_one() {
        let before = getrlimit(Resource::Nofile);
        let raised = raise_descriptor_limit();
        assert_eq!(getrlimit(Resource::Nofile).current, Some(raised));
        assert!(before.current.is_none_or(|before| raised >= before));
        assert_eq!(raise_descriptor_limit(), raised, "a second host finds it raised");
    }
}
