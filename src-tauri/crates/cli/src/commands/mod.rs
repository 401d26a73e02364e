//! Command groups, one file each.

pub(crate) mod agents;
pub(crate) mod audit;
pub(crate) mod confine;
pub(crate) mod doctor;
pub(crate) mod doors;
pub(crate) mod explain;
mod finding;
pub(crate) mod fleet;
pub(crate) mod history;
pub(crate) mod hook;
pub(crate) mod hook_answer;
pub(crate) mod import;
pub(crate) mod mcp;
pub(crate) mod policy;
pub(crate) mod programs;
pub(crate) mod questions;
pub(crate) mod repair;
pub(crate) mod rules;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod setup;
mod setup_scope;
pub(crate) mod shell;
pub(crate) mod skills;
pub(crate) mod status;
pub(crate) mod suggest;
pub(crate) mod uninstall;
