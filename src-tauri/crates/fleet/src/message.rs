//! Messages between members: one kind of payload each, with its type and its limit.

use crate::envelope::SignedEnvelope;
use crate::id::{FleetId, Hash};
use crate::keys::{OpenKey, SealKey, SignKey, VerifyKey};
use crate::refusal::FleetRefusal;
use crate::seal::{SealError, Sealed};
use crate::seed::Seed;
use crate::{VERSION, WallMillis};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Kind of a message. It separates domains: a signature of one kind is none of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FleetMessageKind {
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
    /// Rows of a host's audit.
    AuditRows,
    /// Work that a member asks of a host.
    Job,
    /// Result of that work.
    JobReport,
}

impl FleetMessageKind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
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
        Self::AuditRows,
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
            Self::AuditRows => "application/vnd.postern.fleet.audit-rows+json",
            Self::Job => "application/vnd.postern.fleet.job+json",
            Self::JobReport => "application/vnd.postern.fleet.report+json",
        }
    }

    /// Returns the most bytes that its envelope may have.
    pub fn max_bytes(self) -> usize {
        match self {
            Self::Answer | Self::Receipt | Self::Closing => 8 << 10,
            Self::Fresh | Self::Anchor => 4 << 10,
            // A host's is sealed for all that answer for it.
            Self::Question | Self::Stage | Self::Presence | Self::AuditRows => 64 << 10,
            Self::JobReport => 256 << 10,
            Self::Roster | Self::Bundle | Self::Job => 512 << 10,
        }
    }

    /// Returns the kind of an envelope's type.
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.media_type() == media_type)
    }
}

/// Content of a kind of message.
pub trait FleetMessageBody: Serialize + DeserializeOwned {
    /// Type and limit of this content.
    const KIND: FleetMessageKind;
}

/// Signed content of an envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payload<T> {
    /// Version of the form.
    pub v: u32,
    pub fleet: FleetId,
    /// The member that says it.
    pub from: FleetId,
    /// Identifier that the sender gave.
    pub id: FleetId,
    pub body: T,
}

/// Origin and identifier of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetMessageHeader {
    pub fleet: FleetId,
    /// The member that says it.
    pub from: FleetId,
    pub id: FleetId,
}

impl FleetMessageHeader {
    /// Returns the bytes that a sealed body is bound to.
    fn binding_bytes(&self, kind: FleetMessageKind) -> Vec<u8> {
        let Self { fleet, from, id } = self;
        format!("postern-fleet {VERSION}\n{}\n{fleet}\n{from}\n{id}\n", kind.media_type()).into_bytes()
    }

    fn wrap_body<T>(&self, body: T) -> Payload<T> {
        let Self { fleet, from, id } = self.clone();
        Payload { v: VERSION, fleet, from, id, body }
    }

    /// Signs a body that everybody may read.
    pub fn sign_body<B: FleetMessageBody>(&self, body: B, keys: &[&SignKey]) -> SignedEnvelope {
        SignedEnvelope::sign(B::KIND.media_type(), encode(&self.wrap_body(body)), keys)
    }

    /// Seals a body for recipients and signs what came of it.
    pub fn seal_body<B: FleetMessageBody>(
        &self,
        body: &B,
        to: &[SealKey],
        key: &SignKey,
        seed: &mut Seed,
    ) -> Result<SignedEnvelope, SealError> {
        let sealed = Sealed::seal_bytes(&self.binding_bytes(B::KIND), &encode(body), to, seed)?;
        Ok(SignedEnvelope::sign(B::KIND.media_type(), encode(&self.wrap_body(sealed)), &[key]))
    }
}

impl<T> Payload<T> {
    /// Returns where it comes from and what it is called.
    pub fn header(&self) -> FleetMessageHeader {
        FleetMessageHeader { fleet: self.fleet.clone(), from: self.from.clone(), id: self.id.clone() }
    }
}

impl Payload<Sealed> {
    /// Opens the body of a sealed message.
    pub fn open_body<B: FleetMessageBody>(&self, key: &OpenKey) -> Result<B, FleetRefusal> {
        let plain =
            self.body.open_bytes(&self.header().binding_bytes(B::KIND), key).map_err(FleetRefusal::Sealed)?;
        serde_json::from_slice(&plain).map_err(|error| FleetRefusal::Form(error.to_string()))
    }
}

/// Reads the payload of an envelope of one kind, for one fleet. Signatures are the caller's to check.
pub(crate) fn payload<T: DeserializeOwned>(
    envelope: &SignedEnvelope,
    kind: FleetMessageKind,
    fleet: &FleetId,
) -> Result<Payload<T>, FleetRefusal> {
    if envelope.payload_type != kind.media_type() {
        return Err(FleetRefusal::Kind);
    }
    let payload: Payload<T> =
        serde_json::from_slice(&envelope.payload).map_err(|error| FleetRefusal::Form(error.to_string()))?;
    match payload {
        Payload { v, .. } if v != VERSION => Err(FleetRefusal::Version(v)),
        Payload { fleet: ref other, .. } if other != fleet => Err(FleetRefusal::OtherFleet),
        payload => Ok(payload),
    }
}

