//! From the host to the chat: what waits is shown, what changed is shown again, what ended is told.

use super::approval::{ChatApproval, ShownMessage, WITHDRAWN, outcome, outcome_of_question};
use super::hub::{ChatJob, Hub};
use super::messenger::Messenger;
use super::register::ChatOwner;
use super::subject::ChatSubject;
use super::text;
use crate::door::{READER, waiting_here};
use postern_contract::methods::{AuditRow, GetRequest, RequestAsk};
use postern_contract::{ChatStatus, Closed, ClosedBy, Question, Saved};
use postern_policy::AgentId;
use std::collections::BTreeSet;

impl<M: Messenger> Hub<M> {
    /// Shows all waiting questions where they were not shown, and reports the end of those that no longer
    /// wait.
    pub(super) async fn catch_up(&mut self) {
        let Ok(waiting) = waiting_here(&self.host).await else { return };
        for question in &waiting {
            self.show_question(question);
        }
        let gone: Vec<ChatApproval> = {
            let register = self.register.lock();
            let waits = |one: &&ChatApproval| waiting.iter().any(|question| question.id == one.question);
            register.approvals.pending().filter(|one| !waits(one)).cloned().collect()
        };
        for approval in gone {
            let (status, outcome) = self.looked_up(&approval).await;
            self.record_outcome(&approval.question, status, outcome, &[]);
        }
    }

    pub(super) fn show_question(&mut self, question: &Question) {
        let places = self.places(&question.asker.agent);
        let withheld = text::withheld(question, self.settings.high_risk);
        let mut outdated = Vec::new();
        {
            let mut register = self.register.lock();
            let known = register.approvals.find_by_question(&question.id);
            match known.map(|one| (one.status, one.digest == question.digest)) {
                Some((ChatStatus::Pending, true)) => {}
                Some((ChatStatus::Pending, false)) => {
                    let Some(approval) = register.approvals.change(&question.id) else { return };
                    let message = text::outdated(approval);
                    outdated.extend(approval.shown.iter().map(|shown| ChatJob::Change {
                        place: shown.place.clone(),
                        id: shown.external_message_id.clone(),
                        message: message.clone(),
                    }));
                    approval.digest.clone_from(&question.digest);
                    approval.line = ChatSubject::one_line(question);
                    approval.withheld = withheld;
                }
                Some(_) => return,
                None if places.is_empty() => return,
                None => register.approvals.add_approval(ChatApproval::new(question, withheld)),
            }
        }
        for job in outdated {
            self.enqueue(job);
        }
        for place in places {
            self.show_in_place(question, place);
        }
    }

    /// Shows a question in a place, unless it stands there as it is, or is about to.
    fn show_in_place(&mut self, question: &Question, place: String) {
        let digest = question.digest.clone();
        let stands = {
            let register = self.register.lock();
            let approval = register.approvals.find_by_question(&question.id);
            let last = approval.and_then(|one| one.shown_in(&place));
            last.is_some_and(|shown| shown.digest == digest)
        };
        if stands || !self.posting.insert((digest, question.id.clone(), place.clone())) {
            return;
        }
        let withheld = text::withheld(question, self.settings.high_risk);
        self.enqueue(ChatJob::Show { question: Box::new(question.clone()), withheld, place });
    }

    fn places(&self, agent: &AgentId) -> Vec<String> {
        if !self.settings.shows_agent(agent) {
            return Vec::new();
        }
        let register = self.register.lock();
        let mut places: Vec<String> = match (self.settings.owners_for_agent(agent), &self.settings.room) {
            (Some(whom), room) => {
                let chosen = register.owners().filter(|owner| whom.contains(&owner.id));
                let room = room.iter().filter(|room| whom.contains(room)).cloned();
                chosen.map(|owner| owner.place.clone()).chain(room).collect()
            }
            (None, Some(room)) => vec![room.clone()],
            (None, None) => register.owners().map(|owner| owner.place.clone()).collect(),
        };
        places.sort();
        places.dedup();
        places
    }

