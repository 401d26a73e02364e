//! The question on show and what was seen of it: what the window reports, and what its page is told.
//!
//! Nothing is decided here. The host's clock arms *Allow*; this only makes sure that what is reported is true.

use postern_contract::methods::{Arming, Presented};
use postern_contract::{AnswerParams, Offer, Question, RuleDraft, Scope, Showing, ShownArming};
use postern_policy::{Effect, kind_name, pattern_text};

/// What is on the desk: one question at a time, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    question: Option<Question>,
    laid_out: bool,
    visible: bool,
    end_seen: bool,
    change: u64,
    arming: Option<Arming>,
}

impl Desk {
    /// What waits has changed: shows the oldest. Gives whether another question is on show than before.
    pub(crate) fn waiting(&mut self, oldest: Option<Question>) -> bool {
        let before = self.question.take();
        let other = before.as_ref().map(name) != oldest.as_ref().map(name);
        if other {
            self.laid_out = false;
            self.end_seen = false;
        }
        if other || before.as_ref().map(content) != oldest.as_ref().map(content) {
            self.changed();
        }
        self.question = oldest;
        other
    }

    /// The question on show.
    pub(crate) fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    /// Whether `id` and `digest` name what is on show.
    pub(crate) fn shows(&self, id: &str, digest: &str) -> bool {
        self.question.as_ref().is_some_and(|question| question.id == id && question.digest == digest)
    }

    /// Whether an answer names what is on show.
    pub(crate) fn answers(&self, params: &AnswerParams) -> bool {
        self.shows(&params.question_id, &params.digest)
    }

    /// The rule that an offer of the question on show would save, perhaps edited; none where it is of another question, or
    /// would save more than one.
    pub(crate) fn draft_of(&self, offer: &Offer) -> Option<RuleDraft> {
        let question = self.question.as_ref().filter(|_| self.shows(&offer.question_id, &offer.digest))?;
        let proposal = question.proposals.iter().find(|proposal| proposal.id == offer.proposal)?;
        let [rule] = proposal.rules.as_slice() else { return None };
        let text = offer.edited.clone().unwrap_or_else(|| pattern_text(&rule.pattern));
        Some(RuleDraft {
            agent: (offer.scope == Scope::Agent).then(|| question.asker.agent.clone()),
            // Edited, it is read as it is written, as the answer would be.
            kind: offer.edited.is_none().then(|| kind_name(&rule.pattern)),
            pin: rule.pinned,
            folder: rule.folder.clone().filter(|_| !offer.anywhere),
            input: rule.input.clone(),
            ..RuleDraft::new(Effect::Allow, text)
        })
    }

    /// The page has laid out the question on show.
    pub(crate) fn laid_out(&mut self) {
        self.laid_out = true;
    }

    /// Whether the page has laid out the question on show.
    pub(crate) fn is_laid_out(&self) -> bool {
        self.laid_out
    }

    /// The end of the question was visible. A hidden window has shown no end.
    pub(crate) fn end_seen(&mut self) {
        self.end_seen |= self.visible && self.laid_out;
    }

    /// The window was shown or hidden.
    pub(crate) fn set_visible(&mut self, visible: bool) {
        if visible != self.visible {
            self.visible = visible;
            self.changed();
        }
    }

    /// The window moved, was resized, or the focus came or went: arming starts over.
    pub(crate) fn changed(&mut self) {
        self.change += 1;
        self.arming = None;
    }

    /// What to report to the host.
    pub(crate) fn report(&self) -> Option<Presented> {
        self.question.as_ref().map(|question| Presented {
            question_id: question.id.clone(),
            digest: question.digest.clone(),
            visible: self.visible && self.laid_out,
            end_seen: self.end_seen,
            change: self.change,
        })
    }

    /// What the host said to a report. An answer to an older report is not taken.
    pub(crate) fn armed(&mut self, report: &Presented, arming: Arming) {
        if self.report().as_ref() == Some(report) {
            self.arming = Some(arming);
        }
    }

    /// What the page is told.
    pub(crate) fn showing(&self) -> Showing {
        let arming = match &self.arming {
            Some(Arming { armed: true, .. }) => ShownArming::Armed,
            Some(Arming { remaining_ms: Some(left_ms), .. }) => ShownArming::Counting { left_ms: *left_ms },
            Some(Arming { remaining_ms: None, .. }) | None => ShownArming::Unseen,
        };
        Showing { question: self.question.clone(), arming }
    }
}

/// What an answer has to name.
fn name(question: &Question) -> (&str, &str) {
    (&question.id, &question.digest)
}

/// What a person judges. How many others wait is not part of it: agents could keep *Allow* dead by asking on.
fn content(question: &Question) -> Question {
    Question { waiting: 0, requests: Vec::new(), ..question.clone() }
}

#[cfg(test)]
pub(crate) mod tests;
