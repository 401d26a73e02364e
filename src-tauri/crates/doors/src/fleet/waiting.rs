//! Questions that wait on other hosts. A host opens, changes and closes its own alone, and not without end.

use postern_contract::Question;
use postern_fleet::FleetId;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// Most questions of a host that an approver is shown at a time.
const OPEN: usize = 32;
/// Most questions of a host, and changes of them, that are shown in this time.
const SHOWN: u32 = 256;
const WITHIN: Duration = Duration::from_secs(10);

/// A question that waits on a host of the fleet.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    /// The host.
    pub host: FleetId,
    /// Human-readable label of the host.
    pub name: String,
    /// Groups of the host.
    pub groups: Vec<FleetId>,
    /// Question as it is shown.
    pub question: Question,
    /// Number that the host raises with each change of the question.
    pub revision: u64,
    /// Time when the question ends by itself, by this Mac's clock.
    pub ends: i64,
}

impl Elsewhere {
    /// Returns true if `named` means its host: `all`, a group, a name or an id.
    pub fn is_on(&self, named: &str) -> bool {
        super::is_meant(named, &self.groups, &self.name, &self.host)
    }
}

/// Questions that wait, oldest first.
#[derive(Debug, Default)]
pub(super) struct WaitingQuestions(Vec<Elsewhere>);

/// Reason why a question is not shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotShown {
    /// Question of another host has its id.
    OtherHost,
    /// Host has as many as are shown of one.
    TooMany,
}

impl WaitingQuestions {
    /// Takes a question, or what it shows by now.
    pub(super) fn open_question(&mut self, one: Elsewhere) -> Result<(), NotShown> {
        let of_host = self.0.iter().filter(|known| known.host == one.host).count();
        match self.0.iter_mut().find(|known| known.question.id == one.question.id) {
            Some(known) if known.host == one.host => *known = one,
            Some(_) => return Err(NotShown::OtherHost),
            None if of_host >= OPEN => return Err(NotShown::TooMany),
            None => self.0.push(one),
        }
        Ok(())
    }

    /// Ends a question of a host. Returns false if that host has none of this id.
    pub(super) fn close_question(&mut self, host: &FleetId, id: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|one| one.host != *host || one.question.id != id);
        self.0.len() < before
    }

    /// Returns a question by its id, which no two hosts share here.
    pub(super) fn find_question(&self, id: &str) -> Option<&Elsewhere> {
        self.0.iter().find(|one| one.question.id == id)
    }

    /// Returns the time when the first of them ends.
    pub(super) fn next_end(&self) -> Option<i64> {
        self.0.iter().map(|one| one.ends).min()
    }

    /// Takes those that have ended: the host may be gone, and closes nothing.
    pub(super) fn take_expired(&mut self, now: i64) -> Vec<Elsewhere> {
        self.0.extract_if(.., |one| one.ends <= now).collect()
    }

    /// Returns all of them.
    pub(super) fn into_all(self) -> Vec<Elsewhere> {
        self.0
    }
}

/// Numbers of what was shown of each host since a while ago. A host that never stops, or a broker that repeats what one said, keeps
/// none of this Mac's own questions waiting.
#[derive(Debug)]
pub(super) struct ShownShares {
    since: Instant,
    hosts: BTreeMap<FleetId, u32>,
    /// True if something was passed over.
    passed_over: bool,
}

impl ShownShares {
    pub(super) fn new(now: Instant) -> Self {
        Self { since: now, hosts: BTreeMap::new(), passed_over: false }
    }

    /// Returns true if one more of a host is to be shown; otherwise it is passed over.
    pub(super) fn note_shown(&mut self, host: &FleetId, now: Instant) -> bool {
        if now.duration_since(self.since) >= WITHIN {
            (self.since, self.hosts) = (now, BTreeMap::new());
        }
        let shown = self.hosts.entry(host.clone()).or_default();
        *shown = shown.saturating_add(1);
        let is_shown = *shown <= SHOWN;
        self.passed_over |= !is_shown;
        is_shown
    }

    /// Returns true if something was passed over since it was asked last: what waits is to be read again.
    pub(super) fn take_passed_over(&mut self) -> bool {
        std::mem::take(&mut self.passed_over)
    }
}

#[cfg(test)]
mod tests {
    use super::{SHOWN, ShownShares, WITHIN};
    use postern_fleet::FleetId;
    use tokio::time::Instant;

    #[test]
    fn what_a_host_never_stops_saying_is_passed_over_and_read_again_later() {
        let [bad, mini] = ["bad", "mini"].map(|id| id.parse::<FleetId>().unwrap());
        let start = Instant::now();
        let mut shares = ShownShares::new(start);
        let flood = |shares: &mut ShownShares, now| {
            u32::try_from((0..1000).filter(|_| shares.note_shown(&bad, now)).count()).unwrap()
        };
        assert_eq!(flood(&mut shares, start), SHOWN);
        assert!(shares.note_shown(&mini, start), "others have a share of their own");
        assert!(shares.take_passed_over() && !shares.take_passed_over());
        assert!(shares.note_shown(&mini, start) && !shares.take_passed_over());
        assert_eq!(flood(&mut shares, start + WITHIN), SHOWN);
    }
}
