//! Messages between members: one kind of payload each, with its type and its limit.

use crate::bundle::{Bundle, Stage};
use crate::envelope::Envelope;
use crate::id::{Hash, Id};
use crate::job::{Job, JobReport};
use crate::keys::{OpenKey, SealKey, SignKey};
use crate::refusal::Refusal;
use crate::roster::{Fresh, Roster};
use crate::seal::{SealError, Sealed};
use crate::seed::Seed;
use crate::{Anchor, Millis, VERSION};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Kind of a message. It separates domains: a signature of one kind is none of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A question, from a host to the approvers of its groups.
    Question,
    /// The end of a question.
    Closing,
    /// An answer, from an approver to a host.
    Answer,
    /// Outcome of an answer, from the host.
    Receipt,
    /// A member that is there.
    Presence,
    /// Members of the fleet, with their rights.
    Roster,
    /// The newest roster and policy, as of now.
    Fresh,
    /// A version of a group's policy.
    Bundle,
    /// The hosts that a bundle is for.
    Stage,
    /// The head of a host's audit.
    Anchor,
    /// Work that a member asks of a host.
    Job,
    /// Result of that work.
    JobReport,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Question,
        Self::Closing,
        Self::Answer,
        Self::Receipt,
        Self::Presence,
        Self::Roster,
        Self::Fresh,
        Self::Bundle,
        Self::Stage,
        Self::Anchor,
        Self::Job,
        Self::JobReport,
    ];

    /// Returns its type in an envelope.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Question => "application/vnd.postern.fleet.question+json",
            Self::Closing => "application/vnd.postern.fleet.closing+json",
            Self::Answer => "application/vnd.postern.fleet.answer+json",
            Self::Receipt => "application/vnd.postern.fleet.receipt+json",
            Self::Presence => "application/vnd.postern.fleet.presence+json",
            Self::Roster => "application/vnd.postern.fleet.roster+json",
            Self::Fresh => "application/vnd.postern.fleet.fresh+json",
            Self::Bundle => "application/vnd.postern.fleet.bundle+json",
            Self::Stage => "application/vnd.postern.fleet.stage+json",
            Self::Anchor => "application/vnd.postern.fleet.anchor+json",
            Self::Job => "application/vnd.postern.fleet.job+json",
            Self::JobReport => "application/vnd.postern.fleet.report+json",
        }
    }

    /// Returns the most bytes that its envelope may have.
    pub fn limit(self) -> usize {
        match self {
            Self::Answer | Self::Receipt | Self::Closing => 8 << 10,
            Self::Presence | Self::Fresh | Self::Anchor => 4 << 10,
            Self::Question | Self::Stage => 64 << 10,
            Self::JobReport => 256 << 10,
            Self::Roster | Self::Bundle | Self::Job => 512 << 10,
        }
    }

    /// Returns the kind of an envelope's type.
    pub fn of(media_type: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.media_type() == media_type)
    }
}

/// Content of a kind of message.
pub trait Body: Serialize + DeserializeOwned {
    /// Type and limit of this content.
    const KIND: Kind;
}

/// Signed content of an envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payload<T> {
    /// Version of the form.
    pub v: u32,
    /// The fleet that it is for.
    pub fleet: Id,
    /// The member that says it.
    pub from: Id,
    /// Identifier that the sender gave.
    pub id: Id,
    /// Content of the message.
    pub body: T,
}

/// Origin and identifier of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The fleet.
    pub fleet: Id,
    /// The member that says it.
    pub from: Id,
    /// The message's id.
    pub id: Id,
}

impl Header {
    /// Returns the bytes that a sealed body is bound to.
    fn bound(&self, kind: Kind) -> Vec<u8> {
        let Self { fleet, from, id } = self;
        format!("postern-fleet {VERSION}\n{}\n{fleet}\n{from}\n{id}\n", kind.media_type()).into_bytes()
    }

    fn with<T>(&self, body: T) -> Payload<T> {
        let Self { fleet, from, id } = self.clone();
        Payload { v: VERSION, fleet, from, id, body }
    }

    /// Signs a body that everybody may read.
    pub fn sign<B: Body>(&self, body: B, keys: &[&SignKey]) -> Envelope {
        Envelope::sign(B::KIND.media_type(), encode(&self.with(body)), keys)
    }

    /// Seals a body for recipients and signs what came of it.
    pub fn seal<B: Body>(
        &self,
        body: &B,
        to: &[SealKey],
        key: &SignKey,
        seed: &mut Seed,
    ) -> Result<Envelope, SealError> {
        let sealed = Sealed::seal(&self.bound(B::KIND), &encode(body), to, seed)?;
        Ok(Envelope::sign(B::KIND.media_type(), encode(&self.with(sealed)), &[key]))
    }
}

