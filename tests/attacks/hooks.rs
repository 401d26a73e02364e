//! Requests from the agents' own hooks.
