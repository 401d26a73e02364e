//! Commands of the panel and the inbox: they send an id, a digest and an answer.
//!
//! A changed command is judged by the host before it is shown, and only the last answer can be undone. Only
//! the page that shows the question at the moment is heard.
#![expect(clippy::needless_pass_by_value, reason = "Tauri hands a command its arguments")]

use crate::SettingsPage;
use crate::dependencies::AppDependencies;
use crate::window::approval::{PresenterEvent, SurfaceHandle};
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

/// Returns the error for a window that does not show the question.
fn not_here<T>() -> Result<T, String> {
    Err("the question isn’t shown in this window".to_owned())
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
    surface.send(PresenterEvent::LaidOut { id, digest, height, always });
}

#[tauri::command]
pub(super) fn question_seen_end(surface: SurfaceHandle, id: String, digest: String) {
    surface.send(PresenterEvent::EndSeen { id, digest });
}

#[tauri::command]
pub(super) async fn question_answer(
    surface: SurfaceHandle,
    params: AnswerParams,
    others: Vec<QuestionName>,
) -> Result<Answered, String> {
    let params = Box::new(params);
    surface.ask(|reply| PresenterEvent::Answer { params, others, reply }).await.unwrap_or_else(not_here)
}

#[tauri::command]
pub(super) fn question_gather(surface: SurfaceHandle, together: bool) {
    surface.send(PresenterEvent::Gather(together));
}

#[tauri::command]
pub(super) fn question_later(surface: SurfaceHandle, id: String, digest: String) {
    surface.send(PresenterEvent::Later { id, digest });
}

#[tauri::command]
pub(super) async fn question_edit(surface: SurfaceHandle, params: EditParams) -> Result<Edited, String> {
    surface.ask(|reply| PresenterEvent::Edit { params, reply }).await.unwrap_or_else(not_here)
}

#[tauri::command]
pub(super) async fn question_preview(
    surface: SurfaceHandle,
    params: AnswerParams,
) -> Result<RulePreview, String> {
    let params = Box::new(params);
    surface.ask(|reply| PresenterEvent::Preview { params, reply }).await.unwrap_or_else(not_here)
}

#[tauri::command]
pub(super) async fn question_script(surface: SurfaceHandle, script: ScriptRef) -> Result<ScriptText, String> {
    surface.ask(|reply| PresenterEvent::Script { script, reply }).await.unwrap_or_else(not_here)
}

#[tauri::command]
pub(super) async fn question_hold(surface: SurfaceHandle, id: String, digest: String) -> bool {
    surface.ask(|reply| PresenterEvent::Hold { id, digest, reply }).await.unwrap_or(false)
}

#[tauri::command]
pub(super) fn question_release(surface: SurfaceHandle) {
    surface.send(PresenterEvent::LetGo);
}

#[tauri::command]
pub(super) async fn question_press(surface: SurfaceHandle, id: String, digest: String) -> bool {
    surface.ask(|reply| PresenterEvent::Press { id, digest, reply }).await.unwrap_or(false)
}

#[tauri::command]
pub(super) fn question_details(surface: SurfaceHandle, open: bool) {
    surface.send(PresenterEvent::Details(open));
}

#[tauri::command]
pub(super) fn question_act(surface: SurfaceHandle, act: PillAct) {
    surface.send(PresenterEvent::Act(act));
}

#[tauri::command]
pub(super) fn question_drag(surface: SurfaceHandle) {
    surface.send(PresenterEvent::Drag);
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
