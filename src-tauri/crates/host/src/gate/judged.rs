//! A request was judged: it starts, it is denied, or a person is asked.

use super::judge::{JudgedRequest, RequestJudgment};
use super::live::LiveRequest;
use super::show::{self, QuestionInputs};
use super::task::Task;
use crate::ask::questions::WaitingQuestion;
use crate::clock::now_millis;
use postern_contract::{Answer, ApproverNotification, Closed, ClosedBy, Question};
use postern_policy::{Decision, Fallback};
use postern_protocol::{Decision as Word, NoticeEvent, Pending, RunResult};
use postern_request::{AllowedBy, Denial, Digest, Refusal, RequestEvent, RequestState};
use postern_store::questions::{self, QuestionRow};
use std::time::Duration;
use uuid::Uuid;

impl Task {
    pub(super) fn judged(&mut self, id: Uuid, judgement: RequestJudgment) {
        let Some(request) = self.requests.get(&id) else { return };
        match request.state() {
            // Nothing of it has been done: it is written down with what comes of it.
            RequestState::Received | RequestState::Queued => {
                let event = self.judgment_event(id, judgement);
                self.happen(id, event);
            }
            // It ended meanwhile.
            RequestState::Asking { .. }
            | RequestState::Starting { .. }
            | RequestState::Running { .. }
            | RequestState::Stopping { .. }
            | RequestState::Ended(_) => {}
        }
    }

    /// Converts a judgment to an event: a pause denies in any case.
    fn judgment_event(&mut self, id: Uuid, judgement: RequestJudgment) -> RequestEvent {
        let mut judged = match judgement {
            RequestJudgment::Refused(denial) => return RequestEvent::JudgedDeny(denial),
            RequestJudgment::Judged(judged) => judged,
        };
        if judged.call.is_some() {
            self.judge_call_now(&mut judged);
            // The agent does it itself: nothing is held open for it.
            judged.close();
        }
        let (decision, digest) = (judged.verdict.decision, judged.digest.clone());
        let by = judged.decided_by(&judged.verdict);
        let denial = (decision == Decision::Deny).then(|| Denial::of_verdict(&judged.verdict));
        let Some(request) = self.requests.get_mut(&id) else {
            return RequestEvent::JudgedDeny(Refusal::NotRecorded.into());
        };
        let agent = request.agent.clone();
        request.judged = Some(judged);
        self.offer_renewals(id);
        self.note_rule_uses(id, decision);
        if let Some(denial) = denial.or_else(|| self.halted(&agent)) {
            return RequestEvent::JudgedDeny(denial);
        }
        if decision == Decision::Allow {
            return self.let_through(id, by, digest);
        }
        match self.prepare_question(id, &digest) {
            Ok(true) => RequestEvent::JudgedAsk { digest },
            Ok(false) => {
                self.close_files(id);
                RequestEvent::JudgedQueue
            }
            Err(denial) => RequestEvent::JudgedDeny(denial),
        }
    }

    /// Judges a call by the policy as it is now: it is not looked at again before it begins.
    fn judge_call_now(&self, judged: &mut JudgedRequest) {
        let version = self.parts.book.version();
        let changed = Some(version).filter(|version| judged.plan.policy != *version);
        if let Some((version, policy)) = changed.zip(self.parts.book.policy(&judged.plan.agent)) {
            let (world, at) = (&self.parts.world, now_millis());
            let verdict = judged.rejudge(world, &policy, at);
            if verdict.decision == Decision::Ask {
                judged.read_scripts();
            }
            judged.decide(verdict, &world.home);
            judged.find_offers(world, &policy, at);
            judged.plan.policy = version;
        }
    }

    /// Returns the event for a verdict of allow: a start, or an answer to the agent that does it itself.
    fn let_through(&mut self, id: Uuid, by: AllowedBy, digest: Digest) -> RequestEvent {
        if self.requests.get(&id).is_none_or(|request| request.call.is_none()) {
            return RequestEvent::JudgedAllow { by, digest };
        }
        if let Some(request) = self.requests.get_mut(&id) {
            if request.judged.as_deref().is_some_and(JudgedRequest::disturbs_run) {
                return RequestEvent::JudgedDeny(Refusal::ConfinedRunUnderWay.into());
            }
            request.by = Some(by);
        }
        RequestEvent::LeftToAgent
    }

    /// Closes the files of a request that waits: nothing is held open for it.
    pub(super) fn close_files(&mut self, id: Uuid) {
        if let Some(judged) = self.requests.get_mut(&id).and_then(|request| request.judged.as_mut()) {
            judged.close();
        }
    }

