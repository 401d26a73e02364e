//! Refusals that are worth a row of the audit: each kind from each sender once in a while, and no flood of them.

use crate::id::FleetId;
use std::collections::BTreeMap;
use std::time::Duration;

/// Time for which a refusal of a kind and a sender is not recorded again.
const LASTS: Duration = Duration::from_hours(1);
/// Most refusals that are recorded in that time: who forges names of senders has as many as it likes.
const MOST: usize = 64;

/// Refusals of the last hour that were recorded, by kind and sender.
#[derive(Debug, Default)]
pub struct RecordedRefusals {
    recorded: BTreeMap<(&'static str, Option<FleetId>), Duration>,
}

impl RecordedRefusals {
    /// Notes a refusal at a time of the host's timer. Returns true if it is to be recorded.
    pub fn note_refusal(&mut self, kind: &'static str, sender: Option<&FleetId>, now: Duration) -> bool {
        self.recorded.retain(|_, at| now.saturating_sub(*at) < LASTS);
        let key = (kind, sender.cloned());
        let is_new = !self.recorded.contains_key(&key) && self.recorded.len() < MOST;
        if is_new {
            self.recorded.insert(key, now);
        }
        is_new
    }
}
