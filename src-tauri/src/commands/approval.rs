//! Commands of the panel and the inbox: they send an id, a digest and an answer.
//!
//! A changed command is judged by the host before it is shown, and only the last answer can be undone. Only
//! the page that shows the question at the moment is heard.
#![expect(clippy::needless_pass_by_value, reason = "Tauri hands a command its arguments")]

use crate::SettingsPage;
use crate::dependencies::AppDependencies;
use crate::window::settings;
use postern_contract::methods::{RulePreview, ScriptRef, ScriptText};
use postern_contract::{AnswerParams, Answered, EditParams, Edited, PillAct, QuestionName, Showing};
use tauri::ipc::Channel;
use tauri::{AppHandle, State, WebviewWindow};

#[tauri::command]
pub(super) fn question_watch(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    channel: Channel<Showing>,
) {
    parts.approval.surface_handle(window.label()).attach_page(channel);
}

#[tauri::command]
pub(super) fn question_presented(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    id: String,
    digest: String,
    height: f64,
    always: bool,
) {
    parts.approval.surface_handle(window.label()).laid_out(id, digest, height, always);
}

#[tauri::command]
pub(super) fn question_seen_end(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    id: String,
    digest: String,
) {
    parts.approval.surface_handle(window.label()).seen_end(id, digest);
}

#[tauri::command]
pub(super) async fn question_answer(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    params: AnswerParams,
    others: Vec<QuestionName>,
) -> Result<Answered, String> {
    parts.approval.surface_handle(window.label()).answer(params, others).await
}

#[tauri::command]
pub(super) fn question_gather(window: WebviewWindow, parts: State<'_, AppDependencies>, together: bool) {
    parts.approval.surface_handle(window.label()).gather(together);
}

#[tauri::command]
pub(super) fn question_later(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    id: String,
    digest: String,
) {
    parts.approval.surface_handle(window.label()).put_off(id, digest);
}

#[tauri::command]
pub(super) async fn question_edit(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    params: EditParams,
) -> Result<Edited, String> {
    parts.approval.surface_handle(window.label()).edit_command(params).await
}

#[tauri::command]
pub(super) async fn question_preview(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    params: AnswerParams,
) -> Result<RulePreview, String> {
    parts.approval.surface_handle(window.label()).preview(params).await
}

#[tauri::command]
pub(super) async fn question_script(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    script: ScriptRef,
) -> Result<ScriptText, String> {
    parts.approval.surface_handle(window.label()).read_script(script).await
}

#[tauri::command]
pub(super) async fn question_hold(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    id: String,
    digest: String,
) -> Result<bool, String> {
    Ok(parts.approval.surface_handle(window.label()).begin_hold(id, digest).await)
}

#[tauri::command]
pub(super) fn question_release(window: WebviewWindow, parts: State<'_, AppDependencies>) {
    parts.approval.surface_handle(window.label()).release();
}

#[tauri::command]
pub(super) async fn question_press(
    window: WebviewWindow,
    parts: State<'_, AppDependencies>,
    id: String,
    digest: String,
) -> Result<bool, String> {
    Ok(parts.approval.surface_handle(window.label()).record_press(id, digest).await)
}

#[tauri::command]
pub(super) fn question_details(window: WebviewWindow, parts: State<'_, AppDependencies>, open: bool) {
    parts.approval.surface_handle(window.label()).details(open);
}

#[tauri::command]
pub(super) fn question_act(window: WebviewWindow, parts: State<'_, AppDependencies>, act: PillAct) {
    parts.approval.surface_handle(window.label()).apply_pill_action(act);
}

#[tauri::command]
pub(super) fn question_drag(window: WebviewWindow, parts: State<'_, AppDependencies>) {
    parts.approval.surface_handle(window.label()).begin_drag();
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
