//! Approval by several people, where a policy wants it for a risk. Every one of them has a key of the fleet; the first denial
//! ends it.

use super::task::Task;
use crate::ask::{ApproverId, FleetPeople};
use crate::book::Snapshot;
use postern_contract::{Answer, AnswerParams, NotApplied};
use postern_policy::{Fallback, RiskLevel, Settings};

impl Task {
    /// Returns the number of people that have to approve a waiting question: what the policy wants, or ever wanted while it
    /// waits.
    pub(super) fn people_of(&mut self, question: &str) -> usize {
        let snapshot = self.parts.book.snapshot();
        self.questions.people_for(question, |risk| wanted_people(&snapshot, risk))
    }

    /// Returns what silence about something of this risk means. No fallback stands in for several people.
    pub(super) fn fallback_for(&self, settings: &Settings, risk: RiskLevel) -> Fallback {
        let people = wanted_people(&self.parts.book.snapshot(), risk);
        if people > 1 { Fallback::Deny } else { settings.fallback }
    }

    /// Notes an approval, and returns why it does not decide; `None` if it does.
    pub(super) fn not_enough(
        &mut self,
        id: &str,
        params: &AnswerParams,
        face: ApproverId,
    ) -> Option<NotApplied> {
        if !matches!(params.answer, Answer::Once | Answer::Always) {
            return None;
        }
        let needed = self.people_of(id);
        if needed < 2 {
            return None;
        }
        if params.answer == Answer::Always {
            return Some(NotApplied::OnceTogether);
        }
        let shown_one = &mut self.questions.find_question(id)?.shown;
        let risk = shown_one.question.risk.level;
        let Some(person) = self.parts.faces.person_of(face, risk) else { return Some(NotApplied::NoPerson) };
        if !shown_one.approved.insert(person.clone()) {
            return Some(NotApplied::SamePerson(person));
        }
        let more = needed.saturating_sub(shown_one.approved.len());
        if more == 0 {
            return None;
        }
        // Everybody who is asked sees who has approved it.
        shown_one.note_approval(&format!("{person} approved it."));
        let question = shown_one.question.clone();
        self.tell_changed(question);
        Some(NotApplied::MorePeople(u8::try_from(more).unwrap_or(u8::MAX)))
    }

    /// Forgets the approvals of everybody but these people, who are the approvers of the fleet by now. Everybody who is asked
    /// sees whose does not count any more.
    pub(super) fn keep_people(&mut self, people: FleetPeople) {
        self.parts.faces.set_own(people.own);
        let changed = self
            .questions
            .keep_people(|person, risk| people.limits.get(person).is_some_and(|most| risk <= *most));
        for question in changed {
            self.tell_changed(question);
        }
    }
}

fn wanted_people(snapshot: &Snapshot, risk: RiskLevel) -> usize {
    let wanted = snapshot.managed.as_ref().ok().and_then(|managed| managed.approvals.get(&risk).copied());
    usize::from(wanted.unwrap_or(1))
}
