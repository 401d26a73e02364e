//! Figures, one file each.

pub(crate) mod cli;
pub(crate) mod confined;
pub(crate) mod disk;
pub(crate) mod fleet;
pub(crate) mod growth;
pub(crate) mod history;
pub(crate) mod identity;
pub(crate) mod idle;
pub(crate) mod load;
pub(crate) mod output;
pub(crate) mod postern_run;
pub(crate) mod round_trip;
pub(crate) mod run;
pub(crate) mod start;
pub(crate) mod throughput;
pub(crate) mod verdict;
pub(crate) mod worst_case;