    /// Returns every place where questions are shown.
    fn everywhere(&self) -> BTreeSet<String> {
        let register = self.register.lock();
        let routed = |owner: &&ChatOwner| self.settings.routed().any(|id| *id == owner.id);
        let in_room = self.settings.room.is_some();
        let owners = register.owners().filter(|owner| !in_room || routed(owner));
        owners.map(|owner| owner.place.clone()).chain(self.settings.room.clone()).collect()
    }

    /// Reports a change that lets more run, together with those not sent yet.
    pub(super) fn widened(&mut self, change: &AuditRow) {
        if !self.settings.changes {
            return;
        }
        for place in self.everywhere() {
            let waiting = self.jobs.iter_mut().find_map(|(job, _)| match job {
                ChatJob::Widened { place: there, changes } if *there == place => Some(changes),
                _ => None,
            });
            match waiting {
                Some(changes) => changes.add_change(change),
                None => self.enqueue(ChatJob::Widened { place, changes: text::Changes::from_change(change) }),
            }
        }
    }

    /// Handles the end of a question.
    pub(super) async fn closed(&mut self, closed: &Closed) {
        let approval = self.register.lock().approvals.find_by_question(&closed.id).cloned();
        let Some(approval) = approval.filter(|one| one.status == ChatStatus::Pending) else { return };
        let (ours, saved) = match self.ours.remove(&closed.id) {
            Some(decided) => (Some(decided.words), decided.saved),
            None => (None, Vec::new()),
        };
        let by = closed.face.as_ref().map(|face| format!(" by {face}")).unwrap_or_default();
        let (status, outcome) = match closed.how {
            ClosedBy::Allowed => (ChatStatus::Approved, ours.unwrap_or_else(|| format!("Approved{by}"))),
            ClosedBy::Denied => (ChatStatus::Denied, ours.unwrap_or_else(|| format!("Denied{by}"))),
            ClosedBy::Expired => {
                (ChatStatus::Expired, format!("Expired: nobody answered in time. {}", approval.at_zero))
            }
            ClosedBy::Withdrawn => (ChatStatus::Denied, WITHDRAWN.to_owned()),
            ClosedBy::Rule | ClosedBy::Resolved => self.looked_up(&approval).await,
        };
        self.record_outcome(&closed.id, status, outcome, &saved);
    }

    /// Looks up a question's outcome: in its own row, else in its request's.
    async fn looked_up(&self, approval: &ChatApproval) -> (ChatStatus, String) {
        let unknown = || (ChatStatus::Denied, "Denied: it is no longer open".to_owned());
        if let Ok(id) = approval.question.parse()
            && let Ok(Some(question)) = self.host.question_row(id).await
            && let Some(closed) = outcome_of_question(&question)
        {
            return closed;
        }
        let Some(id) = approval.request.clone() else { return unknown() };
        let Ok(detail) =
            self.host.call_method::<GetRequest>(READER, &RequestAsk { id, secrets: false }).await
        else {
            return unknown();
        };
        outcome(&detail.row).unwrap_or_else(unknown)
    }

    /// Keeps what became of a question and says so wherever it was shown.
    fn record_outcome(&mut self, question: &str, status: ChatStatus, outcome: String, saved: &[Saved]) {
        let jobs = {
            let mut register = self.register.lock();
            let Some(approval) = register.approvals.change(question) else { return };
            approval.status = status;
            approval.outcome = Some(outcome);
            outcome_changes(approval, saved)
        };
        for job in jobs {
            self.enqueue(job);
        }
    }

    /// Sends the outcomes that were not sent before the door or Postern ended.
    pub(super) fn tell_ends(&mut self) {
        let jobs: Vec<ChatJob> = self
            .register
            .lock()
            .approvals
            .with_unshown_outcome()
            .flat_map(|approval| outcome_changes(approval, &[]))
            .collect();
        for job in jobs {
            self.enqueue(job);
        }
    }
}

/// Returns the changes of messages that do not show a question's outcome yet.
fn outcome_changes(approval: &ChatApproval, saved: &[Saved]) -> Vec<ChatJob> {
    let message = text::decided(approval, saved);
    let untold = approval.current().filter(|shown| !shown.told);
    let change = |shown: &ShownMessage| ChatJob::Change {
        place: shown.place.clone(),
        id: shown.external_message_id.clone(),
        message: message.clone(),
    };
    untold.map(change).collect()
}
