//! Questions that wait in the inbox: those that the person keeps for later, and all of them while none opens a panel.

use super::Presenter;
use crate::window::surface::Surface;
use postern_contract::Question;
use postern_contract::methods::{ListQuestions, Nothing, Presented, PutOffQuestion, QuestionRef};
use std::collections::HashSet;

/// Questions that wait in the inbox, by their ids.
#[derive(Debug, Default)]
pub(super) struct LaterQuestions {
    /// Questions that the person keeps for later.
    pub(super) put_off: HashSet<String>,
    /// Questions that the host lets wait because they open no panel.
    unseen: HashSet<String>,
}

impl Presenter {
    /// Keeps what is on show for later: it waits in the inbox.
    pub(super) async fn put_off(&mut self) -> anyhow::Result<()> {
        let shown = self.desk.reports().into_iter().map(|Presented { question_id, .. }| question_id);
        self.put_off_each(shown.collect()).await
    }

    /// Keeps all that waits on this computer for later.
    pub(super) async fn put_off_all(&mut self) -> anyhow::Result<()> {
        let waiting = self.backend.invoke::<ListQuestions>(&Nothing {}).await?.questions;
        let own = waiting.into_iter().filter(|question| question.host.is_none());
        self.put_off_each(own.map(|question| question.id).collect()).await
    }

    async fn put_off_each(&mut self, ids: Vec<String>) -> anyhow::Result<()> {
        for question_id in ids {
            self.backend.invoke::<PutOffQuestion>(&QuestionRef { question_id: question_id.clone() }).await?;
            self.chosen.take_if(|chosen| *chosen == question_id);
            self.later.put_off.insert(question_id);
        }
        Ok(())
    }

    /// Leaves out what is kept for later, unless the inbox is on show.
    pub(super) fn without_put_off(&mut self, questions: &mut Vec<Question>) {
        for kept in [&mut self.later.put_off, &mut self.later.unseen] {
            kept.retain(|id| questions.iter().any(|question| question.id == *id));
        }
        if self.surface() == Surface::Panel {
            let no_panel = self.preferences.get().inbox_only;
            let chosen = |question: &Question| self.chosen.as_deref() == Some(question.id.as_str());
            questions.retain(|question| {
                !self.later.put_off.contains(&question.id) && (!no_panel || chosen(question))
            });
        }
    }

    /// Lets what opens no panel wait in the inbox: its time is that of a question kept for later.
    pub(super) async fn keep_for_inbox(&mut self, questions: &[Question]) {
        if self.surface() == Surface::Inbox || !self.preferences.get().inbox_only {
            return;
        }
        for Question { id, .. } in questions.iter().filter(|question| question.host.is_none()) {
            let kept = QuestionRef { question_id: id.clone() };
            if self.later.unseen.insert(id.clone())
                && let Err(error) = self.backend.invoke::<PutOffQuestion>(&kept).await
            {
                tracing::debug!(%error, question = id, "it does not wait longer");
            }
        }
    }
}
