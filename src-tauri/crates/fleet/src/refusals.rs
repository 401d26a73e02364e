//! Refusals that are worth a row of the audit: each kind from each sender once in a while, and no flood of them.

use crate::id::FleetId;
use std::collections::BTreeMap;
use std::time::Duration;

/// Time for which a refusal of a kind and a sender is not recorded again.
const LASTS: Duration = Duration::from_hours(1);
/// Most refusals that are recorded in that time: who forges names of senders has as many as it likes.
const MOST: usize = 64;
/// Most of those of what no member signed. They leave room for an attempt of a member.
const UNSIGNED: usize = 32;

/// Time of a refusal that was recorded.
#[derive(Debug)]
struct RecordedRefusal {
    at: Duration,
    is_signed: bool,
}

/// Refusals of the last hour that were recorded, by kind and sender.
#[derive(Debug, Default)]
pub struct RecordedRefusals {
    recorded: BTreeMap<(&'static str, Option<FleetId>), RecordedRefusal>,
}

impl RecordedRefusals {
    /// Notes a refusal at a time of the host's timer. Returns true if it is to be recorded.
    pub fn note_refusal(
        &mut self,
        kind: &'static str,
        (sender, is_signed): (Option<&FleetId>, bool),
        now: Duration,
    ) -> bool {
        self.recorded.retain(|_, known| now.saturating_sub(known.at) < LASTS);
        let unsigned = self.recorded.values().filter(|known| !known.is_signed).count();
        let has_room = self.recorded.len() < MOST && (is_signed || unsigned < UNSIGNED);
        let key = (kind, sender.cloned());
        let is_new = has_room && !self.recorded.contains_key(&key);
        if is_new {
            self.recorded.insert(key, RecordedRefusal { at: now, is_signed });
        }
        is_new
    }
}
