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

const fn row(name: &'static str, linux: i32, macos: i32) -> SignalRow {
    SignalRow { name, linux, macos }
}

/// signal(7) on Linux (x86, ARM) and `sys/signal.h` on macOS.
static ROWS: [SignalRow; 29] = [
    row("SIGHUP", 1, 1),
    row("SIGINT", 2, 2),
    row("SIGQUIT", 3, 3),
    row("SIGILL", 4, 4),
    row("SIGTRAP", 5, 5),
    row("SIGABRT", 6, 6),
    row("SIGBUS", 7, 10),
    row("SIGFPE", 8, 8),
    row("SIGKILL", 9, 9),
    row("SIGUSR1", 10, 30),
    row("SIGSEGV", 11, 11),
    row("SIGUSR2", 12, 31),
    row("SIGPIPE", 13, 13),
    row("SIGALRM", 14, 14),
    row("SIGTERM", 15, 15),
    row("SIGCHLD", 17, 20),
    row("SIGCONT", 18, 19),
    row("SIGSTOP", 19, 17),
    row("SIGTSTP", 20, 18),
    row("SIGTTIN", 21, 21),
    row("SIGTTOU", 22, 22),
    row("SIGURG", 23, 16),
    row("SIGXCPU", 24, 24),
    row("SIGXFSZ", 25, 25),
    row("SIGVTALRM", 26, 26),
    row("SIGPROF", 27, 27),
    row("SIGWINCH", 28, 28),
    row("SIGIO", 29, 23),
    row("SIGSYS", 31, 12),
];

impl Signal {
    /// Returns the signal of that name, with or without `SIG`.
    pub fn named(name: &str) -> Option<Self> {
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
    pub fn term() -> Self {
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
        Self::named(&name).ok_or(BadSignal(name))
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
            let signal = Signal::named(row.name).expect("its own name");
            assert_eq!(Signal::named(&row.name[3..]), Some(signal), "without SIG");
            assert_eq!(Signal::of_number(signal.number()), Some(signal), "{} by number", row.name);
        }
        assert_eq!(Signal::term().name(), "SIGTERM");
        for unknown in ["", "SIG", "term", "SIGSIGTERM", "15"] {
            assert_eq!(Signal::named(unknown), None, "{unknown:?} is no signal's name");
        }
    }
}
