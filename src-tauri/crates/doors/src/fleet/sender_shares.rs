//! Shares of senders in what is read: nobody's flood costs more than its share, or keeps anything of others out.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Numbers of what came of each sender in a time.
#[derive(Debug)]
pub(super) struct SenderShares<K> {
    most: u32,
    within: Duration,
    since: Instant,
    counts: BTreeMap<K, u32>,
}

impl<K: Ord> SenderShares<K> {
    /// Gives each sender so many in this time.
    pub(super) fn new(most: u32, within: Duration) -> Self {
        Self { most, within, since: Instant::now(), counts: BTreeMap::new() }
    }

    /// Returns true if one more of a sender is within its share.
    pub(super) fn note_one(&mut self, sender: K, now: Instant) -> bool {
        if now.duration_since(self.since) >= self.within {
            self.since = now;
            self.counts.clear();
        }
        let count = self.counts.entry(sender).or_default();
        *count = count.saturating_add(1);
        *count <= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::SenderShares;
    use std::time::{Duration, Instant};

    #[test]
    fn a_flood_of_one_sender_is_cut_and_others_are_not() {
        let (within, start) = (Duration::from_secs(1), Instant::now());
        let mut shares = SenderShares::new(20, within);
        let flood =
            |shares: &mut SenderShares<&str>, now| (0..1000).filter(|_| shares.note_one("bad", now)).count();
        assert_eq!(flood(&mut shares, start), 20);
        assert!(shares.note_one("mini", start), "others have a share of their own");
        assert_eq!(flood(&mut shares, start + within / 2), 0);
        assert_eq!(flood(&mut shares, start + within * 2), 20);
    }
}
