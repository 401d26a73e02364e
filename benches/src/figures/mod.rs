//! One file a figure.

pub(crate) mod history;
pub(crate) mod idle;
pub(crate) mod round_trip;
pub(crate) mod run;
pub(crate) mod start;
pub(crate) mod throughput;
pub(crate) mod verdict;
pub(crate) mod worst_case;
