//! The order in which what waits is asked about. What is too many at once is asked one after the other: none of it is denied
//! for that, up to a bound.

use std::collections::VecDeque;

/// Questions of one agent that may be open.
pub const OPEN_PER_AGENT: usize = 10;
/// Questions that may be open in all. An agent that has none open may open one beyond that.
pub const OPEN_IN_ALL: usize = 32;
/// Most requests of one agent that wait for its open questions.
const ROOM: usize = 64;

/// Number of questions that are open, or about to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenQuestionCounts {
    /// Of the agent.
    pub own: usize,
    /// Of all.
    pub all: usize,
}

impl OpenQuestionCounts {
    /// Returns whether another question of the agent may open beside these. `limited`: it asked too often in the last minute.
    pub fn has_room(self, limited: bool) -> bool {
        self.own == 0 || (self.own < OPEN_PER_AGENT && self.all < OPEN_IN_ALL && !limited)
    }
}

/// Result of asking for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Now,
    /// Queued for its turn.
    Waits,
    /// So many wait already that it is denied.
    Full,
}

/// Waiting requests of one agent, in order.
#[derive(Debug)]
pub struct QuestionTurns<T> {
    waiting: VecDeque<T>,
    /// Request whose turn it is: it is looked up again, as nothing is held open for what waits.
    next: Option<T>,
}

impl<T> Default for QuestionTurns<T> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), next: None }
    }
}

impl<T: Copy + PartialEq> QuestionTurns<T> {
    /// Asks for a question about `waiter`. `room`: another one may open now.
    pub fn request_turn(&mut self, waiter: T, room: bool) -> Turn {
        if self.next == Some(waiter) {
            self.next = None;
            return Turn::Now;
        }
        if self.waiting.contains(&waiter) {
            return Turn::Waits;
        }
        if self.is_empty() && room {
            return Turn::Now;
        }
        if self.waiting.len() >= ROOM {
            return Turn::Full;
        }
        self.waiting.push_back(waiter);
        Turn::Waits
    }

    /// Gives the turn to the one that waits longest, where there is room and nobody has it yet.
    pub fn give_turn(&mut self, room: bool) -> Option<T> {
        if self.next.is_some() || !room {
            return None;
        }
        self.next = self.waiting.pop_front();
        self.next
    }

    /// Forgets what does not wait any more.
    pub fn retain(&mut self, waits: impl Fn(T) -> bool) {
        self.waiting.retain(|waiter| waits(*waiter));
        self.next = self.next.filter(|waiter| waits(*waiter));
    }

    /// Returns what waits behind the one whose turn it is, in order.
    pub fn waiting(&self) -> impl Iterator<Item = T> {
        self.waiting.iter().copied()
    }

    /// Takes everything out, in order.
    pub fn take_all(&mut self) -> Vec<T> {
        let waiting = std::mem::take(&mut self.waiting);
        self.next.take().into_iter().chain(waiting).collect()
    }

    /// Returns how much waits.
    pub fn len(&self) -> usize {
        self.waiting.len() + usize::from(self.next.is_some())
    }

    /// Returns whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::{OPEN_IN_ALL, OPEN_PER_AGENT, OpenQuestionCounts, QuestionTurns, ROOM, Turn};

    #[test]
    fn an_agent_has_room_for_ten_of_thirty_two_and_always_for_a_first_one() {
        let table = [
            (OpenQuestionCounts { own: 0, all: 0 }, false, true),
            (OpenQuestionCounts { own: 0, all: OPEN_IN_ALL + 5 }, false, true),
            (OpenQuestionCounts { own: 0, all: 0 }, true, true),
            (OpenQuestionCounts { own: 1, all: 1 }, true, false),
            (OpenQuestionCounts { own: OPEN_PER_AGENT - 1, all: OPEN_IN_ALL - 1 }, false, true),
            (OpenQuestionCounts { own: OPEN_PER_AGENT, all: OPEN_PER_AGENT }, false, false),
            (OpenQuestionCounts { own: 1, all: OPEN_IN_ALL }, false, false),
        ];
        for (open, limited, room) in table {
            assert_eq!(open.has_room(limited), room, "{open:?} limited: {limited}");
        }
    }

    #[test]
    fn what_waits_is_asked_about_in_its_order_and_one_at_a_time() {
        let mut turns = QuestionTurns::default();
        assert_eq!(turns.request_turn(1, true), Turn::Now);
        assert_eq!([2, 3].map(|waiter| turns.request_turn(waiter, false)), [Turn::Waits; 2]);
        assert_eq!(turns.request_turn(2, true), Turn::Waits, "asked again it keeps its place");
        assert_eq!(turns.request_turn(4, true), Turn::Waits, "nobody goes past those that wait");
        assert_eq!(turns.give_turn(false), None, "there is no room");
        assert_eq!(turns.give_turn(true), Some(2));
        assert_eq!(turns.give_turn(true), None, "until that is asked about, nobody else is");
        assert_eq!(turns.request_turn(3, true), Turn::Waits);
        assert_eq!(turns.request_turn(2, false), Turn::Now, "it was its turn");
        assert_eq!(turns.give_turn(true), Some(3));
        assert_eq!(turns.request_turn(3, false), Turn::Now);
        assert_eq!(turns.give_turn(true), Some(4));
        assert_eq!(turns.len(), 1);
        assert_eq!(turns.take_all(), [4]);
        assert!(turns.is_empty());
    }

    #[test]
    fn what_does_not_wait_any_more_has_no_turn() {
        let mut turns = QuestionTurns::default();
        for waiter in 1..=4 {
            turns.request_turn(waiter, false);
        }
        assert_eq!(turns.give_turn(true), Some(1));
        turns.retain(|waiter| waiter == 3);
        assert_eq!(turns.waiting().collect::<Vec<_>>(), [3]);
        assert_eq!(turns.give_turn(true), Some(3), "the turn of the one that went away is given on");
    }

    #[test]
    fn only_what_comes_on_top_is_denied() {
        let mut turns = QuestionTurns::default();
        for waiter in 0..ROOM {
            assert_eq!(turns.request_turn(waiter, false), Turn::Waits);
        }
        assert_eq!(turns.request_turn(ROOM, false), Turn::Full);
        assert_eq!(turns.give_turn(true), Some(0));
        assert_eq!(turns.request_turn(ROOM, false), Turn::Waits, "there is room behind it again");
    }
}
