//! Look-ups under way on the agents' own threads, and by when they have to end.

use postern_exec::identity::Allowance;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;
use uuid::Uuid;

/// Key of a look-up: when its time is over, and its number, counted from the host's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LookUpKey(Instant, u64);

/// The look-ups under way: whose request each is for, and what ends its reading.
#[derive(Debug, Default)]
pub(super) struct LookUps {
    last: u64,
    running: BTreeMap<LookUpKey, (Uuid, Allowance)>,
}

impl LookUps {
    /// Returns the key of a look-up that begins now and may take so long.
    pub(super) fn next_key(&mut self, patience: Duration) -> LookUpKey {
        self.last += 1;
        LookUpKey(Instant::now() + patience, self.last)
    }

    /// Notes that the look-up of a request has begun.
    pub(super) fn begin(&mut self, key: LookUpKey, request: Uuid, allowance: Allowance) {
        self.running.insert(key, (request, allowance));
    }

    /// Returns the request of a look-up that ended; `None` if its time was over before.
    pub(super) fn end(&mut self, key: LookUpKey) -> Option<Uuid> {
        Some(self.running.remove(&key)?.0)
    }

    /// Returns the time at which the next one has to end.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.running.first_key_value().map(|(key, _)| key.0)
    }

    /// Stops those whose time is over, and returns their requests.
    pub(super) fn take_late(&mut self, now: Instant) -> Vec<Uuid> {
        let mut late = Vec::new();
        while let Some(first) = self.running.first_entry().filter(|first| first.key().0 <= now) {
            let (request, allowance) = first.remove();
            allowance.stop();
            late.push(request);
        }
        late
    }
}
