//! The questions that wait: oldest first, the same plan asked twice is one question, and there is room for so many.

use super::arming::{self, Clock};
use super::{FaceId, FaceKind};
use postern_contract::methods::{Arming, Presented};
use postern_contract::{Answer, AnswerParams, Question};
use postern_policy::{AgentId, RiskLevel};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use tokio::time::Instant;
use uuid::Uuid;

/// How long a question waits for an approver to connect, where none is: one that restarts is back by then, and who is told
/// that something waits has opened a terminal.
pub(crate) const GRACE: Duration = Duration::from_secs(10);
/// Requests that may wait for one question.
pub(crate) const PER_QUESTION: usize = 64;

/// A question with everything that a face is not told.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) question: Question,
    /// The requests that wait for it, by the host's id.
    pub(crate) waiters: Vec<Uuid>,
    pub(crate) expires: Instant,
    /// When somebody has to be there who could answer; none once that was looked at.
    attended_by: Option<Instant>,
    /// The kinds of faces that showed it or listed it.
    pub(crate) presented: BTreeSet<FaceKind>,
    /// Why a face could not show it.
    pub(crate) cannot_present: Option<String>,
    clocks: HashMap<FaceId, Clock>,
}

impl Waiting {
    /// A face read it: whoever sits there has been told. A window reads it to show it, and says so when it does.
    pub(crate) fn listed(&mut self, face: FaceKind) {
        if face != FaceKind::Window {
            self.presented.insert(face);
        }
    }

    /// Parts the waiters into those that a yes is for, and the rest. A yes *once* is one run: without numbers it is for the
    /// first waiter alone, which is the one on show; several are named one by one, so that who joined later is not among them.
    pub(crate) fn part(&mut self, numbers: &[String]) -> (Vec<Uuid>, Vec<Uuid>) {
        let waiters = std::mem::take(&mut self.waiters);
        if numbers.is_empty() {
            let mut waiters = waiters.into_iter();
            return (waiters.next().into_iter().collect(), waiters.collect());
        }
        waiters.into_iter().partition(|waiter| numbers.contains(&waiter.to_string()))
    }

    fn delay(&self) -> Duration {
        match self.question.risk.level {
            RiskLevel::Dangerous => arming::DANGEROUS_DELAY,
            RiskLevel::Safe | RiskLevel::NeedsReview => arming::DELAY,
        }
    }

    fn arming(&self, face: FaceId, now: Instant) -> Arming {
        match self.clocks.get(&face) {
            Some(clock) => clock.state(&self.question.digest, self.delay(), now),
            None => {
                Arming { armed: false, remaining_ms: None, missing: "this face did not show it".to_owned() }
            }
        }
    }
}

/// Everything that waits.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    list: Vec<Waiting>,
}

impl Questions {
    /// Everything, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.list.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// How many of `agent` wait.
    pub(crate) fn of_agent(&self, agent: &AgentId) -> usize {
        self.list.iter().filter(|waiting| waiting.question.asker.agent == *agent).count()
    }

    /// Whether one waits already that shows `digest` for `agent`, and has room for another waiter.
    pub(crate) fn can_join(&self, agent: &AgentId, digest: &str) -> bool {
        self.list.iter().any(|waiting| {
            waiting.question.asker.agent == *agent
                && waiting.question.digest == digest
                && waiting.waiters.len() < PER_QUESTION
        })
    }

    /// Adds `waiter` to the question that already shows `digest` to the person for `agent`, if one waits.
    pub(crate) fn join(&mut self, agent: &AgentId, digest: &str, waiter: Uuid) -> Option<&Waiting> {
        let waiting = self.list.iter_mut().find(|waiting| {
            waiting.question.asker.agent == *agent
                && waiting.question.digest == digest
                && waiting.waiters.len() < PER_QUESTION
        })?;
        waiting.waiters.push(waiter);
        waiting.question.requests.push(waiter.to_string());
        Some(waiting)
    }

    /// A new question waits.
    pub(crate) fn open(&mut self, question: Question, waiters: Vec<Uuid>, expires: Instant) -> &Waiting {
        self.list.push(Waiting {
            question,
            waiters,
            expires,
            attended_by: Some(Instant::now() + GRACE),
            presented: BTreeSet::new(),
            cannot_present: None,
            clocks: HashMap::new(),
        });
        &self.list[self.list.len() - 1]
    }

    /// A waiting question shows something else, until `expires`: every face has to show it anew.
    pub(crate) fn show(&mut self, question: Question, expires: Instant) {
        if let Some(waiting) = self.find(&question.id) {
            waiting.question = question;
            waiting.expires = expires;
            waiting.clocks.clear();
        }
    }

    /// Its place in the queue, counted from one.
    pub(crate) fn position(&self, id: &str) -> usize {
        self.list.iter().position(|waiting| waiting.question.id == id).map_or(0, |index| index + 1)
    }

