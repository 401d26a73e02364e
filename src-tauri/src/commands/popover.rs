//! Commands of the popover: it shows the host's state, and does what the items of the menu do. It answers no
//! question.

use crate::dependencies::AppDependencies;
use crate::menu;
use crate::window::popover::Popover;
use postern_contract::Overview;
use tauri::ipc::Channel;
use tauri::{AppHandle, State, WebviewWindow};

#[tauri::command]
pub(super) async fn popover_watch(
    parts: State<'_, AppDependencies>,
    channel: Channel<Overview>,
) -> Result<(), String> {
    parts.popover.attach_page(channel);
    Ok(())
}

#[tauri::command]
pub(super) async fn popover_laid_out(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    height: f64,
) -> Result<(), String> {
    parts.popover.laid_out(&window, height).map_err(|error| error.to_string())
}

#[tauri::command]
pub(super) async fn popover_act(
    app: AppHandle,
    parts: State<'_, AppDependencies>,
    item: String,
) -> Result<(), String> {
    if !menu::is_of_popover(&item) {
        return Err(format!("the popover has no {item:?}"));
    }
    // What opens another window closes this one; what happens to the agents shows here.
    if !menu::keeps_popover_open(&item) {
        Popover::close(&app).map_err(|error| error.to_string())?;
    }
    menu::perform_action(&app, &parts, &item).await.map_err(|error| error.to_string())
}
