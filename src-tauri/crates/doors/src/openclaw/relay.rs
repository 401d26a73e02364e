//! Answering a question with the decision that its request carried. Only where the person turned relaying on; a request
//! that is denied, or allowed by a rule, never comes here.

use super::OpenclawShared;
use super::message::OpenclawDecision;
use crate::door::waiting_here;
use postern_contract::methods::{AnswerQuestion, ListRequests, RequestFilter};
use postern_contract::{Answer, AnswerParams, Part, Question, not_saved};
use postern_host::{ApproverGuard, ConnectedApproverKind};
use postern_policy::{NothingToSave, RiskLevel};
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

/// Answers the question of `request_id` as soon as there is one, until what this gives is dropped.
pub(super) fn relay_decision(
    shared: &Arc<OpenclawShared>,
    request_id: Uuid,
    decision: OpenclawDecision,
) -> DropGuard {
    let over = CancellationToken::new();
    let guard = over.clone().drop_guard();
    let shared = Arc::clone(shared);
    // Connected before it is asked, or nobody would be.
    let face = shared.host.named_face(ConnectedApproverKind::Remote, "openclaw, relayed");
    // The parts that OpenClaw shows its user: command, folder and program path; *always* saves that command alone. Not what the
    // agent can change until it runs.
    face.declare([Part::Programs, Part::Always]);
    tokio::spawn(async move {
        // A run may end before its answer's reply is read: what was answered is told all the same.
        let asked = tokio::select! {
            asked = wait_for_question(&shared, &face, request_id) => asked,
            () = over.cancelled() => return,
        };
        if let Some((question, request)) = asked {
            answer(&shared, &face, &question, request, decision).await;
        }
    });
    guard
}

/// Waits until a person is asked about a request; `None` where the host ends.
async fn wait_for_question(
    shared: &OpenclawShared,
    face: &ApproverGuard,
    request_id: Uuid,
) -> Option<(Question, String)> {
    let mut told = shared.host.subscribe_without_requests();
    loop {
        let open = question_of(shared, face, request_id).await;
        if open.is_some() {
            return open;
        }
        if let Err(RecvError::Closed) = told.recv().await {
            return None;
        }
    }
}

async fn answer(
    shared: &OpenclawShared,
    face: &ApproverGuard,
    question: &Question,
    request: String,
    decision: OpenclawDecision,
) {
    // OpenClaw's person saw its text of the command alone. A dangerous command waits for Postern's person, who is shown why.
    if question.risk.level == RiskLevel::Dangerous {
        return;
    }
    let (answer, proposal, unsaved) = match question.placed() {
        _ if decision != OpenclawDecision::AllowAlways => (Answer::Once, None, None),
        // No rule is wider than that text, and none says that a changed program is trusted.
        Ok(offers) => match offers.into_iter().find(|offer| offer.id == "exact" && offer.renews == 0) {
            Some(exact) => (Answer::Always, Some(exact.id.clone()), None),
            None => (Answer::Once, None, Some(NothingToSave::NoRuleHelps)),
        },
        Err(why) => (Answer::Once, None, Some(why)),
    };
    let requests = vec![request];
    let params = AnswerParams { proposal, requests, ..AnswerParams::for_question(question, answer) };
    match shared.host.call_method::<AnswerQuestion>(face.id(), &params).await {
        // OpenClaw's answer has no room for it.
        Ok(answered) if answered.applied => {
            if let Some(why) = answered.not_saved.or(unsaved) {
                let told = format!("OpenClaw’s allow-always ({}): {}", question.code, not_saved(why));
                shared.host.call_attention(told);
            }
        }
        Ok(answered) => {
            tracing::warn!(
                reason = answered.reason,
                "a decision did not count: the question waits for the person"
            );
        }
        Err(error) => tracing::warn!(%error, "a decision could not be relayed"),
    }
}

/// Returns the open question for a request of this agent, by the host's request id.
async fn question_of(
    shared: &OpenclawShared,
    face: &ApproverGuard,
    request_id: Uuid,
) -> Option<(Question, String)> {
    let waiting = waiting_here(&shared.host).await.ok()?;
    if waiting.is_empty() {
        return None;
    }
    let filter = RequestFilter { agent: Some(shared.agent.clone()), ..RequestFilter::default() };
    let rows = shared.host.call_method::<ListRequests>(face.id(), &filter).await.ok()?.requests;
    let row = rows.into_iter().find(|row| row.request_id == request_id.to_string())?;
    let question = waiting.into_iter().find(|question| question.requests.contains(&row.id))?;
    Some((question, row.id))
}
