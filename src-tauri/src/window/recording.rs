//! Windows that recordings and shared screens leave out, if the user wants that and the system does it.
//!
//! They show commands, scripts and output of agents, which may hold secrets.

use crate::preferences::StoredPreferences;
use std::sync::Arc;
use tauri::{Manager as _, WebviewWindow};

/// Hides a new window from recordings, if that is wanted.
pub(super) fn hide_if_wanted(window: &WebviewWindow) -> tauri::Result<()> {
    let wanted = window.try_state::<Arc<StoredPreferences>>().is_some_and(|kept| kept.get().unrecorded);
    // A system that can't do it refuses nothing that was not wanted.
    if wanted { window.set_content_protected(true) } else { Ok(()) }
}
