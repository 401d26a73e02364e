//! A person's side: what waits on other Macs, and answers to it.

use super::FleetError;
use super::connect::Link;
use super::keep::{Folder, Keys, Membership};
use super::store;
use async_nats::jetstream::{self, consumer};
use async_nats::{RequestErrorKind, jetstream::Message};
use futures_util::StreamExt as _;
use postern_contract::{Part, Question};
use postern_fleet::{
    Answer, Body as _, Choice, Closing, Envelope, Id, Kind, Payload, Pinned, Presence, Receipt, Role, Sealed,
    Seed, Subjects,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// Longest time for an answer until it counts as not confirmed.
const CONFIRM: Duration = Duration::from_secs(10);
/// Interval between two messages of presence.
const PRESENT: Duration = Duration::from_secs(30);

/// A question that waits on a host of the fleet.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    /// The host.
    pub host: Id,
    /// Human-readable label of the host.
    pub name: String,
    /// Groups of the host.
    pub groups: Vec<Id>,
    /// Question as it is shown.
    pub question: Question,
    /// Number that the host raises with each change of the question.
    pub revision: u64,
    /// Time when the question ends by itself, by this Mac's clock.
    pub ends: i64,
}

/// Reply of the host to an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerReply {
    /// Answer counts; this many further people have to approve.
    Applied(u8),
    /// Somebody was first: who, and where.
    Closed(Option<String>, Option<String>),
    /// Answer does not count, for this reason.
    Refused(String),
    /// The host is not connected: nothing was sent.
    Offline,
    /// The host did not confirm it in time. Sending it again is safe.
    NotConfirmed,
}

/// News for somebody who watches.
#[derive(Debug)]
pub enum News {
    /// A question waits, or shows something else.
    Waits(Box<Elsewhere>),
    /// A question waits no more.
    Closed {
        /// The host's name.
        host: String,
        /// The question.
        question: String,
        /// Cause of the end, as [`postern_contract::ClosedBy`] names it.
        outcome: String,
        /// The person who answered, and the place.
        by: Option<String>,
    },
}

/// An approver that is connected.
#[derive(Debug)]
pub struct Approver {
    pub(super) link: Link,
    pub(super) fleet: Id,
    me: Id,
    keys: Keys,
    /// Roster that counts here, and the newest one once it was followed.
    pinned: Mutex<Arc<Pinned>>,
    pub(super) folder: Folder,
}

impl Approver {
    /// Connects as the person's member of this Mac.
    pub async fn connect(folder: &Folder) -> Result<Self, FleetError> {
        let membership = folder.membership()?;
        let me = membership.own(false).ok_or(FleetError::NoApprover)?.clone();
        let keys = folder.keys(&me)?;
        let Membership { fleet, server, certificate, .. } = membership;
        let link = Link::open(&server, certificate, &keys.nkey, me.as_str()).await?;
        let pinned = store::follow(&link.client, &fleet, &keys.open, folder).await?;
        if !pinned.roster.member(&me).is_some_and(|member| member.has(Role::Approver)) {
            return Err(FleetError::NoApprover);
        }
        let pinned = Mutex::new(Arc::new(pinned));
        Ok(Self { link, fleet, me, keys, pinned, folder: folder.clone() })
    }

