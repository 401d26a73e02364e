//! What the approval page may call: it says an id, a digest and an answer. What a person makes of the command is judged
//! by the host before it is shown, and what it may undo is the last answer alone.
#![expect(clippy::needless_pass_by_value, reason = "Tauri hands a command its arguments")]

use crate::run::Parts;
use postern_contract::methods::RulePreview;
use postern_contract::{AnswerParams, Answered, EditParams, Edited, Offer, PillAct, Showing};
use tauri::State;
use tauri::ipc::Channel;

#[tauri::command]
pub(super) fn question_watch(parts: State<'_, Parts>, channel: Channel<Showing>) {
    parts.approval.watch(channel);
}

#[tauri::command]
pub(super) fn question_presented(
    parts: State<'_, Parts>,
    id: String,
    digest: String,
    height: f64,
    always: bool,
) {
    parts.approval.laid_out(id, digest, height, always);
}

#[tauri::command]
pub(super) fn question_seen_end(parts: State<'_, Parts>, id: String, digest: String) {
    parts.approval.seen_end(id, digest);
}

#[tauri::command]
pub(super) async fn question_answer(
    parts: State<'_, Parts>,
    params: AnswerParams,
) -> Result<Answered, String> {
    parts.approval.answer(params).await
}

#[tauri::command]
pub(super) async fn question_edit(parts: State<'_, Parts>, params: EditParams) -> Result<Edited, String> {
    parts.approval.edit(params).await
}

#[tauri::command]
pub(super) async fn question_preview(parts: State<'_, Parts>, offer: Offer) -> Result<RulePreview, String> {
    parts.approval.preview(offer).await
}

#[tauri::command]
pub(super) async fn question_hold(
    parts: State<'_, Parts>,
    id: String,
    digest: String,
) -> Result<bool, String> {
    Ok(parts.approval.hold(id, digest).await)
}

#[tauri::command]
pub(super) fn question_release(parts: State<'_, Parts>) {
    parts.approval.release();
}

#[tauri::command]
pub(super) async fn question_press(
    parts: State<'_, Parts>,
    id: String,
    digest: String,
) -> Result<bool, String> {
    Ok(parts.approval.press(id, digest).await)
}

#[tauri::command]
pub(super) fn question_details(parts: State<'_, Parts>, open: bool) {
    parts.approval.details(open);
}

#[tauri::command]
pub(super) fn question_act(parts: State<'_, Parts>, act: PillAct) {
    parts.approval.act(act);
}

#[tauri::command]
pub(super) fn question_drag(parts: State<'_, Parts>) {
    parts.approval.drag();
}
