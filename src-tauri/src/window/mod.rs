//! The two windows.

pub(crate) mod approval;
mod pane;
mod presenter;
pub(crate) mod settings;
