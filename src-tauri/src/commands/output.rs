//! Commands of the windows of output. Such a window reads the request that it is named after, and no other.
#![expect(clippy::needless_pass_by_value, reason = "Tauri hands a command its arguments")]

use crate::dependencies::AppDependencies;
use crate::window::output;
use postern_contract::RequestDetail;
use postern_contract::methods::{GetRequest, RequestAsk};
use tauri::{AppHandle, State, WebviewWindow};

/// Opens a window for the output of a request: a command of the main window.
#[tauri::command]
pub(super) fn output_open(app: AppHandle, id: String) -> Result<(), String> {
    output::open_output(&app, &id)
}

#[tauri::command]
pub(super) async fn output_read(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    secrets: bool,
) -> Result<RequestDetail, String> {
    let id = output::request_of(window.label()).ok_or("this window shows no output")?.to_owned();
    parts.backend.invoke::<GetRequest>(&RequestAsk { id, secrets }).await.map_err(|error| error.to_string())
}

#[tauri::command]
pub(super) fn output_close(window: WebviewWindow) -> Result<(), String> {
    window.close().map_err(|error| error.to_string())
}