impl<T> Payload<T> {
    /// Returns where it comes from and what it is called.
    pub fn header(&self) -> Header {
        Header { fleet: self.fleet.clone(), from: self.from.clone(), id: self.id.clone() }
    }
}

impl Payload<Sealed> {
    /// Opens the body of a sealed message.
    pub fn open<B: Body>(&self, key: &OpenKey) -> Result<B, Refusal> {
        let plain = self.body.open(&self.header().bound(B::KIND), key).map_err(Refusal::Sealed)?;
        serde_json::from_slice(&plain).map_err(|error| Refusal::Form(error.to_string()))
    }
}

/// Reads the payload of an envelope of one kind, for one fleet. Signatures are the caller's to check.
pub(crate) fn payload<T: DeserializeOwned>(
    envelope: &Envelope,
    kind: Kind,
    fleet: &Id,
) -> Result<Payload<T>, Refusal> {
    if envelope.payload_type != kind.media_type() {
        return Err(Refusal::Kind);
    }
    let payload: Payload<T> =
        serde_json::from_slice(&envelope.payload).map_err(|error| Refusal::Form(error.to_string()))?;
    match payload {
        Payload { v, .. } if v != VERSION => Err(Refusal::Version(v)),
        Payload { fleet: ref other, .. } if other != fleet => Err(Refusal::OtherFleet),
        payload => Ok(payload),
    }
}

fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // Every body is made of texts, numbers, lists and string-keyed maps, which always have a JSON form.
    serde_json::to_vec(value).unwrap_or_default()
}

/// Degree of care that a person should take, as the asking host sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    /// Nothing that needs a person.
    Safe,
    /// A person should look.
    NeedsReview,
    /// Harm that stays is possible.
    Dangerous,
}

/// A question that waits on a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Question {
    /// Counts up with each change of what is shown.
    pub revision: u64,
    /// Digest of the plan on show; an answer names it.
    pub digest: String,
    /// Everything that an approver shows, typed by the contract of approvers.
    pub facts: serde_json::Value,
    /// Groups of the host whose approvers may answer.
    pub groups: Vec<Id>,
    /// Degree of care that the question needs.
    pub risk: Risk,
    /// Milliseconds until it ends by itself.
    pub expires_in: u64,
    /// Number of people whose approval it needs.
    pub approvals: u8,
    /// Effect of no answer, in words.
    pub fallback: String,
    /// Policy that asks, in words.
    pub policy: String,
    /// Roster by which its recipients were chosen.
    pub roster: Hash,
}

/// The end of a question, which empties inboxes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Closing {
    /// The question.
    pub question: Id,
    /// Ending of the question: `answered`, `expired`, `withdrawn`.
    pub outcome: String,
    /// The person who answered, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The device or approver where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// Decision of an approver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Approval of this run alone.
    Once,
    /// Approval of this run, and a rule for the next.
    Always,
    /// No run.
    Deny,
}

impl Choice {
    /// Returns whether something runs by it.
    pub fn allows(self) -> bool {
        matches!(self, Self::Once | Self::Always)
    }
}

/// An answer to a question. It names what was shown, never what to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answer {
    /// The question.
    pub question: Id,
    /// The revision that was shown.
    pub revision: u64,
    /// The digest that was shown.
    pub digest: String,
    /// The decision.
    pub answer: Choice,
    /// The offer that *always* saves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Parts of a question that the approver's program showed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<String>,
    /// Words for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// The approver's roster.
    pub roster: Hash,
}

/// Outcome of an answer. The host signs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "state", deny_unknown_fields)]
pub enum Receipt {
    /// Answer that counted.
    Applied {
        /// The answer.
        answer: Id,
        /// Number of further people whose approval is needed; 0 if it decided.
        missing: u8,
    },
    /// Somebody was first, or it ended by itself.
    Closed {
        /// The answer that came too late.
        answer: Id,
        /// The person whose answer counts.
        by: Option<String>,
        /// The device or approver where.
        place: Option<String>,
    },
    /// Answer that does not count.
    Refused {
        /// The refused answer.
        answer: Id,
        /// Reason, as a sentence without its full stop.
        reason: String,
    },
}

/// A member that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Presence {
    /// Time of sending, by the member's clock.
    pub at: Millis,
    /// The roster that it has.
    pub roster: Hash,
    /// The policy in force, for hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

macro_rules! bodies {
    ($($body:ident),+) => { $(impl Body for $body { const KIND: Kind = Kind::$body; })+ };
}
bodies!(Question, Closing, Answer, Receipt, Presence, Roster, Fresh, Bundle, Stage, Anchor, Job, JobReport);
