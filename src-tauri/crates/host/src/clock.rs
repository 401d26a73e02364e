//! The two clocks: one for what is written down, one for what ends at a time.

use parking_lot::Mutex;
use postern_policy::{Lifetime, Millis};
use rustix::time::{ClockId, clock_gettime};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Clock that nobody sets, and that counts while the machine sleeps.
#[cfg(target_os = "linux")]
const STEADY: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const STEADY: ClockId = ClockId::Monotonic;

/// The steady clock and the one that stands still in sleep, when this process first asked.
static AWAKE: OnceLock<(Millis, Instant)> = OnceLock::new();

/// The wall clock and the steady one, when this process first looked.
static BEGAN: OnceLock<(Millis, Millis)> = OnceLock::new();

/// Returns the current time, in milliseconds since 1970: for what is recorded. A person or a time server may
/// set it at any moment.
pub fn now_millis() -> Millis {
    jiff::Timestamp::now().as_millisecond()
}

/// Returns the time by which blocks, stops and rules end, in milliseconds since 1970.
///
/// It is that of the first look, and what the steady clock has counted since. If [`now_millis`] jumps, nothing ends
/// early or late by it; the next start goes by it, and carries the ends over.
pub fn lasting() -> Millis {
    let (wall, began) = *BEGAN.get_or_init(|| (now_millis(), steady()));
    wall + (steady() - began)
}

/// Returns a rule's lifetime, whose end somebody reckoned by the wall clock, with the end by [`lasting`].
pub(crate) fn ends_by_the_host(lifetime: Lifetime) -> Lifetime {
    match lifetime {
        Lifetime::Until(end) => Lifetime::Until(end.saturating_sub(jumped().unwrap_or(0))),
        other => other,
    }
}

/// Returns a rule's lifetime with its end as the wall clock will show it: what [`ends_by_the_host`] reads.
pub(crate) fn ends_by_the_wall(lifetime: Lifetime) -> Lifetime {
    match lifetime {
        Lifetime::Until(end) => Lifetime::Until(shown_end(end)),
        other => other,
    }
}

/// Returns an end by [`lasting`] as the wall clock will show it: for people.
pub(crate) fn shown_end(end: Millis) -> Millis {
    end.saturating_add(jumped().unwrap_or(0))
}

/// Returns the milliseconds since this process first looked at the clock.
pub(crate) fn uptime() -> Millis {
    lasting() - BEGAN.get().map_or(0, |(wall, _)| *wall)
}

/// Returns for how long the machine has slept since the first call. It never gets less: a difference below a second is what
/// two clocks differ by that are read one after the other.
pub(crate) fn time_asleep() -> Duration {
    static KNOWN: AtomicU64 = AtomicU64::new(0);
    let (began, awake) = AWAKE.get_or_init(|| (steady(), Instant::now()));
    let whole = u64::try_from(steady() - began).unwrap_or(0);
    let now = whole.saturating_sub(u64::try_from(awake.elapsed().as_millis()).unwrap_or(u64::MAX));
    let known = KNOWN.load(Ordering::Relaxed);
    if now < known + 1_000 {
        return Duration::from_millis(known);
    }
    Duration::from_millis(KNOWN.fetch_max(now, Ordering::Relaxed).max(now))
}

/// Returns the lead of [`now_millis`] over [`lasting`], in milliseconds, if it is more than drift and a time server cause.
pub(crate) fn jumped() -> Option<Millis> {
    let ahead = now_millis() - lasting();
    (ahead.abs() >= JUMP).then_some(ahead)
}

/// A wall clock that was set while this process ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Jump {
    /// Time at which that was noticed, by the wall clock.
    pub(crate) at: Millis,
    /// Lead over the steady clock, in milliseconds; negative if it was put back.
    pub(crate) ahead: Millis,
}

/// The jump that still holds, as it was first noticed.
static NOTICED: Mutex<Option<Jump>> = Mutex::new(None);

/// Looks at both clocks. Returns how the wall clock was set, until it is right again.
pub(crate) fn detect_jump() -> Option<Jump> {
    let mut noticed = NOTICED.lock();
    *noticed = jumped().map(|ahead| {
        let known = noticed.filter(|known| (known.ahead - ahead).abs() < JUMP);
        known.unwrap_or_else(|| Jump { at: now_millis(), ahead })
    });
    *noticed
}

/// From how many milliseconds on a difference is a jump.
pub(crate) const JUMP: Millis = 60_000;

/// Returns the milliseconds of the clock that nobody sets.
pub(crate) fn steady() -> Millis {
    let time = clock_gettime(STEADY);
    time.tv_sec.saturating_mul(1_000) + Millis::from(time.tv_nsec / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::{Duration, time_asleep};

    #[test]
    fn a_machine_that_is_awake_has_not_slept() {
        assert_eq!(time_asleep(), Duration::ZERO);
        assert_eq!(time_asleep(), Duration::ZERO, "reading two clocks takes no second");
    }
}
