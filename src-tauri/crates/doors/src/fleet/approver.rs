//! A person's side: what waits on other Macs, and answers to it.

use super::FleetError;
use super::connect::{BrokerLink, MemberReply};
use super::entries::{self, BrokerClock, JITTER};
use super::keep::{Folder, Keys};
use super::store::{self, Bucket, PersonConnection};
use super::waiting::{Elsewhere, WaitingQuestions};
use async_nats::Subscriber;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull;
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use postern_contract::{ClosedBy, Part, Question};
use postern_fleet::{
    FleetAnswer, FleetChoice, FleetClosing, FleetId, FleetMessageBody as _, FleetMessageHeader,
    FleetMessageKind, FleetPresence, FleetReceipt, Member, MemberRole, OpenKey, PinnedRoster, Seed,
    SignedEnvelope, Subjects,
};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Longest time for an answer until it counts as not confirmed.
const CONFIRM: Duration = Duration::from_secs(10);

/// Reply of the host to an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerReply {
    /// Answer counts; this many further people have to approve.
    Applied(u8),
    /// Somebody was first, or it ended by itself.
    Closed {
        /// Cause of the end.
        how: ClosedBy,
        /// The person whose answer counts.
        by: Option<String>,
        /// The device or approver where.
        place: Option<String>,
    },
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
        host: FleetId,
        /// Human-readable label of the host.
        name: String,
        groups: Vec<FleetId>,
        question: String,
        /// Cause of the end, as [`postern_contract::ClosedBy`] names it.
        outcome: String,
        /// The person who answered, and the place.
        by: Option<String>,
    },
}

impl News {
    /// Returns true if it is about a host that `named` means: `all`, a group, or one host's name or id.
    pub fn is_on(&self, named: &str) -> bool {
        match self {
            Self::Waits(one) => one.is_on(named),
            Self::Closed { host, name, groups, .. } => super::is_meant(named, groups, name, host),
        }
    }
}

/// An approver that is connected.
#[derive(Debug)]
pub struct FleetApprover {
    pub(super) link: BrokerLink,
    pub(super) fleet: FleetId,
    me: FleetId,
    keys: Keys,
    /// Roster that counts here, and the newest one once it was followed.
    pinned: Mutex<Arc<PinnedRoster>>,
    /// Broker's clock, compared once: what a question shows of its end stays as it is.
    clock: OnceLock<BrokerClock>,
    pub(super) folder: Folder,
}

impl FleetApprover {
    /// Connects as the person's member of this Mac.
    pub async fn connect(folder: &Folder) -> Result<Self, FleetError> {
        Self::connect_as(folder, &[MemberRole::Approver]).await
    }

    /// Connects the same member to look at the audit of hosts: approvers compare it, auditors open its rows as well.
    pub async fn connect_to_audit(folder: &Folder) -> Result<Self, FleetError> {
        Self::connect_as(folder, &[MemberRole::Approver, MemberRole::Auditor]).await
    }

    async fn connect_as(folder: &Folder, roles: &[MemberRole]) -> Result<Self, FleetError> {
        let PersonConnection { link, fleet, me, keys, pinned } = PersonConnection::open(folder).await?;
        let may = |member: &Member| roles.iter().any(|role| member.has_role(*role));
        if !pinned.roster.member(&me).is_some_and(may) {
            return Err(FleetError::NoApprover);
        }
        let pinned = Mutex::new(Arc::new(pinned));
        Ok(Self { link, fleet, me, keys, pinned, clock: OnceLock::new(), folder: folder.clone() })
    }

    pub(super) fn pinned(&self) -> Arc<PinnedRoster> {
        Arc::clone(&self.pinned.lock())
    }

