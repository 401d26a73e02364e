//! Connection of a host to the broker: its questions go to the approvers of its groups.
//!
//! Their answers come back through the same path as any other approver's.

mod adopted;
mod answers;
mod aside;
mod audit;
mod jobs;
mod presence;
mod questions;
mod refused;
mod rights;
mod work;

pub(super) use work::method_of;

use super::FleetError;
use super::connect::BrokerLink;
use super::keep::{Folder, Keys, Membership};
use super::policy::HostPolicy;
use super::sender_shares::SenderShares;
use super::store::{self, Bucket, Revisions, StoredFleetEntry};
use super::streams::prepare;
use super::work_turns::HostTurns;
use adopted::{DocumentSource, TakenDocuments};
use aside::AsideTasks;
use async_nats::{Message, Subject};
use audit::AuditSender;
use futures_util::StreamExt as _;
use jobs::Reporting;
use postern_contract::{ApproverNotification, Closed};
use postern_fleet::{
    FleetId, FleetMessageHeader, FleetRefusal, FleetState, HostBlock, Now, RecordedRefusals, Seed,
    SettledQuestion, SignKey, Subjects,
};
use postern_host::{ApproverGuard, Host};
use questions::SentFleetQuestion;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::interval;

/// Interval at which an owner's Mac says that the roster is current.
const FRESH: Duration = Duration::from_hours(1);
/// Interval between two checks for approvers that are gone.
const TICK: Duration = Duration::from_secs(15);
/// Pause after another roster until that check, at which an owner's Mac says what nobody said yet.
const SOON: Duration = Duration::from_secs(2);
/// Jobs that may be under way.
const JOBS: usize = 8;
/// Answers of an approver that a host reads in a second, and messages that no approver signed.
const ANSWERS: u32 = 20;
/// Words of an approver's presence whose signature is verified in a second.
const PRESENCE: u32 = 4;

/// Facts that outlive a connection.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// Questions that ended, with their answers.
    settled: VecDeque<SettledQuestion>,
    /// Entries of the bucket that were read.
    read: Revisions,
    refusals: RecordedRefusals,
    taken: TakenDocuments,
    /// Approvers that are present: a connection that is lost for a moment takes none of them away.
    present: BTreeMap<FleetId, (ApproverGuard, Instant)>,
}

impl Remembered {
    /// Lets go of approvers whose last word is too old.
    pub(super) fn forget_gone(&mut self) {
        self.present.retain(|_, (_, until)| *until > Instant::now());
    }
}

pub(super) struct FleetHostSession {
    host: Host,
    folder: Folder,
    link: BrokerLink,
    names: Subjects,
    sign: SignKey,
    /// State that `admit` reads.
    fleet: FleetState,
    policy: HostPolicy,
    /// True if those who answer for this host may read what it did.
    readable: bool,
    /// The audit's way out; `None` while it is under way.
    audit: Option<AuditSender>,
    /// Work that waits for the broker's disk.
    aside: AsideTasks,
    /// Turns of jobs, which are done aside.
    turns: Arc<HostTurns>,
    /// Results of jobs.
    reports: (mpsc::Sender<Reporting>, mpsc::Receiver<Reporting>),
    started: Instant,
    /// Copy that was sent of each question that waits.
    sent: HashMap<String, SentFleetQuestion>,
    /// Questions that approvers elsewhere may see, kept over a restart.
    shown: BTreeSet<FleetId>,
    /// Approvers that are present, and until when.
    present: BTreeMap<FleetId, (ApproverGuard, Instant)>,
    /// Block of all agents here, as approvers elsewhere know it.
    blocked: Option<HostBlock>,
    /// Refusals that are in the audit already.
    refusals: RecordedRefusals,
    /// Documents of the bucket that count, or counted.
    taken: TakenDocuments,
    /// Shares of approvers in the answers that are read; of `None` those that none signed.
    answers: SenderShares<Option<FleetId>>,
    /// Shares of approvers in the words of their presence that are verified.
    presence: SenderShares<FleetId>,
    owner: Option<(FleetId, SignKey, BrokerLink)>,
    /// True if the broker's newest roster may not be the one that counts.
    doubts_roster: bool,
    /// The person's own member, who is at this Mac and not elsewhere.
    person: Option<FleetId>,
}

fn bucket<'a>(link: &'a BrokerLink, fleet: &'a FleetState) -> Bucket<'a> {
    Bucket { client: &link.client, fleet: &fleet.id, open: &fleet.key }
}

