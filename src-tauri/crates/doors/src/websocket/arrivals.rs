//! Connections that have not authenticated: few at a time, fewer per peer, and the oldest is closed for the
//! newest. Each wrong token delays its own peer longer, and no other.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Largest number of such connections.
pub(super) const ALL: usize = 16;
/// Largest number from one peer.
pub(super) const OF_ONE: usize = ALL / 2;
/// Additional delay per wrong token, and the longest delay.
const STEP: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);
/// Time after which a peer's wrong tokens are forgotten.
const FORGOTTEN: Duration = Duration::from_mins(1);
/// Number of peers whose wrong tokens are remembered.
const REMEMBERED: usize = 1024;

/// Unauthenticated connections and wrong tokens.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    inner: Mutex<Arriving>,
}

#[derive(Debug, Default)]
struct Arriving {
    next: u64,
    /// Oldest first.
    waiting: Vec<(u64, IpAddr, CancellationToken)>,
    wrong: HashMap<IpAddr, (u32, Instant)>,
}

/// Slot of a connection until it authenticates; dropping it frees the slot.
#[derive(Debug)]
pub(super) struct Arrival {
    of: Arc<Arrivals>,
    number: u64,
    peer: IpAddr,
    /// Cancelled when a newer connection needs the slot.
    pub(super) cut: CancellationToken,
    /// Delay before its first message is read.
    pub(super) delay: Duration,
}

impl Arrivals {
    /// Adds a connection from this address.
    pub(super) fn add_connection(self: &Arc<Self>, address: IpAddr, now: Instant) -> Arrival {
        let (peer, cut) = (peer_network(address), CancellationToken::new());
        let mut inner = self.lock_inner();
        let of_peer = inner.waiting.iter().filter(|(_, other, _)| *other == peer).count();
        let oldest = if of_peer >= OF_ONE {
            inner.waiting.iter().position(|(_, other, _)| *other == peer)
        } else {
            (inner.waiting.len() >= ALL).then_some(0)
        };
        if let Some(oldest) = oldest {
            let (_, _, cut) = inner.waiting.remove(oldest);
            cut.cancel();
        }
        let number = inner.next;
        inner.next += 1;
        inner.waiting.push((number, peer, cut.clone()));
        let delay = match inner.wrong.get(&peer) {
            Some((count, last)) if now.duration_since(*last) < FORGOTTEN => (STEP * *count).min(LONGEST),
            Some(_) | None => Duration::ZERO,
        };
        drop(inner);
        Arrival { of: Arc::clone(self), number, peer, cut, delay }
    }

    fn lock_inner(&self) -> MutexGuard<'_, Arriving> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Arrival {
    /// Counts a wrong token on this connection.
    pub(super) fn was_wrong(&self, now: Instant) {
        let mut inner = self.of.lock_inner();
        inner.wrong.retain(|_, (_, last)| now.duration_since(*last) < FORGOTTEN);
        if inner.wrong.len() < REMEMBERED || inner.wrong.contains_key(&self.peer) {
            let (count, last) = inner.wrong.entry(self.peer).or_insert((0, now));
            *count = count.saturating_add(1);
            *last = now;
        }
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.of.lock_inner().waiting.retain(|(number, _, _)| *number != self.number);
    }
}

/// Returns the peer of an address: an IPv6 network counts as one, because it can choose the rest of the
/// address.
fn peer_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) if !six.is_loopback() => {
            let [a, b, c, d, ..] = six.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, Arrivals, FORGOTTEN, LONGEST, OF_ONE, STEP};
    use std::net::IpAddr;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn the_oldest_of_a_peer_makes_room_for_its_newest_and_for_nobody_else_s() {
        let (arrivals, now) = (Arc::new(Arrivals::default()), Instant::now());
        let other = arrivals.add_connection(address("192.0.2.7"), now);
        let many: Vec<_> = (0..OF_ONE + 2).map(|_| arrivals.add_connection(address("::1"), now)).collect();
        let cut: Vec<bool> = many.iter().map(|one| one.cut.is_cancelled()).collect();
        assert_eq!(cut[..3], [true, true, false]);
        assert!(!other.cut.is_cancelled());
        drop(many);
        assert!(!arrivals.add_connection(address("::1"), now).cut.is_cancelled(), "places are given back");
    }

    #[test]
    fn many_peers_share_the_places_and_a_network_is_one_peer() {
        let (arrivals, now) = (Arc::new(Arrivals::default()), Instant::now());
        let from = |text: String| arrivals.add_connection(address(&text), now);
        let network: Vec<_> = (0..=OF_ONE).map(|one| from(format!("2001:db8::{one}"))).collect();
        assert!(network[0].cut.is_cancelled());
        let peers: Vec<_> = (0..ALL).map(|one| from(format!("192.0.2.{one}"))).collect();
        assert!(network.iter().all(|one| one.cut.is_cancelled()), "the oldest of all");
        assert!(peers.iter().all(|one| !one.cut.is_cancelled()));
    }

    #[test]
    fn wrong_tokens_slow_the_peer_that_brings_them_and_are_forgotten() {
        let (arrivals, now) = (Arc::new(Arrivals::default()), Instant::now());
        let enter = |text: &str, later: Duration| arrivals.add_connection(address(text), now + later);
        for wrong in 0..3 {
            let arrival = enter("192.0.2.1", Duration::ZERO);
            assert_eq!(arrival.delay, STEP * wrong);
            arrival.was_wrong(now);
        }
        assert_eq!(
            enter("192.0.2.2", Duration::ZERO).delay,
            Duration::ZERO,
            "another peer waits for nothing"
        );
        (0..1000).for_each(|_| enter("192.0.2.1", Duration::ZERO).was_wrong(now));
        assert_eq!(enter("192.0.2.1", Duration::ZERO).delay, LONGEST);
        assert_eq!(enter("192.0.2.1", FORGOTTEN).delay, Duration::ZERO);
    }
}
