//! Requests that wait for their turn to be asked about. What is too many at once, or in a minute, is asked one after the
//! other: none of it is denied for that, and its time begins when its question opens.

use super::denial;
use super::task::Task;
use crate::ask::questions::{IN_ALL, PER_AGENT, Waiter};
use postern_policy::AgentId;
use postern_request::{Denial, Event, State};
use std::collections::VecDeque;
use tokio::time::Instant;
use uuid::Uuid;

/// What may wait of one agent behind its open questions.
const ROOM: usize = 64;

/// What waits of one agent, in order.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    waiting: VecDeque<Waiter>,
    /// Whose turn it is: it is looked up again, as nothing is held open for what waits.
    next: Option<Waiter>,
}

impl Turns {
    /// The turn was taken, whatever came of it.
    pub(super) fn taken(&mut self) {
        self.next = None;
    }

    /// How much waits.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + usize::from(self.next.is_some())
    }
}

impl Task {
    /// Whether a question about it may open now; otherwise it waits for its turn.
    pub(super) fn has_turn(&mut self, agent: &AgentId, waiter: Waiter) -> Result<bool, Denial> {
        let turns = &mut self.agent(agent).turns;
        if turns.next == Some(waiter) {
            turns.next = None;
        } else if turns.waiting.contains(&waiter) {
            return Ok(false);
        } else if turns.len() > 0 || !self.may_open(agent) {
            let turns = &mut self.agent(agent).turns;
            if turns.waiting.len() >= ROOM {
                return Err(denial::queue_full(turns.len()));
            }
            turns.waiting.push_back(waiter);
            self.parts.stirred.status.notify_one();
            return Ok(false);
        }
        self.agent(agent).flood.asked(Instant::now());
        Ok(true)
    }

    /// Whether a question of this agent may open beside those that are open. One that has none open always may.
    fn may_open(&mut self, agent: &AgentId) -> bool {
        let (own, all) = self.open_of(agent);
        own == 0 || (own < PER_AGENT && all < IN_ALL && self.next_question(agent).is_none())
    }

    /// Questions of this agent and of all that are open, or about to be.
    fn open_of(&self, agent: &AgentId) -> (usize, usize) {
        let about = self.requests.values().filter(|request| request.question.is_some());
        let (mut own, mut all) = (self.questions.of_agent(agent), self.questions.len());
        for request in about {
            own += usize::from(request.agent == *agent);
            all += 1;
        }
        (own, all)
    }

    /// When the agent's next question may open; none where it may now.
    fn next_question(&mut self, agent: &AgentId) -> Option<Instant> {
        let settings = self.parts.book.policy(agent)?.settings.clone();
        self.agent(agent).flood.next_question(&settings, Instant::now())
    }

    /// Asks about what waited long enough. Looked at after everything that happens.
    pub(super) fn next_turns(&mut self) {
        let waiting = self.agents.iter().filter(|(_, state)| state.turns.len() > 0);
        for agent in waiting.map(|(agent, _)| agent.clone()).collect::<Vec<_>>() {
            self.next_turn(&agent);
        }
    }

    fn next_turn(&mut self, agent: &AgentId) {
        let mut turns = std::mem::take(&mut self.agent(agent).turns);
        turns.waiting.retain(|waiter| self.waits(*waiter));
        turns.next = turns.next.filter(|waiter| self.waits(*waiter));
        self.agent(agent).turns = turns;
        if self.is_paused() {
            self.deny_held(|one| one == agent, &denial::paused());
        } else if let Some(left) = self.denied_for(agent) {
            self.deny_held(|one| one == agent, &denial::denied_for_now(left));
        }
        if self.agent(agent).turns.next.is_some() || !self.may_open(agent) {
            return;
        }
        let turns = &mut self.agent(agent).turns;
        let Some(waiter) = turns.waiting.pop_front() else { return };
        turns.next = Some(waiter);
        match waiter {
            Waiter::Request(id) => self.look_up(id),
            Waiter::Tool(id) => self.tool_turn(id),
        }
        self.parts.stirred.status.notify_one();
    }

    fn waits(&self, waiter: Waiter) -> bool {
        match waiter {
            Waiter::Request(id) => {
                self.requests.get(&id).is_some_and(|request| matches!(request.state(), State::Queued))
            }
            Waiter::Tool(id) => self.checks.contains_key(&id),
        }
    }

    /// When something that waits may be asked about without anything else happening.
    pub(super) fn next_turn_at(&mut self) -> Option<Instant> {
        let waiting = self.agents.iter().filter(|(_, state)| !state.turns.waiting.is_empty());
        let agents: Vec<AgentId> = waiting.map(|(agent, _)| agent.clone()).collect();
        agents.iter().filter_map(|agent| self.next_question(agent)).min()
    }

    /// What waits of this agent behind its open questions.
    pub(super) fn queued(&self, agent: &AgentId) -> u32 {
        self.agents.get(agent).map_or(0, |state| u32::try_from(state.turns.len()).unwrap_or(u32::MAX))
    }

    /// Everything that waits for a person: the open questions, and what is behind them.
    pub(super) fn all_waiting(&self) -> usize {
        self.questions.len() + self.agents.values().map(|state| state.turns.len()).sum::<usize>()
    }

    /// Denies what waits for its turn, of the agents that are chosen.
    pub(super) fn deny_held(&mut self, chosen: impl Fn(&AgentId) -> bool, denial: &Denial) {
        let mut held = Vec::new();
        for (_, state) in self.agents.iter_mut().filter(|(agent, _)| chosen(agent)) {
            let Turns { waiting, next } = std::mem::take(&mut state.turns);
            held.extend(next.into_iter().chain(waiting));
        }
        for waiter in held {
            match waiter {
                Waiter::Request(id) => self.happen(id, Event::JudgedDeny(denial.clone())),
                Waiter::Tool(check) => self.tool_denied(check, denial),
            }
        }
    }

    /// The policy changed: what waits for its turn may be clear by now.
    pub(super) fn rejudge_held(&mut self, only: Option<&AgentId>) {
        let agents = self.agents.iter().filter(|(agent, _)| only.is_none_or(|only| only == *agent));
        let waiting = agents.flat_map(|(_, state)| state.turns.waiting.iter());
        let ids: Vec<Uuid> = waiting
            .filter_map(|waiter| match waiter {
                Waiter::Request(id) => Some(*id),
                Waiter::Tool(_) => None,
            })
            .collect();
        for id in ids {
            self.look_up(id);
        }
    }
}
