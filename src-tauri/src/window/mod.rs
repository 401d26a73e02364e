//! The two windows.

pub(crate) mod approval;
mod presenter;
pub(crate) mod settings;
