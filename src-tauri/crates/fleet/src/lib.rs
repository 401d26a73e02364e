//! Rules of a fleet: several Macs whose questions, answers, policy and audit meet at a broker that nobody has to trust.
//!
//! Everything here is a function of values: randomness and time come in. [`admit`] alone says whether something that
//! the broker delivered counts.

mod admit;
mod admitted;
mod anchor;
mod base32;
mod broker;
mod bundle;
mod code;
mod envelope;
mod host;
mod id;
mod job;
mod join;
mod keys;
mod message;
mod refusal;
mod roster;
mod seal;
mod seed;
#[cfg(test)]
mod tests;

pub use admit::{admit, published};
pub use admitted::{Admitted, Decided, Now};
pub use anchor::{Anchor, Finding, Head, Report, chained, records_match, verify};
pub use broker::{Broker, MAX_PAYLOAD, Subjects};
pub use bundle::{Bundle, InForce, Reach, Stage, bundle_name};
pub use code::{CODE_LASTS, Code, CodeError};
pub use envelope::{Envelope, EnvelopeError, Signature, pae};
pub use host::{Fleet, Open, Settled};
pub use id::{Hash, Id, IdError};
pub use job::{GroupState, Job, JobReport, Reported, Work};
pub use join::{Introduction, JoinError, Joined, Party, Reveal, Side};
pub use keys::{KeyError, OpenKey, SealKey, SignKey, VerifyKey};
pub use message::{Answer, Body, Choice, Closing, Header, Kind, Payload, Presence, Question, Receipt, Risk};
pub use refusal::Refusal;
pub use roster::{Approver, Fresh, Member, Pinned, Role, Roster, RosterError};
pub use seal::{SealError, Sealed};
pub use seed::Seed;

/// Milliseconds since 1970 by the wall clock.
pub type Millis = i64;

/// Version of every payload.
pub const VERSION: u32 = 1;
