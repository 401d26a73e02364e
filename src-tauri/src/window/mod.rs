//! The windows: the panel, the main window, the popover of the menu-bar item, output of its own.

pub(crate) mod approval;
mod display;
mod outcome;
pub(crate) mod output;
mod pane;
mod panel;
mod place;
pub(crate) mod popover;
mod presenter;
mod recording;
pub(crate) mod settings;
pub(crate) mod surface;
