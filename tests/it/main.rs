//! One integration binary: the program as its users run it, and what must hold over the whole tree.

mod agents;
mod crash;
mod invariants;
mod policy;
mod sandbox;
mod window;
