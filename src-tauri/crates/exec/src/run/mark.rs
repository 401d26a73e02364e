//! The mark on every process of a run, which it cannot remove: a hard resource limit below the host's own.
//!
//! Every child inherits limits, in any session or group, and only root raises a hard limit. Linux has not
//! enforced `RLIMIT_LOCKS` since 2.4, so a lower one changes nothing for a program.
//! The mark outlives the run, the host and the host's next start.

use rustix::process::{Resource, getrlimit};

/// Value of an unlimited limit in `/proc/PID/limits`.
const UNLIMITED: &str = "unlimited";

/// Returns the hard limit of this process, which the user's own processes have as well.
pub fn own_mark() -> u64 {
    getrlimit(Resource::Locks).maximum.unwrap_or(u64::MAX)
}

/// Returns the hard limit of every run, or `None` if there is no value below the host's own.
pub(super) fn of_runs() -> Option<u64> {
    own_mark().checked_sub(1)
}

/// Returns true if a process carries the mark of a host like this one; `None` if that is unknown.
pub fn is_marked(pid: u32) -> Option<bool> {
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
    Some(hard_limit(&limits)? < own_mark())
}

/// Reads the hard limit on file locks from the text of `/proc/PID/limits`.
fn hard_limit(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max file locks"))?;
    let hard = line.split_ascii_whitespace().nth(1)?;
    if hard == UNLIMITED { Some(u64::MAX) } else { hard.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::{hard_limit, is_marked};

    #[test]
    fn the_hard_limit_is_read_and_not_the_soft_one() {
        let text = |soft: &str, hard: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max pending signals       1                    2                    signals   \n\
                 Max file locks            {soft:<20} {hard:<20} locks     \n"
            )
        };
        assert_eq!(hard_limit(&text("0", "unlimited")), Some(u64::MAX));
        assert_eq!(hard_limit(&text("unlimited", "18446744073709551614")), Some(u64::MAX - 1));
        assert_eq!(hard_limit(&text("7", "7")), Some(7));
        assert_eq!(hard_limit(&text("7", "seven")), None, "what cannot be read is not taken for unmarked");
        assert_eq!(hard_limit("Max processes 1 2 processes\n"), None);
    }

    #[test]
    fn this_process_does_not_carry_its_own_mark() {
        assert_eq!(is_marked(std::process::id()), Some(false));
        assert_eq!(is_marked(u32::MAX), None, "nobody has this number");
    }
}
