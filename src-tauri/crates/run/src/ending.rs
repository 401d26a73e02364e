//! End of this program: exit code, and lines on standard error. Pure.

use postern_protocol::{DenyReason, ExecDenied, ExecFinished, Outcome, Signal};

/// Exit code for a command that goes on: `EX_TEMPFAIL` of sysexits.h.
pub(crate) const PENDING: u8 = 75;
/// Exit code for a command whose time ran out.
pub(crate) const TIMED_OUT: u8 = 124;
/// Postern is not there, or something is wrong with the request.
pub(crate) const TROUBLE: u8 = 125;
pub(crate) const DENIED: u8 = 126;
/// The program was not found on the host.
pub(crate) const NOT_FOUND: u8 = 127;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ProgramEnding {
    pub(crate) code: u8,
    /// Lines for standard error.
    pub(crate) says: Vec<String>,
}

impl ProgramEnding {
    /// Returns an ending without a message.
    pub(crate) fn from_code(code: u8) -> Self {
        Self { code, says: Vec::new() }
    }

    /// Returns an ending for a fault that is not the command's doing.
    pub(crate) fn trouble(what: &str) -> Self {
        Self { code: TROUBLE, says: vec![to_plain_line(what)] }
    }

    /// Returns the ending by a signal, as a shell reports it.
    pub(crate) fn signal(signal: Signal) -> Self {
        Self::from_code(128_u8.saturating_add(u8::try_from(signal.number()).unwrap_or(0)))
    }

    /// Returns a request that never ran.
    pub(crate) fn denied(denied: &ExecDenied) -> Self {
        let mut says: Vec<String> = denied.to_lines().iter().map(|line| to_plain_line(line)).collect();
        if let Some(first) = says.first_mut() {
            *first = format!("denied ({}): {first}", denied.reason.name());
        }
        let code = if denied.reason == DenyReason::NotFound { NOT_FOUND } else { DENIED };
        Self { code, says }
    }

    /// Returns a run that ended: the command's own exit code wherever it has one.
    pub(crate) fn finished(finished: &ExecFinished) -> Self {
        let why = finished.message.as_deref().map(to_plain_line);
        if finished.timed_out || finished.outcome == Outcome::Timeout {
            let after = format!("timed out after {:.1} s", seconds(finished.duration_ms));
            return Self { code: TIMED_OUT, says: vec![why.unwrap_or(after)] };
        }
        if let Some(signal) = finished.signal {
            return Self::signal(signal);
        }
        if let Some(code) = finished.exit_code {
            // A shell sees the low eight bits of an exit code, too.
            let code = u8::try_from(code & 0xff).unwrap_or(TROUBLE);
            return Self { code, says: why.into_iter().collect() };
        }
        let what = match finished.outcome {
            Outcome::Failed => "could not be started",
            Outcome::Lost => "Postern ended while it ran: how it ended is not known",
            Outcome::Killed => "ended on request",
            Outcome::Drifted => "a program changed after it was approved: the rest did not run",
            Outcome::Unknown | Outcome::Exited | Outcome::Signalled | Outcome::Timeout => {
                "it may have run, and is not run again: how it ended is not known"
            }
        };
        let code = if finished.outcome == Outcome::Killed { 128 + 9 } else { TROUBLE };
        let says = why.map_or_else(|| what.to_owned(), |why| format!("{what}: {why}"));
        Self { code, says: vec![says] }
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit behind the point")]
fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1_000.0
}

/// Returns one line that a terminal takes as text: control characters are written out.
pub(crate) fn to_plain_line(text: &str) -> String {
    let mut line = String::new();
    for letter in text.chars() {
        match letter {
            '\n' => line.push(' '),
            letter if letter.is_control() => line.extend(letter.escape_default()),
            letter => line.push(letter),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_client::scripted::{denied, finished};

    #[test]
    fn every_way_a_run_ends_has_its_exit_code() {
        let exited = |code| ExecFinished { exit_code: Some(code), ..finished(Outcome::Exited) };
        let signal = |name| ExecFinished { signal: Signal::from_name(name), ..finished(Outcome::Signalled) };
        let cases = [
            (exited(0), 0),
            (exited(3), 3),
            (exited(256 + 7), 7),
            (signal("TERM"), 143),
            (signal("KILL"), 137),
            (ExecFinished { exit_code: Some(4), ..finished(Outcome::Killed) }, 4),
            (finished(Outcome::Killed), 137),
            (
                ExecFinished {
                    timed_out: true,
                    signal: Signal::from_name("TERM"),
                    ..finished(Outcome::Timeout)
                },
                124,
            ),
            (finished(Outcome::Failed), 125),
            (ExecFinished { exit_code: Some(126), ..finished(Outcome::Drifted) }, 126),
            (finished(Outcome::Lost), 125),
            (finished(Outcome::Unknown), 125),
        ];
        for (ending, code) in cases {
            assert_eq!(ProgramEnding::finished(&ending).code, code, "{ending:?}");
        }
        assert_eq!(ProgramEnding::finished(&finished(Outcome::Timeout)).says, ["timed out after 1.2 s"]);
    }

    #[test]
    fn a_denial_says_all_it_knows_in_plain_lines() {
        let denied = ExecDenied {
            message: "the user said\nno".to_owned(),
            advice: Some("use \u{1b}[31mstaging".to_owned()),
            feedback: Some("not today".to_owned()),
            retry_after_ms: Some(1_500),
            ..denied(DenyReason::User)
        };
        let ending = ProgramEnding::denied(&denied);
        assert_eq!(ending.code, 126);
        let expected = [
            "denied (user): the user said no", "They said: not today", "use \\u{1b}[31mstaging",
            "Try again in 2 s.",
        ];
        assert_eq!(ending.says, expected, "nothing in it moves a terminal's cursor");
        let missing = ExecDenied { reason: DenyReason::NotFound, ..denied };
        assert_eq!(ProgramEnding::denied(&missing).code, 127);
    }
}
