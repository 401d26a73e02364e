//! Answers of a person in the window, and what can be undone of them.

use super::Presenter;
use crate::SettingsPage;
use crate::notify;
use crate::presence;
use crate::window::outcome::{AnswerOutcome, Undo};
use crate::window::panel;
use crate::window::settings;
use postern_contract::methods::{
    AnswerQuestion, EditQuestion, KillRequest, RemoveRule, RenewalEntry, RequestKill, RuleNumber, UndoRenewal,
};
use postern_contract::{
    Answer, AnswerParams, Answered, EditParams, Edited, NotApplied, PillAct, Question, QuestionName, UNDO,
};
use postern_host::now_millis;
use tokio::time::Instant;

/// Refusal of an approval that no person gave.
const BY_PROGRAM: &str = "another program made that click: click Allow yourself";

impl Presenter {
    /// Answers what is on show: `others` names those that are shown as one with the question.
    pub(super) async fn answer(
        &mut self,
        params: AnswerParams,
        others: &[QuestionName],
    ) -> Result<Answered, String> {
        let now = Instant::now();
        if let Err(why) = self.desk.check_answer(&params, others, self.requires_hold(), now) {
            return Ok(Answered::refused(&why));
        }
        let yes = matches!(params.answer, Answer::Once | Answer::Always);
        if yes && panel::is_made_by_program() {
            return Ok(Answered::refused(&NotApplied::NotConfirmed(BY_PROGRAM)));
        }
        if let Err(words) = self.confirmed(params.answer).await {
            return Ok(Answered::refused(&NotApplied::NotConfirmed(words)));
        }
        // One denial at a time can be undone.
        self.hand_over().await;
        let Some(question) = self.desk.question().cloned() else {
            return Ok(Answered::refused(&NotApplied::OtherQuestion));
        };
        let all = answers_to_each(params.clone(), others);
        if params.answer == Answer::Deny && question.may_hold_denial(now_millis()) {
            self.denial = Some((all, now + UNDO));
            self.outcome = Some(AnswerOutcome::denied(now));
            return Ok(Answered::applied());
        }
        let mut count = 0;
        let mut answered = Answered::applied();
        // One that does not count waits on, and is shown again.
        for (nth, one) in all.iter().enumerate() {
            let said = self.backend.invoke::<AnswerQuestion>(one).await.map_err(|error| error.message)?;
            count += u32::from(said.applied);
            if nth == 0 || count == 0 {
                answered = said;
            }
        }
        if answered.applied {
            self.outcome = match others {
                [] => AnswerOutcome::from_answer(&question, &params, &answered, now_millis(), now),
                _ => AnswerOutcome::of_several(params.answer, count, now),
            };
            // Where the next question takes the window, what was saved is told otherwise.
            let saved = answered.saved_words();
            if question.waiting > 0 && !saved.is_empty() {
                notify::attention(&saved.join("; "));
            }
        }
        Ok(answered)
    }

    /// Denies a question by its notification. The one on show is denied as by its panel: that can be undone for a while.
    pub(super) async fn deny_by_notification(&mut self, question: &Question) -> anyhow::Result<()> {
        let denial = AnswerParams::for_question(question, Answer::Deny);
        let shown = self.desk.is_showing(&question.id, &question.digest) && self.desk.others().is_empty();
        if shown && question.may_hold_denial(now_millis()) {
            let now = Instant::now();
            self.hand_over().await;
            self.denial = Some((vec![denial], now + UNDO));
            self.outcome = Some(AnswerOutcome::denied(now));
            return self.refresh_question().await;
        }
        let answered = self.backend.invoke::<AnswerQuestion>(&denial).await?;
        if answered.applied {
            self.refresh_question().await
        } else {
            self.bring_to_front(denial.question_id).await
        }
    }

    /// Returns true if an approval to the question on show is to be held: where it is dangerous, and the owner does
    /// not confirm it.
    pub(super) fn requires_hold(&self) -> bool {
        self.desk.is_dangerous() && !self.preferences.get().confirm
    }

