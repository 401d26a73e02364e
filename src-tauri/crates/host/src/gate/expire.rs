//! Expiry of questions without an answer.

use super::judged::ClosingCause;
use super::task::Task;
use crate::ask::ConnectedApproverKind;
use crate::ask::questions::{OnShow, WaitingQuestion};
use crate::clock::{lasting, now_millis};
use postern_policy::{Decision, Fallback, Millis, Origin, Unattended};
use postern_request::{AllowedBy, Denial, Digest, NotShown, Refusal, RequestEvent};
use std::time::Duration;
use uuid::Uuid;

/// The longest that a question waits because others were shown before it, in milliseconds since it was asked.
const LONGEST_MS: u64 = 10 * 60 * 1000;
/// The longest that a question waits because a person kept it for later, in milliseconds since it was asked.
const LATER_MS: u64 = 30 * 60 * 1000;

impl Task {
    /// Ends the questions and pauses whose time is over.
    pub(super) fn expire(&mut self) {
        let slept = self.parts.session.time_asleep();
        if std::mem::replace(&mut self.slept, slept) != slept {
            self.questions.mark_slept();
        }
        self.look_at_screen();
        self.end_pause();
        self.forget_gone();
        self.try_again();
        self.give_up_late();
        let clock = self.gate_time();
        for id in self.questions.unattended(clock) {
            if self.waits_for_nobody(&id) {
                self.end_question(&id, Some(Refusal::Nobody));
            }
        }
        for id in self.questions.expired(clock) {
            // It was not shown in time because the window showed another one: its time has not begun.
            let waits = self.questions.waits_behind(&id)
                && self.parts.faces.connected_kinds().contains(&ConnectedApproverKind::Window)
                && self.unable(ConnectedApproverKind::Window).is_none()
                && self.count_anew(&id);
            if !waits {
                self.end_question(&id, None);
            }
        }
    }

    /// Ends what waits: nobody answers a machine that sleeps, and nobody should find yesterday's question.
    pub(super) fn fall_asleep(&mut self) {
        self.questions.mark_slept();
        let waiting: Vec<String> =
            self.questions.iter().map(|waiting| waiting.shown.question.id.clone()).collect();
        for id in waiting {
            self.end_question(&id, None);
        }
    }

    /// Starts a question's time again, within the limit of its whole time. Returns true if it still waits.
    pub(super) fn count_anew(&mut self, id: &str) -> bool {
        let agent = self.questions.find_question(id).map(|waiting| waiting.agent_id().clone());
        let Some(policy) = agent.and_then(|agent| self.parts.book.policy(&agent)) else { return false };
        let timeout = policy.settings.approval_timeout_ms;
        let Some(waiting) = self.questions.find_question(id) else { return false };
        let latest = waiting.shown.question.asked_at.saturating_add_unsigned(timeout.max(LONGEST_MS));
        self.wait_longer(id, now_millis().saturating_add_unsigned(timeout).min(latest))
    }

    /// Keeps a question for later. Silence about it denies from then on, whatever the fallback is.
    pub(super) fn put_off(&mut self, id: &str) -> bool {
        let Some(waiting) = self.questions.find_question(id) else { return false };
        waiting.shown.put_off = true;
        let (id, asked_at) = (waiting.shown.question.id.clone(), waiting.shown.question.asked_at);
        self.wait_longer(&id, asked_at.saturating_add_unsigned(LATER_MS))
    }

    /// Lets a question wait until then, if that is later. Returns true if it still waits.
    fn wait_longer(&mut self, id: &str, expires_at: Millis) -> bool {
        let (at, clock) = (now_millis(), self.gate_time());
        let Some(waiting) = self.questions.find_question(id) else { return false };
        let question = &mut waiting.shown.question;
        if expires_at <= at {
            return false;
        }
        if expires_at > question.expires_at {
            question.expires_at = expires_at;
            let question = question.clone();
            let left = u64::try_from(expires_at.saturating_sub(at)).unwrap_or(0);
            waiting.wait_until(clock + Duration::from_millis(left));
            self.tell_changed(question);
        }
        true
    }

