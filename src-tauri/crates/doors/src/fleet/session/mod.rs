//! Connection of a host to the broker: its questions go to the approvers of its groups.
//!
//! Their answers come back through the same path as any other approver's.

mod adopted;
mod anchors;
mod jobs;

use super::FleetError;
use super::connect::BrokerLink;
use super::keep::{Folder, Keys, Membership};
use super::policy::HostPolicy;
use super::store::{self, StoredFleetEntry};
use anchors::Tried;
use async_nats::{HeaderMap, Message};
use futures_util::StreamExt as _;
use jobs::Reporting;
use postern_contract::methods::{AnswerQuestion, GetQuestion, ListQuestions, Nothing, QuestionRef};
use postern_contract::{AnswerParams, Answered, ApproverNotification, Closed, Part, Question};
use postern_fleet::{
    AdmittedAnswer, AdmittedMessage, FleetChoice, FleetClosing, FleetId, FleetMessageKind, FleetPresence,
    FleetReceipt, FleetRefusal, FleetRisk, FleetState, MemberRole, Now, OpenQuestion, Seed, SignKey,
    SignedEnvelope, Subjects, admit_message,
};
use postern_host::{ApproverGuard, ConnectedApproverKind, Host};
use postern_policy::RiskLevel;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{interval, timeout};

/// Answers that a host reads in a second.
const ANSWERS: u32 = 20;
/// Time that an approver counts as present after its last message.
const PRESENT: Duration = Duration::from_secs(90);
/// Interval at which an owner's Mac says that the roster is current.
const FRESH: Duration = Duration::from_hours(1);
/// Interval between two checks for approvers that are gone.
const TICK: Duration = Duration::from_secs(15);
/// Jobs that may be under way.
const JOBS: usize = 8;
/// Longest time for a message to leave.
const SEND: Duration = Duration::from_secs(5);

/// A host that is connected.
pub(super) struct FleetHostSession {
    host: Host,
    folder: Folder,
    link: BrokerLink,
    names: Subjects,
    sign: SignKey,
    /// State that `admit` reads.
    fleet: FleetState,
    policy: HostPolicy,
    /// Time of the last anchor that was tried.
    tried: Tried,
    /// Results of jobs, which are done aside.
    reports: (mpsc::Sender<Reporting>, mpsc::Receiver<Reporting>),
    started: Instant,
    /// Copy that was sent of each question that waits.
    sent: HashMap<String, SentFleetQuestion>,
    /// Approvers that are present, and until when.
    present: BTreeMap<FleetId, (ApproverGuard, Instant)>,
    /// Answers in this second.
    second: (Instant, u32),
    owner: Option<(FleetId, SignKey, BrokerLink)>,
    /// The person's own member, who is at this Mac and not elsewhere.
    person: Option<FleetId>,
}

impl FleetHostSession {
    /// Connects, and reads the roster and what is current.
    pub(super) async fn open(host: &Host, folder: &Folder, started: Instant) -> Result<Self, FleetError> {
        let membership = folder.membership()?;
        let me = membership.own_member_id(true).ok_or(FleetError::NoHost)?.clone();
        let Keys { sign, open, nkey } = folder.read_keys(&me)?;
        let link = BrokerLink::open(&membership.server, membership.certificate, &nkey, me.as_str()).await?;
        let mut fleet = FleetState::new(membership.fleet.clone(), me, open, folder.pinned()?);
        let policy = HostPolicy::open(folder, membership.policy, &mut fleet)?;
        fleet.restore_jobs(folder.jobs()?);
        let owner = Self::connect_owner(folder, &membership, &fleet).await?;
        let names = Subjects::for_fleet(&membership.fleet);
        let person = membership.own_member_id(false).cloned();
        let own = person.as_ref().and_then(|id| fleet.pinned.roster.member(id));
        host.set_own_person(own.map(|member| counted_as(member).to_owned()));
        Ok(Self {
            host: host.clone(),
            folder: folder.clone(),
            link,
            names,
            sign,
            fleet,
            policy,
            tried: None,
            reports: mpsc::channel(JOBS),
            started,
            sent: HashMap::new(),
            present: BTreeMap::new(),
            second: (Instant::now(), 0),
            owner,
            person,
        })
    }

