//! Answers of a person.

use super::context::ScriptPreview;
use super::judged::ClosingCause;
use super::live::{Answering, LiveRequest, PendingSave, Pledge, Stopping};
use super::message::AnswerPreview;
use super::saving::{SaveContext, adds_line, saved_of};
use super::task::{Task, answer};
use crate::ask::questions::WaitingQuestion;
use crate::ask::{ApproverId, Approvers};
use crate::book::RuleSaveRequest;
use crate::clock::lasting;
use postern_contract::{Answer, AnswerParams, Answered, NotApplied, Part, Question, Saved};
use postern_policy::{AgentId, NothingToSave, RuleId};
use postern_protocol::Signal;
use postern_request::{Denial, Digest, Refusal, RequestEvent, Withdrawal};
use postern_store::audit;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;
use uuid::Uuid;

use super::message::Killed;

/// Duration of *deny all*, in milliseconds.
pub(super) const DENY_ALL_MS: i64 = 10 * 60 * 1000;
/// Denials of an agent that are counted, and for how long each is.
const REFUSALS: usize = 16;
const REFUSED_WITHIN: Duration = Duration::from_mins(10);
/// The longest words that are passed on to an agent, in bytes.
const FEEDBACK: usize = 4096;

impl Task {
    /// Applies an answer: the first one that counts decides. It is sent on when it is durable.
    pub(super) fn answer(
        &mut self,
        mut params: AnswerParams,
        face: ApproverId,
        reply: oneshot::Sender<Answered>,
    ) {
        self.note_answer(face);
        if self.is_elsewhere(&params.question_id) {
            return self.answer_elsewhere(params, face, reply);
        }
        let (id, nothing) = match self.check_answer(&mut params, face) {
            Ok(found) => found,
            Err(why) => {
                answer(reply, Answered::refused(&why));
                return;
            }
        };
        let reply = match nothing {
            Some(why) => saying_why(why, reply),
            None => reply,
        };
        let Some(mut waiting) = self.questions.close(&id) else { return };
        let yes = matches!(params.answer, Answer::Once | Answer::Always);
        let rest = if yes {
            let named = params.requests.iter().filter_map(|id| Uuid::parse_str(id).ok());
            waiting.approve(&named.collect::<Vec<_>>())
        } else {
            Vec::new()
        };
        tracing::info!(question = %id, answer = params.answer.name(), %face, "answered");
        let face_name = self.parts.faces.name_of(face);
        let feedback = params.feedback.clone();
        let answered = Some((face_name.clone(), feedback));
        self.question_closed(
            &waiting.shown.question,
            waiting.waiters(),
            ClosingCause::Answer(params.answer),
            answered,
        );
        for waiter in waiting.waiters() {
            if let Some(request) = self.requests.get_mut(waiter) {
                request.answered_by = Some(face_name.clone());
            }
        }
        if yes {
            self.answered_yes(&waiting, &params, reply);
            self.ask_again(waiting, rest);
        } else {
            self.answered_no(&waiting, &params, reply);
        }
    }

    /// Checks what holds for answers to every question: the words fit, and the approver could see what it answers. Blank
    /// words are none.
    pub(super) fn check_sight(
        &mut self,
        params: &mut AnswerParams,
        face: ApproverId,
    ) -> Result<(), NotApplied> {
        params.feedback = params.feedback.take().filter(|words| !words.trim().is_empty());
        if params.feedback.as_ref().is_some_and(|words| words.len() > FEEDBACK) {
            return Err(NotApplied::FeedbackTooLong { most: FEEDBACK });
        }
        self.unseen(params, face).map_or(Ok(()), |why| Err(NotApplied::Unseen(why)))
    }

    /// Returns the question that an answer is for, or why the answer does not count. Turns an *always* that can save nothing into
    /// *once*, and gives the reason.
    fn check_answer(
        &mut self,
        params: &mut AnswerParams,
        face: ApproverId,
    ) -> Result<(String, Option<NothingToSave>), NotApplied> {
        self.check_sight(params, face)?;
        let id = self.questions.check_answer(params, face, Instant::now())?.id.clone();
        let nothing = self.nothing_to_save(&id, params.answer);
        if nothing.is_some() {
            params.answer = Answer::Once;
        }
        self.check_approval(&id, params, face)?;
        self.can_remember(&id, params)?;
        match self.not_enough(&id, params, face) {
            Some(why) => Err(why),
            None => Ok((id, nothing)),
        }
    }

