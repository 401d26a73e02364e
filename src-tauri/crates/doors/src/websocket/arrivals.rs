//! Connections that have not authenticated: few at a time, fewer per peer, and the oldest is closed for the
//! newest.
//!
//! A right token never waits for wrong ones: a pairing code (50 bits, ten minutes) and a key (256 bits) are out of reach of
//! guesses at any rate.

use parking_lot::Mutex;
use std::net::IpAddr;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Largest number of such connections.
pub(super) const ALL: usize = 16;
/// Largest number from one peer.
pub(super) const OF_ONE: usize = ALL / 2;

/// Unauthenticated connections.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    inner: Mutex<Arriving>,
}

#[derive(Debug, Default)]
struct Arriving {
    next: u64,
    /// Oldest first.
    waiting: Vec<(u64, IpAddr, CancellationToken)>,
}

/// Slot of a connection until it authenticates; dropping it frees the slot.
#[derive(Debug)]
pub(super) struct Arrival {
    of: Arc<Arrivals>,
    number: u64,
    /// Cancelled when a newer connection needs the slot.
    pub(super) cut: CancellationToken,
}

impl Arrivals {
    pub(super) fn add_connection(self: &Arc<Self>, address: IpAddr) -> Arrival {
        let (peer, cut) = (peer_network(address), CancellationToken::new());
        let mut inner = self.inner.lock();
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
        drop(inner);
        Arrival { of: Arc::clone(self), number, cut }
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.of.inner.lock().waiting.retain(|(number, _, _)| *number != self.number);
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
    use super::{ALL, Arrivals, OF_ONE};
    use std::net::IpAddr;
    use std::sync::Arc;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn the_oldest_of_a_peer_makes_room_for_its_newest_and_for_nobody_else_s() {
        let arrivals = Arc::new(Arrivals::default());
        let other = arrivals.add_connection(address("192.0.2.7"));
        let many: Vec<_> = (0..OF_ONE + 2).map(|_| arrivals.add_connection(address("::1"))).collect();
        let cut: Vec<bool> = many.iter().map(|one| one.cut.is_cancelled()).collect();
        assert_eq!(cut[..3], [true, true, false]);
        assert!(!other.cut.is_cancelled());
        drop(many);
        assert!(!arrivals.add_connection(address("::1")).cut.is_cancelled(), "places are given back");
    }

    #[test]
    fn many_peers_share_the_places_and_a_network_is_one_peer() {
        let arrivals = Arc::new(Arrivals::default());
        let from = |text: String| arrivals.add_connection(address(&text));
        let network: Vec<_> = (0..=OF_ONE).map(|one| from(format!("2001:db8::{one}"))).collect();
        assert!(network[0].cut.is_cancelled());
        let peers: Vec<_> = (0..ALL).map(|one| from(format!("192.0.2.{one}"))).collect();
        assert!(network.iter().all(|one| one.cut.is_cancelled()), "the oldest of all");
        assert!(peers.iter().all(|one| !one.cut.is_cancelled()));
    }
}