    /// A waiting question by its id or its code.
    pub(crate) fn find(&mut self, id: &str) -> Option<&mut Waiting> {
        self.list.iter_mut().find(|waiting| waiting.question.id == id || waiting.question.code == id)
    }

    /// The question that `waiter` waits for.
    pub(crate) fn of(&mut self, waiter: Uuid) -> Option<&mut Waiting> {
        self.list.iter_mut().find(|waiting| waiting.waiters.contains(&waiter))
    }

    /// A question ends.
    pub(crate) fn close(&mut self, id: &str) -> Option<Waiting> {
        let index = self.list.iter().position(|waiting| waiting.question.id == id)?;
        Some(self.list.remove(index))
    }

    /// `waiter` waits no more; gives the question with what is left of its waiters.
    pub(crate) fn leave(&mut self, waiter: Uuid) -> Option<&Waiting> {
        let waiting = self.of(waiter)?;
        waiting.waiters.retain(|other| *other != waiter);
        let request = waiter.to_string();
        waiting.question.requests.retain(|other| *other != request);
        Some(waiting)
    }

    /// When the next question ends by itself.
    pub(crate) fn next_expiry(&self) -> Option<Instant> {
        self.list.iter().flat_map(|waiting| waiting.attended_by.into_iter().chain([waiting.expires])).min()
    }

    /// The ids of those that nobody has looked at in the time that there is for somebody to connect. Asked once of each.
    pub(crate) fn unattended(&mut self, now: Instant) -> Vec<String> {
        let due = |waiting: &mut Waiting| waiting.attended_by.take_if(|by| *by <= now).is_some();
        let due = self.list.iter_mut().filter_map(|waiting| due(waiting).then_some(&*waiting));
        due.filter(|waiting| waiting.presented.is_empty())
            .map(|waiting| waiting.question.id.clone())
            .collect()
    }

    /// The ids of those whose time is over.
    pub(crate) fn expired(&self, now: Instant) -> Vec<String> {
        self.list
            .iter()
            .filter(|waiting| waiting.expires <= now)
            .map(|waiting| waiting.question.id.clone())
            .collect()
    }

    /// Four hex digits that no waiting question has.
    pub(crate) fn fresh_code(&self, seed: Uuid) -> String {
        let (_, low) = seed.as_u64_pair();
        let start = u16::try_from(low & 0xffff).unwrap_or_default();
        (0..=u16::MAX)
            .map(|step| format!("{:04x}", start.wrapping_add(step)))
            .find(|code| self.list.iter().all(|waiting| waiting.question.code != *code))
            .unwrap_or_default()
    }

    /// A face says what it shows.
    pub(crate) fn presented(&mut self, face: FaceId, seen: &Presented, now: Instant) -> Arming {
        let Some(waiting) = self.find(&seen.question_id) else {
            return Arming { armed: false, remaining_ms: None, missing: "it waits no more".to_owned() };
        };
        if seen.visible {
            waiting.presented.insert(face.kind);
        }
        waiting
            .clocks
            .entry(face)
            .and_modify(|clock| clock.report(seen, now))
            .or_insert_with(|| Clock::start(seen, now));
        waiting.arming(face, now)
    }

    /// A face listed everything.
    pub(crate) fn listed(&mut self, face: FaceKind) {
        for waiting in &mut self.list {
            waiting.listed(face);
        }
    }

    /// Nobody sees what windows show: their arming starts over.
    pub(crate) fn unseen_in_windows(&mut self) {
        for waiting in &mut self.list {
            waiting.clocks.retain(|face, _| face.kind != FaceKind::Window);
        }
    }

    /// Whether a window shows anything.
    pub(crate) fn in_a_window(&self) -> bool {
        self.list.iter().flat_map(|waiting| waiting.clocks.keys()).any(|face| face.kind == FaceKind::Window)
    }

    /// Whether an answer counts: the question waits, the digest is the one on show, and the yes of a face
    /// that says what it shows was armed.
    pub(crate) fn check(
        &mut self,
        params: &AnswerParams,
        face: FaceId,
        now: Instant,
    ) -> Result<&Waiting, String> {
        let Some(waiting) = self.find(&params.question_id) else {
            return Err("it was answered already, or its time is over".to_owned());
        };
        if waiting.question.digest != params.digest {
            return Err("what was shown is not what would run now; look again".to_owned());
        }
        let yes = match params.answer {
            Answer::Once | Answer::Always => true,
            Answer::Deny | Answer::DenyAlways | Answer::DenyAll => false,
        };
        // A window always says what it shows. A terminal that does (`postern tui`) is held to it as well; one that does
        // not (`postern approve`) names the digest of what it printed.
        if yes && (face.kind == FaceKind::Window || waiting.clocks.contains_key(&face)) {
            let arming = waiting.arming(face, now);
            if !arming.armed {
                return Err(format!("not yet: {}", arming.missing));
            }
        }
        Ok(waiting)
    }
}