    /// Returns the reason why an *always* saves nothing: it then allows one run.
    fn nothing_to_save(&self, question: &str, said: Answer) -> Option<NothingToSave> {
        let question = &self.questions.find_by_name(question)?.shown.question;
        let nothing = said == Answer::Always && question.proposals.is_empty();
        nothing.then(|| question.why_unsaved())
    }

    /// Checks that the approver shows what an answer is about, and that a request that it names still waits.
    fn check_approval(
        &self,
        question: &str,
        params: &AnswerParams,
        face: ApproverId,
    ) -> Result<(), NotApplied> {
        let Some(waiting) = self.questions.find_by_name(question) else { return Ok(()) };
        check_parts(&self.parts.faces, &waiting.shown.question, params.answer, face)?;
        let requests = &waiting.shown.question.requests;
        let gone = !params.requests.is_empty() && !params.requests.iter().any(|id| requests.contains(id));
        if gone { Err(NotApplied::NotWaiting) } else { Ok(()) }
    }

    /// Returns whether what the person wants remembered can be: known before anything is decided.
    fn can_remember(&self, question: &str, params: &AnswerParams) -> Result<(), NotApplied> {
        if !matches!(params.answer, Answer::Always | Answer::DenyAlways) {
            return Ok(());
        }
        let Some(waiting) = self.questions.find_by_name(question) else { return Ok(()) };
        match self.first_waiter(waiting) {
            Some(request) if adds_line(request, params) => Ok(()),
            Some(request) => self.remember_of(request, params).map(drop),
            None => Ok(()),
        }
    }

    fn answered_yes(
        &mut self,
        waiting: &WaitingQuestion,
        params: &AnswerParams,
        reply: oneshot::Sender<Answered>,
    ) {
        let plan = waiting.digest();
        let home = self.parts.world.home.clone();
        let mut answering = self.answering(waiting, params, reply);
        for id in waiting.waiters() {
            let theirs = answering.for_one();
            let remember = matches!(theirs, Some(Answering::Saves(_)));
            let mut confined = None;
            if let Some(request) = self.requests.get_mut(id) {
                request.answering = theirs;
                confined = confined_by(request, params, plan, &home);
                let scripts = request.judged.iter().flat_map(|judged| &judged.context.scripts);
                request.scripts = scripts.map(ScriptPreview::to_allowed).collect();
            }
            let digest = plan.clone();
            self.happen(*id, RequestEvent::AnsweredAllow { digest, confined, remember });
        }
    }

    /// Returns the waiting request that carries the reply.
    fn answering(
        &self,
        waiting: &WaitingQuestion,
        params: &AnswerParams,
        reply: oneshot::Sender<Answered>,
    ) -> Answerings {
        let lives = |waiter: &&Uuid| self.requests.get(*waiter).is_some_and(LiveRequest::is_asking);
        match waiting.waiters().iter().filter(lives).count() {
            0 => {
                answer(reply, Answered::refused(&NotApplied::WaitsNoMore));
                Answerings::default()
            }
            _ if params.answer == Answer::Always => {
                let choice = PendingSave {
                    params: Box::new(params.clone()),
                    saved: Vec::new(),
                    reply,
                    who: audit::current(),
                };
                Answerings { saves: Some(choice), pledge: None }
            }
            lives => Answerings { saves: None, pledge: Some(Pledge::new(reply, lives)) },
        }
    }

