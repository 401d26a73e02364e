//! Liveness check of the page that shows a question: it is asked for a number every half second.
//!
//! A page whose process ended fails to give it, a frozen one gives nothing.

use super::Presenter;
use crate::window::surface::Surface;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tauri::{Manager as _, WebviewWindow};
use tokio::time::Instant;

/// Between two beats.
const BEAT: Duration = Duration::from_millis(500);
/// Number of beats that may stay without an answer.
///
/// With a beat that was just answered, a page is lost within three seconds.
const MISSED: u32 = 4;
/// Script that the page evaluates.
const QUESTION: &str = "1";

/// The beats of the page on show, and which question lost its page.
#[derive(Debug, Default)]
pub(super) struct Pulse {
    next: Option<Instant>,
    /// Beats without an answer. A page that is watched again has its own, so that a late answer of another counts for nothing.
    unanswered: Arc<AtomicU32>,
    /// The last question whose page was lost, by its id.
    lost: Option<String>,
}

impl Pulse {
    /// Begins while a question is on show, and ends when none is.
    pub(super) fn set_watching(&mut self, on_show: bool, now: Instant) {
        if !on_show {
            self.next = None;
        } else if self.next.is_none() {
            self.unanswered = Arc::default();
            self.next = Some(now + BEAT);
        }
    }

    pub(super) fn next_beat(&self) -> Option<Instant> {
        self.next
    }

    /// Notes one more beat; returns false if too many stayed without an answer.
    fn count_beat(&mut self, now: Instant) -> bool {
        self.next = Some(now + BEAT);
        self.unanswered.fetch_add(1, Ordering::AcqRel) < MISSED
    }

    fn ping_page(&self, page: &WebviewWindow) -> tauri::Result<()> {
        let unanswered = Arc::clone(&self.unanswered);
        // Empty where it could not be run: the page's process has ended.
        page.eval_with_callback(QUESTION, move |answer| {
            unanswered.store(if answer.is_empty() { MISSED } else { 0 }, Ordering::Release);
        })
    }

    /// Notes that the page of this question was lost; returns true if that was so before.
    fn record_loss(&mut self, question: &str) -> bool {
        self.next = None;
        self.lost.replace(question.to_owned()).is_some_and(|before| before == question)
    }
}

impl Presenter {
    /// Sends a beat that is due.
    pub(super) async fn send_beat(&mut self) -> anyhow::Result<()> {
        if !self.pulse.count_beat(Instant::now()) {
            return self.replace_lost_page().await;
        }
        let inbox = self.pane.app_handle().get_webview_window(crate::window::settings::LABEL);
        let page = match self.surface() {
            Surface::Panel => self.pane.window(),
            Surface::Inbox => inbox.as_ref(),
        };
        // One that is just going is told as gone.
        page.map_or(Ok(()), |page| self.pulse.ping_page(page))?;
        Ok(())
    }

    /// Replaces the page on show, which is dead or frozen: nothing of it counts as seen. The second time, it reports to
    /// the host that the question cannot be shown.
    async fn replace_lost_page(&mut self) -> anyhow::Result<()> {
        let Some(question) = self.desk.question().map(|question| question.id.clone()) else { return Ok(()) };
        tracing::warn!(%question, "the page on show does not answer; a new one shows its question");
        self.desk.set_visible(false, Instant::now());
        self.report().await;
        let again = self.pulse.record_loss(&question);
        if self.surface() == Surface::Inbox {
            return self.leave_inbox().await;
        }
        if again {
            self.cannot_show().await;
        }
        self.desk.waiting(None, Vec::new());
        self.release();
        self.refresh_question().await
    }
}

#[cfg(test)]
mod tests {
    use super::{BEAT, MISSED, Pulse};
    use std::sync::atomic::Ordering;
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn a_page_that_gives_no_answer_is_lost_within_three_seconds() {
        let (mut pulse, shown) = (Pulse::default(), Instant::now());
        pulse.set_watching(true, shown);
        for _ in 0..100 {
            let due = pulse.next_beat().unwrap();
            assert!(pulse.count_beat(due));
            pulse.unanswered.store(0, Ordering::Release);
        }
        let answered = pulse.next_beat().unwrap();
        while pulse.count_beat(pulse.next_beat().unwrap()) {}
        let noticed = pulse.next_beat().unwrap() - BEAT;
        assert!(noticed - answered <= Duration::from_secs(3), "{:?}", noticed - answered);
        assert!(noticed - answered >= BEAT * MISSED, "and not before it had its time");
    }

    #[test]
    fn a_page_that_is_watched_anew_owes_nothing() {
        let (mut pulse, now) = (Pulse::default(), Instant::now());
        pulse.set_watching(true, now);
        let before = std::sync::Arc::clone(&pulse.unanswered);
        while pulse.count_beat(now) {}
        pulse.set_watching(false, now);
        assert_eq!(pulse.next_beat(), None, "nothing is on show");
        pulse.set_watching(true, now);
        before.store(MISSED, Ordering::Release);
        assert!(pulse.count_beat(now), "what the page before it says counts for nothing");
    }

    #[test]
    fn the_second_page_that_is_lost_with_a_question_is_the_last() {
        let mut pulse = Pulse::default();
        assert_eq!(
            ["a", "a", "b", "a"].map(|question| pulse.record_loss(question)),
            [false, true, false, false]
        );
    }
}
