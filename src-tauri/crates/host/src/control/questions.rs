//! `questions.*`.

use super::{Answer, Control, Handle, gone};
use crate::ask::FaceId;
use postern_contract::methods::{
    AnswerQuestion, Applied, CannotPresent, ControlError, EditQuestion, GetQuestion, ListQuestions, Nothing,
    PresentQuestion, Presented, PutOffQuestion, QuestionRef, Questions, QuestionsWatch, Unpresented,
    WatchQuestions,
};
use postern_contract::{AnswerParams, EditParams};

impl Control {
    async fn questions(&self, face: FaceId) -> Result<Questions, ControlError> {
        let questions = self.parts.gate.questions(face).await.map_err(gone)?;
        Ok(Questions { questions })
    }
}

impl Handle<ListQuestions> for Control {
    async fn handle(&self, face: FaceId, _: Nothing) -> Answer<ListQuestions> {
        self.questions(face).await
    }
}

/// The connection has put its face connected before it comes here.
impl Handle<WatchQuestions> for Control {
    async fn handle(&self, face: FaceId, _: QuestionsWatch) -> Answer<WatchQuestions> {
        self.questions(face).await
    }
}

impl Handle<GetQuestion> for Control {
    async fn handle(&self, face: FaceId, params: QuestionRef) -> Answer<GetQuestion> {
        let question = self.parts.gate.question(face, params.question_id.clone()).await.map_err(gone)?;
        let missing = || ControlError::not_found(format!("no question {:?} waits", params.question_id));
        question.map(|question| *question).ok_or_else(missing)
    }
}

impl Handle<PresentQuestion> for Control {
    async fn handle(&self, face: FaceId, params: Presented) -> Answer<PresentQuestion> {
        self.parts.gate.presented(face, params).await.map_err(gone)
    }
}

impl Handle<CannotPresent> for Control {
    async fn handle(&self, face: FaceId, params: Unpresented) -> Answer<CannotPresent> {
        self.parts.gate.cannot_present(face, params.question_id, params.why).await.map_err(gone)?;
        Ok(Applied { applied: true })
    }
}

impl Handle<PutOffQuestion> for Control {
    async fn handle(&self, _: FaceId, params: QuestionRef) -> Answer<PutOffQuestion> {
        let applied = self.parts.gate.put_off(params.question_id).await.map_err(gone)?;
        Ok(Applied { applied })
    }
}

impl Handle<AnswerQuestion> for Control {
    async fn handle(&self, face: FaceId, params: AnswerParams) -> Answer<AnswerQuestion> {
        self.parts.gate.answer(params, face).await.map_err(gone)
    }
}

impl Handle<EditQuestion> for Control {
    async fn handle(&self, _: FaceId, params: EditParams) -> Answer<EditQuestion> {
        self.parts.gate.edit(params).await.map_err(gone)
    }
}
