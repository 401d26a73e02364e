//! Commands about updates, for the main window and that of the settings.

use crate::dependencies::AppDependencies;
use postern_contract::UpdateState;
use tauri::State;

/// Returns the state of updates, or `None` if this build has no updater.
#[tauri::command]
pub(super) async fn settings_updates(
    parts: State<'_, AppDependencies>,
) -> Result<Option<UpdateState>, String> {
    Ok(parts.updates.as_ref().map(|updates| updates.current_state()))
}

#[tauri::command]
pub(super) async fn settings_check_updates(parts: State<'_, AppDependencies>) -> Result<(), String> {
    if let Some(updates) = &parts.updates {
        updates.check_releases().await;
    }
    Ok(())
}

/// Installs the release that was found, once nothing waits and nothing runs.
#[tauri::command]
pub(super) async fn settings_install_update(parts: State<'_, AppDependencies>) -> Result<(), String> {
    if let Some(updates) = &parts.updates {
        updates.install().await;
    }
    Ok(())
}

#[tauri::command]
pub(super) async fn settings_put_off_update(parts: State<'_, AppDependencies>) -> Result<(), String> {
    if let Some(updates) = &parts.updates {
        updates.put_off();
    }
    Ok(())
}
