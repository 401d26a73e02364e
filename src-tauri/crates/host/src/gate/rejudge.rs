//! A rule changed: everything that waits is judged again, and what is clear now goes on without another click.

use super::task::Task;
use crate::clock::{lasting, now_millis};
use postern_contract::Question;
use postern_policy::{AgentId, Decision};
use postern_request::{Denial, Refusal, RequestEvent, Withdrawal};
use uuid::Uuid;

impl Task {
    /// Judges again what waits of `agent` (of every agent: none). Gives the codes of the questions that
    /// were answered by it.
    pub(super) fn rejudge(&mut self, agent: Option<&AgentId>) -> Vec<String> {
        let named = |question: &Question| (question.id.clone(), question.code.clone());
        let before: Vec<(String, String)> =
            self.questions.iter().map(|waiting| named(&waiting.shown.question)).collect();
        let asking: Vec<Uuid> = self
            .requests
            .values()
            .filter(|request| request.is_asking() && agent.is_none_or(|agent| request.agent == *agent))
            .map(|request| request.id)
            .collect();
        for id in asking {
            self.rejudge_one(id);
        }
        self.rejudge_held(agent);
        self.deny_halted(agent);
        if let Some(agent) = agent.filter(|agent| self.parts.book.policy(agent).is_none()) {
            self.agent_removed(agent);
        }
        let waits = |id: &String| self.questions.iter().any(|waiting| waiting.shown.question.id == *id);
        before.into_iter().filter(|(id, _)| !waits(id)).map(|(_, code)| code).collect()
    }

    /// Offers to renew the rules of a program that changed, with those of the other agents as they are now.
    pub(super) fn offer_renewals(&mut self, id: Uuid) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        let Some(judged) = &mut request.judged else { return };
        let snapshot = self.parts.book.snapshot();
        let Some(own) = snapshot.agents.get(&request.agent) else { return };
        let rules = snapshot.agents.values().flat_map(|entry| entry.policy.rules.pinned());
        judged.offer_renewals(&self.parts.world, &own.policy, rules, lasting());
    }

    /// Denies the waiting requests of an agent that is stopped for a while.
    fn deny_halted(&mut self, only: Option<&AgentId>) {
        let mut waiting: Vec<AgentId> = self.questions.iter().map(|one| one.agent_id().clone()).collect();
        waiting.retain(|agent| only.is_none_or(|only| only == agent));
        waiting.sort_unstable();
        waiting.dedup();
        for agent in waiting {
            if let Some(halted) = self.halted(&agent) {
                self.deny_agent(&agent, &halted);
            }
        }
    }

    /// Ends everything of an agent that is not enrolled any more.
    fn agent_removed(&mut self, agent: &AgentId) {
        let theirs: Vec<Uuid> = self
            .requests
            .values()
            .filter(|request| request.agent == *agent)
            .map(|request| request.id)
            .collect();
        for id in theirs {
            self.happen(id, RequestEvent::Killed);
        }
        self.agents.remove(agent);
        self.parts.publisher.forget(agent);
    }

    /// Judges a waiting request again. One that several people have to approve is denied by what changed, never let through.
    fn rejudge_one(&mut self, id: Uuid) {
        let question = self.questions.question_of(id).map(|waiting| waiting.shown.question.id.clone());
        let together = question.is_some_and(|question| self.people_of(&question) > 1);
        let Some(request) = self.requests.get_mut(&id) else { return };
        let Some(policy) = self.parts.book.policy(&request.agent) else {
            let denial = Refusal::Withdrawn(Withdrawal::NotEnrolled).into();
            self.happen(id, RequestEvent::AnsweredDeny(denial));
            return;
        };
        let Some(judged) = &mut request.judged else { return };
        let at = now_millis();
        let verdict = judged.rejudge(&self.parts.world, &policy, at);
        let decision = match verdict.decision {
            // A person is at it: what they changed starts by their own yes only.
            Decision::Allow if together || request.edited.is_some() => Decision::Ask,
            other => other,
        };
        judged.plan.policy = self.parts.book.version();
        match decision {
            Decision::Ask => {
                judged.set_offers(judged.propose(&self.parts.world, &policy, &verdict, at));
                judged.verdict = verdict;
                self.offer_renewals(id);
                self.refresh(id);
            }
            Decision::Allow => {
                let by = judged.decided_by(&verdict);
                judged.tighten(&verdict, &self.parts.world.home);
                judged.verdict = verdict;
                let digest = judged.digest.clone();
                self.note_rule_uses(id, decision);
                self.happen(id, RequestEvent::Allowed { by, digest });
            }
            Decision::Deny => {
                let denial = Denial::of_verdict(&verdict);
                judged.verdict = verdict;
                self.note_rule_uses(id, decision);
                self.happen(id, RequestEvent::AnsweredDeny(denial));
            }
        }
    }
}
