//! From the host to the chat: what waits is shown, what changed is shown anew, what ended is told.

use super::approval::{Approval, Status};
use super::hub::{Hub, Job};
use super::messenger::Messenger;
use super::text;
use postern_contract::methods::{GetRequest, ListQuestions, Nothing, RequestNumber};
use postern_contract::{Closed, ClosedBy, Question};
use postern_host::{FaceId, FaceKind};
use postern_policy::AgentId;

/// Who reads lists without having shown them to anybody: nobody's window.
const READER: FaceId = FaceId { kind: FaceKind::Window, number: 0 };

impl<M: Messenger> Hub<M> {
    /// Everything that waits is shown where it was not; what was shown and waits no more is told.
    pub(super) async fn catch_up(&mut self) {
        let Ok(waiting) = self.host.ask::<ListQuestions>(READER, &Nothing {}).await else { return };
        for question in &waiting.questions {
            self.ask(question);
        }
        let gone: Vec<Approval> = {
            let register = self.register();
            let waits =
                |one: &&Approval| waiting.questions.iter().any(|question| question.id == one.question);
            register.kept.approvals.pending().filter(|one| !waits(one)).cloned().collect()
        };
        for approval in gone {
            let (status, outcome) = self.looked_up(&approval).await;
            self.ended(&approval.question, status, outcome);
        }
    }

    /// A question waits, or changed.
    pub(super) fn ask(&mut self, question: &Question) {
        let places = self.places(&question.asker.agent);
        let withheld = text::withheld(question, self.settings.high_risk);
        let mut outdated = Vec::new();
        {
            let mut register = self.register();
            if let Some(approval) = register.kept.approvals.of(&question.id) {
                if approval.status != Status::Pending {
                    return;
                }
                if approval.digest != question.digest {
                    let message = text::outdated(approval);
                    outdated.extend(approval.shown.iter().map(|shown| Job::Change {
                        place: shown.place.clone(),
                        id: shown.external_message_id.clone(),
                        message: message.clone(),
                    }));
                    approval.digest.clone_from(&question.digest);
                    approval.line.clone_from(&question.line);
                    approval.withheld = withheld;
                    register.changed = true;
                }
            } else if places.is_empty() {
                return;
            } else {
                register.kept.approvals.add(Approval::new(question, withheld));
                register.changed = true;
            }
        }
        for job in outdated {
            self.say(job);
        }
        for place in places {
            self.show(question, place);
        }
    }

    /// Shows a question in a place, unless it stands there as it is, or is about to.
    fn show(&mut self, question: &Question, place: String) {
        let stands = {
            let mut register = self.register();
            let approval = register.kept.approvals.of(&question.id);
            let last = approval.as_ref().and_then(|one| one.shown_in(&place));
            last.is_some_and(|shown| shown.digest == question.digest)
        };
        if stands || !self.posting.insert((question.digest.clone(), question.id.clone(), place.clone())) {
            return;
        }
        let withheld = text::withheld(question, self.settings.high_risk);
        self.say(Job::Show { question: Box::new(question.clone()), withheld, place });
    }

    /// Where the questions of an agent are shown.
    fn places(&self, agent: &AgentId) -> Vec<String> {
        if !self.settings.shows(agent) {
            return Vec::new();
        }
        let register = self.register();
        let mut places: Vec<String> = match (self.settings.route(agent), &self.settings.room) {
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

    /// The host says that a question ended.
    pub(super) async fn closed(&mut self, closed: &Closed) {
        let approval = self.register().kept.approvals.of(&closed.id).cloned();
        let Some(approval) = approval.filter(|one| one.status == Status::Pending) else { return };
        let ours = self.ours.remove(&closed.id);
        let by = closed.face.as_ref().map(|face| format!(" by {face}")).unwrap_or_default();
        let (status, outcome) = match closed.how {
            ClosedBy::Allowed => (Status::Approved, ours.unwrap_or_else(|| format!("Approved{by}"))),
            ClosedBy::Denied => (Status::Denied, ours.unwrap_or_else(|| format!("Denied{by}"))),
            ClosedBy::Expired => {
                (Status::Expired, format!("Expired: nobody answered in time. {}", approval.at_zero))
            }
            ClosedBy::Withdrawn => (Status::Denied, "Withdrawn: the agent no longer asks for it".to_owned()),
            ClosedBy::Rule | ClosedBy::Resolved => self.looked_up(&approval).await,
        };
        self.ended(&closed.id, status, outcome);
    }

    /// What became of a question, by its request's record.
    async fn looked_up(&self, approval: &Approval) -> (Status, String) {
        let unknown = || (Status::Denied, "Denied: it waits no more".to_owned());
        let Some(id) = approval.request.clone() else { return unknown() };
        let Ok(detail) = self.host.ask::<GetRequest>(READER, &RequestNumber { id }).await else {
            return unknown();
        };
        Status::of(&detail.row).unwrap_or_else(unknown)
    }

    /// Keeps what became of a question and says so wherever it was shown.
    fn ended(&mut self, question: &str, status: Status, outcome: String) {
        let jobs: Vec<Job> = {
            let mut register = self.register();
            register.changed = true;
            let Some(approval) = register.kept.approvals.of(question) else { return };
            approval.status = status;
            approval.outcome = Some(outcome);
            let message = text::decided(approval);
            let current = approval.shown.iter().filter(|shown| shown.digest == approval.digest);
            let change = |shown: &super::approval::Shown| Job::Change {
                place: shown.place.clone(),
                id: shown.external_message_id.clone(),
                message: message.clone(),
            };
            current.map(change).collect()
        };
        for job in jobs {
            self.say(job);
        }
    }
}
