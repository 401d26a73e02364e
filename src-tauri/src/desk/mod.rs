//! The question on show and what was seen of it: what the window reports, and what its page is told.
//!
//! Nothing is decided here. The host's clock arms *Allow*; this only makes sure that what is reported is true.

mod consent;

use consent::Consent;
pub(crate) use consent::HOLD;
use postern_contract::methods::{Arming, Presented};
use postern_contract::{Answer, AnswerParams, NotApplied, Question, QuestionName, SETTLE, ShownArming};
use postern_policy::RiskLevel;
use tokio::time::Instant;

/// A card of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Card {
    Question,
    Always,
}

/// State of the approval view: one question at a time, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    question: Option<Question>,
    /// Those of the same shape that are shown as one with it.
    others: Vec<Question>,
    /// The card of it that is laid out.
    card: Option<Card>,
    visible: bool,
    /// Since when the question is on show.
    shown: Option<Instant>,
    end_seen: bool,
    change: u64,
    arming: Option<Arming>,
    consent: Consent,
}

impl Desk {
    /// Shows this question, as one with others, after what waits has changed. Returns true if something else is on show
    /// than before.
    pub(crate) fn waiting(&mut self, question: Option<Question>, others: Vec<Question>) -> bool {
        let before = Self {
            question: self.question.take(),
            others: std::mem::take(&mut self.others),
            ..Self::default()
        };
        (self.question, self.others) = (question, others);
        let other = before.question_names().ne(self.question_names());
        if other {
            self.card = None;
            self.shown = None;
            self.end_seen = false;
        }
        if other || before.shown_questions().map(content).ne(self.shown_questions().map(content)) {
            self.changed();
        }
        other
    }

    /// Returns all questions on show: the first, and those that are shown as one with it.
    fn shown_questions(&self) -> impl Iterator<Item = &Question> {
        self.question.iter().chain(&self.others)
    }

