//! The questions that wait, with what is known of the faces that show them. What waits for what, and how long, is decided by
//! [`postern_request::QuestionQueue`].

use super::arming::{self, Clock, Unarmed};
use super::{ApproverId, ConnectedApproverKind};
use postern_contract::methods::{Arming, Presented};
use postern_contract::{Answer, AnswerParams, Missing, NotApplied, Question, ShownText, to_pieces};
use postern_policy::{AgentId, RiskLevel};
use postern_request::Digest;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use tokio::time::Instant;
use uuid::Uuid;

/// A question with the requests that wait for it, by the host's id.
pub(crate) type WaitingQuestion = postern_request::PendingQuestion<OnShow, Uuid>;

/// A question with everything that a face is not told.
#[derive(Debug)]
pub(crate) struct OnShow {
    pub(crate) question: Question,
    /// The kinds of faces that showed it or listed it.
    pub(crate) presented: BTreeSet<ConnectedApproverKind>,
    /// Reason why an approver could not show it.
    pub(crate) cannot_present: Option<String>,
    /// True if a window showed another question meanwhile.
    behind: bool,
    /// True if the machine slept meanwhile: nobody had all of its time to answer.
    pub(crate) slept: bool,
    /// True if a person kept it for later.
    pub(crate) put_off: bool,
    clocks: HashMap<ApproverId, Clock>,
    /// Number of people that had to approve it at any time since it is on show.
    pub(crate) people: usize,
    /// People who approved what is on show, where several have to.
    pub(crate) approved: BTreeSet<String>,
    /// Sentences about who approved it, and whose approval does not count any more: the end of its reason.
    pub(crate) notes: ShownText,
}

impl OnShow {
    /// Adds a sentence about an approval to what everybody is shown.
    pub(crate) fn note_approval(&mut self, sentence: &str) {
        let note = to_pieces(&format!(" {sentence}"));
        self.question.why.extend(note.iter().cloned());
        self.notes.extend(note);
    }

    /// Notes that an approver read it: the person there has seen it. A window reads it to show it, and says
    /// so when it does.
    pub(crate) fn listed(&mut self, face: ConnectedApproverKind) {
        if face != ConnectedApproverKind::Window {
            self.presented.insert(face);
        }
    }

    fn arming(&self, face: ApproverId, now: Instant) -> Result<(), Unarmed> {
        let clock = self.clocks.get(&face).ok_or(Unarmed::waiting_for(Missing::NotShown))?;
        clock.check_armed(&self.question.digest, arming::delay_of(self.question.risk.level), now)
    }
}

/// Everything that waits.
#[derive(Debug, Default)]
pub(crate) struct OpenQuestions {
    list: postern_request::QuestionQueue<OnShow, Uuid>,
}

