//! Change of a member's rights after it joined: the members of the next roster, for an owner to sign.

use crate::WallMillis;
use crate::envelope::SIGNATURES;
use crate::id::FleetId;
use crate::message::FleetRisk;
use crate::refusal::RosterError;
use crate::roster::{ApproverLimits, Member, MemberRole, Roster};
use std::collections::BTreeSet;

/// Change of a member's rights. What is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RightsChange {
    /// Roles of a person's member, all of them.
    pub roles: Option<Vec<MemberRole>>,
    /// Groups that a host is in, or that a person answers for.
    pub groups: Option<Vec<FleetId>>,
    /// Highest risk that a person may allow.
    pub risk: Option<FleetRisk>,
    /// True if a person may allow once, but save no rule.
    pub once_only: Option<bool>,
    /// True if groups that the roster does not name yet are no mistake.
    pub new_groups: bool,
}

/// Numbers of people who have to sign from the next version on, and how often an owner has to. What is `None` stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SignaturesChange {
    /// Owners for a roster.
    pub owners: Option<u8>,
    /// Publishers for a policy.
    pub publishers: Option<u8>,
    /// Time without an owner's word that the roster is current after which hosts take no answer from elsewhere.
    pub fresh_for: Option<WallMillis>,
}

/// Reason why a change of rights can't be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RightsError {
    #[error("no member is named {named:?}: the members are {members}")]
    NoMember {
        named: String,
        /// Names of all members.
        members: String,
    },
    #[error("several members are named {named:?}: name one by its id, {ids}")]
    Several { named: String, ids: String },
    #[error("{0} is a host, which has groups alone: roles, risk and once only are of a person's member")]
    Host(String),
    #[error("nobody is made a host: a Mac joins as one. The roles are owner, publisher, approver, auditor")]
    MadeHost,
    #[error("{0} keeps at least one role: to remove it, revoke it")]
    NoRole(String),
    #[error(
        "an auditor answers and publishes nothing: make {0} either an auditor, or an approver or publisher"
    )]
    Auditor(String),
    #[error("{0} answers no questions: groups, risk and once only need the role approver")]
    NoApprover(String),
    #[error("{0} becomes an approver: name its groups, and the highest risk that it may allow")]
    NewApprover(String),
    #[error("name at least one group for {0}: the groups are {1}")]
    NoGroup(String, String),
    #[error("no member has the group {group}: the groups are {known}; say so if it is a new one")]
    UnknownGroup {
        group: FleetId,
        /// Groups of the roster.
        known: String,
    },
    #[error("{0} is the last owner: make another member an owner first")]
    LastOwner(String),
    #[error(
        "{needed} {role}s cannot sign: {there}. Make another person one first: postern fleet members set NAME --roles {role},…"
    )]
    TooFewPeople {
        /// Number that was asked for.
        needed: u8,
        role: &'static str,
        /// People who have it, in words.
        there: String,
    },
    #[error("1 to {SIGNATURES} people sign")]
    Signatures,
    /// Roster that no fleet can be run with.
    #[error(transparent)]
    Roster(#[from] RosterError),
}

impl Roster {
    /// Changes the rights of the members of a Mac by its name, or of one member by its id.
    ///
    /// Returns false if they have these rights already. After an error the roster is not to be used.
    pub fn change_rights(&mut self, named: &str, change: &RightsChange) -> Result<bool, RightsError> {
        let chosen = self.members_named(named)?;
        let groups = self.checked_groups(named, change)?;
        let (hosts, people): (Vec<usize>, Vec<usize>) =
            chosen.into_iter().partition(|&index| self.members[index].has_role(MemberRole::Host));
        let of_people = change.roles.is_some() || change.risk.is_some() || change.once_only.is_some();
        if let (Some(&host), true, true) = (hosts.first(), people.is_empty(), of_people) {
            return Err(RightsError::Host(self.members[host].name.clone()));
        }
        let before = self.members.clone();
        for &index in &hosts {
            let host = &mut self.members[index];
            host.groups = changed_list(&host.groups, groups.as_ref());
        }
        for &index in &people {
            self.members[index].change_person(change, (groups.as_ref(), hosts.is_empty()))?;
        }
        let owners = |members: &[Member]| members.iter().any(|member| member.has_role(MemberRole::Owner));
        if let Some(&index) = people.first()
            && owners(&before)
            && !owners(&self.members)
        {
            return Err(RightsError::LastOwner(self.members[index].name.clone()));
        }
        self.validate()?;
        Ok(self.members != before)
    }

    /// Changes how many people have to sign, and how often. Returns false if it is so already.
    pub fn change_signatures(&mut self, change: SignaturesChange) -> Result<bool, RightsError> {
        let before = (self.owners_needed, self.publishers_needed, self.fresh_for);
        let owners = change.owners.unwrap_or(self.owners_needed);
        let publishers = change.publishers.unwrap_or(self.publishers_needed);
        for (role, name, asked) in [
            (MemberRole::Owner, "owner", change.owners),
            (MemberRole::Publisher, "publisher", change.publishers),
        ] {
            let Some(needed) = asked else { continue };
            if !(1..=SIGNATURES).contains(&usize::from(needed)) {
                return Err(RightsError::Signatures);
            }
            let people = self.persons(role);
            if people.len() < usize::from(needed) {
                let names = people.into_iter().collect::<Vec<_>>().join(", ");
                let there =
                    if names.is_empty() { format!("nobody is {name}") } else { format!("{name} is {names}") };
                return Err(RightsError::TooFewPeople { needed, role: name, there });
            }
        }
        let after = (owners, publishers, change.fresh_for.unwrap_or(self.fresh_for));
        (self.owners_needed, self.publishers_needed, self.fresh_for) = after;
        self.validate()?;
        Ok(after != before)
    }

