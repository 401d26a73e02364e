//! Reasons why something that the broker delivered does not count.

use crate::envelope::EnvelopeError;
use crate::id::{FleetId, Hash};
use crate::seal::SealError;

/// Reason why a roster does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RosterError {
    #[error("roster {theirs} does not follow roster {ours}")]
    NotNext {
        /// The version that is pinned.
        ours: u64,
        /// The version that came.
        theirs: u64,
    },
    #[error("it follows another roster than the one that is pinned here")]
    OtherPrevious,
    /// Roster that is not the one named when the host joined.
    #[error("it is not the roster that the code names")]
    OtherFirst,
    /// Members that break a rule of the roster, with the reason.
    #[error("{0}")]
    Members(String),
}

/// Reason why a message does not count. Nothing changes by one that is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FleetRefusal {
    /// Bytes that are no envelope.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    #[error("its type is not one that a host admits")]
    Kind,
    #[error("its content is malformed: {0}")]
    Form(String),
    #[error("version {0} is not known here: update Postern")]
    Version(u32),
    #[error("it is for another fleet")]
    OtherFleet,
    #[error("{0} is not a member of this fleet")]
    Stranger(FleetId),
    #[error("its signature is not {0}'s")]
    Signature(FleetId),
    /// The member may not do this.
    #[error("{0} may not {1}")]
    Role(FleetId, &'static str),
    /// Content that can't be opened.
    #[error(transparent)]
    Sealed(SealError),
    #[error("it was made under another roster than this host's: connect again and retry")]
    OtherRoster,
    /// This host can't tell whether its roster is the newest.
    #[error("this host has had no word from an owner that its roster is current: answer on the host")]
    Stale,
    #[error("no such question waits here")]
    NoQuestion,
    /// The question has an answer, or ended by itself.
    #[error("it is closed")]
    Closed {
        /// Cause of the end, as a closing names it.
        outcome: Option<String>,
        /// The person whose answer counts.
        by: Option<String>,
        /// The device or approver where.
        place: Option<String>,
    },
    #[error("the question changed since it was shown: look again")]
    Changed,
    /// The approver answers for other groups.
    #[error("{0} does not answer for this host's groups")]
    Group(FleetId),
    #[error("{0} may not approve something so risky")]
    Risk(FleetId),
    #[error("{0} may allow once, not always")]
    OnceOnly(FleetId),
    #[error("this answer was used already")]
    Used,
    #[error("{0} approved it already: another person has to")]
    SamePerson(String),
    /// A roster that is not the next one.
    #[error(transparent)]
    Roster(#[from] RosterError),
    #[error("this host has it already")]
    Known,
    #[error("it is older than what this host has")]
    Older,
    /// Version that this host took before a newer one, and that the broker gives out again.
    #[error("the broker gives out an older version than the one that this host has")]
    RolledBack,
    /// Number that is too far ahead of the one before it.
    #[error("number {0} is too far ahead of what this host has")]
    TooFar(u64),
    #[error("there are two versions {version}: {ours:?} here and {theirs:?}")]
    Fork {
        /// Their number.
        version: u64,
        /// The one in force.
        ours: Hash,
        /// The other one.
        theirs: Hash,
    },
    #[error("{have} of {need} needed signatures")]
    TooFew {
        /// Valid signatures.
        have: usize,
        /// Needed signatures.
        need: usize,
    },
    #[error("it is from the future: compare the clocks")]
    Future,
    #[error("it is not in force yet")]
    NotYet,
    #[error("this host is not in group {0}")]
    OtherGroup(FleetId),
    #[error("it names a bundle that this host does not have")]
    NoBundle,
    #[error("this host does {0} jobs for you at this time: wait until one of them ends")]
    MuchAtOnce(u32),
    #[error("this host did for you what it does for one member in a minute: try again after that")]
    MuchInAMinute,
}

impl FleetRefusal {
    /// Returns a name of the reason without its details, as the audit has it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Envelope(_) => "envelope",
            Self::Kind => "kind",
            Self::Form(_) => "form",
            Self::Version(_) => "version",
            Self::OtherFleet => "other-fleet",
            Self::Stranger(_) => "stranger",
            Self::Signature(_) => "signature",
            Self::Role(..) => "role",
            Self::Sealed(_) => "sealed",
            Self::OtherRoster => "other-roster",
            Self::Stale => "stale",
            Self::NoQuestion => "no-question",
            Self::Closed { .. } => "closed",
            Self::Changed => "changed",
            Self::Group(_) => "group",
            Self::Risk(_) => "risk",
            Self::OnceOnly(_) => "once-only",
            Self::Used => "used",
            Self::SamePerson(_) => "same-person",
            Self::Roster(_) => "roster",
            Self::Known => "known",
            Self::Older => "older",
            Self::RolledBack => "rolled-back",
            Self::TooFar(_) => "too-far",
            Self::Fork { .. } => "fork",
            Self::TooFew { .. } => "too-few",
            Self::Future => "future",
            Self::NotYet => "not-yet",
            Self::OtherGroup(_) => "other-group",
            Self::NoBundle => "no-bundle",
            Self::MuchAtOnce(_) | Self::MuchInAMinute => "busy",
        }
    }
}
