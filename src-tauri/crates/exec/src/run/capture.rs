//! Output kept in bounded memory: the beginning shows the cause, the end the result.

/// Bytes of the beginning that are kept.
const HEAD: usize = 32 * 1024;

/// Output as much as was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    pub head: Vec<u8>,
    /// The end, where it is not part of the beginning.
    pub tail: Vec<u8>,
    /// Number of bytes in all.
    pub bytes: u64,
}

impl Captured {
    /// Returns true if something between head and tail was left out.
    pub fn truncated(&self) -> bool {
        self.bytes > (self.head.len() + self.tail.len()) as u64
    }

    /// Returns head and tail in one, with nothing between them to show what was left out.
    pub fn joined(&self) -> Vec<u8> {
        [self.head.as_slice(), self.tail.as_slice()].concat()
    }
}

/// The first [`HEAD`] bytes and a ring of the last ones.
#[derive(Debug)]
pub(super) struct Capture {
    head: Vec<u8>,
    head_cap: usize,
    ring: Vec<u8>,
    ring_cap: usize,
    /// Index of the next byte, once the ring is full.
    next: usize,
    bytes: u64,
}

impl Capture {
    /// Keeps at most `cap` bytes.
    pub(super) fn new(cap: u64) -> Self {
        let cap = usize::try_from(cap).unwrap_or(usize::MAX);
        let head_cap = cap.min(HEAD);
        Self { head: Vec::new(), head_cap, ring: Vec::new(), ring_cap: cap - head_cap, next: 0, bytes: 0 }
    }

    /// Takes the next bytes; returns how many came before.
    pub(super) fn add_bytes(&mut self, bytes: &[u8]) -> u64 {
        let offset = self.bytes;
        self.bytes += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(self.head_cap - self.head.len()));
        self.head.extend_from_slice(head);
        self.keep_last(rest);
        offset
    }

    fn keep_last(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.ring_cap)..];
        let (fill, rest) = bytes.split_at(bytes.len().min(self.ring_cap - self.ring.len()));
        self.ring.extend_from_slice(fill);
        let (first, wrapped) = rest.split_at(rest.len().min(self.ring.len() - self.next));
        self.ring[self.next..self.next + first.len()].copy_from_slice(first);
        self.ring[..wrapped.len()].copy_from_slice(wrapped);
        if !rest.is_empty() {
            self.next = (self.next + rest.len()) % self.ring_cap;
        }
    }

    /// Returns a copy of what is kept.
    pub(super) fn so_far(&self) -> Captured {
        let (end, beginning) = self.ring.split_at(self.next);
        Captured { head: self.head.clone(), tail: [beginning, end].concat(), bytes: self.bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_fits_is_kept_whole() {
        let mut capture = Capture::new(1024);
        assert_eq!(
            (capture.add_bytes(b"one "), capture.add_bytes(b"two")),
            (0, 4),
            "offsets count what came before"
        );
        let kept = capture.so_far();
        assert_eq!((kept.joined().as_slice(), kept.truncated()), (&b"one two"[..], false));
    }

    #[test]
    fn a_cap_of_nothing_only_counts() {
        let mut capture = Capture::new(0);
        capture.add_bytes(b"lost");
        assert_eq!(capture.so_far(), Captured { bytes: 4, ..Captured::default() });
    }

    proptest! {
        #[test]
        fn it_is_the_beginning_and_the_end_whatever_the_pieces(
            pieces in proptest::collection::vec(0_usize..30_000, 0..12),
            cap in 0_usize..100_000,
        ) {
            let total: usize = pieces.iter().sum();
            let all: Vec<u8> = (0..total).map(|at| u8::try_from(at % 251).unwrap_or_default()).collect();
            let mut capture = Capture::new(cap as u64);
            let mut rest = all.as_slice();
            for piece in pieces {
                let (now, later) = rest.split_at(piece);
                capture.add_bytes(now);
                rest = later;
            }
            let kept = capture.so_far();
            prop_assert_eq!(kept.bytes, total as u64);
            prop_assert!(kept.head.len() + kept.tail.len() <= cap);
            prop_assert!(all.starts_with(&kept.head) && all.ends_with(&kept.tail));
            prop_assert_eq!(kept.truncated(), total > cap, "everything is kept up to the cap");
        }
    }
}
