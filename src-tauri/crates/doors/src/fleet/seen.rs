//! Other hosts as they say they are: there, and with their agents blocked or not.

use super::{FleetApprover, PRESENT_FOR, SKEW, wall_clock};
use crate::door::HostStates;
use parking_lot::Mutex;
use postern_contract::methods::FleetHostState;
use postern_fleet::{FleetId, FleetPresence, HostBlock, PinnedRoster, WallMillis};
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
struct LastWord {
    /// Time of sending, by the host's clock.
    sent: WallMillis,
    /// Time of arrival, by this Mac's clock.
    came: WallMillis,
    blocked: Option<HostBlock>,
}

/// Last words of all hosts that the person at this Mac answers for.
#[derive(Debug, Default)]
pub(super) struct SeenHosts(Mutex<BTreeMap<FleetId, LastWord>>);

impl SeenHosts {
    /// Takes a message of presence, if a host of the roster signed it and it is the newest of that host.
    pub(super) fn take(&self, approver: &FleetApprover, bytes: &[u8]) {
        if let Some((header, said)) = approver.open_sealed(bytes) {
            self.note(header.from, said, wall_clock());
        }
    }

    fn note(&self, host: FleetId, said: FleetPresence, now: WallMillis) {
        let mut all = self.0.lock();
        // A repeated word is older than the last one.
        let is_newer = all.get(&host).is_none_or(|known| said.at > known.sent);
        if is_newer && said.at.saturating_sub(now).abs() <= SKEW {
            all.insert(host, LastWord { sent: said.at, came: now, blocked: said.blocked });
        }
    }

    /// Forgets everything: without a connection nobody knows.
    pub(super) fn clear(&self) {
        self.0.lock().clear();
    }

    /// Returns the state of each host of the roster that said it in time: its block, or that there is none.
    pub(super) fn states(&self, pinned: &PinnedRoster) -> HostStates {
        let state = |(id, block): (FleetId, Option<HostBlock>)| {
            let blocked = block.is_some();
            (id.to_string(), FleetHostState { blocked, until: block.and_then(|block| block.until) })
        };
        self.at(|id| pinned.roster.member(id).is_some(), wall_clock()).into_iter().map(state).collect()
    }

    fn at(
        &self,
        is_member: impl Fn(&FleetId) -> bool,
        now: WallMillis,
    ) -> BTreeMap<FleetId, Option<HostBlock>> {
        let all = self.0.lock();
        let in_time =
            all.iter().filter(|(id, word)| now.saturating_sub(word.came) <= PRESENT_FOR && is_member(id));
        // A block that has ended by itself is none, also before the host says so.
        let is_on = |block: &HostBlock| block.until.is_none_or(|until| until > now);
        in_time.map(|(id, word)| (id.clone(), word.blocked.clone().filter(is_on))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{PRESENT_FOR, SKEW, SeenHosts};
    use postern_fleet::{FleetId, FleetPresence, Hash, HostBlock};

    fn said(at: i64, until: Option<i64>) -> FleetPresence {
        FleetPresence { at, roster: Hash::NONE, policy: None, blocked: Some(HostBlock { until }) }
    }

    fn known(seen: &SeenHosts, now: i64) -> Vec<Option<HostBlock>> {
        seen.at(|_| true, now).into_values().collect()
    }

    #[test]
    fn a_host_s_last_word_counts_for_a_while_and_an_older_one_never() {
        let (seen, mini): (SeenHosts, FleetId) = (SeenHosts::default(), "mini".parse().unwrap());
        let now = 1_000_000;
        seen.note(mini.clone(), said(now, Some(now + 10)), now);
        assert_eq!(known(&seen, now), [Some(HostBlock { until: Some(now + 10) })]);
        assert_eq!(known(&seen, now + 10), [None], "it ended by itself");
        seen.note(mini.clone(), said(now - 1, None), now);
        assert_eq!(known(&seen, now + 10), [None], "a repeated word says nothing");
        seen.note(mini.clone(), said(now + SKEW + 2, None), now + 1);
        assert_eq!(known(&seen, now + 10), [None], "nor does one of another time");
        assert_eq!(known(&seen, now + PRESENT_FOR + 1), [], "nobody knows any more");
        assert!(seen.at(|_| false, now).is_empty(), "who left the fleet is not shown");
        seen.clear();
        assert_eq!(known(&seen, now), []);
    }
}