    pub(super) fn own_member<'a>(&self, pinned: &'a PinnedRoster) -> Option<&'a Member> {
        pinned.roster.member(&self.me)
    }

    pub(super) fn open_key(&self) -> &OpenKey {
        &self.keys.open
    }

    /// Returns everything that waits, oldest first.
    pub async fn waiting(&self) -> Result<Vec<Elsewhere>, FleetError> {
        let mut waiting = WaitingQuestions::default();
        let (about, mut all) = ((self.stream_name(), String::new()), Vec::new());
        let clock =
            entries::read_each(&self.link.client, about, CONFIRM, |message| all.push(message)).await?;
        self.clock.get_or_init(|| clock);
        for message in all {
            match self.read_message(&message) {
                Some(News::Waits(one)) if one.ends > super::wall_clock() => {
                    // What is not shown of a host is none of the others'.
                    _ = waiting.open_question(*one);
                }
                Some(News::Closed { host, question, .. }) => {
                    waiting.close_question(&host, &question);
                }
                Some(News::Waits(_)) | None => {}
            }
        }
        Ok(waiting.into_all())
    }

    /// Tells what comes, and is present meanwhile, until `told` returns false or the connection is lost.
    pub async fn watch_questions(&self, mut told: impl FnMut(News) -> bool) -> Result<(), FleetError> {
        let mut messages = self.coming().await?;
        let mut waiting = WaitingQuestions::default();
        for one in self.waiting().await? {
            if waiting.open_question(one.clone()).is_ok() && !told(News::Waits(Box::new(one))) {
                return Ok(());
            }
        }
        let mut present = tokio::time::interval(super::PRESENT);
        loop {
            tokio::select! {
                news = self.next(&mut messages) => {
                    let news = news?.filter(|news| match news {
                        News::Waits(one) => waiting.open_question(one.as_ref().clone()).is_ok(),
                        News::Closed { host, question, .. } => waiting.close_question(host, question),
                    });
                    if !news.is_none_or(&mut told) { return Ok(()) }
                }
                _ = present.tick() => {
                    waiting.take_expired(super::wall_clock());
                    self.follow().await?;
                    self.present().await?;
                }
            }
        }
    }

    pub(super) async fn coming(&self) -> Result<pull::Stream, FleetError> {
        let (messages, clock) = entries::follow_stream(&self.link.client, self.stream_name()).await?;
        self.clock.get_or_init(|| clock);
        Ok(messages)
    }

    /// Returns what hosts say of their presence from now on.
    pub(super) async fn presence(&self) -> Result<Subscriber, FleetError> {
        self.link.subscribe(Subjects::for_fleet(&self.fleet).host_presence("*")).await
    }

    pub(super) async fn stored_rosters(&self) -> Result<Subscriber, FleetError> {
        self.link.subscribe(Subjects::for_fleet(&self.fleet).stored(store::ROSTER)).await
    }

    /// Returns the next news; `None` for a message that is none. Ends with the connection.
    pub(super) async fn next(&self, messages: &mut pull::Stream) -> Result<Option<News>, FleetError> {
        let lost = || FleetError::Unreachable("the connection was lost".to_owned());
        tokio::select! {
            message = messages.next() => match message {
                Some(Ok(message)) => Ok(self.read_message(&message)),
                Some(Err(_)) | None => Err(lost()),
            },
            () = self.link.wait_until_lost() => Err(lost()),
        }
    }

    /// Follows the rosters that the broker has. Ends with the role: who is no approver any more is shown nothing.
    pub(super) async fn follow(&self) -> Result<(), FleetError> {
        let at = Bucket { client: &self.link.client, fleet: &self.fleet, open: &self.keys.open };
        let next = store::follow(at, &self.folder).await?;
        let answers = next.roster.member(&self.me).is_some_and(|me| me.has_role(MemberRole::Approver));
        // Another program may have pinned it.
        if next.hash != self.pinned().hash {
            self.folder.note_roster();
        }
        *self.pinned.lock() = Arc::new(next);
        if answers { Ok(()) } else { Err(FleetError::NoApprover) }
    }

    /// Says that this approver is there.
    pub(super) async fn present(&self) -> Result<(), FleetError> {
        let body = FleetPresence {
            at: super::wall_clock(),
            roster: self.pinned().hash,
            policy: None,
            blocked: None,
        };
        let bytes = super::header(&self.fleet, &self.me)?.sign_body(body, &[&self.keys.sign]).encode();
        let subject = Subjects::for_fleet(&self.fleet).presence(self.me.as_str());
        self.link.client.publish(subject, bytes.into()).await.map_err(FleetError::broker)
    }

    /// Answers a question as a terminal showed it: all of it.
    pub async fn answer(
        &self,
        to: &Elsewhere,
        answer: FleetChoice,
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
        (answer, rule, feedback): (FleetChoice, Option<String>, Option<String>),
    ) -> Result<AnswerReply, FleetError> {
        let pinned = self.pinned();
        let host = pinned.roster.member(&to.host).ok_or(FleetError::NoHost)?;
        let body = FleetAnswer {
            question: to.question.id.parse().map_err(FleetError::refused)?,
            revision: to.revision,
            digest: to.question.digest.clone(),
            answer,
            rule,
            shows: shows.iter().map(|part| part.name().to_owned()).collect(),
            feedback,
            roster: pinned.hash,
        };
        let id = body.message_id(&self.keys.sign);
        let header = FleetMessageHeader { fleet: self.fleet.clone(), from: self.me.clone(), id };
        let mut seed = Seed::new(super::random()?);
        let sealed = header.seal_body(&body, &[host.seal], &self.keys.sign, &mut seed);
        let bytes = sealed.map_err(FleetError::refused)?.encode();
        let subject = Subjects::for_fleet(&self.fleet).answers(&to.host);
        let expected = FleetMessageHeader {
            fleet: self.fleet.clone(),
            from: to.host.clone(),
            id: FleetReceipt::message_id(&bytes),
        };
        Ok(match self.link.request(subject, bytes, CONFIRM).await {
            MemberReply::Message(reply) => {
                self.receipt(&expected, &header.id, &reply.payload).unwrap_or(AnswerReply::NotConfirmed)
            }
            MemberReply::Offline => AnswerReply::Offline,
            MemberReply::Silent => AnswerReply::NotConfirmed,
        })
    }

    /// Reads the host's receipt, if it is the host's, for this sending, and about this answer.
    fn receipt(&self, expected: &FleetMessageHeader, answer: &FleetId, bytes: &[u8]) -> Option<AnswerReply> {
        let (header, receipt): (_, FleetReceipt) = self.open_sealed(bytes)?;
        (header == *expected).then_some(())?;
        match receipt {
            FleetReceipt::Applied { answer: of, missing } if of == *answer => {
                Some(AnswerReply::Applied(missing))
            }
            FleetReceipt::Closed { answer: of, outcome, by, place } if of == *answer => {
                let how = outcome.map_or(ClosedBy::Resolved, |outcome| closed_by(&outcome));
                Some(AnswerReply::Closed { how, by, place })
            }
            FleetReceipt::Refused { answer: of, reason } if of == *answer => {
                Some(AnswerReply::Refused(reason))
            }
            FleetReceipt::Applied { .. } | FleetReceipt::Closed { .. } | FleetReceipt::Refused { .. } => None,
        }
    }

    /// Opens a sealed message of a host, if the host signed it.
    pub(super) fn open_sealed<B: postern_fleet::FleetMessageBody>(
        &self,
        bytes: &[u8],
    ) -> Option<(FleetMessageHeader, B)> {
        super::open_from_host(bytes, &self.fleet, &self.pinned().roster, &self.keys.open)
    }

    fn read_message(&self, message: &Message) -> Option<News> {
        let kind = SignedEnvelope::decode(&message.payload, FleetMessageKind::Question.max_bytes())
            .ok()?
            .payload_type;
        if kind == FleetClosing::KIND.media_type() {
            let (header, FleetClosing { question, outcome, by, place }) =
                self.open_sealed(&message.payload)?;
            let host = header.from;
            let groups = self.pinned().roster.member(&host)?.groups.clone();
            let (name, question) = (self.host_name(&host), question.to_string());
            return Some(News::Closed { host, name, groups, question, outcome, by: answered_by(by, place) });
        }
        let (header, asked): (_, postern_fleet::FleetQuestion) = self.open_sealed(&message.payload)?;
        let host = header.from;
        let (pinned, name) = (self.pinned(), self.host_name(&host));
        // The roster's groups, never the message's.
        let groups = pinned.roster.member(&host)?.groups.clone();
        self.own_member(&pinned)?.answers_for(&groups).then_some(())?;
        let question = postern_contract::from_afar(asked.facts, &name)?;
        // What is answered is what is shown.
        (question.digest == asked.digest).then_some(())?;
        let stored = message.info().ok()?.published.unix_timestamp_nanos() / 1_000_000;
        // Whether this Mac's clock is right says nothing about how long it waits.
        let stored = self.clock.get()?.local_time(i64::try_from(stored).ok()?);
        let ends = end_of(stored, asked.expires_in, super::wall_clock());
        let question = Question { expires_at: ends, ..question };
        let revision = asked.revision;
        Some(News::Waits(Box::new(Elsewhere { host, name, groups, question, revision, ends })))
    }

    /// Looks a host up in the roster, never in a message, and returns what people call it.
    fn host_name(&self, host: &FleetId) -> String {
        self.pinned().roster.member(host).map_or_else(|| host.to_string(), |member| member.name.clone())
    }

    fn stream_name(&self) -> String {
        Subjects::for_fleet(&self.fleet).question_stream()
    }
}

