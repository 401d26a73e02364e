//! A denial that can be undone: the host, and with it the agent, is told after a while.

use postern_contract::{AnswerParams, Question};
use std::time::Duration;

/// A denial that is not given yet.
#[derive(Debug)]
pub(super) struct HeldDenial {
    pub(super) answers: Vec<AnswerParams>,
    pub(super) questions: Vec<Question>,
    /// Time, since the view was started, at which it is given.
    pub(super) until: Duration,
}

impl HeldDenial {
    /// Returns true if it can be undone no longer.
    pub(super) fn is_due(&self, now: Duration) -> bool {
        self.until <= now
    }

    /// Takes news of a denied question. Returns false if the denial is not about it as it is now.
    pub(super) fn keep_question(&mut self, question: &Question) -> bool {
        let same = |one: &AnswerParams| one.question_id == question.id && one.digest == question.digest;
        let held = self.answers.iter().any(same);
        match self.questions.iter_mut().find(|known| known.id == question.id) {
            Some(known) if held => *known = question.clone(),
            _ => self.drop_question(&question.id),
        }
        held
    }

    /// Drops a question that was answered elsewhere, or that is another one now.
    pub(super) fn drop_question(&mut self, id: &str) {
        self.questions.retain(|known| known.id != id);
        self.answers.retain(|answer| answer.question_id != id);
    }

    /// Describes it; `None` if nothing is left of it.
    pub(super) fn to_words(&self) -> Option<String> {
        match self.questions.as_slice() {
            [] => None,
            [one] => Some(format!("{} denied, u to undo", one.code)),
            several => Some(format!("{} denied, u to undo", several.len())),
        }
    }
}
