//! Commands of the panel and the inbox: they send an id, a digest and an answer.
//!
//! A changed command is judged by the host before it is shown, and only the last answer can be undone. Only
//! the page that shows the question at the moment is heard.
#![expect(clippy::needless_pass_by_value, reason = "Tauri hands a command its arguments")]

use crate::Page;
use crate::run::Parts;
use crate::window::settings;
use postern_contract::methods::RulePreview;
use postern_contract::{AnswerParams, Answered, EditParams, Edited, Offer, PillAct, QuestionName, Showing};
use tauri::ipc::Channel;
use tauri::{AppHandle, State, WebviewWindow};

#[tauri::command]
pub(super) fn question_watch(window: WebviewWindow, parts: State<'_, Parts>, channel: Channel<Showing>) {
    parts.approval.at(window.label()).watch(channel);
}

#[tauri::command]
pub(super) fn question_presented(
    window: WebviewWindow,
    parts: State<'_, Parts>,
    id: String,
    digest: String,
    height: f64,
    always: bool,
) {
    parts.approval.at(window.label()).laid_out(id, digest, height, always);
}

#[tauri::command]
pub(super) fn question_seen_end(window: WebviewWindow, parts: State<'_, Parts>, id: String, digest: String) {
    parts.approval.at(window.label()).seen_end(id, digest);
}

#[tauri::command]
pub(super) async fn question_answer(
    window: WebviewWindow,
    parts: State<'_, Parts>,
    params: AnswerParams,
    others: Vec<QuestionName>,
) -> Result<Answered, String> {
    parts.approval.at(window.label()).answer(params, others).await
}

#[tauri::command]
pub(super) fn question_gather(window: WebviewWindow, parts: State<'_, Parts>, together: bool) {
    parts.approval.at(window.label()).gather(together);
}

#[tauri::command]
pub(super) fn question_later(window: WebviewWindow, parts: State<'_, Parts>, id: String, digest: String) {
    parts.approval.at(window.label()).put_off(id, digest);
}

#[tauri::command]
pub(super) async fn question_edit(
    window: WebviewWindow,
    parts: State<'_, Parts>,
    params: EditParams,
) -> Result<Edited, String> {
    parts.approval.at(window.label()).edit(params).await
}

#[tauri::command]
pub(super) async fn question_preview(
    window: WebviewWindow,
    parts: State<'_, Parts>,
    offer: Offer,
) -> Result<RulePreview, String> {
    parts.approval.at(window.label()).preview(offer).await
}

#[tauri::command]
pub(super) async fn question_hold(
    window: WebviewWindow,
    parts: State<'_, Parts>,
    id: String,
    digest: String,
) -> Result<bool, String> {
    Ok(parts.approval.at(window.label()).hold(id, digest).await)
}

#[tauri::command]
pub(super) fn question_release(window: WebviewWindow, parts: State<'_, Parts>) {
    parts.approval.at(window.label()).release();
}

#[tauri::command]
pub(super) async fn question_press(
    window: WebviewWindow,
    parts: State<'_, Parts>,
    id: String,
    digest: String,
) -> Result<bool, String> {
    Ok(parts.approval.at(window.label()).press(id, digest).await)
}

#[tauri::command]
pub(super) fn question_details(window: WebviewWindow, parts: State<'_, Parts>, open: bool) {
    parts.approval.at(window.label()).details(open);
}

#[tauri::command]
pub(super) fn question_act(window: WebviewWindow, parts: State<'_, Parts>, act: PillAct) {
    parts.approval.at(window.label()).act(act);
}

#[tauri::command]
pub(super) fn question_drag(window: WebviewWindow, parts: State<'_, Parts>) {
    parts.approval.at(window.label()).drag();
}

/// Shows the question that the person chose in the inbox.
#[tauri::command]
pub(super) fn inbox_choose(parts: State<'_, Parts>, id: String) {
    parts.approval.choose(id);
}

/// Notes that the main window shows another page than its inbox.
#[tauri::command]
pub(super) fn inbox_close(parts: State<'_, Parts>) {
    parts.approval.inbox_closed();
}

/// Opens the inbox with all that waits.
#[tauri::command]
pub(super) fn question_inbox(app: AppHandle) {
    settings::open(&app, Page::named("inbox"));
}
