//! Commands of the panel and the inbox: they send an id, a digest and an answer.
//!
//! A changed command is judged by the host before it is shown, and only the last answer can be undone. Only
//! the page that shows the question at the moment is heard.
#![expect(clippy::needless_pass_by_value, reason = "Tauri hands a command its arguments")]

use crate::SettingsPage;
use crate::dependencies::AppDependencies;
use crate::window::approval::SurfaceHandle;
use crate::window::settings;
use postern_contract::methods::{RulePreview, ScriptRef, ScriptText};
use postern_contract::{AnswerParams, Answered, EditParams, Edited, PillAct, QuestionName, Showing};
use tauri::ipc::{Channel, CommandArg, CommandItem, InvokeError};
use tauri::{AppHandle, Runtime, State};

/// The place whose page calls.
impl<'de, R: Runtime> CommandArg<'de, R> for SurfaceHandle {
    fn from_command(command: CommandItem<'de, R>) -> Result<Self, InvokeError> {
        let label = command.message.webview_ref().label().to_owned();
        let parts = State::<'_, AppDependencies>::from_command(command)?;
        Ok(parts.approval.surface_handle(&label))
    }
}

#[tauri::command]
pub(super) fn question_watch(surface: SurfaceHandle, channel: Channel<Showing>) {
    surface.attach_page(channel);
}

#[tauri::command]
pub(super) fn question_presented(
    surface: SurfaceHandle,
    id: String,
    digest: String,
    height: f64,
    always: bool,
) {
    surface.laid_out(id, digest, height, always);
}

#[tauri::command]
pub(super) fn question_seen_end(surface: SurfaceHandle, id: String, digest: String) {
    surface.seen_end(id, digest);
}

#[tauri::command]
pub(super) async fn question_answer(
    surface: SurfaceHandle,
    params: AnswerParams,
    others: Vec<QuestionName>,
) -> Result<Answered, String> {
    surface.answer(params, others).await
}

#[tauri::command]
pub(super) fn question_gather(surface: SurfaceHandle, together: bool) {
    surface.gather(together);
}

#[tauri::command]
pub(super) fn question_later(surface: SurfaceHandle, id: String, digest: String) {
    surface.put_off(id, digest);
}

#[tauri::command]
pub(super) async fn question_edit(surface: SurfaceHandle, params: EditParams) -> Result<Edited, String> {
    surface.edit_command(params).await
}

#[tauri::command]
pub(super) async fn question_preview(
    surface: SurfaceHandle,
    params: AnswerParams,
) -> Result<RulePreview, String> {
    surface.preview(params).await
}

#[tauri::command]
pub(super) async fn question_script(surface: SurfaceHandle, script: ScriptRef) -> Result<ScriptText, String> {
    surface.read_script(script).await
}

#[tauri::command]
pub(super) async fn question_hold(surface: SurfaceHandle, id: String, digest: String) -> bool {
    surface.begin_hold(id, digest).await
}

#[tauri::command]
pub(super) fn question_release(surface: SurfaceHandle) {
    surface.release();
}

#[tauri::command]
pub(super) async fn question_press(surface: SurfaceHandle, id: String, digest: String) -> bool {
    surface.record_press(id, digest).await
}

#[tauri::command]
pub(super) fn question_details(surface: SurfaceHandle, open: bool) {
    surface.details(open);
}

#[tauri::command]
pub(super) fn question_act(surface: SurfaceHandle, act: PillAct) {
    surface.apply_pill_action(act);
}

#[tauri::command]
pub(super) fn question_drag(surface: SurfaceHandle) {
    surface.begin_drag();
}

/// Shows the question that the person chose in the inbox.
#[tauri::command]
pub(super) fn inbox_choose(parts: State<'_, AppDependencies>, id: String) {
    parts.approval.choose(id);
}

/// Notes that the main window shows another page than its inbox.
#[tauri::command]
pub(super) fn inbox_close(parts: State<'_, AppDependencies>) {
    parts.approval.inbox_closed();
}

/// Opens the inbox with all that waits.
#[tauri::command]
pub(super) fn question_inbox(app: AppHandle) {
    settings::open_page(&app, SettingsPage::from_name("inbox"));
}
