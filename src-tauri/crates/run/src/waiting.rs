//! Messages while a command waits for a person, and the time at which this program stops waiting. Pure.

use crate::ending::{PENDING, ProgramEnding, to_plain_line};
use postern_protocol::{Decision, Pending, RunState};

/// The open question, as far as this program knows it.
#[derive(Debug, Default)]
pub(crate) struct OpenRunQuestion {
    code: Option<String>,
    ends: String,
}

impl OpenRunQuestion {
    /// Reads what the host says of it, at that time where it is known.
    pub(crate) fn new(pending: &Pending, at: Option<&str>) -> Self {
        let what = match pending.at_expiry {
            Some(Decision::Deny) => "denied",
            Some(Decision::Allow) => "allowed",
            Some(Decision::Ask) | None => "decided without one",
        };
        let seconds = at.and_then(|at| Some((second(&pending.expires_at)? + DAY - second(at)?) % DAY));
        let within = seconds.map(|seconds| format!("in {}, ", time_left(seconds))).unwrap_or_default();
        let time = to_plain_line(pending.expires_at.get(11..19).unwrap_or(&pending.expires_at));
        let line = if pending.position > 1 {
            format!("; number {} in line", pending.position)
        } else {
            String::new()
        };
        Self {
            code: pending.question.as_deref().map(to_plain_line),
            ends: format!("{what} {within}at {time} UTC{line}"),
        }
    }

    /// Says that it is waited for.
    pub(crate) fn waiting_line(&self) -> String {
        format!("waiting for a person to answer{} ({})", self.question_label(), self.ends)
    }

    fn question_label(&self) -> String {
        self.code.as_ref().map(|code| format!(" question {code}")).unwrap_or_default()
    }
}

/// Returns the end of this program while its command goes on.
pub(crate) fn detached_ending(state: RunState, question: Option<&OpenRunQuestion>) -> ProgramEnding {
    let (how, then) = match (state, question) {
        (RunState::Running | RunState::Stopping, _) => {
            ("it still runs".to_owned(), "to hear its end: nothing runs twice")
        }
        (_, Some(question)) => {
            let said = format!(
                "no answer yet: a person can still answer{} ({})",
                question.question_label(),
                question.ends
            );
            (said, "to go on waiting: nobody is asked twice")
        }
        (_, None) => {
            ("no answer yet: it waits for its turn".to_owned(), "to go on waiting: nobody is asked twice")
        }
    };
    ProgramEnding {
        code: PENDING,
        says: vec![format!("pending: {how}"), format!("run the same line again {then}")],
    }
}

/// Says that the command gets less time than was asked for.
pub(crate) fn timeout_cut_line(wanted_ms: u64, may_ms: u64) -> String {
    format!(
        "it may run for {} at most, not the {} that were asked for",
        format_timeout(may_ms),
        format_timeout(wanted_ms)
    )
}

/// Says that nobody is asked yet.
pub(crate) const BEHIND: &str = "waiting behind other questions of this agent: it is asked about in its turn";
/// Says that this is not a new request.
pub(crate) const JOINED: &str = "joined the same command that was asked for before";

/// Seconds in a day: what is told of is never that far away.
const DAY: u32 = 24 * 3600;

/// Returns the second of the day in an RFC 3339 time.
fn second(at: &str) -> Option<u32> {
    let mut parts = at.get(11..19)?.split(':').map(str::parse::<u32>);
    let (hour, minute, second) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    Some((hour * 3600 + minute * 60 + second) % DAY)
}

/// Returns the time until a question ends: whole minutes where it is longer than people count in seconds.
fn time_left(seconds: u32) -> String {
    if seconds <= 120 { format!("{seconds} s") } else { format!("{} min", seconds.div_ceil(60)) }
}

/// Returns a time as it is typed after `--timeout`.
fn format_timeout(milliseconds: u64) -> String {
    let units = [(3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let unit = units.into_iter().find(|(length, _)| milliseconds.is_multiple_of(*length) && milliseconds > 0);
    unit.map_or_else(
        || format!("{milliseconds}ms"),
        |(length, name)| format!("{}{name}", milliseconds / length),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(at_expiry: Option<Decision>, position: u32) -> Pending {
        let expires_at = "2026-01-01T00:01:00.000Z".to_owned();
        Pending { expires_at, position, question: Some("caa2".to_owned()), at_expiry }
    }

    #[test]
    fn a_question_is_told_with_its_code_its_time_and_what_comes_then() {
        let told = OpenRunQuestion::new(&pending(Some(Decision::Deny), 1), Some("2025-12-31T23:59:00.000Z"));
        let expected = "waiting for a person to answer question caa2 (denied in 120 s, at 00:01:00 UTC)";
        assert_eq!(told.waiting_line(), expected, "over midnight too");
        let joined = OpenRunQuestion::new(&pending(Some(Decision::Allow), 3), None);
        let expected =
            "waiting for a person to answer question caa2 (allowed at 00:01:00 UTC; number 3 in line)";
        assert_eq!(joined.waiting_line(), expected);
        let odd = Pending { expires_at: "soon\u{1b}".to_owned(), question: None, ..pending(None, 0) };
        let expected = "waiting for a person to answer (decided without one at soon\\u{1b} UTC)";
        assert_eq!(OpenRunQuestion::new(&odd, Some("")).waiting_line(), expected, "whatever a host says");
    }

    #[test]
    fn a_long_wait_is_told_in_minutes() {
        for (seconds, text) in [(9, "9 s"), (120, "120 s"), (121, "3 min"), (1800, "30 min")] {
            assert_eq!(time_left(seconds), text);
        }
    }

    #[test]
    fn who_waits_no_longer_is_told_how_to_go_on() {
        let question = OpenRunQuestion::new(&pending(Some(Decision::Deny), 1), None);
        let asked = detached_ending(RunState::Asking, Some(&question));
        assert_eq!(asked.code, 75);
        assert!(asked.says[0].contains("question caa2"), "{asked:?}");
        for ending in [
            asked,
            detached_ending(RunState::Running, Some(&question)),
            detached_ending(RunState::Resolving, None),
        ] {
            assert!(ending.says[0].starts_with("pending: "), "{ending:?}");
            assert!(ending.says[1].starts_with("run the same line again"), "{ending:?}");
        }
    }

    #[test]
    fn times_are_told_as_they_are_typed() {
        for (milliseconds, text) in
            [(500, "500ms"), (1_000, "1s"), (90_000, "90s"), (300_000, "5m"), (7_200_000, "2h"), (0, "0ms")]
        {
            assert_eq!(format_timeout(milliseconds), text);
        }
    }
}
