//! One integration binary: the program as its users run it, and what must hold over the whole tree.

mod invariants;
mod window;