    pub(super) fn pinned(&self) -> Arc<Pinned> {
        Arc::clone(&self.pinned.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns everything that waits, oldest first.
    pub async fn waiting(&self) -> Result<Vec<Elsewhere>, FleetError> {
        let mut waiting: Vec<Elsewhere> = Vec::new();
        let stream = self.stream().await?;
        let left = stream.get_info().await.map_err(FleetError::broker)?.state.messages;
        if left == 0 {
            return Ok(waiting);
        }
        let mut messages = self.messages(&stream, consumer::DeliverPolicy::All).await?;
        loop {
            let message = timeout(CONFIRM, messages.next()).await;
            let message = message.map_err(|_| FleetError::Unreachable("it stopped sending".to_owned()))?;
            let Some(Ok(message)) = message else { break };
            let pending = message.info().map_err(FleetError::broker)?.pending;
            match self.read(&message) {
                Some(Read::Question(one)) => {
                    waiting.retain(|other| other.question.id != one.question.id);
                    waiting.push(*one);
                }
                Some(Read::Closing { closing, .. }) => {
                    waiting.retain(|other| other.question.id != closing.question.as_str());
                }
                None => {}
            }
            if pending == 0 {
                break;
            }
        }
        let now = super::wall();
        waiting.retain(|one| one.ends > now);
        Ok(waiting)
    }

    /// Tells what comes, and is present meanwhile, until `told` returns false or the connection is lost.
    pub async fn watch(&self, mut told: impl FnMut(News) -> bool) -> Result<(), FleetError> {
        let mut messages = self.coming().await?;
        for one in self.waiting().await? {
            if !told(News::Waits(Box::new(one))) {
                return Ok(());
            }
        }
        let mut present = tokio::time::interval(PRESENT);
        loop {
            tokio::select! {
                news = self.next(&mut messages) => if !news?.is_none_or(&mut told) { return Ok(()) },
                _ = present.tick() => {
                    self.follow().await?;
                    self.present().await?;
                }
            }
        }
    }

    /// Returns what comes from now on.
    pub(super) async fn coming(&self) -> Result<consumer::push::Ordered, FleetError> {
        let stream = self.stream().await?;
        self.messages(&stream, consumer::DeliverPolicy::New).await
    }

    /// Returns the next news; `None` for a message that is none. Ends with the connection.
    pub(super) async fn next(
        &self,
        messages: &mut consumer::push::Ordered,
    ) -> Result<Option<News>, FleetError> {
        let lost = || FleetError::Unreachable("the connection was lost".to_owned());
        tokio::select! {
            message = messages.next() => match message {
                Some(Ok(message)) => Ok(self.read(&message).map(Read::news)),
                Some(Err(_)) | None => Err(lost()),
            },
            () = self.link.lost() => Err(lost()),
        }
    }

    /// Follows the rosters that the broker has.
    pub(super) async fn follow(&self) -> Result<(), FleetError> {
        let next = store::follow(&self.link.client, &self.fleet, &self.keys.open, &self.folder).await?;
        *self.pinned.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(())
    }

    /// Says that this approver is there.
    pub(super) async fn present(&self) -> Result<(), FleetError> {
        let body = Presence { at: super::wall(), roster: self.pinned().hash, policy: None };
        let bytes = super::header(&self.fleet, &self.me)?.sign(body, &[&self.keys.sign]).encode();
        let subject = Subjects::of(&self.fleet).presence(self.me.as_str());
        self.link.client.publish(subject, bytes.into()).await.map_err(FleetError::broker)
    }

    /// Answers a question as a terminal showed it: all of it.
    pub async fn answer(
        &self,
        to: &Elsewhere,
        answer: Choice,
        rule: Option<String>,
        feedback: Option<String>,
    ) -> Result<AnswerReply, FleetError> {
        self.answer_shown(to, &Part::ALL.into(), (answer, rule, feedback)).await
    }

    /// Answers a question of which these parts were shown here.
    pub(super) async fn answer_shown(
        &self,
        to: &Elsewhere,
        shows: &BTreeSet<Part>,
        (answer, rule, feedback): (Choice, Option<String>, Option<String>),
    ) -> Result<AnswerReply, FleetError> {
        let pinned = self.pinned();
        let host = pinned.roster.member(&to.host).ok_or(FleetError::NoHost)?;
        let body = Answer {
            question: to.question.id.parse().map_err(FleetError::refused)?,
            revision: to.revision,
            digest: to.question.digest.clone(),
            answer,
            rule,
            shows: shows
                .iter()
                .filter_map(|part| Some(serde_json::to_value(part).ok()?.as_str()?.to_owned()))
                .collect(),
            feedback,
            roster: pinned.hash,
        };
        let (header, mut seed) = (super::header(&self.fleet, &self.me)?, Seed::new(super::random()?));
        let sealed = header.seal(&body, &[host.seal], &self.keys.sign, &mut seed);
        let bytes = sealed.map_err(FleetError::refused)?.encode();
        let subject = Subjects::of(&self.fleet).answers(&to.host);
        let request = async_nats::Request::new().payload(bytes.into()).timeout(Some(CONFIRM));
        match self.link.client.send_request(subject, request).await {
            Ok(reply) => {
                Ok(self.receipt(&to.host, &header.id, &reply.payload).unwrap_or(AnswerReply::NotConfirmed))
            }
            Err(error) if error.kind() == RequestErrorKind::NoResponders => Ok(AnswerReply::Offline),
            Err(_) => Ok(AnswerReply::NotConfirmed),
        }
    }

    /// Reads the host's receipt, if it is the host's and about this answer.
    fn receipt(&self, host: &Id, answer: &Id, bytes: &[u8]) -> Option<AnswerReply> {
        let (from, receipt): (Id, Receipt) = self.open(bytes)?;
        (from == *host).then_some(())?;
        match receipt {
            Receipt::Applied { answer: of, missing } if of == *answer => Some(AnswerReply::Applied(missing)),
            Receipt::Closed { answer: of, by, place } if of == *answer => {
                Some(AnswerReply::Closed(by, place))
            }
            Receipt::Refused { answer: of, reason } if of == *answer => Some(AnswerReply::Refused(reason)),
            Receipt::Applied { .. } | Receipt::Closed { .. } | Receipt::Refused { .. } => None,
        }
    }

    /// Opens a sealed message of a host, if the host signed it.
    fn open<B: postern_fleet::Body>(&self, bytes: &[u8]) -> Option<(Id, B)> {
        let envelope = Envelope::decode(bytes, B::KIND.limit()).ok()?;
        (envelope.payload_type == B::KIND.media_type()).then_some(())?;
        let payload: Payload<Sealed> = serde_json::from_slice(&envelope.payload).ok()?;
        let pinned = self.pinned();
        let host = pinned.roster.member(&payload.from).filter(|member| member.has(Role::Host))?;
        let signed = payload.fleet == self.fleet && !envelope.signers([((), &host.sign)]).is_empty();
        signed.then_some(())?;
        Some((payload.from.clone(), payload.open(&self.keys.open).ok()?))
    }

    fn read(&self, message: &Message) -> Option<Read> {
        let kind = Envelope::decode(&message.payload, Kind::Question.limit()).ok()?.payload_type;
        if kind == Closing::KIND.media_type() {
            let (host, closing): (Id, Closing) = self.open(&message.payload)?;
            return Some(Read::Closing { host: self.name(&host), closing });
        }
        let (host, asked): (Id, postern_fleet::Question) = self.open(&message.payload)?;
        let name = self.name(&host);
        let question = postern_contract::from_afar(asked.facts, &name)?;
        // What is answered is what is shown.
        (question.digest == asked.digest).then_some(())?;
        let published = message.info().ok()?.published.unix_timestamp_nanos() / 1_000_000;
        let ends = i64::try_from(published).ok()?.saturating_add(i64::try_from(asked.expires_in).ok()?);
        let question = Question { expires_at: ends, ..question };
        let groups = self.pinned().roster.member(&host).map(|host| host.groups.clone()).unwrap_or_default();
        let revision = asked.revision;
        Some(Read::Question(Box::new(Elsewhere { host, name, groups, question, revision, ends })))
    }

    /// Looks a host up in the roster, never in a message, and returns what people call it.
    fn name(&self, host: &Id) -> String {
        self.pinned().roster.member(host).map_or_else(|| host.to_string(), |member| member.name.clone())
    }

    async fn stream(&self) -> Result<jetstream::stream::Stream, FleetError> {
        let context = jetstream::new(self.link.client.clone());
        context.get_stream(Subjects::of(&self.fleet).question_stream()).await.map_err(FleetError::broker)
    }

    async fn messages(
        &self,
        stream: &jetstream::stream::Stream,
        from: consumer::DeliverPolicy,
    ) -> Result<consumer::push::Ordered, FleetError> {
        let config = consumer::push::OrderedConfig {
            deliver_subject: self.link.client.new_inbox(),
            deliver_policy: from,
            ..consumer::push::OrderedConfig::default()
        };
        let consumer = stream.create_consumer(config).await.map_err(FleetError::broker)?;
        consumer.messages().await.map_err(FleetError::broker)
    }
}

/// A message of the stream.
enum Read {
    Question(Box<Elsewhere>),
    Closing { host: String, closing: Closing },
}

impl Read {
    fn news(self) -> News {
        match self {
            Self::Question(one) => News::Waits(one),
            Self::Closing { host, closing: Closing { question, outcome, by, place } } => {
                News::Closed { host, question: question.to_string(), outcome, by: answered_by(by, place) }
            }
        }
    }
}

/// Returns who answered where, in words.
pub(super) fn answered_by(by: Option<String>, place: Option<String>) -> Option<String> {
    match (by, place) {
        (Some(by), Some(place)) => Some(format!("{by} on {place}")),
        (by, place) => by.or(place),
    }
}
