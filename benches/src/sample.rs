//! Durations that were measured, and what they come to.

use std::time::{Duration, Instant};

/// Durations of one thing done many times.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sample(Vec<Duration>);

impl Sample {
    /// Does it `times` times and measures each.
    pub(crate) fn of<E>(times: usize, mut work: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let mut sample = Self(Vec::with_capacity(times));
        for _ in 0..times {
            let begun = Instant::now();
            work()?;
            sample.0.push(begun.elapsed());
        }
        Ok(sample)
    }

    pub(crate) fn push(&mut self, duration: Duration) {
        self.0.push(duration);
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the smallest duration that is not below `percent` of all; zero where there is none.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(at).copied().unwrap_or_default()
    }

    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }
}

impl FromIterator<Duration> for Sample {
    fn from_iter<I: IntoIterator<Item = Duration>>(durations: I) -> Self {
        Self(durations.into_iter().collect())
    }
}

/// Measures two things in turn, A B A B. The first turn of each warms up and does not count.
pub(crate) fn in_turn<E>(
    turns: usize,
    mut ours: impl FnMut() -> Result<Sample, E>,
    mut rival: impl FnMut() -> Result<Sample, E>,
) -> Result<(Sample, Sample), E> {
    ours()?;
    rival()?;
    let (mut a, mut b) = (Sample::default(), Sample::default());
    for _ in 0..turns {
        a.append(ours()?);
        b.append(rival()?);
    }
    Ok((a, b))
}

/// Returns the number of times that `ours` took longer.
pub(crate) fn ratio(ours: Duration, rival: Duration) -> f64 {
    ours.as_secs_f64() / rival.as_secs_f64().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let sample = Sample((1..=200).rev().map(Duration::from_micros).collect());
        assert_eq!(sample.median(), Duration::from_micros(100));
        assert_eq!(sample.percentile(99), Duration::from_micros(198));
        assert_eq!(Sample::default().median(), Duration::ZERO);
    }

    #[test]
    fn the_first_turn_of_each_side_does_not_count() {
        let (mut order, mut turn) = (Vec::new(), 0);
        let mut take = |name| {
            turn += 1;
            order.push(name);
            Ok::<_, ()>(Sample(vec![Duration::from_secs(turn)]))
        };
        let shared = std::cell::RefCell::new(&mut take);
        let (a, b) = in_turn(2, || (shared.borrow_mut())('a'), || (shared.borrow_mut())('b')).unwrap();
        assert_eq!(order, ['a', 'b', 'a', 'b', 'a', 'b']);
        assert_eq!(a.0, [3, 5].map(Duration::from_secs));
        assert_eq!(b.0, [4, 6].map(Duration::from_secs));
    }
}