impl FleetHostSession {
    /// Connects, and reads the roster and what is current.
    pub(super) async fn open(
        host: &Host,
        folder: &Folder,
        (started, turns): (Instant, Arc<HostTurns>),
    ) -> Result<Self, FleetError> {
        let membership = folder.membership()?;
        let me = membership.own_member_id(true).ok_or(FleetError::NoHost)?.clone();
        let Keys { sign, open, nkey } = folder.read_keys(&me)?;
        let link = BrokerLink::open_as_member(folder, &membership, (&me, &nkey)).await?;
        let mut fleet = FleetState::new(membership.fleet.clone(), me, open, folder.pinned()?);
        let policy = HostPolicy::open(folder, membership.policy, &mut fleet)?;
        fleet.restore_jobs(folder.jobs()?);
        let owner = Self::connect_owner(folder, &membership, &fleet).await?;
        let names = Subjects::for_fleet(&membership.fleet);
        let person = membership.own_member_id(false).cloned();
        let signs = SignKey::from_seed(*sign.seed_bytes()).map_err(FleetError::own_error)?;
        let own_keys = (&fleet.id, &fleet.me, signs);
        let audit = AuditSender::new(host, folder, link.client.clone(), own_keys, membership.auditable);
        Ok(Self {
            host: host.clone(),
            folder: folder.clone(),
            link,
            names,
            sign,
            fleet,
            policy,
            readable: membership.readable,
            audit: Some(audit),
            aside: AsideTasks::default(),
            turns,
            reports: mpsc::channel(JOBS),
            started,
            sent: HashMap::new(),
            shown: folder.shown(),
            present: BTreeMap::new(),
            blocked: None,
            refusals: RecordedRefusals::default(),
            taken: TakenDocuments::default(),
            answers: SenderShares::new(ANSWERS, Duration::from_secs(1)),
            presence: SenderShares::new(PRESENCE, Duration::from_secs(1)),
            owner,
            doubts_roster: true,
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
        let link = BrokerLink::open_as_member(folder, membership, (&owner.id, &nkey)).await?;
        prepare(&link.client, &membership.fleet, &fleet.pinned.roster).await?;
        Ok(Some((owner.id.clone(), sign, link)))
    }

    /// Serves until the connection is lost. What ended under an earlier connection is known meanwhile, and given back with what
    /// ended since.
    pub(super) async fn serve_until_lost(mut self, known: &mut Remembered) -> Result<(), FleetError> {
        self.fleet.restore_settled(std::mem::take(&mut known.settled));
        self.refusals = std::mem::take(&mut known.refusals);
        self.taken = std::mem::take(&mut known.taken);
        self.present = std::mem::take(&mut known.present);
        let ended = self.serve(&mut known.read).await;
        known.refusals = std::mem::take(&mut self.refusals);
        known.taken = std::mem::take(&mut self.taken);
        known.present = std::mem::take(&mut self.present);
        known.settled = self.fleet.take_settled();
        ended
    }

    async fn serve(&mut self, read: &mut Revisions) -> Result<(), FleetError> {
        // Before anything is read, so that nothing is missed between.
        let mut kept = self.link.subscribe(self.names.stored(">")).await?;
        let mut answers = self.link.subscribe(self.names.answers(&self.fleet.me)).await?;
        let mut presence = self.link.subscribe(self.names.presence("*")).await?;
        let mut jobs = self.link.subscribe(self.names.jobs(self.fleet.me.as_str())).await?;
        // Of what is as it was nothing is read again: after a crash of the broker all hosts come at once.
        let there = store::revisions(&self.link, &self.fleet.id).await?;
        let is_new = |key: &str| !read.contains_key(key) || read.get(key) != there.get(key);
        let at = bucket(&self.link, &self.fleet);
        let entries = store::read_entries(at, (&self.fleet.pinned, &is_new)).await?;
        for stored in &entries {
            self.admit_stored(stored).await;
        }
        if let Some(newest) = entries.iter().filter_map(StoredFleetEntry::as_roster).next_back() {
            self.compare_newest_roster(newest).await;
        }
        // Somebody may have left while this host was not connected.
        self.tell_people().await?;
        let groups = self.fleet.groups().to_vec();
        self.policy.enter_groups(&groups);
        // What was kept holds even if the file of it is gone.
        self.policy.put_in_force(&self.host).await;
        let at = bucket(&self.link, &self.fleet);
        let mut counts = true;
        for stored in store::read_policy(at, (groups.as_slice(), &is_new)).await? {
            counts &= self.take_policy(&stored, DocumentSource::Newest).await;
        }
        // What does not count may count later.
        *read = if counts { store::of_groups(there, &self.fleet.id, &groups) } else { Revisions::new() };
        let mut told = self.host.subscribe_without_requests();
        self.show_waiting().await?;
        let (mut ticks, mut fresh, mut present) = (interval(TICK), interval(FRESH), interval(super::PRESENT));
        loop {
            tokio::select! {
                () = self.link.wait_until_lost() => return Err(FleetError::Unreachable("the connection was lost".to_owned())),
                news = told.recv() => self.on_notification(news, &mut told).await?,
                message = answers.next() => self.answered(require_message(message)?).await?,
                message = kept.next() => if self.changed(&require_message(message)?).await? { ticks.reset_after(SOON) },
                message = jobs.next() => self.take_job(require_message(message)?).await?,
                Some(Reporting { reply, member, report }) = self.reports.1.recv() => self.send_report(reply, &member, &report).await?,
                Some(ended) = self.aside.next() => self.finish_aside(ended)?,
                message = presence.next() => self.note_presence(&require_message(message)?),
                _ = ticks.tick() => {
                    self.present.retain(|_, (_, until)| *until > Instant::now());
                    self.send_audit();
                    self.say_missing_fresh().await?;
                    self.restore_roster().await?;
                }
                _ = fresh.tick() => self.say_fresh().await?,
                _ = present.tick() => self.say_present().await?,
            }
        }
    }

    fn current_time(&self) -> Now {
        Now { wall: super::wall_clock(), timer: self.started.elapsed() }
    }

    /// Takes what the broker stored. Returns true for another roster.
    async fn changed(&mut self, message: &Message) -> Result<bool, FleetError> {
        let stored = store::opened(&self.fleet.id, &self.fleet.key, &message.subject, &message.payload);
        if let Some(stored @ StoredFleetEntry::Policy(_)) = &stored {
            _ = self.take_policy(stored, DocumentSource::Live).await;
            return Ok(false);
        }
        let Some(stored) = stored else {
            if message.subject.as_str() == self.names.stored(store::ROSTER) {
                self.doubts_roster = true;
                let refusal = FleetRefusal::Sealed(postern_fleet::SealError::NotForUs);
                self.note_refusal(("roster", "roster"), (None, false), &refusal).await;
            }
            return Ok(false);
        };
        let is_roster = self.admit_stored(&stored).await;
        if is_roster {
            self.follow_rights().await?;
        } else {
            self.doubts_roster |= matches!(stored, StoredFleetEntry::Roster(_));
        }
        Ok(is_roster)
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
                self.close_question(&id, how.name(), face)
            }
            Ok(ApproverNotification::StatusChanged(status)) => self.note_status(&status).await,
            Ok(_) => Ok(()),
            Err(RecvError::Lagged(_)) => {
                *told = told.resubscribe();
                self.show_waiting().await
            }
            Err(RecvError::Closed) => Err(FleetError::Refused("the host ends".to_owned())),
        }
    }

