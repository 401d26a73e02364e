//! Carrying out what `step` wants, in order. What has to be durable first holds the rest back.

use super::judge::RequestJudgment;
use super::live::Answering;
use super::message::{GateMessage, GateTaskResult, LookedUp};
use super::owed::Before;
use super::task::Task;
use crate::book::SavedRules;
use crate::lanes::{Lane, Unanswered};
use postern_contract::{Answered, NotApplied, Renewed};
use postern_exec::identity::Allowance;
use postern_request::{Drift, Refusal, RequestEffect};
use postern_store::{audit, requests};
use std::sync::Arc;
use tokio::time::Instant;
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
    pub(super) fn look_up(&mut self, id: Uuid) {
        let Some(request) = self.requests.get(&id) else { return };
        let version = self.parts.book.version();
        let Some(policy) = self.parts.book.policy(&request.agent) else { return };
        let (world, run) = (Arc::clone(&self.parts.world), Arc::clone(&request.run));
        let call = request.call.clone();
        // A call's number is Postern's own, and was not there before.
        let new = request.new.clone().filter(|_| !request.life.is_busy() && call.is_none());
        let store = self.parts.store.clone();
        let work = move |allowance, open| {
            let world = world.within(allowance);
            let at = crate::clock::lasting();
            let mut judgement = match &call {
                Some(call) => super::call_facts::judge_call(&world, &policy, version, call, at),
                None => super::judge::judge_run(&world, &policy, version, &run, at),
            };
            judgement.hold_permit(open);
            judgement.find_context(&store, &world.home);
            judgement.find_run_under_way(&world.home);
            let before = new.filter(|_| !judgement.denies()).map_or(Ok(None), |new| {
                store.look_up(|conn| requests::find_known(conn, &new.agent, &new.request_id, &new.content))
            });
            (judgement, before)
        };
        let message =
            move |looked_up| GateMessage::Told(Box::new(GateTaskResult::LookedUp { id, looked_up }));
        let messages = self.messages.clone();
        // The agent's own thread waits for room. A gate that is gone does not wait for it.
        let tell = move |looked_up| {
            if let Some(messages) = messages.upgrade() {
                _ = messages.blocking_send(message(looked_up));
            }
        };
        match self.parts.lanes.submit(&request.agent, Lane::LookUps, work, tell) {
            Ok(allowance) => self.await_look_up(id, allowance),
            Err(unanswered) => GateMessage::send(&self.messages, message(Err(unanswered))),
        }
    }

    /// Waits for a look-up, so long as its agent's threads are waited for.
    fn await_look_up(&mut self, id: Uuid, allowance: Allowance) {
        let due = Instant::now() + self.parts.lanes.patience();
        self.look_ups.push_back((due, id, allowance.clone()));
        if let Some(request) = self.requests.get_mut(&id) {
            request.looking = Some(allowance);
        }
    }

    /// Returns the time at which the next look-up is late.
    pub(super) fn next_late(&mut self) -> Option<Instant> {
        while let Some((due, id, allowance)) = self.look_ups.front() {
            let looking = self.requests.get(id).and_then(|request| request.looking.as_ref());
            if looking.is_some_and(|looking| looking.is_same(allowance)) {
                return Some(*due);
            }
            self.look_ups.pop_front();
        }
        None
    }

    pub(super) fn give_up_late(&mut self) {
        while self.next_late().is_some_and(|due| due <= Instant::now()) {
            if let Some((_, id, allowance)) = self.look_ups.pop_front() {
                allowance.stop();
                self.looked_up(id, Err(Unanswered::Late));
            }
        }
    }

    /// Handles the result of a look-up. One that was given up counts no more.
    pub(super) fn looked_up(&mut self, id: Uuid, looked_up: Result<LookedUp, Unanswered>) {
        if let Some(request) = self.requests.get_mut(&id) {
            let given_up = request.looking.take().is_none_or(|allowance| allowance.is_stopped());
            if given_up && looked_up.is_ok() {
                return;
            }
        }
        match looked_up {
            Ok((judgement, Ok(None))) => self.judged(id, judgement),
            Ok((_, Ok(Some(before)))) => self.handle_duplicate(id, Ok(before)),
            Ok((_, Err(error))) => self.handle_duplicate(id, Err(error)),
            // What cannot be judged does not run.
            Err(unanswered) => self.judged(id, RequestJudgment::Refused(Refusal::from(unanswered).into())),
        }
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
        let params = choice.params.clone();
        let remember = match self.requests.get(&id) {
            Some(request) => self.remember_of(request, &params),
            None => Err(NotApplied::ChoiceLost),
        };
        let Some(request) = self.requests.get_mut(&id) else { return };
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
