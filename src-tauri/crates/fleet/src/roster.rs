//! Members of a fleet and their rights. Each version names the one before and is signed by its owners.

use crate::WallMillis;
use crate::bundle::require_step;
use crate::envelope::SignedEnvelope;
use crate::id::{FleetId, Hash};
use crate::keys::{SealKey, VerifyKey};
use crate::message::{FleetMessageBody, FleetMessageKind, FleetRisk, payload};
use crate::refusal::{FleetRefusal, RosterError};
use crate::seal::RECIPIENTS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Bounds of the time without `fresh` after which a host takes no remote answer.
const FRESH: std::ops::RangeInclusive<WallMillis> = 3_600_000..=7 * 24 * 3_600_000;

/// The members of a fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Roster {
    /// Counts up by one.
    pub version: u64,
    /// Hash of the version before; absent in the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Hash>,
    /// Number of owners who must sign the next version.
    pub owners_needed: u8,
    /// Number of publishers who must sign a bundle.
    pub publishers_needed: u8,
    /// Members besides the owners whose `fresh` counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fresh_by: Vec<FleetId>,
    /// Milliseconds without `fresh` after which hosts take no remote answer: 1 h to 7 d.
    pub fresh_for: WallMillis,
    /// Everybody.
    pub members: Vec<Member>,
}

/// A device of a person, or a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Member {
    pub id: FleetId,
    /// Human-readable label of the member.
    pub name: String,
    /// The person whose device it is; empty for a host that is nobody's.
    pub person: String,
    pub roles: Vec<MemberRole>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<FleetId>,
    /// Limits of its approvals, if it may approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approver: Option<ApproverLimits>,
    /// Key that its signatures are verified with.
    pub sign: VerifyKey,
    /// Key that messages for it are sealed with.
    pub seal: SealKey,
    /// Key by which the broker knows it.
    pub nkey: VerifyKey,
}

/// Duty of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemberRole {
    /// Signs the roster.
    Owner,
    /// Signs policy.
    Publisher,
    /// Answers questions.
    Approver,
    /// Reads sealed records.
    Auditor,
    /// Asks questions. It has no other role: a host's key never answers.
    Host,
}

/// Limits of the approvals of a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApproverLimits {
    pub groups: Vec<FleetId>,
    /// The highest risk that it may allow.
    pub risk: FleetRisk,
    /// True if it may allow once, but save no rule.
    pub once_only: bool,
}

/// The newest roster and policy, as somebody who knows says it now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fresh {
    /// Version of the newest roster.
    pub version: u64,
    /// Hash of the newest version.
    pub roster: Hash,
    /// Hash of the newest bundle of each group, by its name.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub policy: std::collections::BTreeMap<FleetId, Hash>,
    /// Time of the statement.
    pub at: WallMillis,
}

/// A roster that counts, with its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedRoster {
    pub roster: Roster,
    /// Hash of its signed bytes.
    pub hash: Hash,
}

impl FleetMessageBody for Roster {
    const KIND: FleetMessageKind = FleetMessageKind::Roster;
}

impl FleetMessageBody for Fresh {
    const KIND: FleetMessageKind = FleetMessageKind::Fresh;
}

impl Roster {
    /// Returns a member by its id.
    pub fn member(&self, id: &FleetId) -> Option<&Member> {
        self.members.iter().find(|member| member.id == *id)
    }

