//! Questions of the same shape, shown and answered as one. The host knows nothing of it: it is told of each that it is seen, and
//! gets an answer to each, with its digest.

use super::Presenter;
use postern_contract::{Batch, Question, find_alike};
use std::collections::HashSet;
use tokio::time::Instant;

/// Questions that are shown as one with others.
#[derive(Debug, Default)]
pub(super) struct BatchState {
    /// The questions that the person wants to see one at a time, by their ids.
    singly: HashSet<String>,
    /// True if the person wants to see those that came later, too.
    gathers: bool,
    /// Number of those that came later, and are not among those on show.
    pub(super) later: u32,
}

impl Presenter {
    /// Returns the questions that are shown as one with this one.
    ///
    /// Once answers count, nobody joins them without the person: an agent could exchange what is about to be allowed, or keep
    /// *Allow* dead by asking on.
    pub(super) fn others(&mut self, question: Option<&Question>, waiting: &[Question]) -> Vec<Question> {
        self.alike.later = 0;
        self.alike.singly.retain(|id| waiting.iter().any(|question| question.id == *id));
        let gathers = std::mem::take(&mut self.alike.gathers);
        let Some(question) = question.filter(|question| !self.alike.singly.contains(&question.id)) else {
            return Vec::new();
        };
        let mut all = find_alike(question, waiting);
        all.retain(|other| !self.alike.singly.contains(&other.id));
        let found = all.len();
        let on_show = self.desk.is_showing(&question.id, &question.digest);
        if on_show && self.desk.is_settled(Instant::now()) && !gathers {
            let shown = self.desk.others();
            all.retain(|other| shown.iter().any(|one| one.id == other.id && one.digest == other.digest));
        }
        self.alike.later = u32::try_from(found - all.len()).unwrap_or(u32::MAX);
        all.into_iter().cloned().collect()
    }

    /// Shows those that are alike together, or one at a time, as the person wants.
    pub(super) fn gather(&mut self, together: bool) {
        if together {
            self.alike.gathers = true;
        } else {
            let shown = self.desk.reports().into_iter().map(|report| report.question_id);
            self.alike.singly.extend(shown);
        }
    }

    /// Returns what is on show as one, if it is more than one question.
    pub(super) fn current_batch(&self) -> Option<Batch> {
        let others = self.desk.others();
        let question = self.desk.question().filter(|_| !others.is_empty())?;
        Some(Batch::from_questions(question, others))
    }
}
