//! Differences of two rosters, for a person who signs the later one: everything that it changes.

use crate::WallMillis;
use crate::id::FleetId;
use crate::roster::{Member, Roster};

/// Something that the later of two rosters has otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RosterChange {
    /// Member that is new.
    Added(Member),
    /// Member that is gone.
    Removed(Member),
    /// Member that stays, with other rights, names or keys.
    Changed { before: Box<Member>, after: Box<Member> },
    /// Number of owners who have to sign.
    OwnersNeeded(u8, u8),
    /// Number of publishers who have to sign.
    PublishersNeeded(u8, u8),
    /// Members besides the owners whose word that a roster is current counts.
    FreshBy(Vec<FleetId>, Vec<FleetId>),
    /// Milliseconds without such word after which hosts take no remote answer.
    FreshFor(WallMillis, WallMillis),
}

impl Roster {
    /// Returns everything that changes by a later roster, besides its place in the chain and the order of members.
    pub fn changes_to(&self, after: &Self) -> Vec<RosterChange> {
        // A field that is added has to be compared as well.
        let Self { version: _, previous: _, owners_needed, publishers_needed, fresh_by, fresh_for, members } =
            self;
        let mut changes = Vec::new();
        for member in &after.members {
            match self.member(&member.id) {
                None => changes.push(RosterChange::Added(member.clone())),
                Some(before) if before != member => {
                    changes.push(RosterChange::Changed {
                        before: Box::new(before.clone()),
                        after: Box::new(member.clone()),
                    });
                }
                Some(_) => {}
            }
        }
        let gone = members.iter().filter(|member| after.member(&member.id).is_none());
        changes.extend(gone.cloned().map(RosterChange::Removed));
        if *owners_needed != after.owners_needed {
            changes.push(RosterChange::OwnersNeeded(*owners_needed, after.owners_needed));
        }
        if *publishers_needed != after.publishers_needed {
            changes.push(RosterChange::PublishersNeeded(*publishers_needed, after.publishers_needed));
        }
        if *fresh_by != after.fresh_by {
            changes.push(RosterChange::FreshBy(fresh_by.clone(), after.fresh_by.clone()));
        }
        if *fresh_for != after.fresh_for {
            changes.push(RosterChange::FreshFor(*fresh_for, after.fresh_for));
        }
        changes
    }
}