    fn answered_no(
        &mut self,
        waiting: &WaitingQuestion,
        params: &AnswerParams,
        reply: oneshot::Sender<Answered>,
    ) {
        let agent = waiting.agent_id().clone();
        self.note_refusal(&agent, params);
        let rule = self.deny_rule(waiting, params);
        let denial = Denial::by_person(params.feedback.clone());
        // A rule, and the end of everything of the agent, have a receipt of their own.
        let (mut answering, reply) = match params.answer {
            Answer::DenyAll | Answer::DenyAlways => (Answerings::default(), Some(reply)),
            Answer::Once | Answer::Always | Answer::Deny => (self.answering(waiting, params, reply), None),
        };
        for waiter in waiting.waiters() {
            if let Some(request) = self.requests.get_mut(waiter) {
                request.answering = answering.for_one();
            }
            self.happen(*waiter, RequestEvent::AnsweredDeny(denial.clone()));
        }
        let Some(reply) = reply else { return };
        let (book, home) = (self.parts.book.clone(), self.parts.world.home.clone());
        let gate = self.messages.clone();
        match params.answer {
            Answer::DenyAll => {
                // From now on, not from when it is written down.
                let (until, who) = (lasting() + DENY_ALL_MS, audit::current());
                self.agent_state(&agent).stopping = Some(Stopping { until, who });
                self.deny_agent(&agent, &denial);
                self.keep_stop(&agent, Some(reply));
            }
            Answer::DenyAlways => {
                tokio::spawn(audit::carry_author(async move {
                    let saved = match rule {
                        Ok(rule) => {
                            let words = saved_of(&rule, &home);
                            book.remember(rule).await.map(|saved| (words, saved.rules)).map_err(failed)
                        }
                        Err(problem) => Err(problem),
                    };
                    if let Some(messages) = gate.upgrade() {
                        // A gate that is gone has nothing to judge again.
                        _ = messages.send(super::GateMessage::Rejudge { agent: None }).await;
                    }
                    answer(reply, denied(saved));
                }));
            }
            Answer::Once | Answer::Always | Answer::Deny => {}
        }
    }

    /// Counts a denial against the agent, unless it came with guidance.
    fn note_refusal(&mut self, agent: &AgentId, params: &AnswerParams) {
        if params.feedback.is_some() {
            return;
        }
        let refusals = &mut self.agent_state(agent).refusals;
        refusals.push_back(Instant::now());
        if refusals.len() > REFUSALS {
            refusals.pop_front();
        }
    }

    /// Returns how often people denied requests of an agent in the last ten minutes; at most [`REFUSALS`].
    pub(super) fn refused(&self, agent: &AgentId) -> u32 {
        let refusals = self.agents.get(agent).into_iter().flat_map(|state| &state.refusals);
        let lately = refusals.filter(|at| at.elapsed() < REFUSED_WITHIN).count();
        u32::try_from(lately).unwrap_or(u32::MAX)
    }

    fn deny_rule(
        &self,
        waiting: &WaitingQuestion,
        params: &AnswerParams,
    ) -> Result<RuleSaveRequest, NotApplied> {
        let request = self.first_waiter(waiting).ok_or(NotApplied::WaitsNoMore)?;
        self.remember_of(request, params)
    }

    pub(super) fn first_waiter(&self, waiting: &WaitingQuestion) -> Option<&LiveRequest> {
        waiting.waiters().first().and_then(|id| self.requests.get(id))
    }

    /// Returns what the person wants to save of a request's question.
    pub(super) fn remember_of(
        &self,
        request: &LiveRequest,
        params: &AnswerParams,
    ) -> Result<RuleSaveRequest, NotApplied> {
        let policy = self.parts.book.policy(&request.agent).ok_or(NotApplied::NotEnrolled)?;
        SaveContext { world: &self.parts.world, policy: &policy }.remember_of(request, params)
    }

    /// Returns what an answer of *always* would save, and what that adds to its offer.
    pub(super) fn preview_answer(&self, params: &AnswerParams) -> Result<AnswerPreview, NotApplied> {
        let waiting = self.questions.find_by_name(&params.question_id).ok_or(NotApplied::Over)?;
        if waiting.shown.question.digest != params.digest {
            return Err(NotApplied::NotOnShow);
        }
        let request = self.first_waiter(waiting).ok_or(NotApplied::WaitsNoMore)?;
        let policy = self.parts.book.policy(&request.agent).ok_or(NotApplied::NotEnrolled)?;
        SaveContext { world: &self.parts.world, policy: &policy }.preview(request, params)
    }

    pub(super) fn deny_agent(&mut self, agent: &AgentId, denial: &Denial) {
        self.deny_waiting(|waiting| waiting == agent, denial, ClosingCause::Answer(Answer::DenyAll));
    }

