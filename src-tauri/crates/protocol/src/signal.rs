//! Signals by name: numbers differ between the sandbox's system and the host's.

use serde::{Deserialize, Serialize};

/// A signal by its name (`SIGTERM`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Signal(&'static SignalRow);

#[derive(Debug, PartialEq, Eq, Hash)]
struct SignalRow {
    name: &'static str,
    linux: i32,
    macos: i32,
}

const fn signal_row(name: &'static str, linux: i32, macos: i32) -> SignalRow {
    SignalRow { name, linux, macos }
}

/// signal(7) on Linux (x86, ARM) and `sys/signal.h` on macOS.
static ROWS: [SignalRow; 29] = [
    signal_row("SIGHUP", 1, 1),
    signal_row("SIGINT", 2, 2),
    signal_row("SIGQUIT", 3, 3),
    signal_row("SIGILL", 4, 4),
    signal_row("SIGTRAP", 5, 5),
    signal_row("SIGABRT", 6, 6),
    signal_row("SIGBUS", 7, 10),
    signal_row("SIGFPE", 8, 8),
    signal_row("SIGKILL", 9, 9),
    signal_row("SIGUSR1", 10, 30),
    signal_row("SIGSEGV", 11, 11),
    signal_row("SIGUSR2", 12, 31),
    signal_row("SIGPIPE", 13, 13),
    signal_row("SIGALRM", 14, 14),
    signal_row("SIGTERM", 15, 15),
    signal_row("SIGCHLD", 17, 20),
    signal_row("SIGCONT", 18, 19),
    signal_row("SIGSTOP", 19, 17),
    signal_row("SIGTSTP", 20, 18),
    signal_row("SIGTTIN", 21, 21),
    signal_row("SIGTTOU", 22, 22),
    signal_row("SIGURG", 23, 16),
    signal_row("SIGXCPU", 24, 24),
    signal_row("SIGXFSZ", 25, 25),
    signal_row("SIGVTALRM", 26, 26),
    signal_row("SIGPROF", 27, 27),
    signal_row("SIGWINCH", 28, 28),
    signal_row("SIGIO", 29, 23),
    signal_row("SIGSYS", 31, 12),
];

impl Signal {
    /// Returns the signal of that name, with or without `SIG`.
    pub fn from_name(name: &str) -> Option<Self> {
        let bare = name.strip_prefix("SIG").unwrap_or(name);
        ROWS.iter().find(|row| &row.name[3..] == bare).map(Self)
    }

    /// Returns the signal that has this number on the system this was built for.
    pub fn of_number(number: i32) -> Option<Self> {
        ROWS.iter().map(Self).find(|signal| signal.number() == number)
    }

    /// Returns the number on the system this was built for.
    pub fn number(self) -> i32 {
        if cfg!(target_os = "macos") { self.0.macos } else { self.0.linux }
    }

    /// Returns the name, with `SIG`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the signal that `system.kill` sends by default.
    pub fn sigterm() -> Self {
        Self(&ROWS[14])
    }
}

/// Error for a text that is not a signal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a signal: name it, as in \"TERM\"")]
pub struct BadSignal(pub String);

impl TryFrom<String> for Signal {
    type Error = BadSignal;
    fn try_from(name: String) -> Result<Self, BadSignal> {
        Self::from_name(&name).ok_or(BadSignal(name))
    }
}

impl From<Signal> for String {
    fn from(signal: Signal) -> Self {
        signal.name().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_is_found_by_name_and_number() {
        for row in &ROWS {
            let signal = Signal::from_name(row.name).expect("its own name");
            assert_eq!(Signal::from_name(&row.name[3..]), Some(signal), "without SIG");
            assert_eq!(Signal::of_number(signal.number()), Some(signal), "{} by number", row.name);
        }
        assert_eq!(Signal::sigterm().name(), "SIGTERM");
        for unknown in ["", "SIG", "term", "SIGSIGTERM", "15"] {
            assert_eq!(Signal::from_name(unknown), None, "{unknown:?} is no signal's name");
        }
    }
}