    /// Opens the person's connection, if they own the fleet: it says what is current.
    async fn connect_owner(
        folder: &Folder,
        membership: &Membership,
        fleet: &FleetState,
    ) -> Result<Option<(FleetId, SignKey, BrokerLink)>, FleetError> {
        let Some(owner) = membership.owner_member(&fleet.pinned) else { return Ok(None) };
        let Keys { sign, nkey, .. } = folder.read_keys(&owner.id)?;
        let link =
            BrokerLink::open(&membership.server, membership.certificate, &nkey, owner.id.as_str()).await?;
        store::prepare(&link.client, &membership.fleet).await?;
        Ok(Some((owner.id.clone(), sign, link)))
    }

    /// Serves until the connection is lost.
    pub(super) async fn serve_until_lost(mut self) -> Result<(), FleetError> {
        let client = self.link.client.clone();
        let subscribed = async |subject: String| client.subscribe(subject).await.map_err(FleetError::broker);
        // Before anything is read, so that nothing is missed between.
        let mut kept = subscribed(self.names.key_subject(">")).await?;
        let mut answers = subscribed(self.names.answers(&self.fleet.me)).await?;
        let mut presence = subscribed(self.names.presence("*")).await?;
        let mut jobs = subscribed(self.names.jobs(self.fleet.me.as_str())).await?;
        for stored in store::read_entries(&client, &self.fleet.id, &self.fleet.key).await? {
            self.admit_stored(&stored);
        }
        // What was kept holds even if the file of it is gone.
        self.policy.put_in_force(&self.host).await;
        let groups = self.fleet.groups().to_vec();
        for stored in store::read_policy(&client, &self.fleet.id, &self.fleet.key, &groups).await? {
            self.take_policy(&stored).await;
        }
        let mut told = self.host.subscribe();
        self.show_waiting().await?;
        let (mut ticks, mut fresh) = (interval(TICK), interval(FRESH));
        loop {
            tokio::select! {
                () = self.link.wait_until_lost() => return Err(FleetError::Unreachable("the connection was lost".to_owned())),
                news = told.recv() => self.on_notification(news, &mut told).await?,
                message = answers.next() => self.answered(require_message(message)?).await?,
                message = kept.next() => self.changed(&require_message(message)?).await?,
                message = jobs.next() => self.take_job(require_message(message)?).await?,
                Some(report) = self.reports.1.recv() => self.report(report).await?,
                message = presence.next() => self.note_presence(&require_message(message)?),
                _ = ticks.tick() => {
                    self.present.retain(|_, (_, until)| *until > Instant::now());
                    self.anchor_audit().await;
                }
                _ = fresh.tick() => self.say_fresh().await?,
            }
        }
    }

    fn current_time(&self) -> Now {
        Now { wall: super::wall_clock(), timer: self.started.elapsed() }
    }

    /// Takes a roster or word of what is current, if it counts.
    fn admit_stored(&mut self, stored: &StoredFleetEntry) -> bool {
        let (StoredFleetEntry::Roster(bytes) | StoredFleetEntry::Fresh(bytes)) = stored else { return false };
        let now = self.current_time();
        let admitted = match admit_message(&self.fleet, bytes, now) {
            Ok(admitted @ (AdmittedMessage::Roster(_) | AdmittedMessage::Fresh(_))) => admitted,
            // What came before comes again with each connection.
            Ok(_) | Err(FleetRefusal::Older) => return false,
            Err(refusal) => {
                tracing::warn!(%refusal, "something that the fleet's broker keeps does not count");
                return false;
            }
        };
        self.fleet.apply_admitted(&admitted, now);
        let kept = match &admitted {
            AdmittedMessage::Roster(pinned) => {
                SignedEnvelope::decode(bytes, FleetMessageKind::Roster.max_bytes())
                    .map_err(FleetError::own_error)
                    .and_then(|envelope| self.folder.pin_roster(pinned, &envelope))
            }
            AdmittedMessage::Fresh(fresh) => self.folder.keep_fresh(fresh),
            _ => Ok(()),
        };
        if let Err(error) = kept {
            tracing::error!(%error, "what counts in the fleet could not be kept");
        }
        matches!(admitted, AdmittedMessage::Roster(_))
    }

