//! The two windows.

pub(crate) mod approval;
mod outcome;
mod pane;
mod place;
mod presenter;
pub(crate) mod settings;
pub(crate) mod surface;