impl OpenQuestions {
    /// Returns all questions, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &WaitingQuestion> {
        self.list.iter()
    }

    /// Marks all questions as interrupted by the machine's sleep, so that silence about them means nothing.
    pub(crate) fn mark_slept(&mut self) {
        self.list.iter_mut().for_each(|waiting| waiting.shown.slept = true);
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the number of waiting questions of `agent`.
    pub(crate) fn of_agent(&self, agent: &AgentId) -> usize {
        self.list.of_agent(agent)
    }

    /// Returns true if one waits already that shows `digest` for `agent`, and has room for another waiter.
    pub(crate) fn can_join(&self, agent: &AgentId, digest: &Digest) -> bool {
        self.list.can_join(agent, digest)
    }

    /// Adds `waiter` to the question that already shows `digest` to the person for `agent`, if one waits.
    pub(crate) fn join_waiter(
        &mut self,
        agent: &AgentId,
        digest: &Digest,
        waiter: Uuid,
    ) -> Option<&Question> {
        let waiting = self.list.join_waiter(agent, digest, waiter)?;
        waiting.shown.question.requests.push(waiter.to_string());
        Some(&waiting.shown.question)
    }

    /// Adds a question for the plan of this digest, by the gate's clock.
    pub(crate) fn open_question(
        &mut self,
        question: Question,
        plan: Digest,
        waiters: Vec<Uuid>,
        now: Duration,
        expires: Duration,
    ) {
        let plan = (question.asker.agent.clone(), plan);
        let (presented, clocks) = (BTreeSet::new(), HashMap::new());
        let behind = self.in_a_window();
        let (slept, put_off, approved) = (false, false, BTreeSet::new());
        let (people, cannot_present, notes) = (1, None, ShownText::new());
        let shown = OnShow {
            question,
            presented,
            cannot_present,
            behind,
            slept,
            put_off,
            clocks,
            people,
            approved,
            notes,
        };
        self.list.open_question(shown, plan, waiters, now, expires);
    }

    /// Returns how many people have to approve a question: never fewer than at any time since it is on show.
    ///
    /// Nothing that is saved or set meanwhile lets one person decide it.
    pub(crate) fn people_for(&mut self, id: &str, wanted: impl FnOnce(RiskLevel) -> usize) -> usize {
        let Some(waiting) = self.find_question(id) else { return 1 };
        waiting.shown.people = waiting.shown.people.max(wanted(waiting.shown.question.risk.level));
        if waiting.shown.people > 1 {
            waiting.close_to_others();
        }
        waiting.shown.people
    }

    /// Forgets the approvals of everybody of whom `counts` is false for the risk of the question. Returns the questions that lost
    /// one.
    pub(crate) fn keep_people(&mut self, counts: impl Fn(&str, RiskLevel) -> bool) -> Vec<Question> {
        let mut changed = Vec::new();
        for waiting in self.list.iter_mut() {
            let shown = &mut waiting.shown;
            let risk = shown.question.risk.level;
            let gone: Vec<String> = shown.approved.extract_if(.., |person| !counts(person, risk)).collect();
            for person in &gone {
                shown.note_approval(&format!("{person}’s approval does not count any more."));
            }
            if !gone.is_empty() {
                changed.push(shown.question.clone());
            }
        }
        changed
    }

    /// Notes that a window shows another question than this one, which waits here.
    pub(crate) fn put_behind(&mut self, id: &str) {
        if let Some(waiting) = self.find_question(id) {
            waiting.shown.behind = true;
        }
    }

    /// Replaces the content of a waiting question and the digest of its plan, until `expires`: every approver has to show it
    /// again.
    pub(crate) fn replace_question(&mut self, question: Question, plan: Digest, expires: Duration) {
        if let Some(waiting) = self.find_question(&question.id) {
            waiting.change(plan, expires);
            waiting.shown.question = question;
            waiting.shown.clocks.clear();
            waiting.shown.approved.clear();
            waiting.shown.notes.clear();
        }
    }

    /// Returns the position in the queue, counted from one.
    pub(crate) fn position(&self, id: &str) -> usize {
        self.iter().position(|waiting| waiting.shown.question.id == id).map_or(0, |index| index + 1)
    }

    pub(crate) fn find_by_name(&self, id: &str) -> Option<&WaitingQuestion> {
        self.iter().find(|waiting| waiting.shown.question.is_named(id))
    }

    pub(crate) fn find_question(&mut self, id: &str) -> Option<&mut WaitingQuestion> {
        self.list.iter_mut().find(|waiting| waiting.shown.question.is_named(id))
    }

    pub(crate) fn question_of(&mut self, waiter: Uuid) -> Option<&mut WaitingQuestion> {
        self.list.find_by_waiter(waiter)
    }

    /// Removes a question that ends.
    pub(crate) fn close(&mut self, id: &str) -> Option<WaitingQuestion> {
        self.list.close_question(|shown| shown.question.id == id)
    }

    /// Removes a waiter; returns the question with the rest of its waiters.
    pub(crate) fn remove_waiter(&mut self, waiter: Uuid) -> Option<&WaitingQuestion> {
        let waiting = self.list.remove_waiter(waiter)?;
        let request = waiter.to_string();
        waiting.shown.question.requests.retain(|other| *other != request);
        Some(waiting)
    }

    /// Returns the time at which the next question may end by itself, by the gate's clock.
    pub(crate) fn next_due(&self) -> Option<Duration> {
        self.list.next_due()
    }

    /// Returns the ids of those that nobody has looked at in the time that there is for somebody to connect.
    /// Asked once of each.
    pub(crate) fn unattended(&mut self, now: Duration) -> Vec<String> {
        let due = self.list.to_attend(now).filter(|waiting| waiting.shown.presented.is_empty());
        due.map(|waiting| waiting.shown.question.id.clone()).collect()
    }

    /// Returns the ids of those whose time is over.
    pub(crate) fn expired(&self, now: Duration) -> Vec<String> {
        self.list.expired(now).map(|waiting| waiting.shown.question.id.clone()).collect()
    }

    /// Returns four hex digits that no waiting question has.
    pub(crate) fn fresh_code(&self, seed: Uuid) -> String {
        let (_, low) = seed.as_u64_pair();
        let start = u16::try_from(low & 0xffff).unwrap_or_default();
        (0..=u16::MAX)
            .map(|step| format!("{:04x}", start.wrapping_add(step)))
            .find(|code| self.iter().all(|waiting| waiting.shown.question.code != *code))
            .unwrap_or_default()
    }

    /// Notes the part of a question that an approver shows.
    pub(crate) fn presented(&mut self, face: ApproverId, seen: &Presented, now: Instant) -> Arming {
        if seen.visible && face.kind == ConnectedApproverKind::Window {
            for waiting in self.list.iter_mut() {
                waiting.shown.behind |= waiting.shown.question.id != seen.question_id;
            }
        }
        let Some(WaitingQuestion { shown, .. }) = self.find_question(&seen.question_id) else {
            return arming::to_arming(Err(Unarmed::waiting_for(Missing::Question)));
        };
        if seen.visible {
            shown.presented.insert(face.kind);
        }
        shown
            .clocks
            .entry(face)
            .and_modify(|clock| clock.report(seen, now))
            .or_insert_with(|| Clock::start(seen, now));
        arming::to_arming(shown.arming(face, now))
    }

    /// Notes that an approver listed all questions.
    pub(crate) fn listed(&mut self, face: ConnectedApproverKind) {
        for waiting in self.list.iter_mut() {
            waiting.shown.listed(face);
        }
    }

    /// Returns true if nobody has seen a question yet, because a window showed another one.
    pub(crate) fn waits_behind(&mut self, id: &str) -> bool {
        let shown = self.find_question(id).map(|waiting| &waiting.shown);
        shown
            .is_some_and(|shown| shown.behind && shown.presented.is_empty() && shown.cannot_present.is_none())
    }

    /// Starts arming in windows over, as nobody sees what they show.
    pub(crate) fn unseen_in_windows(&mut self) {
        for waiting in self.list.iter_mut() {
            waiting.shown.clocks.retain(|face, _| face.kind != ConnectedApproverKind::Window);
        }
    }

    /// Returns true if a window shows anything.
    pub(crate) fn in_a_window(&self) -> bool {
        self.iter()
            .flat_map(|waiting| waiting.shown.clocks.keys())
            .any(|face| face.kind == ConnectedApproverKind::Window)
    }

    /// Returns whether an answer counts.
    ///
    /// The question waits, the digest is the one on show, and the approval of an approver that says what it
    /// shows was armed.
    pub(crate) fn check_answer(
        &mut self,
        params: &AnswerParams,
        face: ApproverId,
        now: Instant,
    ) -> Result<&Question, NotApplied> {
        let Some(WaitingQuestion { shown, .. }) = self.find_question(&params.question_id) else {
            return Err(NotApplied::Over);
        };
        if shown.question.digest != params.digest {
            return Err(NotApplied::NotOnShow);
        }
        let yes = match params.answer {
            Answer::Once | Answer::Always => true,
            Answer::Deny | Answer::DenyAlways | Answer::DenyAll => false,
        };
        // A window always says what it shows. A terminal that does (`postern tui`) is held to it as well; one that does
        // not (`postern approve`) names the digest of what it printed.
        if yes && (face.kind == ConnectedApproverKind::Window || shown.clocks.contains_key(&face)) {
            shown.arming(face, now).map_err(|unarmed| NotApplied::NotArmed(unarmed.missing))?;
        }
        Ok(&shown.question)
    }
}