    async fn changed(&mut self, message: &Message) -> Result<(), FleetError> {
        let stored = store::opened(&self.fleet.id, &self.fleet.key, &message.subject, &message.payload);
        if let Some(stored @ StoredFleetEntry::Policy(_)) = &stored {
            self.take_policy(stored).await;
            return Ok(());
        }
        if stored.is_some_and(|stored| self.admit_stored(&stored)) {
            // Others may read what waits, and some may no more.
            let roster = &self.fleet.pinned.roster;
            self.present.retain(|id, _| {
                roster.member(id).is_some_and(|member| member.has_role(MemberRole::Approver))
            });
            self.sent.clear();
            let people = roster.approvers_of(self.fleet.groups()).map(|member| counted_as(member).to_owned());
            let people = people.collect();
            self.host.gate().keep_people(people).await.map_err(FleetError::refused)?;
            self.show_waiting().await?;
        }
        Ok(())
    }

    async fn say_fresh(&self) -> Result<(), FleetError> {
        let Some((id, sign, link)) = &self.owner else { return Ok(()) };
        store::say_fresh(&link.client, &self.fleet.id, (id, sign), &self.fleet.pinned).await
    }

    /// Sends everything that waits and was not sent as it is now, and closes what waits no more.
    async fn show_waiting(&mut self) -> Result<(), FleetError> {
        let face = self.host.named_face(ConnectedApproverKind::Remote, "fleet").id();
        let waiting =
            self.host.call_method::<ListQuestions>(face, &Nothing {}).await.map_err(FleetError::refused)?;
        let open: Vec<String> = self.fleet.waiting().map(|(id, _)| id.to_string()).collect();
        for id in open.into_iter().filter(|id| waiting.questions.iter().all(|one| one.id != *id)) {
            self.close_question(&id, "closed", None).await?;
        }
        for question in waiting.questions {
            self.show_question(&question).await?;
        }
        Ok(())
    }

    async fn show_question(&mut self, question: &Question) -> Result<(), FleetError> {
        let (Ok(id), Ok(facts)) = (question.id.parse::<FleetId>(), serde_json::to_value(question)) else {
            return Ok(());
        };
        let (all, judged) = (facts.to_string(), judged(question));
        let before = self.sent.get(&question.id);
        if before.is_some_and(|sent| sent.all == all) {
            return Ok(());
        }
        let known = self.fleet.waiting().find(|(open, _)| **open == id).map(|(_, open)| open.clone());
        // Only its time changed, or only the list of its readers: who approved it, did.
        let same = match before {
            Some(sent) => sent.judged == judged,
            None => known.as_ref().is_some_and(|open| open.digest == question.digest),
        };
        let revision = known.as_ref().map_or(1, |open| if same { open.revision } else { open.revision + 1 });
        let given = known.filter(|_| same).map(|open| open.given).unwrap_or_default();
        let left = u64::try_from(question.expires_at.saturating_sub(super::wall_clock())).unwrap_or(0);
        let (risk, digest) = (fleet_risk(question.risk.level), question.digest.clone());
        let ends = self.started.elapsed() + Duration::from_millis(left);
        self.fleet
            .open_question(id.clone(), OpenQuestion { revision, digest, risk, approvals: 1, ends, given });
        // The revision begins again with each connection: what is repeated is what shows the same.
        let shown = postern_fleet::Hash::of_bytes(all.as_bytes()).short_hex();
        self.sent.insert(question.id.clone(), SentFleetQuestion { all, judged, by: None });
        let asked = postern_fleet::FleetQuestion {
            revision,
            digest: question.digest.clone(),
            facts,
            groups: self.fleet.groups().to_vec(),
            risk,
            expires_in: left,
            approvals: 1,
            fallback: postern_contract::pieces_to_text(&question.at_zero),
            policy: postern_contract::pieces_to_text(&question.policy),
            roster: self.fleet.roster(),
        };
        let message = format!("{}:{revision}:{shown}:{}", question.id, self.fleet.pinned.roster.version);
        self.publish_sealed(&asked, FleetMessageKind::Question, &message).await
    }

