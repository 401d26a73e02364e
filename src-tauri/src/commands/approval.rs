//! What the approval page may call: it says an id, a digest and an answer. What a person makes of the command is judged
//! by the host before it is shown.
#![expect(clippy::needless_pass_by_value, reason = "Tauri hands a command its arguments")]

use crate::run::Parts;
use postern_contract::methods::RulePreview;
use postern_contract::{AnswerParams, Answered, EditParams, Edited, Offer, Showing};
use tauri::State;
use tauri::ipc::Channel;

#[tauri::command]
pub(super) fn question_watch(parts: State<'_, Parts>, channel: Channel<Showing>) {
    parts.approval.watch(channel);
}

#[tauri::command]
pub(super) fn question_presented(parts: State<'_, Parts>, id: String, digest: String, height: f64) {
    parts.approval.laid_out(id, digest, height);
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
