//! Answers from elsewhere: those that count go to the gate as any other approver's, and the sender gets a receipt.

use super::super::FleetError;
use super::refused::sender;
use super::{FleetHostSession, approver_name, device_of};
use async_nats::Message;
use postern_contract::methods::{AnswerQuestion, EditQuestion, GetQuestion, QuestionRef};
use postern_contract::{AnswerParams, Answered, ConfineChoice, EditParams, Part, pieces_to_text};
use postern_fleet::{
    AdmittedAnswer, AdmittedMessage, FleetChoice, FleetReceipt, FleetRefusal, FleetRights, admit_message,
    signing_approver,
};
use postern_host::{ApproverGuard, ConnectedApproverKind};
use std::time::Instant;

impl FleetHostSession {
    pub(super) async fn answered(&mut self, message: Message) -> Result<(), FleetError> {
        let Some(reply) = message.reply.clone() else { return Ok(()) };
        // Each sender has a share of its own: nobody's flood keeps an answer of somebody else out.
        let signer = signing_approver(&self.fleet, &message.payload);
        let is_signed = signer.is_some();
        if !self.answers.note_one(signer, Instant::now()) {
            // Nobody is told: it shows "not confirmed" there, and sending it again is safe.
            return Ok(());
        }
        let admitted = admit_message(&self.fleet, &message.payload, self.current_time());
        let Some((from, id)) = sender(&message.payload) else {
            // Nobody is there to be told.
            if let Err(refusal) = admitted {
                self.note_refusal(("answer", "answer"), (None, false), &refusal).await;
            }
            return Ok(());
        };
        let receipt = match admitted {
            Ok(AdmittedMessage::Answer(decided)) => self.decide(decided).await,
            Ok(AdmittedMessage::Repeated(receipt)) => receipt,
            Ok(_) => return Ok(()),
            Err(FleetRefusal::Closed { outcome, by, place }) => {
                FleetReceipt::Closed { answer: id, outcome, by, place }
            }
            Err(refusal) => {
                self.note_refusal(("answer", from.as_str()), (Some(&from), is_signed), &refusal).await;
                FleetReceipt::Refused { answer: id, reason: refusal.to_string() }
            }
        };
        self.reply_sealed(reply, &from, (FleetReceipt::message_id(&message.payload), &receipt)).await
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
        let choice = match decided.answer.answer {
            FleetChoice::Once => postern_contract::Answer::Once,
            FleetChoice::Always => postern_contract::Answer::Always,
            FleetChoice::Deny => postern_contract::Answer::Deny,
            FleetChoice::Confine(rights) => return self.change_rights(face, &decided, rights).await,
        };
        face.declare(decided.answer.shows.iter().filter_map(|part| Part::from_name(part)));
        let params = match self.params(face, &decided, choice).await {
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

    /// Changes the rights of a run that waits: it is judged again, and everybody is shown it under another digest.
    async fn change_rights(
        &self,
        face: &ApproverGuard,
        decided: &AdmittedAnswer,
        rights: FleetRights,
    ) -> FleetReceipt {
        let confine = match rights {
            FleetRights::Look => ConfineChoice::Look,
            FleetRights::Project => ConfineChoice::Project,
            FleetRights::AsAsked => ConfineChoice::AsAsked,
        };
        let (answer, said) = (decided.id.clone(), &decided.answer);
        let (question_id, digest) = (said.question.to_string(), said.digest.clone());
        let params = EditParams { question_id, digest, text: None, confine: Some(confine) };
        match self.host.call_method::<EditQuestion>(face.id(), &params).await {
            Ok(edited) if edited.applied => FleetReceipt::Applied { answer, missing: 0 },
            Ok(edited) => {
                let reason = pieces_to_text(&edited.reason.unwrap_or_default());
                FleetReceipt::Refused { answer, reason }
            }
            Err(error) => FleetReceipt::Refused { answer, reason: error.message },
        }
    }

    /// Converts the answer to what the gate takes.
    async fn params(
        &self,
        face: &ApproverGuard,
        decided: &AdmittedAnswer,
        answer: postern_contract::Answer,
    ) -> Result<AnswerParams, String> {
        let said = &decided.answer;
        let id = said.question.to_string();
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