    /// Seals a reply for a member, and sends it where that member gets replies. One who is no member any more gets none.
    ///
    /// Elsewhere nothing is sent: a request could name a subject that its sender may not write.
    async fn reply_sealed<B: postern_fleet::FleetMessageBody>(
        &self,
        reply: Subject,
        member: &FleetId,
        (id, body): (FleetId, &B),
    ) -> Result<(), FleetError> {
        let to = self.fleet.pinned.roster.member(member).map(|member| member.seal);
        let Some(to) = to.filter(|_| Subjects::is_inbox_of(member.as_str(), &reply)) else { return Ok(()) };
        let mut seed = Seed::new(super::random()?);
        let header = FleetMessageHeader { fleet: self.fleet.id.clone(), from: self.fleet.me.clone(), id };
        let sealed = header.seal_body(body, &[to], &self.sign, &mut seed).map_err(FleetError::refused)?;
        self.link.client.publish(reply, sealed.encode().into()).await.map_err(FleetError::broker)
    }
}

fn device_of(person: &str, device: &str) -> String {
    format!("{person} on {device}")
}

/// Names an approver of the fleet among the host's approvers.
fn approver_name(person: &str, device: &str) -> String {
    format!("fleet, {}", device_of(person, device))
}

fn require_message(message: Option<Message>) -> Result<Message, FleetError> {
    message.ok_or_else(|| FleetError::Unreachable("the connection was lost".to_owned()))
}
