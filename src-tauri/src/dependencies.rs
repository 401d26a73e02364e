//! Dependencies of every part of the app.

use crate::backend::Backend;
use crate::preferences::StoredPreferences;
use crate::system;
use crate::update::Updates;
use crate::window::approval::ApprovalHandle;
use crate::window::popover::Popover;
use crate::window::settings::PageListeners;
use std::sync::Arc;
use tauri::AppHandle;

/// Dependencies of every part of the app.
#[derive(Clone)]
pub(crate) struct AppDependencies {
    /// The host.
    pub(crate) backend: Arc<Backend>,
    pub(crate) approval: ApprovalHandle,
    /// The popover of the menu-bar item.
    pub(crate) popover: Popover,
    pub(crate) preferences: Arc<StoredPreferences>,
    pub(crate) listeners: Arc<PageListeners>,
    /// Updates of the app; `None` if this build has no source of them.
    pub(crate) updates: Option<Arc<Updates>>,
}

impl AppDependencies {
    /// Listens for the keys that the user chose.
    pub(crate) fn set_shortcut(&self, app: &AppHandle) {
        let (chosen, approval) = (self.preferences.get().shortcut, self.approval.clone());
        let set = move || system::set_shortcut(chosen, move || approval.turn_keyboard());
        if let Err(error) = app.run_on_main_thread(set) {
            tracing::warn!(%error, "no shortcut");
        }
    }
}
