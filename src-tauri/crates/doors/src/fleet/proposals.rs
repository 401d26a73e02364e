//! Changes that wait at the broker for signatures of further people. What is shown of one are the bytes that are signed.

use postern_fleet::{
    Bundle, CheckedProposal, FleetId, FleetProposal, FleetRefusal, Hash, Member, MemberRole, RolloutReach,
    Roster,
};
use std::fmt;

/// Signatures that a change still waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignaturesNeeded {
    /// Name of the change, by which others sign it.
    pub id: String,
    /// Role of those who may sign.
    pub role: MemberRole,
    /// Number of further people who have to sign.
    pub missing: usize,
    /// People who may, and have not signed yet.
    pub people: Vec<String>,
}

/// Change that waits, as it was read.
#[derive(Debug)]
pub struct WaitingProposal {
    /// Name of the change.
    pub id: String,
    /// The group whose policy changes; `None` if the members of the fleet do.
    pub group: Option<FleetId>,
    /// Content of the change, or why nobody can sign it.
    pub shown: Result<ShownProposal, String>,
    pub(super) proposal: FleetProposal,
    /// Revision of its entry in the bucket.
    pub(super) revision: u64,
}

/// Content of a change that can be signed.
#[derive(Debug)]
pub struct ShownProposal {
    /// People who signed it.
    pub signed: Vec<String>,
    pub needed: SignaturesNeeded,
    /// The change itself.
    pub content: ProposedContent,
    /// True if the person at this Mac can sign it: their signature is missing, or nobody's, and it is to be stored.
    pub own: bool,
}

/// The two sides of a change.
#[derive(Debug)]
pub enum ProposedContent {
    Roster {
        /// The one that counts.
        before: Box<Roster>,
        after: Box<Roster>,
    },
    /// Another policy, or the same one for other hosts.
    Policy {
        name: String,
        /// The newest policy, if it counts.
        before: Option<Box<Bundle>>,
        /// The proposed policy; `None` if the newest one is brought to other hosts.
        after: Option<Box<Bundle>>,
        reach: RolloutReach,
    },
}

impl fmt::Display for SignaturesNeeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, missing, people, .. } = self;
        let role = self.role_name();
        let some = if *missing == 1 { format!("one more {role}") } else { format!("{missing} more {role}s") };
        let people = people.join(", ");
        write!(
            f,
            "it waits for the signature of {some} ({people}), on a Mac of theirs: postern fleet sign {id}"
        )
    }
}

impl SignaturesNeeded {
    /// Returns what a change still needs by a roster.
    pub(super) fn of_proposal<T>(
        id: String,
        checked: &CheckedProposal<T>,
        (roster, role): (&Roster, MemberRole),
    ) -> Self {
        let others = roster.persons(role).into_iter().filter(|person| !checked.signed.contains(*person));
        let people = others.map(|person| person_name(roster, person)).collect();
        Self { id, role, missing: checked.missing(), people }
    }

    /// Returns the name of their role.
    pub fn role_name(&self) -> &'static str {
        if self.role == MemberRole::Owner { "owner" } else { "publisher" }
    }
}

/// Returns a person's name, or the name of a device that is nobody's.
fn person_name(roster: &Roster, person: &str) -> String {
    let device = roster.members.iter().find(|member| member.id.as_str() == person);
    device.map_or_else(|| person.to_owned(), |device| device.name.clone())
}

impl ShownProposal {
    /// Shows the content of a checked change. `own` says whether the person at this Mac can sign it.
    pub(super) fn new<T>(
        checked: &CheckedProposal<T>,
        roster: &Roster,
        (needed, own): (SignaturesNeeded, bool),
        content: ProposedContent,
    ) -> Self {
        let signed = checked.signed.iter().map(|person| person_name(roster, person)).collect();
        Self { signed, needed, content, own }
    }
}

/// Refuses a second signature of a person: two devices of one person are one.
///
/// A change that all signed already may have to be stored still.
pub(super) fn require_unsigned<T>(
    checked: &CheckedProposal<T>,
    me: Option<&Member>,
    needed: &SignaturesNeeded,
) -> Result<(), String> {
    let role = needed.role_name();
    let Some(me) = me.filter(|me| me.has_role(needed.role)) else {
        return Err(format!("only one who is {role} signs it"));
    };
    if checked.missing() > 0 && checked.signed.contains(me.counted_as()) {
        return Err(format!("you signed it already: {needed}"));
    }
    Ok(())
}

/// Says why nobody can sign a change.
pub(super) fn unsignable(refusal: &FleetRefusal) -> String {
    match refusal {
        FleetRefusal::Older | FleetRefusal::Roster(postern_fleet::RosterError::OtherPrevious) => {
            "it was made before the present version: withdraw it, and make the change again".to_owned()
        }
        FleetRefusal::TooFew { have: 0, .. } => {
            "nobody who may sign it by now did: withdraw it, and make the change again".to_owned()
        }
        other => format!("{other}: withdraw it, and make the change again"),
    }
}

/// Says that another change waits, which has to be decided first.
pub(super) fn waits_already(id: &str) -> String {
    format!("another change waits for signatures: postern fleet sign {id}, or withdraw it with --withdraw")
}

pub(super) fn hash_of(document: Option<&postern_fleet::SignedEnvelope>) -> Hash {
    document.map_or(Hash::NONE, |document| Hash::of_bytes(&document.payload))
}