    /// Seals a message for the approvers of this host's groups and publishes it.
    async fn publish_sealed<B: postern_fleet::FleetMessageBody>(
        &self,
        body: &B,
        kind: FleetMessageKind,
        message: &str,
    ) -> Result<(), FleetError> {
        let roster = &self.fleet.pinned.roster;
        let to: Vec<_> = roster.approvers_of(self.fleet.groups()).map(|member| member.seal).collect();
        if to.is_empty() {
            return Ok(());
        }
        let mut seed = Seed::new(super::random()?);
        let header = super::header(&self.fleet.id, &self.fleet.me)?;
        let envelope = header.seal_body(body, &to, &self.sign, &mut seed).map_err(FleetError::refused)?;
        let bytes = envelope.encode();
        if bytes.len() > kind.max_bytes() {
            tracing::info!(
                message,
                bytes = bytes.len(),
                "a question is too large for the fleet: approvers here answer it"
            );
            return Ok(());
        }
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Msg-Id", message);
        let subject = self.names.questions(&self.fleet.me);
        let sent = self.link.client.publish_with_headers(subject, headers, bytes.into());
        timeout(SEND, sent)
            .await
            .map_err(|_| FleetError::Unreachable("it takes nothing".to_owned()))?
            .map_err(FleetError::broker)
    }

    async fn on_notification(
        &mut self,
        news: Result<ApproverNotification, RecvError>,
        told: &mut Receiver<ApproverNotification>,
    ) -> Result<(), FleetError> {
        match news {
            Ok(
                ApproverNotification::QuestionOpened(question)
                | ApproverNotification::QuestionChanged(question),
            ) if question.host.is_none() => self.show_question(&question).await,
            Ok(ApproverNotification::QuestionClosed(Closed { id, how, face, .. })) => {
                self.close_question(&id, &how.to_string(), face).await
            }
            Ok(_) => Ok(()),
            Err(RecvError::Lagged(_)) => {
                *told = told.resubscribe();
                self.show_waiting().await
            }
            Err(RecvError::Closed) => Err(FleetError::Refused("the host ends".to_owned())),
        }
    }

    /// Empties the inboxes of a question.
    async fn close_question(
        &mut self,
        question: &str,
        outcome: &str,
        face: Option<String>,
    ) -> Result<(), FleetError> {
        let Some(sent) = self.sent.remove(question) else { return Ok(()) };
        let Ok(id) = question.parse::<FleetId>() else { return Ok(()) };
        let name = self.fleet.own_member().map(|member| member.name.clone());
        let (by, place) = match (sent.by, face) {
            // It has the person's name and the device's already.
            (by @ Some(_), _) => (by, None),
            (None, Some(face)) => (None, name.map(|name| format!("{name} ({face})"))),
            (None, None) => (None, None),
        };
        self.fleet.settle(&id, by.clone(), place.clone());
        let closing = FleetClosing { question: id, outcome: outcome.to_owned(), by, place };
        self.publish_sealed(&closing, FleetMessageKind::Closing, &format!("{question}:closed")).await
    }

