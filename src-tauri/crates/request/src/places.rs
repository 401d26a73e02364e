//! Number of runs of an agent at a time: the rest wait in their order.

use std::collections::VecDeque;

/// Runs of one agent that may wait for a place.
const ROOM: usize = 64;

/// The places of one agent.
#[derive(Debug)]
pub struct RunSlots<T> {
    taken: u32,
    waiting: VecDeque<T>,
}

/// Result of asking for a place.
#[derive(Debug, PartialEq, Eq)]
pub enum RunSlotResult<T> {
    Given(T),
    /// Queued for a place.
    Waits,
    /// So many wait already that it gets none.
    Full,
}

impl<T> Default for RunSlots<T> {
    fn default() -> Self {
        Self { taken: 0, waiting: VecDeque::new() }
    }
}

impl<T> RunSlots<T> {
    /// Asks for a place for `one`, where there are `most`.
    pub fn acquire(&mut self, one: T, most: u32) -> RunSlotResult<T> {
        if self.taken < most {
            self.taken += 1;
            return RunSlotResult::Given(one);
        }
        if self.waiting.len() >= ROOM {
            return RunSlotResult::Full;
        }
        self.waiting.push_back(one);
        RunSlotResult::Waits
    }

    /// Gives a place back, where there are `most` now. Gives who has it next.
    pub fn give_back(&mut self, most: u32) -> Option<T> {
        self.taken = self.taken.saturating_sub(1);
        if self.taken >= most {
            return None;
        }
        let next = self.waiting.pop_front()?;
        self.taken += 1;
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::{ROOM, RunSlotResult, RunSlots};

    #[test]
    fn places_are_given_in_order_and_never_more_than_there_are() {
        let mut places = RunSlots::default();
        assert_eq!(places.acquire('a', 2), RunSlotResult::Given('a'));
        assert_eq!(places.acquire('b', 2), RunSlotResult::Given('b'));
        assert_eq!(
            ['c', 'd', 'e'].map(|one| places.acquire(one, 2)),
            [RunSlotResult::Waits, RunSlotResult::Waits, RunSlotResult::Waits]
        );
        assert_eq!(places.give_back(2), Some('c'));
        assert_eq!(places.give_back(1), None, "there are fewer now");
        assert_eq!(places.give_back(1), Some('d'));
        assert_eq!(places.give_back(1), Some('e'));
        assert_eq!(places.give_back(1), None);
        assert_eq!(places.acquire('f', 1), RunSlotResult::Given('f'), "all of them were given back");
    }

    #[test]
    fn so_many_wait_and_no_more() {
        let mut places = RunSlots::default();
        assert_eq!(places.acquire(0, 1), RunSlotResult::Given(0));
        assert!((1..=ROOM).all(|one| places.acquire(one, 1) == RunSlotResult::Waits));
        assert_eq!(places.acquire(0, 1), RunSlotResult::Full);
        assert_eq!(places.give_back(1), Some(1));
        assert_eq!(places.acquire(0, 1), RunSlotResult::Waits);
    }
}