    /// Denies everything that waits and whose agent is chosen.
    pub(super) fn deny_waiting(
        &mut self,
        chosen: impl Fn(&AgentId) -> bool,
        denial: &Denial,
        how: ClosingCause,
    ) {
        let ids: Vec<String> = self
            .questions
            .iter()
            .filter(|waiting| chosen(waiting.agent_id()))
            .map(|waiting| waiting.shown.question.id.clone())
            .collect();
        for id in ids {
            let Some(waiting) = self.questions.close(&id) else { continue };
            self.question_closed(&waiting.shown.question, waiting.waiters(), how, None);
            for waiter in waiting.waiters() {
                self.happen(*waiter, RequestEvent::AnsweredDeny(denial.clone()));
            }
        }
        self.deny_held(chosen, denial);
    }

    /// Takes back what waits for a person.
    pub(super) fn withdraw(&mut self, id: Uuid, why: Withdrawal) {
        self.happen(id, RequestEvent::Withdrawn(Refusal::Withdrawn(why).into()));
    }

    /// Ends a request from a list for a person.
    pub(super) fn kill_for_person(&mut self, request: &str, signal: Signal) -> Killed {
        let Ok(id) = Uuid::parse_str(request) else { return Killed::Unknown };
        let Some(live) = self.requests.get(&id) else { return Killed::Unknown };
        if live.is_asking() {
            self.happen(id, RequestEvent::AnsweredDeny(Denial::by_person(None)));
            return Killed::Denied;
        }
        // It ended, and its end waits to be written.
        if live.ending().is_some() {
            return Killed::Unknown;
        }
        self.signal(id, signal);
        Killed::Stopping
    }
}

/// Receivers of the result of an answer: for the rule that is saved, or the records of all requests.
#[derive(Default)]
struct Answerings {
    saves: Option<PendingSave>,
    pledge: Option<Pledge>,
}

impl Answerings {
    fn for_one(&mut self) -> Option<Answering> {
        let saves = self.saves.take().map(Answering::Saves);
        saves.or_else(|| self.pledge.clone().map(Answering::Pledged))
    }
}

/// Confines a request as the offer says that the person chose, and returns the digest of that.
fn confined_by(
    request: &mut LiveRequest,
    params: &AnswerParams,
    plan: &Digest,
    home: &str,
) -> Option<Digest> {
    let judged = request.judged.as_deref_mut().filter(|_| params.answer == Answer::Always)?;
    let offer = super::saving::chosen(&judged.offers, params)?;
    let confinement = offer.confinement.clone();
    if confinement.is_none() || judged.digest != *plan {
        return None;
    }
    judged.confine(&confinement, home);
    Some(judged.digest.clone())
}

/// Returns what the host could not do.
pub(super) fn failed(error: impl std::fmt::Display) -> NotApplied {
    NotApplied::Failed(error.to_string())
}

/// Returns the result of a denial, which holds even if its rule could not be saved.
pub(super) fn denied(saved: Result<(Vec<Saved>, Vec<RuleId>), NotApplied>) -> Answered {
    match saved {
        Ok((saved, rules)) => Answered { saved, rules, ..Answered::applied() },
        Err(why) => Answered::applied_partly(&NotApplied::DeniedUnsaved(Box::new(why))),
    }
}

/// Wraps the reply so that it says why an *always* saved nothing.
fn saying_why(why: NothingToSave, reply: oneshot::Sender<Answered>) -> oneshot::Sender<Answered> {
    let (sender, told) = oneshot::channel::<Answered>();
    tokio::spawn(async move {
        if let Ok(told) = told.await {
            let not_saved = Some(why).filter(|_| told.applied);
            answer(reply, Answered { not_saved, ..told });
        }
    });
    sender
}

/// Checks that an approver shows every part of a question that an answer wants shown.
pub(super) fn check_parts(
    faces: &Approvers,
    question: &Question,
    answer: Answer,
    face: ApproverId,
) -> Result<(), NotApplied> {
    let wanted = question.parts_for(answer);
    let missing: Vec<Part> = wanted.difference(&faces.shown_parts(face)).copied().collect();
    if missing.is_empty() { Ok(()) } else { Err(NotApplied::Unshown(missing)) }
}
