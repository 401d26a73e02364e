//! A waiting question is kept as things are: what could be saved now, and how much of the past that would have let
//! through.

use super::context::ScriptPreview;
use super::judge::JudgedRequest;
use super::message::GateTaskResult;
use super::show;
use super::task::Task;
use crate::ask::questions::OnShow;
use crate::lanes::Lane;
use crate::measure::{Site, can_be_measured, measure};
use postern_contract::methods::ScriptRef;
use postern_contract::{ApproverNotification, Proposal, Question};
use postern_policy::{Effect, RatedEffect};
use postern_store::scripts::AllowedScript;
use uuid::Uuid;

impl Task {
    /// Updates the question of a request that was judged again.
    pub(super) fn refresh(&mut self, id: Uuid) {
        let Some(request) = self.requests.get(&id) else { return };
        let (Some(judged), Some(policy)) = (&request.judged, self.parts.book.policy(&request.agent)) else {
            return;
        };
        let fallback = self.fallback_for(&policy.settings, judged.verdict.risk.level);
        let (decides, home) = ((&policy.settings, fallback), &self.parts.world.home);
        let Some(request) = self.requests.get_mut(&id) else { return };
        let Some(judged) = &request.judged else { return };
        // It is not on show yet.
        if let Some(question) = &mut request.question {
            show::refresh(question, judged, decides, (home, &[]));
            return;
        }
        // Everybody who waits for it wants the same plan: the first one speaks for all.
        let waiting = self.questions.question_of(id).filter(|waiting| waiting.waiters().first() == Some(&id));
        let Some(waiting) = waiting else { return };
        let OnShow { question, notes, .. } = &mut waiting.shown;
        if show::refresh(question, judged, decides, (home, notes)) {
            let question = waiting.shown.question.clone();
            self.count_matches(id, &question);
            self.measure(id);
            self.tell_changed(question);
        }
    }

    /// Counts what each offer would have let through, off the gate's own task: the question does not wait for it.
    pub(super) fn count_matches(&self, id: Uuid, question: &Question) {
        let Some(request) = self.requests.get(&id) else { return };
        // A line of permissions.jsonc is about no command.
        let offers = |judged: &&JudgedRequest| judged.offers.iter().any(|offer| !offer.drafts.is_empty());
        let Some(judged) = request.judged.as_deref().filter(offers) else { return };
        let offers = judged.offers.iter();
        let offers = offers.map(|offer| super::saving::rules_of(offer, Effect::Allow)).collect();
        let asking = question.requests.iter().filter_map(|id| Uuid::parse_str(id).ok()).collect();
        let (book, agent) = (self.parts.book.clone(), request.agent.clone());
        let (question, mut proposals) = (question.id.clone(), question.proposals.clone());
        self.spawn_task(async move {
            match book.would_let_through(&agent, offers, asking).await {
                Ok(counts) => {
                    for (proposal, count) in proposals.iter_mut().zip(counts) {
                        // What is renewed was let through before.
                        proposal.would_match = (proposal.renews == 0).then_some(count);
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "what an offer would have let through could not be counted");
                }
            }
            GateTaskResult::Counted { question, proposals }
        });
    }

    /// Measures what a request would do, off the gate's own task: the question does not wait for it.
    pub(super) fn measure(&self, id: Uuid) {
        let Some(request) = self.requests.get(&id) else { return };
        let Some(judged) = request.judged.as_deref() else { return };
        let (lanes, agent) = (self.parts.lanes.clone(), request.agent.clone());
        let mut effects = judged.verdict.risk.effects.clone();
        if !effects.iter().any(can_be_measured) {
            return;
        }
        let (reading, cwd) = (judged.reading.clone(), judged.plan.cwd.path.clone());
        let env = judged.plan.env.clone();
        let home = self.parts.world.home.clone();
        self.spawn_task(async move {
            let work = move |_, _| {
                measure(&reading, Site { cwd: &cwd, home: &home, env: &env }, &mut effects);
                effects
            };
            // It reads what the agent named: where its look-ups wait.
            match lanes.run(&agent, Lane::LookUps, work).await {
                Ok(effects) => GateTaskResult::Measured { id, effects },
                Err(_) => GateTaskResult::Nothing,
            }
        });
    }

    /// Adds the measured effects of a request that still has these.
    pub(super) fn measured(&mut self, id: Uuid, effects: Vec<RatedEffect>) {
        let judged = self.requests.get_mut(&id).and_then(|request| request.judged.as_deref_mut());
        let Some(judged) = judged else { return };
        let now = &mut judged.verdict.risk.effects;
        let same = now.len() == effects.len()
            && now.iter().zip(&effects).all(|(now, then)| now.effect == then.effect && now.step == then.step);
        if same && *now != effects {
            *now = effects;
            self.refresh(id);
        }
    }

    /// Adds the counts of the offers that are still the same.
    pub(super) fn counted(&mut self, question: &str, counted: &[Proposal]) {
        let Some(waiting) = self.questions.find_question(question) else { return };
        let before = waiting.shown.question.proposals.clone();
        for proposal in &mut waiting.shown.question.proposals {
            show::keep_count(proposal, counted);
        }
        if waiting.shown.question.proposals != before {
            let question = waiting.shown.question.clone();
            self.tell_changed(question);
        }
    }

    /// Returns a script that a question shows, by its sha256.
    pub(super) fn find_script(&self, asked: &ScriptRef) -> Option<AllowedScript> {
        let request = self.first_waiter(self.questions.find_by_name(&asked.question_id)?)?;
        let named = |script: &&ScriptPreview| script.sha256 == asked.sha256;
        request.judged.as_ref()?.context.scripts.iter().find(named).map(ScriptPreview::to_allowed)
    }

    /// Returns a question with how much waits beside it and behind it.
    pub(super) fn among_others(&self, question: Question) -> Question {
        let waiting = u32::try_from(self.all_waiting().saturating_sub(1)).unwrap_or(u32::MAX);
        let queued = self.queued(&question.asker.agent);
        let refused = self.refused(&question.asker.agent);
        Question { waiting, queued, refused, ..question }
    }

    pub(super) fn tell_changed(&self, question: Question) {
        let question = self.among_others(question);
        self.notify_approvers(ApproverNotification::QuestionChanged(Box::new(question)));
    }
}
