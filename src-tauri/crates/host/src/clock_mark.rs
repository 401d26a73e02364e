//! Clocks as a host leaves them in the record, for what ends at a time and outlives the host.

use crate::clock::{JUMP, lasting, steady};
use postern_exec::run::boot_id;
use postern_policy::Millis;
use postern_request::ActivePause;
use postern_store::{CarriedEnds, ClockChange, Connection, Error, Store, carry_ends, settings};
use serde::{Deserialize, Serialize};

/// Key of the mark among the settings of the record.
const KEY: &str = "host.clock";

/// Both clocks at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ClockMark {
    /// Time by which blocks, stops and rules end.
    lasting: Millis,
    /// Steady clock, which counts from the boot.
    steady: Millis,
    /// Name of the boot; empty where the system gives none.
    boot: String,
}

impl ClockMark {
    fn now() -> Self {
        Self { lasting: lasting(), steady: steady(), boot: boot_id() }
    }

    /// Returns how the wall clock was set from this mark to a later one; `None` if nothing shows that it was.
    ///
    /// Within one boot the steady clock says how much time passed. Over another boot only a clock that is behind the mark
    /// is known to be wrong.
    fn change_until(&self, later: &Self) -> Option<ClockChange> {
        let exact = !later.boot.is_empty() && self.boot == later.boot && self.steady <= later.steady;
        let passed = if exact { later.steady - self.steady } else { 0 };
        let before = self.lasting.saturating_add(passed);
        let ahead = later.lasting.saturating_sub(before);
        let is_set = ahead <= -JUMP || exact && ahead >= JUMP;
        is_set.then_some(ClockChange { before, ahead, exact })
    }
}

/// Wall clock that was set while no host ran, and what that moved or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClockCarry {
    pub(crate) change: ClockChange,
    pub(crate) ends: CarriedEnds,
}

/// Carries what ends at a time over to the clock of this host, and leaves its mark. Returns how the clock was set, if
/// that moved or ended something.
pub(crate) async fn carry_over(store: &Store) -> Result<Option<ClockCarry>, Error> {
    let now = ClockMark::now();
    let last: Option<ClockMark> = store.read(|conn| settings::get_value(conn, KEY))?;
    let Some(change) = last.and_then(|last| last.change_until(&now)) else {
        leave_mark(store);
        return Ok(None);
    };
    let carried = store.write_durable(move |conn| {
        let ends = carry_all(conn, change)?;
        settings::set_value(conn, KEY, &now)?;
        Ok(ends)
    });
    let ends = carried.await?;
    tracing::warn!(?change, ?ends, "the wall clock was set while Postern did not run");
    Ok((ends != CarriedEnds::default()).then_some(ClockCarry { change, ends }))
}

/// Leaves a mark of now. Nobody waits for it: an older one is less exact, not wrong.
pub(crate) fn leave_mark(store: &Store) {
    let now = ClockMark::now();
    drop(store.write(move |conn| settings::set_value(conn, KEY, &now)));
}

fn carry_all(conn: &Connection, change: ClockChange) -> Result<CarriedEnds, Error> {
    let mut ends = carry_ends(conn, change)?;
    let pause: Option<ActivePause> = settings::get_value(conn, settings::PAUSE)?;
    if let Some(end) = pause.and_then(|pause| pause.until) {
        let until = change.end_of_prohibition(end);
        if until != end {
            settings::set_value(conn, settings::PAUSE, &ActivePause { until: Some(until) })?;
            ends.moved += 1;
        }
    }
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use super::{ClockMark, carry_over};
    use postern_request::ActivePause;
    use postern_store::{ClockChange, Store, settings};

    const HOUR: i64 = 3_600_000;

    fn mark(lasting: i64, steady: i64, boot: &str) -> ClockMark {
        ClockMark { lasting, steady, boot: boot.to_owned() }
    }

    #[test]
    fn within_one_boot_every_jump_is_known() {
        let last = mark(50 * HOUR, HOUR, "one");
        let later = |lasting| last.change_until(&mark(lasting, 3 * HOUR, "one"));
        let before = 52 * HOUR;
        assert_eq!(later(before), None, "two hours passed by both clocks");
        assert_eq!(later(before + 59_999), None, "drift");
        for ahead in [-9 * HOUR, -60_000, 60_000, 9 * HOUR] {
            assert_eq!(later(before + ahead), Some(ClockChange { before, ahead, exact: true }), "{ahead}");
        }
    }

    #[test]
    fn over_another_boot_a_clock_behind_the_mark_is_wrong() {
        let last = mark(50 * HOUR, 7 * HOUR, "one");
        let nameless = mark(50 * HOUR, 7 * HOUR, "");
        // A boot without a name may be another one, and a steady clock never goes back within one.
        for (last, steady, boot) in
            [(&last, 8 * HOUR, "two"), (&nameless, 8 * HOUR, ""), (&last, HOUR, "one")]
        {
            let later = |lasting| last.change_until(&mark(lasting, steady, boot));
            assert_eq!(later(90 * HOUR), None, "the machine may have been off");
            assert_eq!(later(50 * HOUR - 59_999), None, "drift");
            let change = ClockChange { before: 50 * HOUR, ahead: -HOUR, exact: false };
            assert_eq!(later(49 * HOUR), Some(change));
        }
    }

    #[tokio::test]
    async fn a_pause_keeps_the_time_that_it_had_left() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("postern.db")).unwrap();
        assert_eq!(carry_over(&store).await.unwrap(), None, "no host was here before");
        let ahead = 9 * HOUR;
        let mut last = ClockMark::now();
        last.lasting += ahead;
        let pause = ActivePause { until: Some(last.lasting + HOUR) };
        let written = store.write(move |conn| {
            settings::set_value(conn, super::KEY, &last)?;
            settings::set_value(conn, settings::PAUSE, &pause)
        });
        written.await.unwrap();
        let carried = carry_over(&store).await.unwrap().expect("the clock was put back");
        assert_eq!(carried.ends.moved, 1);
        let now: Option<ActivePause> = store.read(|conn| settings::get_value(conn, settings::PAUSE)).unwrap();
        let until = now.and_then(|pause| pause.until).unwrap();
        assert!((until - crate::clock::lasting() - HOUR).abs() < 60_000, "an hour: {until}");
        assert_eq!(carry_over(&store).await.unwrap(), None, "once");
    }
}
