//! What the speed table in the README is made of.

fn main() {}