    /// Notes that an approver is there.
    fn note_presence(&mut self, message: &Message) {
        let Ok(envelope) = SignedEnvelope::decode(&message.payload, FleetMessageKind::Presence.max_bytes())
        else {
            return;
        };
        let Ok(payload) = serde_json::from_slice::<postern_fleet::Payload<FleetPresence>>(&envelope.payload)
        else {
            return;
        };
        let roster = &self.fleet.pinned.roster;
        let Some(member) = roster.member(&payload.from) else { return };
        let right = envelope.payload_type == FleetMessageKind::Presence.media_type()
            && payload.fleet == self.fleet.id
            && member.answers_for(self.fleet.groups())
            && self.person.as_ref() != Some(&member.id)
            // A replayed word is no presence.
            && payload.body.at.abs_diff(super::wall_clock()) < 5 * 60_000
            && !envelope.signers([((), &member.sign)]).is_empty();
        if right && self.fleet.is_fresh(self.current_time()) {
            let until = Instant::now() + PRESENT;
            let (id, name) = (member.id.clone(), approver_name(&member.person, &member.name));
            if let Some((_, known)) = self.present.get_mut(&id) {
                *known = until;
            } else {
                let face = self.host.named_face(ConnectedApproverKind::Remote, &name);
                self.host.identify(&face, id.as_str());
                self.host.speak_for(&face, counted_as(member));
                self.present.insert(id, (face, until));
            }
        }
    }

    async fn answered(&mut self, message: Message) -> Result<(), FleetError> {
        let Some(reply) = message.reply.clone() else { return Ok(()) };
        if self.second.0.elapsed() >= Duration::from_secs(1) {
            self.second = (Instant::now(), 0);
        }
        self.second.1 += 1;
        if self.second.1 > ANSWERS {
            // Nobody is told: it shows "not confirmed" there, and sending it again is safe.
            return Ok(());
        }
        let Some((from, id)) = sender(&message.payload) else { return Ok(()) };
        let receipt = match admit_message(&self.fleet, &message.payload, self.current_time()) {
            Ok(AdmittedMessage::Answer(decided)) => self.decide(decided).await,
            Ok(AdmittedMessage::Repeated(receipt)) => receipt,
            Ok(_) => return Ok(()),
            Err(FleetRefusal::Closed { by, place }) => FleetReceipt::Closed { answer: id, by, place },
            Err(refusal) => {
                tracing::warn!(%refusal, from = %from, "an answer from the fleet does not count");
                self.host.note_stranger("fleet", from.as_str(), &refusal.to_string()).await;
                FleetReceipt::Refused { answer: id, reason: refusal.to_string() }
            }
        };
        let Some(to) = self.fleet.pinned.roster.member(&from).map(|member| member.seal) else {
            return Ok(());
        };
        let mut seed = Seed::new(super::random()?);
        let sealed =
            super::header(&self.fleet.id, &self.fleet.me)?.seal_body(&receipt, &[to], &self.sign, &mut seed);
        let bytes = sealed.map_err(FleetError::refused)?.encode();
        self.link.client.publish(reply, bytes.into()).await.map_err(FleetError::broker)
    }

    /// Hands an answer that counts to the gate, as any other approver's. It decides, durably, and says whether it was first.
    async fn decide(&mut self, decided: AdmittedAnswer) -> FleetReceipt {
        let answer = decided.id.clone();
        let now = self.current_time();
        if decided.missing > 0 {
            let missing = decided.missing;
            self.fleet.apply_admitted(&AdmittedMessage::Answer(decided), now);
            return FleetReceipt::Applied { answer, missing };
        }
        let passing;
        let face = if let Some((face, _)) = self.present.get(&decided.member) {
            face
        } else {
            passing = self
                .host
                .named_face(ConnectedApproverKind::Remote, &approver_name(&decided.person, &decided.device));
            self.host.identify(&passing, decided.member.as_str());
            self.host.speak_for(&passing, &decided.person);
            &passing
        };
        face.declare(decided.answer.shows.iter().filter_map(|part| part_of(part)));
        let params = match self.params(face, &decided).await {
            Ok(params) => params,
            Err(reason) => return FleetReceipt::Refused { answer, reason },
        };
        match self.host.call_method::<AnswerQuestion>(face.id(), &params).await {
            Ok(answered) if answered.applied => {
                if let Some(sent) = self.sent.get_mut(&params.question_id) {
                    sent.by = Some(device_of(&decided.person, &decided.device));
                }
                self.fleet.apply_admitted(&AdmittedMessage::Answer(decided), now);
                FleetReceipt::Applied { answer, missing: 0 }
            }
            Ok(Answered { missing: Some(missing), .. }) => FleetReceipt::Applied { answer, missing },
            Ok(answered) => FleetReceipt::Refused { answer, reason: answered.reason.unwrap_or_default() },
            Err(error) => FleetReceipt::Refused { answer, reason: error.message },
        }
    }

