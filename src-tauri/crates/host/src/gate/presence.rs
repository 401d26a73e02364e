//! Visibility of windows: they can show nothing on a locked screen, nor on one that shows another person's
//! session.

use super::task::Task;
use crate::ask::{ApproverId, ConnectedApproverKind};
use crate::clock::now_millis;
use crate::session::ScreenPresence;
use postern_contract::methods::{Arming, Presented};
use postern_contract::{Answer, AnswerParams, render};
use postern_request::{Denial, NotShown, Refusal};
use std::time::Duration;
use tokio::time::Instant;

/// Interval at which the screen is checked while a window shows a question.
const LOOK: Duration = Duration::from_secs(1);

impl Task {
    /// Returns the reason why an approver of this kind can show nothing now; `None` if it can. Terminals are
    /// taken for windows of this screen.
    pub(super) fn unable(&self, kind: ConnectedApproverKind) -> Option<NotShown> {
        match kind {
            // A terminal of a computer without a screen is somewhere else.
            ConnectedApproverKind::Terminal => self.denied_by_lock().then_some(NotShown::Locked),
            ConnectedApproverKind::Window => match self.parts.session.presence() {
                ScreenPresence::Present => None,
                ScreenPresence::Locked => Some(NotShown::Locked),
                ScreenPresence::Away => Some(NotShown::Away),
            },
            ConnectedApproverKind::Remote => None,
        }
    }

    /// Returns the reason why no connected approver could show a question now; `None` if one could.
    pub(super) fn nobody_able(&self) -> Option<NotShown> {
        let mut why = NotShown::Nowhere;
        for kind in self.parts.faces.connected_kinds() {
            why = self.unable(kind)?;
        }
        Some(why)
    }

    /// Notes that an approver could not show a question: if nobody answers it, that is why.
    pub(super) fn cannot_present(&mut self, face: ApproverId, question: &str, why: String) {
        tracing::warn!(%face, %question, "a question could not be shown");
        if let Some(waiting) = self.questions.find_question(question) {
            waiting.shown.cannot_present = Some(why);
        }
        if face.kind == ConnectedApproverKind::Window {
            self.unshown = Some(now_millis());
            self.parts.stirred.status.notify_one();
        }
    }

    /// Notes that somebody answers: what a window shows can be seen again.
    pub(super) fn note_answer(&mut self, face: ApproverId) {
        if face.kind == ConnectedApproverKind::Window && self.unshown.take().is_some() {
            self.parts.stirred.status.notify_one();
        }
    }

    /// Notes what an approver shows. What a window shows while nobody can see it does not count.
    pub(super) fn presented(&mut self, face: ApproverId, seen: &Presented) -> Arming {
        let now = Instant::now();
        if let Some(why) = self.unable(face.kind) {
            self.questions.unseen_in_windows();
            self.elsewhere.questions.unseen_in_windows();
            let again = u64::try_from(LOOK.as_millis()).ok();
            let missing = postern_contract::pieces_to_text(&render::not_shown(&why));
            return Arming { armed: false, remaining_ms: again, missing };
        }
        if face.kind == ConnectedApproverKind::Window {
            self.look_at.get_or_insert(now + LOOK);
        }
        // Its time begins at first sight.
        if seen.visible && self.questions.waits_behind(&seen.question_id) {
            self.count_anew(&seen.question_id);
        }
        let here = self.questions.presented(face, seen, now);
        if self.is_elsewhere(&seen.question_id) {
            return self.elsewhere.questions.presented(face, seen, now);
        }
        here
    }

    /// Returns the reason why this approval does not count. The window has to show the question again.
    pub(super) fn unseen(&mut self, params: &AnswerParams, face: ApproverId) -> Option<NotShown> {
        match params.answer {
            Answer::Once | Answer::Always => {}
            Answer::Deny | Answer::DenyAlways | Answer::DenyAll => return None,
        }
        let why = self.unable(face.kind)?;
        self.questions.unseen_in_windows();
        self.elsewhere.questions.unseen_in_windows();
        Some(why)
    }

    /// Looks at the screen when it is time to: arming starts over after it was locked, however short.
    pub(super) fn look_at_screen(&mut self) {
        if self.look_at.take_if(|at| *at <= Instant::now()).is_none() {
            return;
        }
        if self.unable(ConnectedApproverKind::Window).is_some() {
            self.questions.unseen_in_windows();
            self.elsewhere.questions.unseen_in_windows();
        }
        if self.questions.in_a_window() || self.elsewhere.questions.in_a_window() {
            self.look_at = Some(Instant::now() + LOOK);
        }
    }

    /// Returns whether a question may wait.
    ///
    /// On a locked screen only for an approver that was paired, unless the person wants it to wait for any.
    pub(super) fn may_wait(&self) -> Result<(), Denial> {
        if self.denied_by_lock()
            && !self.parts.faces.connected_kinds().contains(&ConnectedApproverKind::Remote)
        {
            return Err(Refusal::NotShown(NotShown::Locked).into());
        }
        Ok(())
    }

    /// Returns true if the screen is locked, and nobody may answer at it then.
    fn denied_by_lock(&self) -> bool {
        self.parts.book.snapshot().settings.deny_when_locked
            && self.parts.session.presence() == ScreenPresence::Locked
    }
}
