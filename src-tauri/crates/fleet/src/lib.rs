//! Rules of a fleet: several Macs whose questions, answers, policy and audit meet at a broker that nobody has to trust.
//!
//! Everything here is a function of values: randomness and time come in. [`admit_message`] alone says whether something that
//! the broker delivered counts.

mod admit;
mod admitted;
mod anchor;
mod base32;
mod broker;
mod bundle;
mod code;
mod document;
mod envelope;
mod host;
mod id;
mod job;
mod join;
mod keys;
mod message;
mod proposal;
mod records;
mod refusal;
mod refusals;
mod rights;
mod rise;
mod roster;
mod roster_change;
mod seal;
mod seed;
#[cfg(test)]
mod tests;
mod work_shares;

pub use admit::{admit_message, published, signing_approver, signing_member};
pub use admitted::{AdmittedAnswer, AdmittedMessage, Now};
pub use anchor::{Anchor, AnchorFinding, AnchorHead, AnchorReport, LEAST_ANCHORS, SignedAnchor, verify};
pub use broker::{Broker, MAX_PAYLOAD, Subjects};
pub use bundle::{Bundle, BundleRules, InForce, RolloutReach, RolloutStage, VERSION_STEP, bundle_name};
pub use code::{CODE_LASTS, CodeError, InvitationCode};
pub use document::{open_document, seal_document};
pub use envelope::{EnvelopeError, EnvelopeSignature, SignedEnvelope, pre_auth_encoding};
pub use host::{FleetState, OpenQuestion, SettledQuestion};
pub use id::{FleetId, Hash, IdError};
pub use job::{GroupState, HostPart, Job, JobReport, Reported, Work};
pub use join::{Introduction, JoinError, JoinSide, Joined, Party, Reveal};
pub use keys::{KeyError, OpenKey, SealKey, SignKey, VerifyKey};
pub use message::{
    FleetAnswer, FleetChoice, FleetClosing, FleetMessageBody, FleetMessageHeader, FleetMessageKind,
    FleetPresence, FleetQuestion, FleetReceipt, FleetRights, FleetRisk, HostBlock, Payload,
};
pub use proposal::{CheckedProposal, FleetProposal, ProposedPolicy};
pub use records::{
    AuditRows, LEAST_ROW_MESSAGES, RowFinding, RowHead, RowReport, SentAuditRow, SentRows, follow_rows,
    rows_id,
};
pub use refusal::{FleetRefusal, RosterError};
pub use refusals::RecordedRefusals;
pub use rights::{RightsChange, RightsError, SignaturesChange};
pub use rise::{Rise, RiseLimits, VerdictCounts};
pub use roster::{ApproverLimits, Fresh, Member, MemberRole, PinnedRoster, Roster};
pub use roster_change::RosterChange;
pub use seal::{SealError, Sealed};
pub use seed::Seed;
pub use work_shares::{WorkCounts, WorkShares};

/// Milliseconds since 1970 by the wall clock.
pub type WallMillis = i64;

/// Version of every payload.
pub const VERSION: u32 = 1;