    fn question_names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.shown_questions().map(question_name)
    }

    /// Returns those that are shown as one with the question on show.
    pub(crate) fn others(&self) -> &[Question] {
        &self.others
    }

    /// Returns the question on show.
    pub(crate) fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    /// Returns true if `id` and `digest` name what is on show.
    pub(crate) fn is_showing(&self, id: &str, digest: &str) -> bool {
        self.question.as_ref().is_some_and(|question| question.id == id && question.digest == digest)
    }

    /// Checks that an answer names what is on show.
    ///
    /// *Once* and *Deny* are about all of it; the others about the question itself.
    fn answers(&self, params: &AnswerParams, others: &[QuestionName]) -> bool {
        let named = others.iter().map(|other| (other.question_id.as_str(), other.digest.as_str()));
        let all = match params.answer {
            Answer::Once | Answer::Deny => named.eq(self.others.iter().map(question_name)),
            Answer::Always | Answer::DenyAlways | Answer::DenyAll => others.is_empty(),
        };
        all && self.is_showing(&params.question_id, &params.digest)
    }

    /// Notes that the page has laid out the question on show, or its card for *Always*: another card starts
    /// arming over.
    pub(crate) fn laid_out(&mut self, always: bool, now: Instant) {
        let card = if always { Card::Always } else { Card::Question };
        if self.card.replace(card).is_some_and(|before| before != card) {
            self.changed();
        }
        self.update_first_seen(now);
    }

    /// Takes the time of the question's first sight.
    fn update_first_seen(&mut self, now: Instant) {
        if self.visible && self.card.is_some() && self.question.is_some() {
            self.shown.get_or_insert(now);
        } else {
            self.shown = None;
        }
    }

    /// Notes that the end of the question was visible. A hidden window has shown no end.
    pub(crate) fn end_seen(&mut self) {
        self.end_seen |= self.visible && self.card.is_some();
    }

    /// Notes that the window was shown or hidden.
    pub(crate) fn set_visible(&mut self, visible: bool, now: Instant) {
        if visible != self.visible {
            self.visible = visible;
            self.changed();
        }
        self.update_first_seen(now);
    }

    /// Starts arming over: the window moved, was resized, or the focus came or went.
    pub(crate) fn changed(&mut self) {
        self.change += 1;
        self.arming = None;
        self.consent = Consent::None;
    }

    /// Returns true while a question is on show.
    pub(crate) fn is_on_show(&self) -> bool {
        self.shown.is_some()
    }

    /// Returns the time from which answers to the question on show count.
    pub(crate) fn settles(&self) -> Option<Instant> {
        self.shown.map(|shown| shown + SETTLE)
    }

    /// Returns true if answers to the question on show count.
    pub(crate) fn is_settled(&self, now: Instant) -> bool {
        self.settles().is_some_and(|settles| settles <= now)
    }

    /// Begins to hold *Allow*. Returns whether that counts.
    pub(crate) fn begin_hold(&mut self, now: Instant) -> bool {
        let counts = self.is_armed() && self.is_settled(now);
        if counts {
            self.consent = Consent::Held(now);
        }
        counts
    }

    /// Ends holding *Allow*.
    pub(crate) fn let_go(&mut self) {
        if matches!(self.consent, Consent::Held(_)) {
            self.consent = Consent::None;
        }
    }

    /// Returns true if *Allow* is held.
    pub(crate) fn is_held(&self) -> bool {
        matches!(self.consent, Consent::Held(_))
    }

    /// Handles the first of two presses, and returns whether it counts. Arming starts over.
    pub(crate) fn record_press(&mut self, now: Instant) -> bool {
        let counts = self.is_armed() && self.is_settled(now);
        if counts {
            self.changed();
            self.consent = Consent::Pressed;
        }
        counts
    }

    /// Returns true if the question on show is one whose yes is to be held, where nobody confirms it
    /// otherwise.
    pub(crate) fn is_dangerous(&self) -> bool {
        self.question.as_ref().is_some_and(|question| question.risk.level == RiskLevel::Dangerous)
    }

    /// Checks that an answer counts by what was shown of the question and how it was given. With `hold`, an approval
    /// has to be held.
    pub(crate) fn check_answer(
        &self,
        params: &AnswerParams,
        others: &[QuestionName],
        hold: bool,
        now: Instant,
    ) -> Result<(), NotApplied> {
        if !self.answers(params, others) {
            return Err(NotApplied::OtherQuestion);
        }
        if !self.is_settled(now) {
            return Err(NotApplied::TooSoon);
        }
        let yes = matches!(params.answer, Answer::Once | Answer::Always);
        // What the host said of arming before the last change counts for nothing here, too.
        if yes && hold && !(self.is_armed() && self.consent.is_given(now)) {
            return Err(NotApplied::NotHeld);
        }
        let broad = params.broad && params.answer == Answer::Always;
        if broad && !(self.is_armed() && self.consent.is_given(now)) {
            return Err(NotApplied::BroadOnce);
        }
        Ok(())
    }

    fn is_armed(&self) -> bool {
        self.arming.as_ref().is_some_and(|arming| arming.armed)
    }

    /// Returns the reports to the host: each question that is on show.
    pub(crate) fn reports(&self) -> Vec<Presented> {
        let report = |question: &Question| Presented {
            question_id: question.id.clone(),
            digest: question.digest.clone(),
            visible: self.visible && self.card.is_some(),
            end_seen: self.end_seen,
            change: self.change,
        };
        self.shown_questions().map(report).collect()
    }

    /// Takes the host's answers to the reports. All of them have to be armed, and answers to older reports are not
    /// taken.
    pub(crate) fn update_arming(&mut self, reports: &[Presented], answers: Vec<Arming>) {
        if self.reports() == reports {
            // What something must happen for waits longest.
            let left = |arming: &Arming| (!arming.armed, arming.remaining_ms.is_none(), arming.remaining_ms);
            self.arming = answers.into_iter().max_by_key(left);
        }
    }

    /// Returns the state of arming, for the page.
    pub(crate) fn arming(&self) -> ShownArming {
        match &self.arming {
            Some(Arming { armed: true, .. }) => ShownArming::Armed,
            Some(Arming { remaining_ms: Some(left_ms), .. }) => ShownArming::Counting { left_ms: *left_ms },
            Some(Arming { remaining_ms: None, .. }) | None => ShownArming::Unseen,
        }
    }
}

/// Returns the id and digest that an answer has to name.
fn question_name(question: &Question) -> (&str, &str) {
    (&question.id, &question.digest)
}

/// Returns the part of a question that a person judges.
///
/// How many others wait is not part of it: agents could keep *Allow* dead by asking on. Nor is how long it
/// waits.
fn content(question: &Question) -> Question {
    Question { waiting: 0, requests: Vec::new(), expires_at: 0, ..question.clone() }
}

#[cfg(test)]
pub(crate) mod tests;
