//! Limits of one look-up: its files, its bytes, and its time, which ends when nobody waits for it.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Largest number of files that one request may name.
pub const FILES: usize = 64;
/// Largest number of bytes read for one request; known, unchanged files are not read again.
pub(super) const BYTES: u64 = 1024 * 1024 * 1024;
/// Bytes per second that are read for one agent, over time.
const RATE: f64 = 64.0 * 1024.0 * 1024.0;
/// Bytes that are read at once for an agent that was idle.
const BURST: f64 = 1024.0 * 1024.0 * 1024.0;
/// Interval in which a waiting look-up checks if it is still wanted.
const NAP: Duration = Duration::from_millis(20);

/// Reason why a look-up stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Overrun {
    /// More than [`FILES`].
    #[error("more than {FILES} files are named at once")]
    Files,
    /// More than `BYTES`.
    #[error("the files that are named are larger than 1 GiB together")]
    Bytes,
    /// The caller gave up.
    #[error("nobody waits for it any more")]
    Stopped,
}

/// Bytes that one agent has read, over all its requests.
#[derive(Debug)]
pub struct Meter(Mutex<Level>);

#[derive(Debug)]
struct Level {
    left: f64,
    at: Instant,
}

impl Meter {
    /// Returns the meter of an agent that has read nothing.
    pub fn new() -> Self {
        Self(Mutex::new(Level { left: BURST, at: Instant::now() }))
    }

    /// Takes `bytes` and returns how long to wait before reading them.
    fn take_bytes(&self, bytes: u64, now: Instant) -> Duration {
        let mut level = self.0.lock();
        let grown = now.saturating_duration_since(level.at).as_secs_f64() * RATE;
        #[expect(clippy::cast_precision_loss, reason = "a block is small")]
        let bytes = bytes as f64;
        level.left = (level.left + grown).min(BURST) - bytes;
        level.at = now;
        if level.left >= 0.0 { Duration::ZERO } else { Duration::from_secs_f64(-level.left / RATE) }
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

/// Allowance of one request. Clones share it.
#[derive(Debug, Clone)]
pub struct Allowance(Arc<AllowanceState>);

#[derive(Debug)]
struct AllowanceState {
    meter: Arc<Meter>,
    files: Mutex<HashSet<(u64, u64)>>,
    bytes: AtomicU64,
    stopped: AtomicBool,
    overrun: Mutex<Option<Overrun>>,
}

impl Allowance {
    /// Returns the allowance for one request of `meter`'s agent.
    pub fn new(meter: Arc<Meter>) -> Self {
        Self(Arc::new(AllowanceState {
            meter,
            files: Mutex::default(),
            bytes: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            overrun: Mutex::new(None),
        }))
    }

    /// Returns a new allowance for another request of the same agent.
    #[must_use]
    pub fn another(&self) -> Self {
        Self::new(Arc::clone(&self.0.meter))
    }

    pub(super) fn meter(&self) -> &Arc<Meter> {
        &self.0.meter
    }

    /// Marks the look-up as unwanted; the current read ends soon.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }

    /// Returns true if both are of the same look-up.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns true if the look-up is unwanted.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// Returns why it stopped, or `None` if everything was read.
    pub fn overrun(&self) -> Option<Overrun> {
        *self.0.overrun.lock()
    }

    pub(super) fn count_file(&self, device: u64, inode: u64) -> Result<(), Overrun> {
        let mut files = self.0.files.lock();
        files.insert((device, inode));
        let fits = files.len() <= FILES;
        drop(files);
        if fits { Ok(()) } else { Err(self.record_overrun(Overrun::Files)) }
    }

    /// Waits until the agent may read this many bytes.
    pub(super) fn wait_to_read(&self, bytes: u64) -> Result<(), Overrun> {
        if self.0.bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > BYTES {
            return Err(self.record_overrun(Overrun::Bytes));
        }
        let now = Instant::now();
        let turn = now + self.0.meter.take_bytes(bytes, now);
        loop {
            if self.is_stopped() {
                return Err(self.record_overrun(Overrun::Stopped));
            }
            let left = turn.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(NAP));
        }
    }

    fn record_overrun(&self, overrun: Overrun) -> Overrun {
        *self.0.overrun.lock().get_or_insert(overrun)
    }
}

#[cfg(test)]
mod tests {
    use super::{Allowance, BURST, BYTES, FILES, Meter, Overrun, RATE};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    #[test]
    fn one_request_names_so_many_files_and_each_counts_once() {
        let allowance = Allowance::new(Arc::default());
        for round in 0..2 {
            for inode in 0..FILES as u64 {
                assert_eq!(allowance.count_file(1, inode), Ok(()), "file {inode} in round {round}");
            }
        }
        assert_eq!(allowance.overrun(), None);
        assert_eq!(allowance.count_file(2, 0), Err(Overrun::Files), "another device is another file");
        assert_eq!(allowance.overrun(), Some(Overrun::Files));
    }

    #[test]
    fn one_request_reads_so_much_and_ends_when_nobody_waits() {
        let allowance = Allowance::new(Arc::default());
        assert_eq!(allowance.wait_to_read(BYTES), Ok(()));
        assert_eq!(allowance.wait_to_read(1), Err(Overrun::Bytes));
        let stopped = Allowance::new(Arc::default());
        stopped.stop();
        assert_eq!(stopped.wait_to_read(1), Err(Overrun::Stopped));
    }

    #[test]
    fn what_an_agent_reads_over_all_its_requests_is_paced() {
        let (meter, start) = (Meter::new(), Instant::now());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers")]
        let (burst, rate) = (BURST as u64, RATE as u64);
        assert_eq!(meter.take_bytes(burst, start), Duration::ZERO);
        let waits = meter.take_bytes(rate, start);
        assert!(waits > Duration::from_millis(900) && waits < Duration::from_millis(1100), "{waits:?}");
        let got = meter.take_bytes(0, start + Duration::from_secs(2));
        assert_eq!(got, Duration::ZERO, "it is paid back with time");
    }
}
