//! Carrying out what `step` wants, in order. What has to be durable first holds the rest back.

use super::judge::RequestJudgment;
use super::live::Answering;
use super::message::{GateMessage, GateTaskResult};
use super::owed::Before;
use super::task::Task;
use crate::book::SavedRules;
use crate::lanes::Lane;
use postern_contract::{Answered, NotApplied, Renewed};
use postern_request::{Drift, Refusal, RequestEffect};
use postern_store::{audit, requests};
use std::sync::Arc;
use uuid::Uuid;

impl Task {
    /// Carries out what is to be done for a request, up to the next entry of the record that is not durable yet.
    pub(super) fn proceed(&mut self, id: Uuid) {
        loop {
            let clock = self.gate_time();
            let Some(request) = self.requests.get_mut(&id) else { return };
            let Some(effect) = request.life.next_effect(clock) else { return };
            let span = request.span.clone();
            let _entered = span.enter();
            match effect {
                RequestEffect::Record(entry) => self.record(id, &entry),
                RequestEffect::Accept => self.answer_accepted(id),
                RequestEffect::Ask { digest } => self.ask_question(id, &digest),
                RequestEffect::Acknowledge => self.acknowledge(id),
                RequestEffect::Remember => self.remember(id),
                RequestEffect::Start(approved) => self.start_request(id, approved),
                RequestEffect::TellEnded => self.tell_ended(id),
                // These were carried out when they were given.
                RequestEffect::CloseQuestion | RequestEffect::Stop(_) => {}
            }
        }
    }

    /// Notes that the person's answer is on record for this request.
    fn acknowledge(&mut self, id: Uuid) {
        let answering = self.requests.get_mut(&id).and_then(|request| request.answering.take());
        if let Some(Answering::Pledged(pledge)) = answering {
            pledge.fulfill();
        }
    }

    /// Looks a request up and judges it, on one of its agent's own threads.
    ///
    /// Replies with the earlier result if this request is already in the record. One that ended is forgotten
    /// here after its record, so a request that is not in the record and not live is new. A certain denial
    /// skips that lookup: its record finds the one before it. So does a request whose own record is on its
    /// way, such as one that waits for its turn: it would find itself.
    pub(super) fn look_up(&self, id: Uuid) {
        let Some(request) = self.requests.get(&id) else { return };
        let version = self.parts.book.version();
        let Some(policy) = self.parts.book.policy(&request.agent) else { return };
        let (world, run) = (Arc::clone(&self.parts.world), Arc::clone(&request.run));
        let call = request.call.clone();
        // A call's number is Postern's own, and was not there before.
        let new = request.new.clone().filter(|_| !request.life.is_busy() && call.is_none());
        let (store, messages) = (self.parts.store.clone(), self.messages.clone());
        let (lanes, agent) = (self.parts.lanes.clone(), request.agent.clone());
        self.spawn_detached(async move {
            let looked_up = lanes.run(&agent, Lane::LookUps, move |allowance, open| {
                let world = world.within(allowance);
                let at = crate::clock::lasting();
                let mut judgement = match &call {
                    Some(call) => super::call_facts::judge_call(&world, &policy, version, call, at),
                    None => super::judge::judge_run(&world, &policy, version, &run, at),
                };
                judgement.hold_permit(open);
                let before = new.filter(|_| !judgement.denies()).map_or(Ok(None), |new| {
                    store
                        .look_up(|conn| requests::find_known(conn, &new.agent, &new.request_id, &new.content))
                });
                (judgement, before)
            });
            // What cannot be judged does not run.
            let (judgement, before) = looked_up.await.unwrap_or_else(|unanswered| {
                (RequestJudgment::Refused(Refusal::from(unanswered).into()), Ok(None))
            });
            let done = match before {
                Ok(None) => GateTaskResult::Judged { id, judgement },
                Ok(Some(before)) => GateTaskResult::Known { id, opening: Ok(before) },
                Err(error) => GateTaskResult::Known { id, opening: Err(error) },
            };
            GateMessage::send(&messages, GateMessage::Told(Box::new(done)));
        });
    }

    /// Saves the rule that the person chose; the start waits for it.
    fn remember(&mut self, id: Uuid) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        let Some(Answering::Saves(choice)) = &request.answering else {
            let outcome = Err(NotApplied::ChoiceLost);
            self.spawn_task(async move { GateTaskResult::Remembered { id, outcome } });
            return;
        };
        let who = choice.who.clone().unwrap_or_default();
        let policy = self.parts.book.policy(&request.agent);
        let line = policy
            .and_then(|policy| super::saving::line_of(request, &choice.params, &self.parts.world, &policy));
        if let Some(line) = line {
            let saved = super::saving::saved_lines(&line);
            if let Some(Answering::Saves(choice)) = &mut request.answering {
                choice.saved = saved;
            }
            let book = self.parts.book.clone();
            self.spawn_task(async move {
                let saved = audit::with_author(who, book.remember_tool(line)).await;
                // It was allowed whether or not a line could be added.
                let but = saved.err().map(|error| NotApplied::AllowedUnsaved(error.to_string()));
                GateTaskResult::Remembered { id, outcome: Ok((SavedRules::default(), but)) }
            });
            return;
        }
        let remember = super::saving::remember_of(request, &choice.params);
        if let (Ok(remember), Some(Answering::Saves(choice))) = (&remember, &mut request.answering) {
            choice.saved = super::saving::saved_of(remember, &self.parts.world.home);
        }
        let book = self.parts.book.clone();
        self.spawn_task(async move {
            let outcome = match remember {
                Ok(remember) => {
                    let saved = audit::with_author(who, book.remember(remember)).await;
                    saved.map(|saved| (saved, None)).map_err(super::answer::failed)
                }
                Err(problem) => Err(problem),
            };
            GateTaskResult::Remembered { id, outcome }
        });
    }

    /// Goes on once the rule is durable; or it was refused: then nothing runs, and the person learns why.
    pub(super) fn remembered(
        &mut self,
        id: Uuid,
        outcome: Result<(SavedRules, Option<NotApplied>), NotApplied>,
    ) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        let choice = match request.answering.take() {
            Some(Answering::Saves(choice)) => Some(choice),
            Some(Answering::Pledged(_)) | None => None,
        };
        let agent = request.agent.clone();
        match outcome {
            Ok((saved, but)) => {
                request.life.mark_done();
                self.notify_approvers(postern_contract::ApproverNotification::RulesChanged);
                // A rule for everybody may free, or deny, what any agent waits for.
                let also = self.rejudge(Some(&agent).filter(|_| !saved.for_others));
                let renewed = saved.renewed.map(|(entry, rules)| Renewed { entry, rules });
                if let Some(choice) = choice {
                    let answered = but.as_ref().map_or_else(Answered::applied, Answered::applied_partly);
                    let rules = saved.rules;
                    let answered = Answered { also, saved: choice.saved, rules, renewed, ..answered };
                    super::task::answer(choice.reply, answered);
                }
                self.proceed(id);
            }
            Err(problem) => {
                if let Some(choice) = choice {
                    let answered = Answered::refused(&NotApplied::Unsaved(Box::new(problem)));
                    super::task::answer(choice.reply, answered);
                }
                let denial = Drift::NotSaved.into();
                let Some(request) = self.requests.get_mut(&id) else { return };
                let before = Before::from_request(request);
                let at_once = request.life.not_remembered(denial);
                self.apply_transition(id, &before, at_once);
            }
        }
    }
}