/// Reads an entry of a host's log with its envelope; `None` if it is no message of this kind and fleet that the host signed.
pub(crate) fn signed_payload<T: DeserializeOwned>(
    entry: &[u8],
    kind: FleetMessageKind,
    fleet: &FleetId,
    (host, key): (&FleetId, &VerifyKey),
) -> Option<(SignedEnvelope, Payload<T>)> {
    let envelope = SignedEnvelope::decode(entry, kind.max_bytes()).ok()?;
    let payload: Payload<T> = payload(&envelope, kind, fleet).ok()?;
    let signed = payload.from == *host && !envelope.signers([((), key)]).is_empty();
    signed.then_some((envelope, payload))
}

fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // Every body is made of texts, numbers, lists and string-keyed maps, which always have a JSON form.
    serde_json::to_vec(value).unwrap_or_default()
}

/// Degree of care that a person should take, as the asking host sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FleetRisk {
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
pub struct FleetQuestion {
    /// Counts up with each change of what is shown.
    pub revision: u64,
    /// Digest of the plan on show; an answer names it.
    pub digest: String,
    /// Everything that an approver shows, typed by the contract of approvers.
    pub facts: serde_json::Value,
    /// Groups of the host whose approvers may answer.
    pub groups: Vec<FleetId>,
    /// Degree of care that the question needs.
    pub risk: FleetRisk,
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
pub struct FleetClosing {
    pub question: FleetId,
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
pub enum FleetChoice {
    /// Approval of this run alone.
    Once,
    /// Approval of this run, and a rule for the next.
    Always,
    /// No run.
    Deny,
    /// Other rights for the run. It is judged again, and everybody is shown that before anybody approves it.
    Confine(FleetRights),
}

/// Rights that an approver gives a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FleetRights {
    /// At least the profile `look`.
    Look,
    /// At least the profile `project`.
    Project,
    /// As the agent asked for it.
    AsAsked,
}

impl FleetChoice {
    /// Returns whether something runs by it.
    pub fn allows(self) -> bool {
        matches!(self, Self::Once | Self::Always)
    }

    /// Returns whether something may do more by it than before: who may not allow a run gives it no rights either.
    ///
    /// The profile `project` is less than no profile, and more than `look`, which another approver may have chosen.
    pub fn widens(self) -> bool {
        !matches!(self, Self::Deny | Self::Confine(FleetRights::Look))
    }
}

/// An answer to a question. It names what was shown, never what to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetAnswer {
    pub question: FleetId,
    /// The revision that was shown.
    pub revision: u64,
    /// The digest that was shown.
    pub digest: String,
    pub answer: FleetChoice,
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

impl FleetAnswer {
    /// Returns the id of the message with this answer: the same each time that it is sent. Who sends it again is told what came of
    /// it.
    ///
    /// It is made of a signature, so nobody else can tell of what.
    pub fn message_id(&self, key: &SignKey) -> FleetId {
        let Self { question, revision, digest, answer, rule, shows: _, feedback, roster: _ } = self;
        // Texts and lists always have a JSON form.
        let content = serde_json::to_vec(&(question, revision, digest, answer, rule, feedback));
        let signature = key.sign(&content.unwrap_or_default());
        Hash::of_parts("postern-fleet answer 1", &[&signature]).into_id()
    }
}

/// Outcome of an answer. The host signs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "state", deny_unknown_fields)]
pub enum FleetReceipt {
    /// Answer that counted.
    Applied {
        answer: FleetId,
        /// Number of further people whose approval is needed; 0 if it decided.
        missing: u8,
    },
    /// Somebody was first, or it ended by itself.
    Closed {
        /// The answer that came too late.
        answer: FleetId,
        /// Cause of the end, as a closing names it; absent if that is not known any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outcome: Option<String>,
        /// The person whose answer counts.
        by: Option<String>,
        /// The device or approver where.
        place: Option<String>,
    },
    /// Answer that does not count.
    Refused {
        /// The refused answer.
        answer: FleetId,
        /// Reason, as a sentence without its full stop.
        reason: String,
    },
}

impl FleetReceipt {
    /// Returns the id of the message with the receipt for a request.
    ///
    /// It is made of the request's bytes: what a host said when an answer was sent before is no receipt of a later sending.
    pub fn message_id(request: &[u8]) -> FleetId {
        Hash::of_parts("postern-fleet receipt 1", &[request]).into_id()
    }
}

/// A member that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetPresence {
    /// Time of sending, by the member's clock.
    pub at: WallMillis,
    pub roster: Hash,
    /// The policy in force, for hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Block of all agents, for hosts. A host seals what it says; a person's device signs it alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<HostBlock>,
}

/// Block of all agents of a host: everything that they ask for is denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostBlock {
    /// Time of its end, by the host's clock; absent if it lasts until somebody ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<WallMillis>,
}

macro_rules! bodies {
    ($($body:ident: $kind:ident),+) => { $(impl FleetMessageBody for $body { const KIND: FleetMessageKind = FleetMessageKind::$kind; })+ };
}
bodies!(
    FleetQuestion: Question,
    FleetClosing: Closing,
    FleetAnswer: Answer,
    FleetReceipt: Receipt,
    FleetPresence: Presence
);
