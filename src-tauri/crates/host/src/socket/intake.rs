//! Input rate of an agent over all its connections: Postern leaves faster input unread in the socket.

use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// Bytes per second, over time.
const RATE: f64 = 8.0 * 1024.0 * 1024.0;
/// Bytes at once.
const BURST: f64 = 16.0 * 1024.0 * 1024.0;

/// Recent input of one agent.
#[derive(Debug)]
pub(super) struct Intake(Mutex<(f64, Instant)>);

impl Intake {
    pub(super) fn new() -> Self {
        Self(Mutex::new((BURST, Instant::now())))
    }

    /// Takes the bytes that were read; returns how long to wait before reading more.
    pub(super) async fn pace_input(&self, bytes: usize) {
        let wait = self.take_bytes(bytes, Instant::now());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }

    fn take_bytes(&self, bytes: usize, now: Instant) -> Duration {
        let mut level = self.0.lock();
        let (left, at) = *level;
        #[expect(clippy::cast_precision_loss, reason = "a line is short")]
        let left = (left + now.saturating_duration_since(at).as_secs_f64() * RATE).min(BURST) - bytes as f64;
        *level = (left, now);
        if left >= 0.0 { Duration::ZERO } else { Duration::from_secs_f64(-left / RATE) }
    }
}

#[cfg(test)]
mod tests {
    use super::Intake;
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn what_comes_too_fast_waits_its_time() {
        let (intake, start) = (Intake::new(), Instant::now());
        assert_eq!(intake.take_bytes(16 << 20, start), Duration::ZERO, "a burst is taken at once");
        assert_eq!(intake.take_bytes(8 << 20, start), Duration::from_secs(1));
        let got = intake.take_bytes(0, start + Duration::from_secs(1));
        assert_eq!(got, Duration::ZERO, "and paid back with time");
    }
}
