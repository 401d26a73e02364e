//! Limit on what one agent writes to the record: generous for work, but safe for the disk. It drops bodies
//! first (full request, findings, output) and keeps who asked, the beginning and the result.

use postern_protocol::Event;
use postern_store::outputs::Output;
use postern_store::requests::NewRequest;
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// Bytes of bodies at once, and per second over time (56 MiB per hour).
const BODIES: Rate = Rate { burst: 256.0 * 1024.0 * 1024.0, second: 16.0 * 1024.0 };
/// Bytes of rows, likewise.
const ROWS: Rate = Rate { burst: 32.0 * 1024.0 * 1024.0, second: 16.0 * 1024.0 };
/// Bytes of a row beyond its counted content: indexes, event, times.
const ROW: usize = 1024;
/// Longest body kept of a request that never ran, in bytes.
const DENIED: usize = 64 * 1024;
/// Characters kept of a dropped body.
const BEGINNING: usize = 512;
/// Bytes kept of each end of a dropped stream.
const OUTPUT: usize = 2048;

#[derive(Debug, Clone, Copy)]
struct Rate {
    burst: f64,
    second: f64,
}

/// What one entry of the record takes of its agent's room.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Charge {
    body: f64,
    /// Whether bodies are kept.
    pub(super) keep: bool,
}

/// Remaining budget of one agent.
#[derive(Debug)]
pub(crate) struct Ledger {
    bodies: f64,
    rows: f64,
    at: Instant,
}

impl Ledger {
    /// Returns the full budget.
    pub(super) fn new(now: Instant) -> Self {
        Self { bodies: BODIES.burst, rows: ROWS.burst, at: now }
    }

    fn refill(&mut self, now: Instant) {
        let seconds = now.saturating_duration_since(self.at).as_secs_f64();
        self.bodies = (self.bodies + seconds * BODIES.second).min(BODIES.burst);
        self.rows = (self.rows + seconds * ROWS.second).min(ROWS.burst);
        self.at = now;
    }

    /// Returns if another request may be recorded, otherwise the time to wait.
    pub(super) fn has_room(&mut self, now: Instant) -> Result<(), Duration> {
        self.refill(now);
        if self.rows > 0.0 { Ok(()) } else { Err(Duration::from_secs_f64((1.0 - self.rows) / ROWS.second)) }
    }

    /// Charges a row for a request of `asked` bytes with `output` bytes. Returns the charge, and whether these may be kept.
    /// A long request that never ran is not kept.
    pub(super) fn write(&mut self, asked: usize, output: usize, ran: bool, now: Instant) -> Charge {
        self.refill(now);
        // Findings and verdict repeat the request; the final event repeats the output.
        let body = asked.saturating_mul(4).saturating_add(output.saturating_mul(2));
        let keep = (ran || asked <= DENIED) && float(body) <= self.bodies;
        let charge = Charge { body: if keep { float(body) } else { 0.0 }, keep };
        self.bodies -= charge.body;
        self.rows -= float(ROW);
        charge
    }

    /// What was to be written was not: it takes nothing.
    pub(super) fn refund(&mut self, charge: Charge) {
        self.bodies = (self.bodies + charge.body).min(BODIES.burst);
        self.rows = (self.rows + float(ROW)).min(ROWS.burst);
    }
}

#[expect(clippy::cast_precision_loss, reason = "bodies are megabytes at most")]
fn float(bytes: usize) -> f64 {
    bytes as f64
}

/// Returns a request without its body, but with its beginning; the digest is stored separately.
pub(super) fn without_body(new: &NewRequest) -> NewRequest {
    let beginning: String = new.line.chars().take(BEGINNING).collect();
    let bytes = new.asked.len();
    let line = if beginning.len() < new.line.len() {
        format!("{beginning}… ({bytes} bytes, not kept)")
    } else {
        new.line.clone()
    };
    let asked = json!({ "notKept": { "bytes": bytes, "beginning": beginning } }).to_string();
    NewRequest { line, asked, ..new.clone() }
}

/// Returns output without its middle.
pub(super) fn without_middle(output: Output) -> Output {
    let Output { bytes, mut head, tail } = output;
    head.truncate(OUTPUT);
    let tail = tail[tail.len().saturating_sub(OUTPUT)..].to_vec();
    Output { bytes, head, tail }
}

/// Returns the final event as stored, without the output that it is sent with.
pub(super) fn without_output(event: &Event) -> Event {
    match event {
        Event::Finished(finished) => Event::Finished(postern_protocol::Finished {
            stdout: String::new(),
            stderr: String::new(),
            truncated: true,
            ..finished.clone()
        }),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{BODIES, DENIED, Ledger, ROW, ROWS};
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn bodies_go_first_then_nothing_is_taken_and_with_time_it_is_again() {
        let start = Instant::now();
        let mut ledger = Ledger::new(start);
        assert!(!ledger.write(DENIED + 1, 0, false, start).keep, "what never ran is kept up to a length");
        assert!(ledger.write(DENIED + 1, 0, true, start).keep, "what ran is kept");
        let kept = (0..100_000).take_while(|_| ledger.write(DENIED, 0, false, start).keep).count();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers")]
        let most = BODIES.burst as usize / (4 * DENIED);
        assert!(kept + 2 >= most && kept <= most, "{kept} bodies of {most}");
        assert_eq!(ledger.has_room(start), Ok(()), "rows are written without them");
        let rows = (0..100_000).take_while(|_| {
            ledger.write(0, 0, false, start);
            ledger.has_room(start).is_ok()
        });
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers")]
        let most = ROWS.burst as usize / ROW;
        assert!(rows.count() < most);
        let after = ledger.has_room(start).unwrap_err();
        assert!(after < Duration::from_secs(1), "{after:?}");
        assert_eq!(ledger.has_room(start + after), Ok(()), "it said when");
    }
}
