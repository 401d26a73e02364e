//! `questions.*`.

use super::{Handle, HostControl, MethodResult, blocking};
use crate::ask::ApproverId;
use crate::book::Matched;
use crate::gate::read_script;
use postern_command::escape;
use postern_contract::methods::{
    AnswerQuestion, Applied, CannotPresent, ControlError, EditQuestion, GetQuestion, GetScript,
    ListQuestions, Nothing, PresentQuestion, Presented, PreviewAnswer, PutOffQuestion, QuestionRef,
    Questions, QuestionsWatch, RulePreview, ScriptRef, Unpresented, WatchQuestions,
};
use postern_contract::{AnswerParams, EditParams, Scope, render};
use postern_policy::{Widening, from_home};

impl HostControl {
    async fn questions(&self, face: ApproverId) -> Result<Questions, ControlError> {
        let questions = self.parts.gate.questions(face).await?;
        Ok(Questions { questions })
    }
}

impl Handle<ListQuestions> for HostControl {
    async fn handle(&self, face: ApproverId, _: Nothing) -> MethodResult<ListQuestions> {
        self.questions(face).await
    }
}

/// The connection has put its face connected before it comes here.
impl Handle<WatchQuestions> for HostControl {
    async fn handle(&self, face: ApproverId, _: QuestionsWatch) -> MethodResult<WatchQuestions> {
        self.questions(face).await
    }
}

impl Handle<GetQuestion> for HostControl {
    async fn handle(&self, face: ApproverId, params: QuestionRef) -> MethodResult<GetQuestion> {
        let question = self.parts.gate.question(face, params.question_id.clone()).await?;
        let missing = || {
            ControlError::not_found(format!(
                "no question {:?} waits; postern questions lists those that do",
                params.question_id
            ))
        };
        question.map(|question| *question).ok_or_else(missing)
    }
}

impl Handle<PresentQuestion> for HostControl {
    async fn handle(&self, face: ApproverId, params: Presented) -> MethodResult<PresentQuestion> {
        Ok(self.parts.gate.presented(face, params).await?)
    }
}

impl Handle<CannotPresent> for HostControl {
    async fn handle(&self, face: ApproverId, params: Unpresented) -> MethodResult<CannotPresent> {
        self.parts.gate.cannot_present(face, params.question_id, params.why).await?;
        Ok(Applied { applied: true })
    }
}

impl Handle<PutOffQuestion> for HostControl {
    async fn handle(&self, _: ApproverId, params: QuestionRef) -> MethodResult<PutOffQuestion> {
        let applied = self.parts.gate.put_off(params.question_id).await?;
        Ok(Applied { applied })
    }
}

impl Handle<GetScript> for HostControl {
    async fn handle(&self, _: ApproverId, params: ScriptRef) -> MethodResult<GetScript> {
        let missing = || ControlError::not_found("no question that waits shows this script");
        let script = self.parts.gate.find_script(params).await?.ok_or_else(missing)?;
        blocking(move || read_script(&script)).await?
    }
}

impl Handle<AnswerQuestion> for HostControl {
    async fn handle(&self, face: ApproverId, params: AnswerParams) -> MethodResult<AnswerQuestion> {
        Ok(self.parts.gate.answer(params, face).await?)
    }
}

impl Handle<PreviewAnswer> for HostControl {
    async fn handle(&self, _: ApproverId, params: AnswerParams) -> MethodResult<PreviewAnswer> {
        let (remember, mut added) = match self.parts.gate.preview_answer(params).await? {
            Ok(preview) => preview,
            Err(why) => return Ok(problem(postern_contract::pieces_to_text(&render::not_applied(&why)))),
        };
        let rules = match self.parts.book.rules_to_save(&remember) {
            Ok(rules) => rules,
            Err(error) => return Ok(problem(error.to_string())),
        };
        let home = self.parts.book.places().home.as_str();
        for one in &mut added {
            if let Widening::Folder(Some(folder)) | Widening::Reads(folder) = one {
                *folder = from_home(folder.as_str(), home).into_owned();
            }
        }
        let mut left_out: Vec<String> =
            rules.iter().flat_map(|rule| postern_policy::left_out(rule, home)).collect();
        left_out.dedup();
        let listed = self.parts.book.remarked(rules.clone()).await?;
        let remarks = listed.into_iter().flat_map(|listed| listed.remarks).map(|remark| remark.text);
        let agent = Some(remember.agent).filter(|_| remember.scope == Scope::Agent);
        let Matched { count, of, examples } = self.parts.book.matched_recently(agent, rules).await?;
        Ok(RulePreview {
            remarks: remarks.collect(),
            matched: count,
            of,
            examples,
            also: added.iter().map(render::widening).collect(),
            left_out: left_out.iter().map(|word| escape::visible_text(word)).collect(),
            ..RulePreview::default()
        })
    }
}

/// Returns the preview of what cannot be saved.
fn problem(why: String) -> RulePreview {
    RulePreview { problem: Some(why), ..RulePreview::default() }
}

impl Handle<EditQuestion> for HostControl {
    async fn handle(&self, _: ApproverId, params: EditParams) -> MethodResult<EditQuestion> {
        Ok(self.parts.gate.edit_question(params).await?)
    }
}
