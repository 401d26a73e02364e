//! A rule changed: everything that waits is judged again, and what is clear now goes on without another click.

use super::denial;
use super::judge::by_of;
use super::task::Task;
use crate::book::now;
use postern_policy::{AgentId, Decision};
use postern_request::Event;
use uuid::Uuid;

impl Task {
    /// Judges again what waits of `agent` (of every agent: none). Gives the questions that were answered by it.
    pub(super) fn rejudge(&mut self, agent: Option<&AgentId>) -> Vec<String> {
        let before: Vec<String> = self.questions.iter().map(|waiting| waiting.question.id.clone()).collect();
        let asking: Vec<Uuid> = self
            .requests
            .values()
            .filter(|request| request.is_asking() && agent.is_none_or(|agent| request.agent == *agent))
            .map(|request| request.id)
            .collect();
        for id in asking {
            self.rejudge_one(id);
        }
        self.rejudge_tools(agent);
        before.into_iter().filter(|id| self.questions.find(id).is_none()).collect()
    }

    fn rejudge_one(&mut self, id: Uuid) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        let Some(policy) = self.parts.book.policy(&request.agent) else {
            let denial = denial::cancelled("The agent is not enrolled any more.");
            self.happen(id, Event::AnsweredDeny(denial));
            return;
        };
        let Some(judged) = &mut request.judged else { return };
        let verdict = judged.again(&self.parts.world, &policy, now());
        let decision = verdict.decision;
        judged.plan.policy = self.parts.book.version();
        match decision {
            Decision::Ask => {}
            Decision::Allow => {
                let by = by_of(&verdict);
                judged.verdict = verdict;
                self.used(id, decision);
                self.happen(id, Event::Allowed(by));
            }
            Decision::Deny => {
                let denial = denial::of_verdict(&verdict);
                judged.verdict = verdict;
                self.used(id, decision);
                self.happen(id, Event::AnsweredDeny(denial));
            }
        }
    }
}