/// Reads how a question ended from what its host says. What is not known here was answered somehow.
pub(super) fn closed_by(outcome: &str) -> ClosedBy {
    ClosedBy::from_name(outcome).unwrap_or(ClosedBy::Resolved)
}

/// Returns who answered where, in words.
pub(super) fn answered_by(by: Option<String>, place: Option<String>) -> Option<String> {
    match (by, place) {
        (Some(by), Some(place)) => Some(format!("{by} on {place}")),
        (by, place) => by.or(place),
    }
}

/// Returns the time when a question ends by itself. The broker says when it was stored, the host how long it lasts.
fn end_of(stored: i64, expires_in: u64, now: i64) -> i64 {
    let lasts = Duration::from_millis(expires_in).min(super::streams::QUESTIONS_LAST);
    let stored = if stored.saturating_sub(now) > JITTER { now } else { stored };
    stored.saturating_add(i64::try_from(lasts.as_millis()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::end_of;

    #[test]
    fn a_question_is_on_show_for_half_an_hour_at_most_whatever_its_host_and_the_broker_say() {
        let (now, most) = (1_000_000, 31 * 60_000);
        assert_eq!(end_of(now - 10_000, 60_000, now), now + 50_000);
        assert_eq!(end_of(now, u64::MAX, now), now + most);
        assert_eq!(end_of(i64::MAX, 60_000, now), now + 60_000);
        assert_eq!(end_of(i64::MAX, u64::MAX, now), now + most);
        assert_eq!(end_of(now + 3, 60_000, now), now + 60_003, "read again later, it shows the same end");
    }
}
