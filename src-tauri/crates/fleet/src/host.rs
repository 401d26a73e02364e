//! State of a host in its fleet: [`admit_message`](crate::admit_message) reads it, and what was admitted changes it.

use crate::WallMillis;
use crate::admitted::{AdmittedAnswer, AdmittedMessage, Now};
use crate::bundle::InForce;
use crate::id::{FleetId, Hash};
use crate::keys::OpenKey;
use crate::message::FleetRisk;
use crate::roster::{Fresh, Member, MemberRole, PinnedRoster};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Number of closed questions that a host remembers, to tell late answers who was first.
const REMEMBERED: usize = 1024;
/// Limit by which `fresh` may be ahead of the host's clock.
pub(crate) const SKEW: WallMillis = 5 * 60_000;

/// A host's view of its fleet.
#[derive(Debug)]
pub struct FleetState {
    pub id: FleetId,
    pub me: FleetId,
    /// The key that answers are sealed with.
    pub key: OpenKey,
    /// The roster that counts.
    pub pinned: PinnedRoster,
    pub(crate) fresh: Option<ReceivedFresh>,
    pub(crate) open: BTreeMap<FleetId, OpenQuestion>,
    pub(crate) settled: VecDeque<SettledQuestion>,
    pub(crate) policy: BTreeMap<FleetId, InForce>,
    /// Time of the last job of each member.
    pub(crate) jobs: BTreeMap<FleetId, WallMillis>,
}

/// The last `fresh` and when it came, by the host's timer.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedFresh {
    pub(crate) fresh: Fresh,
    /// Absent after a restart: the timer began again.
    pub(crate) came: Option<Duration>,
}

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    /// Counts up with each change of what is shown.
    pub revision: u64,
    /// Digest of the plan on show.
    pub digest: String,
    /// Degree of care that the question needs.
    pub risk: FleetRisk,
    /// Number of people whose approval it needs.
    pub approvals: u8,
    /// Deadline, by the host's timer.
    pub ends: Duration,
    /// Approvals so far: answer, member and person.
    pub given: Vec<(FleetId, FleetId, String)>,
}

/// A question that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledQuestion {
    pub question: FleetId,
    /// The answers that decided it, empty if it was answered on the host or ended by itself.
    pub answers: Vec<FleetId>,
    /// Cause of the end, as a closing names it.
    pub outcome: String,
    /// The person whose answer counts.
    pub by: Option<String>,
    /// The device or approver where.
    pub place: Option<String>,
}

impl FleetState {
    /// Makes a host that has a roster, and nothing else yet.
    pub fn new(id: FleetId, me: FleetId, key: OpenKey, pinned: PinnedRoster) -> Self {
        Self {
            id,
            me,
            key,
            pinned,
            fresh: None,
            open: BTreeMap::new(),
            settled: VecDeque::new(),
            policy: BTreeMap::new(),
            jobs: BTreeMap::new(),
        }
    }

    /// Takes back what was kept over a restart.
    pub fn restore(&mut self, fresh: Option<Fresh>, policy: BTreeMap<FleetId, InForce>) {
        self.fresh = fresh.map(|fresh| ReceivedFresh { fresh, came: None });
        self.policy = policy;
    }

    /// Takes back the times of the last jobs, which no restart may forget: a job would count twice.
    pub fn restore_jobs(&mut self, jobs: BTreeMap<FleetId, WallMillis>) {
        self.jobs = jobs;
    }

    /// Takes back the questions that ended under an earlier connection: who sends an answer again learns what came of it.
    pub fn restore_settled(&mut self, settled: VecDeque<SettledQuestion>) {
        self.settled = settled;
    }

    /// Returns a question that ended, if it is remembered.
    pub fn find_settled(&self, question: &FleetId) -> Option<&SettledQuestion> {
        self.settled.iter().find(|settled| settled.question == *question)
    }

    /// Gives away the questions that ended.
    pub fn take_settled(&mut self) -> VecDeque<SettledQuestion> {
        std::mem::take(&mut self.settled)
    }

    /// Returns the time of the last job of each member, to be kept over a restart.
    pub fn jobs(&self) -> &BTreeMap<FleetId, WallMillis> {
        &self.jobs
    }

    /// Returns the last `fresh`, to be kept over a restart.
    pub fn last_fresh(&self) -> Option<&Fresh> {
        self.fresh.as_ref().map(|said| &said.fresh)
    }

    /// Returns the policy of each group, to be kept over a restart.
    pub fn policy(&self) -> &BTreeMap<FleetId, InForce> {
        &self.policy
    }

    /// Returns this host as its roster has it.
    pub fn own_member(&self) -> Option<&Member> {
        self.pinned.roster.member(&self.me).filter(|member| member.has_role(MemberRole::Host))
    }

