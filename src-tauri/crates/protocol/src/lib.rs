//! What is said on the agents' socket. Pure.
