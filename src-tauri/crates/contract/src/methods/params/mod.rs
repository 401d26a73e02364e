//! Parameters of the control methods.

mod agents;
mod questions;
mod requests;
mod rules;

pub use agents::*;
pub use questions::*;
pub use requests::*;
pub use rules::*;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Takes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}
