//! Questions of other Macs, shown and armed here as any other. An answer that counts is handed to the door that
//! brought the question.

use super::afar::{AnswerElsewhere, DecidedElsewhere, NewsElsewhere, RightsElsewhere};
use super::answer::check_parts;
use super::task::{Task, answer};
use crate::ask::{ApproverId, ConnectedApproverKind};
use crate::clock::now_millis;
use postern_contract::{
    Answer, AnswerParams, Answered, ApproverNotification, Closed, ClosedBy, EditParams, Edited, NotApplied,
    Question, Scope,
};
use postern_policy::Lifetime;
use postern_request::Digest;
use std::time::Duration;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

impl Task {
    /// Takes news of a question of another Mac.
    pub(super) fn hear_elsewhere(&mut self, news: NewsElsewhere) {
        match news {
            NewsElsewhere::Waits { question, door } => self.show_elsewhere(*question, door),
            NewsElsewhere::Closed { id, how, by } => self.close_elsewhere(id, how, by),
            NewsElsewhere::Cleared => {
                let all = self.elsewhere.questions.iter().map(|waiting| waiting.shown.question.id.clone());
                for id in all.collect::<Vec<_>>() {
                    self.close_elsewhere(id, ClosedBy::Resolved, None);
                }
            }
        }
    }

    fn close_elsewhere(&mut self, id: String, how: ClosedBy, by: Option<String>) {
        self.elsewhere.doors.remove(&id);
        let Some(waiting) = self.elsewhere.questions.close(&id) else { return };
        let code = waiting.shown.question.code;
        self.notify_approvers(ApproverNotification::QuestionClosed(Closed { id, code, how, face: by }));
        self.parts.stirred.status.notify_one();
    }

    fn show_elsewhere(&mut self, mut question: Question, door: mpsc::Sender<DecidedElsewhere>) {
        if question.host.is_none() || self.questions.find_question(&question.id).is_some() {
            return;
        }
        let left = u64::try_from(question.expires_at.saturating_sub(now_millis())).unwrap_or(0);
        let ends = self.gate_time() + Duration::from_millis(left);
        // Its plan is on the other Mac: here, what is shown stands for it.
        let plan = Digest(question.digest.clone());
        self.elsewhere.doors.insert(question.id.clone(), door);
        if let Some(known) = self.elsewhere.questions.find_question(&question.id) {
            let known = &known.shown.question;
            question.code.clone_from(&known.code);
            if *known != question {
                self.elsewhere.questions.replace_question(question.clone(), plan, ends);
                self.tell_changed(question);
            }
            return;
        }
        let is_taken = self.questions.find_question(&question.code).is_some()
            || self.elsewhere.questions.find_question(&question.code).is_some();
        if is_taken {
            question.code = self.questions.fresh_code(uuid::Uuid::new_v4());
        }
        let clock = self.gate_time();
        self.elsewhere.questions.open_question(question.clone(), plan, Vec::new(), clock, ends);
        tracing::info!(question = %question.id, "asked on another Mac");
        self.notify_approvers(ApproverNotification::QuestionOpened(Box::new(self.among_others(question))));
        self.parts.stirred.status.notify_one();
    }

    /// Returns what waits on other Macs, for an approver on this one. What came through a door leaves through none.
    pub(super) fn shown_elsewhere(&self, face: ApproverId) -> Vec<Question> {
        let waiting = self.elsewhere.questions.iter().filter(|_| face.kind != ConnectedApproverKind::Remote);
        waiting.map(|waiting| self.among_others(waiting.shown.question.clone())).collect()
    }

    /// Returns whether a question waits on another Mac.
    pub(super) fn is_elsewhere(&mut self, question: &str) -> bool {
        self.questions.find_question(question).is_none()
            && self.elsewhere.questions.find_question(question).is_some()
    }

    /// Hands an answer to the door, if it counts here: shown, armed, and one that can be given from another Mac.
    pub(super) fn answer_elsewhere(
        &mut self,
        params: AnswerParams,
        face: ApproverId,
        reply: oneshot::Sender<Answered>,
    ) {
        match self.check_elsewhere(params, face) {
            Ok((params, door)) => {
                let shows = self.parts.faces.shown_parts(face);
                let sent = door.try_send(DecidedElsewhere::Answer(AnswerElsewhere { params, shows, reply }));
                if let Err(DecidedElsewhere::Answer(unsent)) = sent.map_err(TrySendError::into_inner) {
                    answer(unsent.reply, Answered::refused(&NotApplied::Offline));
                }
            }
            Err(why) => answer(reply, Answered::refused(&why)),
        }
    }

    fn check_elsewhere(
        &mut self,
        mut params: AnswerParams,
        face: ApproverId,
    ) -> Result<(AnswerParams, mpsc::Sender<DecidedElsewhere>), NotApplied> {
        if face.kind == ConnectedApproverKind::Remote {
            return Err(NotApplied::Over);
        }
        self.check_sight(&mut params, face)?;
        let question = self.elsewhere.questions.check_answer(&params, face, Instant::now())?;
        check_parts(&self.parts.faces, question, params.answer, face)?;
        let offered = |id: &String| question.proposals.iter().any(|offer| offer.id == *id);
        let fits = match params.answer {
            Answer::Once | Answer::Deny => true,
            Answer::Always => params.proposal.as_ref().is_some_and(offered),
            Answer::DenyAlways | Answer::DenyAll => false,
        };
        let more = params.changes_offer()
            || params.lifetime.as_ref().is_some_and(|lifetime| *lifetime != Lifetime::Forever)
            || params.scope != Scope::Agent
            || params.requests.len() > 1;
        if !fits || more {
            return Err(NotApplied::AnswerThere);
        }
        params.question_id.clone_from(&question.id);
        let door = self.elsewhere.doors.get(&params.question_id).ok_or(NotApplied::Offline)?;
        Ok((params, door.clone()))
    }

    /// Hands other rights for a run to the door. Only they can be changed from another Mac.
    pub(super) fn change_rights_elsewhere(&mut self, params: EditParams, reply: oneshot::Sender<Edited>) {
        let shown =
            self.elsewhere.questions.find_question(&params.question_id).map(|one| &one.shown.question);
        let checked = match (shown, params.confine) {
            (None, _) => Err(NotApplied::Over),
            (Some(question), _) if question.digest != params.digest => Err(NotApplied::NotOnShow),
            (Some(question), Some(confine)) if params.text.is_none() => Ok((question.id.clone(), confine)),
            (Some(_), _) => Err(NotApplied::AnswerThere),
        };
        let offline = |reply| answer(reply, Edited::refused(&NotApplied::Offline));
        match checked.map(|(id, confine)| (self.elsewhere.doors.get(&id), id, confine)) {
            Ok((Some(door), question_id, confine)) => {
                let rights = RightsElsewhere { question_id, digest: params.digest, confine, reply };
                let sent = door.try_send(DecidedElsewhere::Rights(rights));
                if let Err(DecidedElsewhere::Rights(unsent)) = sent.map_err(TrySendError::into_inner) {
                    offline(unsent.reply);
                }
            }
            Ok((None, ..)) => offline(reply),
            Err(why) => answer(reply, Edited::refused(&why)),
        }
    }

    /// Returns whether somebody is at this Mac who could be shown a question of another one.
    pub(super) fn is_attended(&self) -> bool {
        let here = self
            .parts
            .faces
            .connected_kinds()
            .into_iter()
            .filter(|kind| *kind != ConnectedApproverKind::Remote);
        here.map(|kind| self.unable(kind)).any(|why| why.is_none())
    }
}