    /// Returns the members of a role.
    pub fn members_with(&self, role: MemberRole) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(move |member| member.has_role(role))
    }

    /// Returns the members by device: a host and a person of the same name are one, if both or none are a Mac's own.
    pub fn devices(&self, is_own: impl Fn(&Member) -> bool) -> Vec<Vec<&Member>> {
        let mut all: Vec<Vec<&Member>> = Vec::new();
        for member in &self.members {
            let fits = |other: &&Member| {
                other.name == member.name
                    && other.has_role(MemberRole::Host) != member.has_role(MemberRole::Host)
                    && is_own(other) == is_own(member)
            };
            match all.iter_mut().find(|device| device.iter().all(fits)) {
                Some(device) => device.push(member),
                None => all.push(vec![member]),
            }
        }
        all
    }

    /// Returns the approvers that answer for one of these groups.
    pub fn approvers_of<'a>(&'a self, groups: &'a [FleetId]) -> impl Iterator<Item = &'a Member> {
        self.members_with(MemberRole::Approver).filter(|member| member.answers_for(groups))
    }

    /// Returns the keys of everybody who reads a group's policy: its hosts, and the people.
    pub fn readers_of(&self, group: &FleetId) -> Vec<SealKey> {
        let reads = |member: &&Member| !member.has_role(MemberRole::Host) || member.groups.contains(group);
        self.members.iter().filter(reads).map(|member| member.seal).collect()
    }

    /// Returns the groups that hosts are in.
    pub fn all_groups(&self) -> BTreeSet<&FleetId> {
        self.members.iter().flat_map(|member| &member.groups).collect()
    }

    pub(crate) fn signing_keys(&self, role: MemberRole) -> impl Iterator<Item = (FleetId, &VerifyKey)> {
        self.members_with(role).map(|member| (member.id.clone(), &member.sign))
    }

    /// Refuses what no fleet can be run with.
    pub fn validate(&self) -> Result<(), RosterError> {
        let wrong = |what: String| Err(RosterError::Members(what));
        let unique = |values: Vec<String>| values.iter().collect::<BTreeSet<_>>().len() == values.len();
        if self.members.len() > RECIPIENTS {
            return wrong(format!("{} members, at most {RECIPIENTS}", self.members.len()));
        }
        if !unique(self.members.iter().map(|member| member.id.to_string()).collect()) {
            return wrong("two members have one id".to_owned());
        }
        // One list: no key serves two purposes either.
        let keys = self.members.iter().flat_map(|member| {
            [String::from(member.sign), String::from(member.seal), String::from(member.nkey)]
        });
        if !unique(keys.collect()) {
            return wrong("two members have one key, or one key has two purposes".to_owned());
        }
        if let Some(host) = self.members_with(MemberRole::Host).find(|member| member.roles.len() > 1) {
            return wrong(format!(
                "{} is a host and has another role: a host's key never answers",
                host.name
            ));
        }
        if let Some(member) = self
            .members
            .iter()
            .find(|member| member.has_role(MemberRole::Approver) != member.approver.is_some())
        {
            return wrong(format!("what {} may approve does not fit its roles", member.name));
        }
        for (role, needed, who) in [
            (MemberRole::Owner, self.owners_needed, "owners"),
            (MemberRole::Publisher, self.publishers_needed, "publishers"),
        ] {
            let there = self.persons(role).len();
            // A fleet may have no publisher; without owners nobody could change it again.
            let fits =
                needed >= 1 && (there >= usize::from(needed) || (role != MemberRole::Owner && there == 0));
            if !fits {
                return wrong(format!(
                    "{needed} {who} have to sign, and this leaves {there}: let fewer sign, or make another person one of them"
                ));
            }
        }
        if !FRESH.contains(&self.fresh_for) {
            return wrong("the time without word from an owner is 1 hour to 7 days".to_owned());
        }
        Ok(())
    }

    /// Returns the people with a role. Two devices of one person are one.
    pub fn persons(&self, role: MemberRole) -> BTreeSet<&str> {
        self.members_with(role).map(Member::counted_as).collect()
    }

    /// Returns the number of people who have to sign what members of a role sign.
    pub fn needed(&self, role: MemberRole) -> usize {
        let number = match role {
            MemberRole::Owner => self.owners_needed,
            MemberRole::Publisher => self.publishers_needed,
            MemberRole::Approver | MemberRole::Auditor | MemberRole::Host => 1,
        };
        usize::from(number.max(1))
    }

    pub(crate) fn people_who_signed(&self, envelope: &SignedEnvelope, role: MemberRole) -> BTreeSet<&str> {
        let signers = envelope.signers(self.signing_keys(role));
        signers.iter().filter_map(|id| self.member(id)).map(Member::counted_as).collect()
    }

    /// Returns how many people of a role signed an envelope.
    pub(crate) fn signed_by(&self, envelope: &SignedEnvelope, role: MemberRole) -> usize {
        self.people_who_signed(envelope, role).len()
    }
}

impl Member {
    /// Returns whether it has a role.
    pub fn has_role(&self, role: MemberRole) -> bool {
        self.roles.contains(&role)
    }

    /// Returns whether it answers for one of these groups.
    pub fn answers_for(&self, groups: &[FleetId]) -> bool {
        self.approver.as_ref().is_some_and(|approver| approver.groups.iter().any(|g| groups.contains(g)))
    }

    /// Returns the person that it counts as: two devices of one person are one.
    pub fn counted_as(&self) -> &str {
        if self.person.is_empty() { self.id.as_str() } else { &self.person }
    }
}

