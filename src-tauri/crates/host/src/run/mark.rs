//! The mark on everything that a run starts, which it can never take off: a hard resource limit below the host's own.
//!
//! Limits are inherited by every child, however it leaves its parent, session or group, and a hard limit is raised by root
//! alone. `RLIMIT_LOCKS` is the one that nothing has looked at since Linux 2.4: a lower one changes nothing for a program.
//! It outlives the run, the host and the host's next start.

use rustix::process::{Resource, getrlimit};

/// The word that `/proc/PID/limits` has for no limit.
const UNLIMITED: &str = "unlimited";

/// The hard limit of this process: what a person's own processes have too.
pub(crate) fn own() -> u64 {
    getrlimit(Resource::Locks).maximum.unwrap_or(u64::MAX)
}

/// The hard limit that every run starts with; `None` where there is nothing below the host's own.
pub(super) fn of_runs() -> Option<u64> {
    own().checked_sub(1)
}

/// Returns whether a process carries the mark of a host like this one; `None` where it cannot be looked at.
pub(crate) fn is_marked(pid: u32) -> Option<bool> {
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
    Some(hard_limit(&limits)? < own())
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
