//! Limit on what one agent writes to the record: generous for work, but safe for the disk.
//!
//! It drops bodies first (full request, findings, output) and keeps who asked, the beginning and the result.
//! Times are counted from any fixed moment.

use std::time::Duration;

/// Bytes of bodies at once, and per second over time (56 MiB per hour).
const BODIES: Rate = Rate { burst: 256.0 * 1024.0 * 1024.0, second: 16.0 * 1024.0 };
/// Bytes of rows, likewise.
const ROWS: Rate = Rate { burst: 32.0 * 1024.0 * 1024.0, second: 16.0 * 1024.0 };
/// Bytes of a row beyond its counted content: indexes, event, times.
const ROW: usize = 1024;
/// Longest body kept of a request that never ran, in bytes.
const DENIED: usize = 64 * 1024;

#[derive(Debug, Clone, Copy)]
struct Rate {
    burst: f64,
    second: f64,
}

/// Share of its agent's room that an entry of the record takes.
#[derive(Debug, Clone, Copy)]
pub struct Charge {
    body: f64,
    /// True if bodies are kept.
    pub keep: bool,
}

/// Remaining budget of one agent.
#[derive(Debug)]
pub struct Ledger {
    bodies: f64,
    rows: f64,
    at: Duration,
}

impl Ledger {
    /// Returns the full budget.
    pub fn new(now: Duration) -> Self {
        Self { bodies: BODIES.burst, rows: ROWS.burst, at: now }
    }

    fn refill(&mut self, now: Duration) {
        let seconds = now.saturating_sub(self.at).as_secs_f64();
        self.bodies = (self.bodies + seconds * BODIES.second).min(BODIES.burst);
        self.rows = (self.rows + seconds * ROWS.second).min(ROWS.burst);
        self.at = now;
    }

    /// Returns if another request may be recorded, otherwise the time to wait.
    pub fn has_room(&mut self, now: Duration) -> Result<(), Duration> {
        self.refill(now);
        if self.rows > 0.0 { Ok(()) } else { Err(Duration::from_secs_f64((1.0 - self.rows) / ROWS.second)) }
    }

    /// Charges a row for a request of `asked` bytes with `output` bytes. Returns the charge, and whether
    /// these may be kept.
    ///
    /// A long request that never ran is not kept.
    pub fn charge_row(&mut self, asked: usize, output: usize, ran: bool, now: Duration) -> Charge {
        self.refill(now);
        // Findings and verdict repeat the request; the final event repeats the output.
        let body = asked.saturating_mul(4).saturating_add(output.saturating_mul(2));
        let keep = (ran || asked <= DENIED) && to_float(body) <= self.bodies;
        let charge = Charge { body: if keep { to_float(body) } else { 0.0 }, keep };
        self.bodies -= charge.body;
        self.rows -= to_float(ROW);
        charge
    }

    /// Gives back the room of an entry that was not written.
    pub fn refund(&mut self, charge: Charge) {
        self.bodies = (self.bodies + charge.body).min(BODIES.burst);
        self.rows = (self.rows + to_float(ROW)).min(ROWS.burst);
    }
}

#[expect(clippy::cast_precision_loss, reason = "bodies are megabytes at most")]
fn to_float(bytes: usize) -> f64 {
    bytes as f64
}

#[cfg(test)]
mod tests {
    use super::{BODIES, DENIED, Ledger, ROW, ROWS};
    use std::time::Duration;

    #[test]
    fn bodies_go_first_then_nothing_is_taken_and_with_time_it_is_again() {
        let start = Duration::from_secs(5);
        let mut ledger = Ledger::new(start);
        assert!(
            !ledger.charge_row(DENIED + 1, 0, false, start).keep,
            "what never ran is kept up to a length"
        );
        assert!(ledger.charge_row(DENIED + 1, 0, true, start).keep, "what ran is kept");
        let kept = (0..100_000).take_while(|_| ledger.charge_row(DENIED, 0, false, start).keep).count();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers")]
        let most = BODIES.burst as usize / (4 * DENIED);
        assert!(kept + 2 >= most && kept <= most, "{kept} bodies of {most}");
        assert_eq!(ledger.has_room(start), Ok(()), "rows are written without them");
        let rows = (0..100_000).take_while(|_| {
            ledger.charge_row(0, 0, false, start);
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