    /// Builds the question, where another one may be asked now.
    fn prepare_question(&mut self, id: Uuid, digest: &Digest) -> Result<bool, Denial> {
        let Some(request) = self.requests.get(&id) else { return Err(Refusal::NotRecorded.into()) };
        let agent = request.agent.clone();
        let Some(entry) = self.parts.book.find_agent(&agent) else { return Err(Refusal::NotRecorded.into()) };
        let settings = entry.policy.settings.clone();
        if !self.questions.can_join(&agent, digest) {
            self.may_wait()?;
            if !self.has_turn(&agent, id)? {
                return Ok(false);
            }
        }
        let failed_confined = self.requests.get(&id).is_some_and(|request| self.asks_after_failure(request));
        if let Some(judged) = self.requests.get_mut(&id).and_then(|request| request.judged.as_deref_mut()) {
            judged.context.failed_confined = failed_confined;
        }
        let Some(request) = self.requests.get(&id) else { return Err(Refusal::NotRecorded.into()) };
        let Some(judged) = &request.judged else { return Err(Refusal::NotRecorded.into()) };
        let fallback = self.fallback_for(&settings, judged.verdict.risk.level);
        let question_id = Uuid::now_v7();
        let asked_at = now_millis();
        let question = show::question(&QuestionInputs {
            id: question_id,
            code: self.questions.fresh_code(Uuid::new_v4()),
            entry: &entry,
            run: &request.run,
            judged,
            at: asked_at,
            expires_at: asked_at.saturating_add_unsigned(settings.approval_timeout_ms),
            request: id,
            home: &self.parts.world.home,
            edited: None,
            recent: self.recent(&agent, request.run.session.as_deref(), Some(id)),
            call: request.call.as_deref(),
            fallback,
        });
        let question = question.ok_or(Refusal::TooLongToShow)?;
        if let Some(request) = self.requests.get_mut(&id) {
            request.question = Some(Box::new(question));
        }
        Ok(true)
    }

    /// Returns the event that tells of the question that a request waits for, and the question as it is kept.
    pub(super) fn pending(&mut self, id: Uuid) -> Option<(NoticeEvent, Option<QuestionRow>)> {
        let question = self.questions.question_of(id)?.shown.question.clone();
        let pending = self.pending_for_agent(&question);
        let row = row_of(&self.among_others(question));
        Some((NoticeEvent::Pending(pending), row))
    }

