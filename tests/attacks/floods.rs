//! One agent that takes what all share.
