//! Changes of a question's command by a person.
//!
//! The new command is read, looked up and judged as if the agent had asked for it; the result is shown under
//! a digest of its own, and runs only when an answer names that one.

use super::judge::{JudgedRequest, RequestJudgment, judge_run};
use super::message::GateTaskResult;
use super::show::{self, QuestionInputs};
use super::task::{Task, answer};
use crate::clock::{lasting, now_millis};
use crate::lanes::{Lane, OpenFilesPermit};
use postern_command::{Dialect, Step, escape, read_shell, words_of};
use postern_contract::{EditParams, Edited, NotApplied, Question, ShownText};
use postern_policy::Decision;
use postern_protocol::{RunParams, What};
use postern_request::{Denial, Launch, RequestEvent};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use uuid::Uuid;

type Plans = Vec<(Uuid, Box<JudgedRequest>)>;

/// A change that was judged, on its way back to the gate.
#[derive(Debug)]
pub(crate) struct Judgements {
    question: String,
    /// Digest on show when the person changed it.
    digest: String,
    run: Arc<RunParams>,
    /// True if the person wrote another command, and not only chose its rights.
    retyped: bool,
    each: Vec<(Uuid, RequestJudgment)>,
    reply: oneshot::Sender<Edited>,
}

impl Task {
    /// Looks the changed command up and judges it. The question stays as it is until that is done.
    pub(super) fn edit_question(&mut self, params: EditParams, reply: oneshot::Sender<Edited>) {
        if self.is_elsewhere(&params.question_id) {
            self.change_rights_elsewhere(params, reply);
            return;
        }
        match self.asked_for(&params) {
            Ok(asked) => self.judge_edit(params, asked, reply),
            Err(why) => answer(reply, Edited::refused(&why)),
        }
    }

    /// Returns the requests that would run it instead, each with what it asked for.
    fn asked_for(&mut self, params: &EditParams) -> Result<Vec<(Uuid, RunParams)>, NotApplied> {
        let blank = params.text.as_ref().is_some_and(|text| text.trim().is_empty());
        if blank || params.text.is_none() && params.confine.is_none() {
            return Err(NotApplied::NoCommand);
        }
        let Some(waiting) = self.questions.find_question(&params.question_id) else {
            return Err(NotApplied::Over);
        };
        if waiting.shown.question.digest != params.digest {
            return Err(NotApplied::NotOnShow);
        }
        let waiters = waiting.waiters().to_vec();
        let mut asked = Vec::new();
        for id in waiters {
            let Some(request) = self.requests.get(&id) else { continue };
            if request.call.is_some() {
                return Err(NotApplied::AgentDoes);
            }
            let now = request.run_edited.as_ref().unwrap_or(&request.run);
            let text = params.text.as_ref();
            let what = text.map_or_else(|| now.what.clone(), |text| what_of(&request.run.what, text));
            let confine = params.confine.map_or(now.confine, |confine| confine.replaces(request.run.confine));
            asked.push((id, RunParams { what, confine, ..(*request.run).clone() }));
        }
        if asked.is_empty() { Err(NotApplied::WaitsNoMore) } else { Ok(asked) }
    }

    fn judge_edit(&self, params: EditParams, asked: Vec<(Uuid, RunParams)>, reply: oneshot::Sender<Edited>) {
        let version = self.parts.book.version();
        let agent = asked.first().and_then(|(id, _)| self.requests.get(id)).map(|request| &request.agent);
        let agent = agent.cloned();
        let policy = agent.as_ref().and_then(|agent| self.parts.book.policy(agent));
        let (Some(agent), Some(policy)) = (agent, policy) else {
            answer(reply, Edited::refused(&NotApplied::NotEnrolled));
            return;
        };
        let lanes = self.parts.lanes.clone();
        let (world, store) = (Arc::clone(&self.parts.world), self.parts.store.clone());
        // Not where the agent's own requests wait: a person waits for it.
        let work = move |allowance, _: OpenFilesPermit| {
            let world = world.within(allowance);
            let judge = |(id, run)| {
                let mut judgement = judge_run(&world, &policy, version, &run, lasting());
                judgement.find_context(&store, &world.home);
                judgement.close();
                (id, judgement)
            };
            let run = asked.first().map(|(_, run)| Arc::new(run.clone()));
            (run, asked.into_iter().map(judge).collect::<Vec<_>>())
        };
        self.spawn_task(async move {
            // Whatever made it panic, or does not answer: what cannot be judged is not shown.
            let Ok((Some(run), each)) = lanes.run(&agent, Lane::Previews, work).await else {
                answer(reply, Edited::refused(&NotApplied::NotJudged));
                return GateTaskResult::Nothing;
            };
            let EditParams { question_id: question, digest, text, .. } = params;
            let retyped = text.is_some();
            GateTaskResult::Edited(Box::new(Judgements { question, digest, run, retyped, each, reply }))
        });
    }

    /// Shows the changed command, or reports why not, once it is judged.
    pub(super) fn edited(&mut self, judgements: Judgements) {
        let Judgements { question, digest, run, retyped, each, reply } = judgements;
        let shown = self.can_show((&question, &digest), &run, retyped, each);
        let edited = match shown {
            Ok((question, judged)) => {
                self.show_edited(question, judged, &run);
                Edited { applied: true, reason: None }
            }
            Err(why) => Edited::refused(&why),
        };
        answer(reply, edited);
    }

