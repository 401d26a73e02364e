//! Questions that wait on other hosts. A host opens, changes and closes its own alone, and not without end.

use postern_contract::Question;
use postern_fleet::FleetId;

/// Most questions of a host that an approver is shown at a time.
const OPEN: usize = 32;

/// A question that waits on a host of the fleet.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    pub host: FleetId,
    /// Human-readable label of the host.
    pub name: String,
    pub groups: Vec<FleetId>,
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

    pub(super) fn into_all(self) -> Vec<Elsewhere> {
        self.0
    }
}