    /// Returns true if no approver is connected that could answer, and the agent's questions do not wait for
    /// one.
    fn waits_for_nobody(&mut self, id: &str) -> bool {
        let agent = self.questions.find_question(id).map(|waiting| waiting.agent_id().clone());
        let policy = agent.and_then(|agent| self.parts.book.policy(&agent));
        policy.is_some_and(|policy| policy.settings.unattended == Unattended::Deny)
            && self.parts.faces.connected_kinds().is_empty()
    }

    /// Ends a question that nobody answered, for the reason given or for why nobody did.
    fn end_question(&mut self, id: &str, refusal: Option<Refusal>) {
        self.people_of(id);
        let Some(waiting) = self.questions.close(id) else { return };
        tracing::info!(question = %id, presented = ?waiting.shown.presented, "expired");
        self.question_closed(&waiting.shown.question, waiting.waiters(), ClosingCause::Expired, None);
        let denial: Denial = refusal.unwrap_or_else(|| self.unanswered(&waiting)).into();
        for waiter in waiting.waiters() {
            self.request_expired(*waiter, &waiting, denial.clone());
        }
    }

    /// Applies the fallback, only if somebody could have answered: every way of failing denies.
    fn request_expired(&mut self, id: Uuid, waiting: &WaitingQuestion, denial: Denial) {
        let seen = waiting.shown.presented.iter().any(|kind| self.unable(*kind).is_none());
        let OnShow { cannot_present, slept, put_off, people, .. } = &waiting.shown;
        let shown = seen && cannot_present.is_none() && !slept && !put_off && *people < 2;
        let allowed = if shown { self.fallback_allows(id) } else { None };
        let event = match allowed {
            Some(digest) => RequestEvent::Allowed { by: AllowedBy::Fallback, digest },
            None => RequestEvent::Expired(denial),
        };
        self.happen(id, event);
    }

    /// Returns the refusal of a question without an answer: if nobody could have given one, that is
    /// distinguished.
    fn unanswered(&self, waiting: &WaitingQuestion) -> Refusal {
        if let Some(why) = &waiting.shown.cannot_present {
            return Refusal::NotShown(NotShown::Approver(why.clone()));
        }
        let needed = waiting.shown.people;
        if needed > 1 && !waiting.shown.presented.is_empty() {
            return Refusal::TooFewPeople { approved: waiting.shown.approved.len(), needed };
        }
        if !waiting.shown.presented.is_empty() {
            return Refusal::Expired { presented: true };
        }
        self.nobody_able().map_or(Refusal::Expired { presented: false }, Refusal::NotShown)
    }

    /// Returns the digest of what the fallback allows, or `None` if it denies.
    fn fallback_allows(&mut self, id: Uuid) -> Option<Digest> {
        let agent = self.requests.get(&id)?.agent.clone();
        let halted = self.halted(&agent).is_some();
        let policy = self.parts.book.policy(&agent)?;
        let risk = self.requests.get(&id)?.judged.as_ref()?.verdict.risk.level;
        let fallback = self.fallback_for(&policy.settings, risk);
        let request = self.requests.get_mut(&id)?;
        let judged = request.judged.as_mut()?;
        // What a person began to change was not what the fallback is about, nor is a tool that runs no command.
        if request.edited.is_some() || halted || request.origin == Origin::Tool {
            return None;
        }
        match fallback {
            Fallback::Deny => None,
            Fallback::Allowlist | Fallback::Full => {
                let verdict = judged.unanswered(&self.parts.world, &policy, lasting());
                judged.tighten(&verdict, &self.parts.world.home);
                (verdict.decision == Decision::Allow).then(|| judged.digest.clone())
            }
        }
    }
}