    /// Returns the groups that this host is in.
    pub fn groups(&self) -> &[FleetId] {
        self.own_member().map_or(&[], |member| &member.groups)
    }

    /// Records a question that waits, or shows something else. Approvals of what was shown before do not count any
    /// more.
    pub fn open_question(&mut self, question: FleetId, open: OpenQuestion) {
        self.open.insert(question, open);
    }

    /// Returns the questions that wait.
    pub fn waiting(&self) -> impl Iterator<Item = (&FleetId, &OpenQuestion)> {
        self.open.iter()
    }

    /// Ends a question, after an answer on the host or by itself.
    pub fn settle(&mut self, question: &FleetId, outcome: &str, by: Option<String>, place: Option<String>) {
        if self.open.remove(question).is_some() {
            let (question, answers, outcome) = (question.clone(), Vec::new(), outcome.to_owned());
            let settled = SettledQuestion { question, answers, outcome, by, place };
            self.remember(settled);
        }
    }

    fn remember(&mut self, settled: SettledQuestion) {
        self.settled.push_back(settled);
        while self.settled.len() > REMEMBERED {
            self.settled.pop_front();
        }
    }

    /// Returns whether an owner said recently that this roster is the newest. Every doubt about a clock says no.
    pub fn is_fresh(&self, now: Now) -> bool {
        let Some(said) = &self.fresh else { return false };
        let limit = self.pinned.roster.fresh_for;
        let age = now.wall.saturating_sub(said.fresh.at);
        let by_timer = said.came.map_or(Duration::ZERO, |came| now.timer.saturating_sub(came));
        let by_timer = WallMillis::try_from(by_timer.as_millis()).unwrap_or(WallMillis::MAX);
        // The wall clock may have been set back since: the timer was not.
        said.fresh.roster == self.pinned.hash && age >= -SKEW && age.max(by_timer) <= limit
    }

    /// Takes what [`admit_message`](crate::admit_message) let through.
    pub fn apply_admitted(&mut self, admitted: &AdmittedMessage, now: Now) {
        match admitted {
            AdmittedMessage::Answer(decided) => self.decide(decided),
            AdmittedMessage::Repeated(_) => {}
            AdmittedMessage::Roster(pinned) => {
                self.pinned = pinned.as_ref().clone();
                self.drop_revoked();
            }
            AdmittedMessage::Fresh(fresh) => {
                self.fresh = Some(ReceivedFresh { fresh: fresh.clone(), came: Some(now.timer) });
            }
            AdmittedMessage::Bundle { bundle, hash } => {
                let before = self.policy.get(&bundle.group);
                let stage = before.map_or(0, |policy| policy.stage);
                let good = before.and_then(|policy| policy.good);
                let policy = InForce { version: bundle.version, bundle: *hash, stage, good };
                self.policy.insert(bundle.group.clone(), policy);
            }
            AdmittedMessage::Job { member, job, .. } => {
                self.jobs.insert(member.clone(), job.at);
            }
            AdmittedMessage::Stage(stage) => {
                let reached = stage.reach.covers(&self.me, &stage.bundle);
                if let Some(policy) = self.policy.get_mut(&stage.group) {
                    policy.stage = stage.number;
                    // A stage that does not reach this host leaves the last known good in force.
                    policy.good = if reached { Some(stage.bundle) } else { policy.good };
                }
            }
        }
    }

    fn decide(&mut self, decided: &AdmittedAnswer) {
        let given = (decided.id.clone(), decided.member.clone(), decided.person.clone());
        if decided.missing > 0 {
            if let Some(open) = self.open.get_mut(&decided.answer.question) {
                open.given.push(given);
            }
            return;
        }
        let Some(open) = self.open.remove(&decided.answer.question) else { return };
        self.remember(SettledQuestion {
            question: decided.answer.question.clone(),
            answers: open.given.into_iter().chain([given]).map(|(answer, ..)| answer).collect(),
            outcome: if decided.answer.answer.allows() { "allowed" } else { "denied" }.to_owned(),
            by: Some(decided.person.clone()),
            place: Some(decided.device.clone()),
        });
    }

    /// Approvals of members that may not approve any more count no more.
    fn drop_revoked(&mut self) {
        let (roster, me) = (&self.pinned.roster, &self.me);
        let groups = roster.member(me).map_or(&[][..], |host| &host.groups);
        for open in self.open.values_mut() {
            let risk = open.risk;
            open.given.retain(|(_, member, _)| {
                roster.member(member).is_some_and(|member| {
                    member.answers_for(groups)
                        && member.approver.as_ref().is_some_and(|approver| risk <= approver.risk)
                })
            });
        }
    }

    /// Returns the hash of the roster that counts.
    pub fn roster(&self) -> Hash {
        self.pinned.hash
    }
}