    /// Opens the question, or joins the one that shows the same plan. Its record is durable already.
    pub(super) fn ask_question(&mut self, id: Uuid, digest: &Digest) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        let Some(question) = request.question.take() else { return };
        if !request.is_asking() {
            return;
        }
        let agent = request.agent.clone();
        if let Some(halted) = self.halted(&agent) {
            self.happen(id, RequestEvent::AnsweredDeny(halted));
            return;
        }
        self.close_files(id);
        let is_call = self.requests.get(&id).is_some_and(|request| request.call.is_some());
        let (question, opens) = if let Some(question) = self.questions.join_waiter(&agent, digest, id) {
            (question.clone(), false)
        } else {
            let left = question.expires_at.saturating_sub(now_millis());
            let (clock, left) = (self.gate_time(), Duration::from_millis(u64::try_from(left).unwrap_or(0)));
            self.questions.open_question(*question.clone(), digest.clone(), vec![id], clock, clock + left);
            self.people_of(&question.id);
            if self.elsewhere.questions.in_a_window() {
                self.questions.put_behind(&question.id);
            }
            (*question, true)
        };
        let question = self.among_others(question);
        tracing::info!(question = %question.id, "asked");
        if opens {
            self.notify_approvers(ApproverNotification::QuestionOpened(Box::new(question.clone())));
            self.count_matches(id, &question);
            self.measure(id);
        } else {
            self.notify_approvers(ApproverNotification::QuestionChanged(Box::new(question)));
        }
        if is_call {
            self.tell_required(id);
        }
    }

    /// Asks again for the requests that an approval was not for, as a question of its own that every approver
    /// has to show again.
    pub(super) fn ask_again(&mut self, before: WaitingQuestion, rest: Vec<Uuid>) {
        let Some(first) = rest.first() else { return };
        let says = self.requests.get(first).and_then(|request| request.run.reason.clone());
        let (expires, plan) = (before.expires(), before.digest().clone());
        let mut question = before.shown.question;
        question.id = Uuid::now_v7().to_string();
        question.code = self.questions.fresh_code(Uuid::new_v4());
        question.requests = rest.iter().map(Uuid::to_string).collect();
        question.asker.says = says.as_deref().map(show::to_pieces);
        question.asked_at = now_millis();
        let clock = self.gate_time();
        self.questions.open_question(question.clone(), plan, rest, clock, expires);
        self.people_of(&question.id);
        if let Some(row) = row_of(&question) {
            drop(self.parts.store.write(move |conn| questions::upsert_question(conn, &row)));
        }
        tracing::info!(question = %question.id, requests = question.requests.len(), "asked again");
        self.notify_approvers(ApproverNotification::QuestionOpened(Box::new(self.among_others(question))));
    }

    /// Removes a request from its question. The last one closes it.
    pub(super) fn close_question(&mut self, id: Uuid) {
        let how = match self.requests.get(&id).map(LiveRequest::state) {
            Some(RequestState::Ended(_)) | None => ClosingCause::Withdrawn,
            Some(_) => ClosingCause::Rule,
        };
        self.leave_question(id, how);
    }

    /// Removes a waiter. The question closes when none is left.
    pub(super) fn leave_question(&mut self, waiter: Uuid, how: ClosingCause) {
        let Some(waiting) = self.questions.remove_waiter(waiter) else { return };
        let question = waiting.shown.question.clone();
        if waiting.waiters().is_empty() {
            self.questions.close(&question.id);
            self.question_closed(&question, &[waiter], how, None);
        } else {
            self.tell_changed(question);
        }
    }

    /// Reports a closed question, and records it with the requests that waited for it. `answer` is the
    /// approver and the words of the person who answered.
    pub(super) fn question_closed(
        &mut self,
        question: &Question,
        waiters: &[Uuid],
        how: ClosingCause,
        answer: Option<(String, Option<String>)>,
    ) {
        let (face, feedback) = answer.unzip();
        if let Ok(id) = Uuid::parse_str(&question.id) {
            let (answer, feedback) = (how.record_name().to_owned(), feedback.flatten());
            let closed = questions::QuestionEnd { at: now_millis(), answer, face: face.clone(), feedback };
            for waiter in waiters {
                if let Some(request) = self.requests.get_mut(waiter) {
                    request.closes = Some((id, closed.clone()));
                }
            }
        }
        let how = how.closed_by();
        let (id, code) = (question.id.clone(), question.code.clone());
        self.notify_approvers(ApproverNotification::QuestionClosed(Closed { id, code, how, face }));
    }

    /// Answers the callers that only wanted to know that it was judged.
    pub(super) fn answer_accepted(&mut self, id: Uuid) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        // One that ended is answered with its end.
        if request.ending().is_some() {
            return;
        }
        if request.call.is_some() {
            let result = super::call::asked_result(request);
            for reply in std::mem::take(&mut request.accepted) {
                reply.send_result(&result);
            }
            return;
        }
        let result = super::calls::accepted(&request.run, request.state(), request.judged.as_deref());
        for reply in std::mem::take(&mut request.accepted) {
            reply.send_result(&RunResult::Accepted(result.clone()));
        }
    }

    /// Returns what an agent is told of an open question.
    pub(super) fn pending_for_agent(&self, question: &Question) -> Pending {
        let policy = self.parts.book.policy(&question.asker.agent);
        let fallback = policy.map(|policy| self.fallback_for(&policy.settings, question.risk.level));
        Pending {
            expires_at: crate::publish::format_time(question.expires_at),
            position: u32::try_from(self.questions.position(&question.id)).unwrap_or(u32::MAX),
            question: Some(question.code.clone()),
            at_expiry: match fallback {
                Some(Fallback::Deny) => Some(Word::Deny),
                Some(Fallback::Full) => Some(Word::Allow),
                Some(Fallback::Allowlist) | None => None,
            },
        }
    }

    /// Rules that decided are noted as used, with the record that follows.
    pub(super) fn note_rule_uses(&mut self, id: Uuid, decision: Decision) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        let Some(judged) = &request.judged else { return };
        if decision != Decision::Ask && !judged.verdict.used.is_empty() {
            request.uses = super::rows::rule_uses(judged, &request.line);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClosingCause {
    Answer(Answer),
    Paused,
    /// The clock.
    Expired,
    /// Withdrawn by all that asked.
    Withdrawn,
    Rule,
}

impl ClosingCause {
    /// Returns what the record keeps.
    fn record_name(self) -> &'static str {
        match self {
            Self::Answer(answer) => answer.name(),
            Self::Paused => "paused",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
            Self::Rule => "rule",
        }
    }

    /// Returns what faces are told.
    fn closed_by(self) -> ClosedBy {
        match self {
            Self::Answer(Answer::Once | Answer::Always) => ClosedBy::Allowed,
            Self::Answer(Answer::Deny | Answer::DenyAlways | Answer::DenyAll) | Self::Paused => {
                ClosedBy::Denied
            }
            Self::Expired => ClosedBy::Expired,
            Self::Withdrawn => ClosedBy::Withdrawn,
            Self::Rule => ClosedBy::Rule,
        }
    }
}

pub(super) fn row_of(question: &Question) -> Option<QuestionRow> {
    Some(QuestionRow {
        id: Uuid::parse_str(&question.id).ok()?,
        code: question.code.clone(),
        agent: question.asker.agent.clone(),
        digest: Digest(question.digest.clone()),
        requests: question.requests.iter().filter_map(|id| Uuid::parse_str(id).ok()).collect(),
        asked_at: question.asked_at,
        expires_at: question.expires_at,
        shown: serde_json::to_string(question).ok()?,
        closed: None,
    })
}
