//! Requests that wait for their turn to be asked about.
//!
//! Too many at once, or in a minute, are asked one after the other: none of them is denied for that, and its
//! time begins when its question opens.

use super::task::Task;
use postern_policy::AgentId;
use postern_request::{Denial, OpenQuestionCounts, Refusal, RequestEvent, RequestState, Turn};
use std::time::Duration;
use tokio::time::Instant;
use uuid::Uuid;

impl Task {
    /// Returns whether a question about it may open now; otherwise it waits for its turn.
    pub(super) fn has_turn(&mut self, agent: &AgentId, waiter: Uuid) -> Result<bool, Denial> {
        let (room, clock) = (self.may_open(agent), self.gate_time());
        let state = self.agent_state(agent);
        match state.turns.request_turn(waiter, room) {
            Turn::Now => {
                state.limits.record_question(clock);
                Ok(true)
            }
            Turn::Waits => {
                self.parts.stirred.status.notify_one();
                Ok(false)
            }
            Turn::Full => Err(Refusal::QueueFull { waiting: state.turns.len() }.into()),
        }
    }

    /// Returns true if a question of this agent may open beside those that are open. One that has none open
    /// always may.
    fn may_open(&mut self, agent: &AgentId) -> bool {
        let open = self.open_of(agent);
        let limited = self.next_question(agent).is_some();
        open.has_room(limited)
    }

    /// Questions of this agent and of all that are open, or about to be.
    fn open_of(&self, agent: &AgentId) -> OpenQuestionCounts {
        let about = self.requests.values().filter(|request| request.question.is_some());
        let (mut own, mut all) = (self.questions.of_agent(agent), self.questions.len());
        for request in about {
            own += usize::from(request.agent == *agent);
            all += 1;
        }
        OpenQuestionCounts { own, all }
    }

    /// Returns the time at which the agent's next question may open, by the gate's clock; `None` if it may
    /// now.
    fn next_question(&mut self, agent: &AgentId) -> Option<Duration> {
        let policy = self.parts.book.policy(agent)?;
        let clock = self.gate_time();
        self.agent_state(agent).limits.next_question(&policy.settings, clock)
    }

    /// Asks about what waited long enough. Looked at after everything that happens.
    pub(super) fn next_turns(&mut self) {
        let waiting = self.agents.iter().filter(|(_, state)| !state.turns.is_empty());
        for agent in waiting.map(|(agent, _)| agent.clone()).collect::<Vec<_>>() {
            self.next_turn(&agent);
        }
    }

    fn next_turn(&mut self, agent: &AgentId) {
        let mut turns = std::mem::take(&mut self.agent_state(agent).turns);
        turns.retain(|waiter| self.is_queued(waiter));
        self.agent_state(agent).turns = turns;
        if let Some(halted) = self.halted(agent) {
            self.deny_held(|one| one == agent, &halted);
        }
        let room = self.may_open(agent);
        let Some(waiter) = self.agent_state(agent).turns.give_turn(room) else { return };
        self.look_up(waiter);
        self.parts.stirred.status.notify_one();
    }

    fn is_queued(&self, waiter: Uuid) -> bool {
        self.requests.get(&waiter).is_some_and(|request| matches!(request.state(), RequestState::Queued))
    }

    /// Returns the time at which a waiting request may be asked about without any other event.
    pub(super) fn next_turn_at(&mut self) -> Option<Instant> {
        let waiting = self.agents.iter().filter(|(_, state)| state.turns.waiting().next().is_some());
        let agents: Vec<AgentId> = waiting.map(|(agent, _)| agent.clone()).collect();
        let next = agents.iter().filter_map(|agent| self.next_question(agent)).min();
        next.map(|next| self.due_instant(next))
    }

    /// Returns the number of this agent's requests that wait for its open questions.
    pub(super) fn queued(&self, agent: &AgentId) -> u32 {
        self.agents.get(agent).map_or(0, |state| u32::try_from(state.turns.len()).unwrap_or(u32::MAX))
    }

    /// Returns everything that waits for a person: the open questions, and what is behind them.
    pub(super) fn all_waiting(&self) -> usize {
        self.questions.len()
            + self.elsewhere.questions.len()
            + self.agents.values().map(|state| state.turns.len()).sum::<usize>()
    }

    /// Denies what waits for its turn, of the agents that are chosen.
    pub(super) fn deny_held(&mut self, chosen: impl Fn(&AgentId) -> bool, denial: &Denial) {
        let mut held = Vec::new();
        for (_, state) in self.agents.iter_mut().filter(|(agent, _)| chosen(agent)) {
            held.extend(state.turns.take_all());
        }
        for waiter in held {
            self.happen(waiter, RequestEvent::JudgedDeny(denial.clone()));
        }
    }

    /// Judges again what waits for its turn after a change of policy: it may be clear by now.
    pub(super) fn rejudge_held(&mut self, only: Option<&AgentId>) {
        let agents = self.agents.iter().filter(|(agent, _)| only.is_none_or(|only| only == *agent));
        let waiting = agents.flat_map(|(_, state)| state.turns.waiting());
        for id in waiting.collect::<Vec<Uuid>>() {
            self.look_up(id);
        }
    }
}