impl PinnedRoster {
    /// Pins the roster that a code names by its hash. One of its owners must have signed it.
    ///
    /// One is enough: so many as it wants from now on need not have signed it itself.
    pub fn pin_first(envelope: &SignedEnvelope, fleet: &FleetId, hash: Hash) -> Result<Self, FleetRefusal> {
        if Hash::of_bytes(&envelope.payload) != hash {
            return Err(RosterError::OtherFirst.into());
        }
        let roster = payload::<Roster>(envelope, FleetMessageKind::Roster, fleet)?.body;
        roster.validate()?;
        if roster.signed_by(envelope, MemberRole::Owner) == 0 {
            return Err(FleetRefusal::TooFew { have: 0, need: 1 });
        }
        Ok(Self { roster, hash })
    }

    /// Reads a roster that is proposed as the next one, without a look at its signatures.
    ///
    /// It must name this one as the one before it. Its version may skip numbers.
    pub(crate) fn read_following(
        &self,
        envelope: &SignedEnvelope,
        fleet: &FleetId,
    ) -> Result<Roster, FleetRefusal> {
        let roster = payload::<Roster>(envelope, FleetMessageKind::Roster, fleet)?.body;
        if roster.version <= self.roster.version {
            return Err(FleetRefusal::Older);
        }
        if roster.previous != Some(self.hash) {
            return Err(RosterError::OtherPrevious.into());
        }
        require_step(self.roster.version, roster.version)?;
        roster.validate()?;
        Ok(roster)
    }

    /// Returns a later roster: the next one, or one after it that owners of this one signed as well.
    ///
    /// Who was away does not see those between. Nothing is lost by it: the same owners could have signed each of them.
    pub fn verify_later(&self, envelope: &SignedEnvelope, fleet: &FleetId) -> Result<Self, FleetRefusal> {
        let (ours, theirs) = match self.verify_next(envelope, fleet) {
            Err(FleetRefusal::Roster(RosterError::NotNext { ours, theirs })) => (ours, theirs),
            next => return next,
        };
        require_step(ours, theirs)?;
        let hash = Hash::of_bytes(&envelope.payload);
        let roster = payload::<Roster>(envelope, FleetMessageKind::Roster, fleet)?.body;
        // Others own the fleet by now, and what made them owners was not seen here.
        enough(&self.roster, envelope).map_err(|_| RosterError::NotNext { ours, theirs })?;
        roster.validate()?;
        Ok(Self { roster, hash })
    }

    /// Returns true if what a broker has as the newest roster is none, or an older one, as an owner sees it. `None` is an entry that
    /// cannot be opened.
    ///
    /// An entry that cannot be followed may be a roster of another owner, who put this one out. Where there is no other, it is none.
    pub fn is_replaced_by(&self, newest: Option<&SignedEnvelope>, fleet: &FleetId, owner: &FleetId) -> bool {
        let alone = || self.roster.members_with(MemberRole::Owner).all(|member| member.id == *owner);
        match newest.map(|newest| self.verify_later(newest, fleet)) {
            Some(Ok(_) | Err(FleetRefusal::Known)) => false,
            Some(Err(FleetRefusal::Older)) => true,
            Some(Err(_)) | None => alone(),
        }
    }

    /// Returns the next roster, if owners of this one signed it.
    pub fn verify_next(&self, envelope: &SignedEnvelope, fleet: &FleetId) -> Result<Self, FleetRefusal> {
        let hash = Hash::of_bytes(&envelope.payload);
        let roster = payload::<Roster>(envelope, FleetMessageKind::Roster, fleet)?.body;
        let (ours, theirs) = (self.roster.version, roster.version);
        if theirs == ours && hash != self.hash {
            return Err(FleetRefusal::Fork { version: ours, ours: self.hash, theirs: hash });
        }
        if theirs <= ours {
            return Err(if theirs == ours { FleetRefusal::Known } else { FleetRefusal::Older });
        }
        if theirs != ours.saturating_add(1) {
            return Err(RosterError::NotNext { ours, theirs }.into());
        }
        if roster.previous != Some(self.hash) {
            return Err(RosterError::OtherPrevious.into());
        }
        enough(&self.roster, envelope)?;
        roster.validate()?;
        Ok(Self { roster, hash })
    }
}

fn enough(roster: &Roster, envelope: &SignedEnvelope) -> Result<(), FleetRefusal> {
    let (have, need) = (roster.signed_by(envelope, MemberRole::Owner), usize::from(roster.owners_needed));
    if have < need { Err(FleetRefusal::TooFew { have, need }) } else { Ok(()) }
}