    /// Converts the answer to what the gate takes.
    async fn params(&self, face: &ApproverGuard, decided: &AdmittedAnswer) -> Result<AnswerParams, String> {
        let said = &decided.answer;
        let id = said.question.to_string();
        let answer = match said.answer {
            FleetChoice::Once => postern_contract::Answer::Once,
            FleetChoice::Always => postern_contract::Answer::Always,
            FleetChoice::Deny => postern_contract::Answer::Deny,
        };
        if said.answer == FleetChoice::Always {
            let reference = QuestionRef { question_id: id.clone() };
            let question = self.host.call_method::<GetQuestion>(face.id(), &reference).await;
            let question = question.map_err(|error| error.message)?;
            let offers =
                question.placed().map_err(|_| "nothing can be saved for this question".to_owned())?;
            let named = |rule: &String| offers.iter().any(|offer| offer.id == *rule);
            if !said.rule.as_ref().is_some_and(named) {
                return Err("always names one of the rules that the question offers".to_owned());
            }
        }
        let (proposal, feedback) = (said.rule.clone(), said.feedback.clone());
        Ok(AnswerParams { proposal, feedback, ..AnswerParams::new(id, said.digest.clone(), answer) })
    }
}

/// A question as it was sent.
struct SentFleetQuestion {
    all: String,
    /// Part of the question that a person judges by.
    judged: String,
    /// Person and device of the fleet whose answer decided.
    by: Option<String>,
}

/// Returns the part of a question that a person judges by.
///
/// That is the plan, which the digest covers, the level of danger, and what *always* would save.
fn judged(question: &Question) -> String {
    let offers = question.proposals.iter().map(|offer| (&offer.id, &offer.label, &offer.folder));
    let offers: Vec<_> = offers.collect();
    // Texts and lists always have a JSON form.
    serde_json::to_string(&(&question.digest, &question.risk, &question.danger, offers)).unwrap_or_default()
}

/// Returns the person that a member counts as: two devices of one person are one.
fn counted_as(member: &postern_fleet::Member) -> &str {
    if member.person.is_empty() { member.id.as_str() } else { &member.person }
}

fn device_of(person: &str, device: &str) -> String {
    format!("{person} on {device}")
}

/// Names an approver of the fleet among the host's approvers.
fn approver_name(person: &str, device: &str) -> String {
    format!("fleet, {}", device_of(person, device))
}

/// Reads the sender that an answer claims, and its id, for the reply alone.
///
/// `admit` looks for itself.
fn sender(bytes: &[u8]) -> Option<(FleetId, FleetId)> {
    let envelope = SignedEnvelope::decode(bytes, FleetMessageKind::Answer.max_bytes()).ok()?;
    let payload: postern_fleet::Payload<serde_json::Value> =
        serde_json::from_slice(&envelope.payload).ok()?;
    Some((payload.from, payload.id))
}

fn part_of(text: &str) -> Option<Part> {
    serde_json::from_value(serde_json::Value::String(text.to_owned())).ok()
}

fn fleet_risk(level: RiskLevel) -> FleetRisk {
    match level {
        RiskLevel::Safe => FleetRisk::Safe,
        RiskLevel::NeedsReview => FleetRisk::NeedsReview,
        RiskLevel::Dangerous => FleetRisk::Dangerous,
    }
}

fn require_message(message: Option<Message>) -> Result<Message, FleetError> {
    message.ok_or_else(|| FleetError::Unreachable("the connection was lost".to_owned()))
}
