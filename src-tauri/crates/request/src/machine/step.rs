//! `step(state, event) -> (state, effects)`: total, pure.

use super::{Effect, Event, State};

/// What becomes of a request in `state` when `event` happens, and what is to be done about it.
pub fn step(state: State, _event: Event) -> (State, Vec<Effect>) {
    (state, Vec::new())
}