    /// Returns the indices of a member by its id, or of a Mac's host and person by their name.
    fn members_named(&self, named: &str) -> Result<Vec<usize>, RightsError> {
        if let Some(index) = self.members.iter().position(|member| member.id.as_str() == named) {
            return Ok(vec![index]);
        }
        let chosen: Vec<usize> = (0..self.members.len()).filter(|&i| self.members[i].name == named).collect();
        let hosts = chosen.iter().filter(|&&index| self.members[index].has_role(MemberRole::Host)).count();
        if chosen.is_empty() {
            let names: BTreeSet<&str> = self.members.iter().map(|member| member.name.as_str()).collect();
            let members = names.into_iter().collect::<Vec<_>>().join(", ");
            return Err(RightsError::NoMember { named: named.to_owned(), members });
        }
        if hosts > 1 || chosen.len() - hosts > 1 {
            let ids: Vec<&str> = chosen.iter().map(|&index| self.members[index].id.as_str()).collect();
            return Err(RightsError::Several { named: named.to_owned(), ids: ids.join(", ") });
        }
        Ok(chosen)
    }

    /// Returns the groups of a change, each once, if the roster names them or they are said to be new.
    fn checked_groups(
        &self,
        named: &str,
        change: &RightsChange,
    ) -> Result<Option<Vec<FleetId>>, RightsError> {
        let Some(groups) = &change.groups else { return Ok(None) };
        let of_member = |member: &Member| {
            let answers = member.approver.iter().flat_map(|may| may.groups.clone());
            member.groups.clone().into_iter().chain(answers).collect::<Vec<_>>()
        };
        let known: BTreeSet<FleetId> = self.members.iter().flat_map(of_member).collect();
        let shown = known.iter().map(FleetId::as_str).collect::<Vec<_>>().join(", ");
        if groups.is_empty() {
            return Err(RightsError::NoGroup(named.to_owned(), shown));
        }
        let unknown = groups.iter().find(|group| !change.new_groups && !known.contains(*group));
        if let Some(group) = unknown {
            return Err(RightsError::UnknownGroup { group: group.clone(), known: shown });
        }
        let mut once = BTreeSet::new();
        Ok(Some(groups.iter().filter(|group| once.insert(*group)).cloned().collect()))
    }
}

impl Member {
    /// Changes the rights of a person's member; `alone` if no host is changed with it.
    fn change_person(
        &mut self,
        change: &RightsChange,
        (groups, alone): (Option<&Vec<FleetId>>, bool),
    ) -> Result<(), RightsError> {
        if let Some(roles) = &change.roles {
            self.change_roles(roles)?;
        }
        if !self.has_role(MemberRole::Approver) {
            self.approver = None;
            let limited = change.risk.is_some() || change.once_only.is_some() || (groups.is_some() && alone);
            return if limited { Err(RightsError::NoApprover(self.name.clone())) } else { Ok(()) };
        }
        let limits = match (self.approver.take(), groups, change.risk) {
            (Some(limits), ..) => limits,
            (None, Some(groups), Some(risk)) => {
                ApproverLimits { groups: groups.clone(), risk, once_only: false }
            }
            (None, ..) => return Err(RightsError::NewApprover(self.name.clone())),
        };
        self.approver = Some(ApproverLimits {
            groups: changed_list(&limits.groups, groups),
            risk: change.risk.unwrap_or(limits.risk),
            once_only: change.once_only.unwrap_or(limits.once_only),
        });
        Ok(())
    }

    fn change_roles(&mut self, roles: &[MemberRole]) -> Result<(), RightsError> {
        let has = |role| roles.contains(&role);
        if has(MemberRole::Host) {
            return Err(RightsError::MadeHost);
        }
        if roles.is_empty() {
            return Err(RightsError::NoRole(self.name.clone()));
        }
        if has(MemberRole::Auditor) && (has(MemberRole::Approver) || has(MemberRole::Publisher)) {
            return Err(RightsError::Auditor(self.name.clone()));
        }
        self.roles = changed_list(&self.roles, Some(&roles.to_vec()));
        Ok(())
    }
}

/// Returns the new list without repetitions, or the old one if both have the same in another order.
fn changed_list<T: Ord + Clone>(before: &[T], after: Option<&Vec<T>>) -> Vec<T> {
    let Some(after) = after else { return before.to_vec() };
    let (old, new): (BTreeSet<&T>, BTreeSet<&T>) = (before.iter().collect(), after.iter().collect());
    if old == new { before.to_vec() } else { new.into_iter().cloned().collect() }
}