    /// Returns true if the person denied a question as it is now, and the host is not told yet.
    pub(super) fn is_denied(&self, question: &Question) -> bool {
        let denies = |one: &AnswerParams| one.question_id == question.id && one.digest == question.digest;
        self.denial.as_ref().is_some_and(|(denials, _)| denials.iter().any(denies))
    }

    /// Tells the host what was denied: it cannot be undone any more.
    pub(super) async fn hand_over(&mut self) {
        let Some((denials, _)) = self.denial.take() else { return };
        for params in &denials {
            match self.backend.invoke::<AnswerQuestion>(params).await {
                Ok(Answered { applied: true, .. }) => {}
                // It ended meanwhile, or shows something else by now: then it is asked again.
                Ok(Answered { reason, .. }) => tracing::info!(?reason, "a denial did not count"),
                Err(error) => tracing::warn!(%error, "a denial could not be handed over"),
            }
        }
    }

    /// Does what the person wants about the last answer.
    pub(super) async fn apply_pill_action(&mut self, act: PillAct) -> anyhow::Result<()> {
        match act {
            PillAct::Undo if self.denial.take().is_some() => {
                self.outcome = None;
                self.refresh_question().await?;
            }
            PillAct::Undo => {
                let undo = self.outcome.as_mut().and_then(|outcome| outcome.undo.take());
                match undo {
                    Some(Undo::Rules(rules)) => {
                        for id in rules {
                            self.backend.invoke::<RemoveRule>(&RuleNumber { id }).await?;
                        }
                    }
                    Some(Undo::Renewal(entry)) => {
                        self.backend.invoke::<UndoRenewal>(&RenewalEntry { entry }).await?;
                    }
                    None => return Ok(()),
                }
                self.outcome = self.outcome.as_ref().map(|saved| saved.removed(Instant::now()));
            }
            PillAct::Stop => {
                let running = self.outcome.as_ref().and_then(AnswerOutcome::running).map(str::to_owned);
                if let Some(id) = running {
                    self.backend.invoke::<KillRequest>(&RequestKill { id, signal: None }).await?;
                }
            }
            PillAct::Show => settings::open_page(self.pane.app_handle(), SettingsPage::from_name("activity")),
        }
        Ok(())
    }

    /// Returns whether the owner confirmed an answer that wants it. Nothing else happens here meanwhile: what
    /// is on show stays, and the focus that the system's own question takes counts for nothing.
    async fn confirmed(&self, answer: Answer) -> Result<(), &'static str> {
        let wanted = |question: &&Question| presence::wanted(question, answer);
        let Some(question) = self.desk.question().filter(wanted) else { return Ok(()) };
        if !self.preferences.get().confirm {
            return Ok(());
        }
        presence::confirm(presence::sentence(question, answer), question.time_left(now_millis())).await
    }

    pub(super) async fn edit_command(&self, params: EditParams) -> Result<Edited, String> {
        if !self.desk.is_showing(&params.question_id, &params.digest) {
            return Ok(Edited::refused(&NotApplied::OtherQuestion));
        }
        self.backend.invoke::<EditQuestion>(&params).await.map_err(|error| error.message)
    }

    /// Returns the denial of what is on show.
    pub(super) fn refusal(&self) -> Option<(AnswerParams, Vec<QuestionName>)> {
        let name =
            |other: &Question| QuestionName { question_id: other.id.clone(), digest: other.digest.clone() };
        let others = self.desk.others().iter().map(name).collect();
        self.desk.question().map(|question| (AnswerParams::for_question(question, Answer::Deny), others))
    }
}

/// Returns the same answer to each of several questions: each one names its own.
fn answers_to_each(params: AnswerParams, others: &[QuestionName]) -> Vec<AnswerParams> {
    let other = |name: &QuestionName| AnswerParams {
        question_id: name.question_id.clone(),
        digest: name.digest.clone(),
        ..params.clone()
    };
    let others: Vec<AnswerParams> = others.iter().map(other).collect();
    std::iter::once(params).chain(others).collect()
}