    /// Returns the question as it would be, where nothing denies it.
    fn can_show(
        &mut self,
        (question, digest): (&str, &str),
        run: &RunParams,
        retyped: bool,
        each: Vec<(Uuid, RequestJudgment)>,
    ) -> Result<(Question, Plans), NotApplied> {
        if self.parts.halt.is_on() {
            return Err(NotApplied::Paused);
        }
        let Some(waiting) = self.questions.find_question(question) else {
            return Err(NotApplied::Over);
        };
        let (before, waiting_agent) = (waiting.shown.question.clone(), waiting.agent_id().clone());
        let plan_before = waiting.digest().clone();
        let mut judged: Vec<_> = each.into_iter().map(of_judgement).collect::<Result<_, _>>()?;
        let snapshot = self.parts.book.snapshot();
        if let Some(own) = snapshot.agents.get(&waiting_agent) {
            let rules = || snapshot.agents.values().flat_map(|entry| entry.policy.rules.pinned());
            for (_, judged) in &mut judged {
                judged.offer_renewals(&self.parts.world, &own.policy, rules(), lasting());
            }
        }
        let Some((first, one)) = judged.first().filter(|_| waiting.waiters().len() == judged.len()) else {
            return Err(NotApplied::OthersWait);
        };
        if before.digest != digest || judged.iter().any(|(_, other)| other.digest != one.digest) {
            return Err(NotApplied::NotOnShow);
        }
        if plan_before == one.digest {
            return Err(NotApplied::SameCommand);
        }
        let Some(entry) = self.parts.book.find_agent(&before.asker.agent) else {
            return Err(NotApplied::NotEnrolled);
        };
        let at = now_millis();
        let shown = show::question(&QuestionInputs {
            id: Uuid::parse_str(&before.id).unwrap_or_default(),
            code: before.code.clone(),
            entry: &entry,
            run,
            judged: one,
            at,
            expires_at: at.saturating_add_unsigned(entry.policy.settings.approval_timeout_ms),
            request: *first,
            home: &self.parts.world.home,
            edited: before.edited.clone().or_else(|| retyped.then(|| asked_text(&before))),
            recent: before.recent.clone(),
            call: None,
            fallback: self.fallback_for(&entry.policy.settings, one.verdict.risk.level),
        });
        let shown = shown.ok_or(NotApplied::TooLong)?;
        let asked = self.requests.get(first).and_then(|request| request.run.confine);
        let confined_by_person = run.confine != asked;
        Ok((Question { requests: before.requests, confined_by_person, ..shown }, judged))
    }

    fn show_edited(&mut self, question: Question, judged: Plans, run: &Arc<RunParams>) {
        let left = u64::try_from(question.expires_at.saturating_sub(now_millis())).unwrap_or(0);
        let expires = self.gate_time() + Duration::from_millis(left);
        let Some(plan) = judged.first().map(|(_, one)| one.digest.clone()) else { return };
        self.questions.replace_question(question.clone(), plan, expires);
        let mut speaks = None;
        for (id, judged) in judged {
            let Some(request) = self.requests.get_mut(&id) else { continue };
            let digest = judged.digest.clone();
            if question.edited.is_some() {
                let text = text_of(&judged.plan.launch);
                request.line = escape::visible_text(&text);
                request.edited = Some(text);
            }
            request.run_edited = Some(Arc::clone(run));
            request.judged = Some(judged);
            self.happen(id, RequestEvent::Edited { digest });
            speaks = speaks.or(Some(id));
        }
        tracing::info!(question = %question.id, "edited");
        if let Some(id) = speaks {
            self.count_matches(id, &question);
            self.measure(id);
        }
        self.tell_changed(question);
    }
}

/// Returns the person's text as words, if the agent asked for a command and this is nothing more than one.
///
/// Otherwise it is a line for the shell.
fn what_of(asked: &What, text: &str) -> What {
    let reading = read_shell(text, Dialect::Bash);
    let one = match reading.steps.as_slice() {
        [step] if step.via.is_empty() && step.redirections.is_empty() && step.assignments.is_empty() => {
            Some(step)
        }
        _ => None,
    };
    let literal = one.filter(|_| reading.is_clear()).and_then(Step::literal_argv);
    match (asked, literal, words_of(text)) {
        (What::Command(_), Some(literal), Ok(words)) if literal == words => What::Command(words),
        _ => What::Shell(text.to_owned()),
    }
}

/// Returns what would run, if the person may decide that. A command that no answer can allow is not shown.
fn of_judgement((id, judgement): (Uuid, RequestJudgment)) -> Result<(Uuid, Box<JudgedRequest>), NotApplied> {
    match judgement {
        RequestJudgment::Refused(denial) => Err(NotApplied::Denied(denial.cause)),
        RequestJudgment::Judged(judged) if judged.verdict.decision == Decision::Deny => {
            Err(NotApplied::Denied(Denial::of_verdict(&judged.verdict).cause))
        }
        RequestJudgment::Judged(judged) => Ok((id, judged)),
    }
}

/// Returns the agent's command, from what is on show.
fn asked_text(question: &Question) -> ShownText {
    question.command.iter().flat_map(|part| part.text.iter().cloned()).collect()
}

/// Returns the started command, as one line of shell text.
pub(super) fn text_of(launch: &Launch) -> String {
    match launch {
        Launch::Argv { argv } => postern_command::quote_argv(argv),
        Launch::Shell { text } => text.clone(),
        Launch::Nothing => String::new(),
    }
}
