//! `postern`: the person's command line.

fn main() {}
