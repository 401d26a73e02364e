//! `tool.*`: source 4's procedures, with exactly its inputs and answers.

use super::{Answer, Control, Handle, gone};
use crate::ask::FaceId;
use crate::gate::{ToolCall, ToolFacts, judge_tool};
use postern_command::escape;
use postern_contract::methods::{
    Applied, ApproveTool, ControlCode, ControlError, DenyTool, ExplainTool, Nothing, PendingTools,
    ToolApprove, ToolDeny, ToolExplain, ToolExplained, ToolQuestions,
};
use serde_json::Value;
use std::sync::Arc;

impl Handle<PendingTools> for Control {
    async fn handle(&self, _: FaceId, _: Nothing) -> Answer<PendingTools> {
        Ok(ToolQuestions { tools: self.parts.gate.tools().await.map_err(gone)? })
    }
}

impl Handle<ApproveTool> for Control {
    async fn handle(&self, face: FaceId, params: ToolApprove) -> Answer<ApproveTool> {
        Ok(Applied { applied: self.parts.gate.approve_tool(params, face).await.map_err(gone)? })
    }
}

impl Handle<DenyTool> for Control {
    async fn handle(&self, face: FaceId, params: ToolDeny) -> Answer<DenyTool> {
        Ok(Applied { applied: self.parts.gate.deny_tool(params, face).await.map_err(gone)? })
    }
}

impl Handle<ExplainTool> for Control {
    async fn handle(&self, _: FaceId, params: ToolExplain) -> Answer<ExplainTool> {
        let book = &self.parts.book;
        // By the file as it is, as a call would be judged.
        if book.reread_permissions_of(&params.agent).await? {
            self.rules_changed(Some(params.agent.clone())).await?;
        }
        let policy = Arc::clone(&book.entry(&params.agent)?.policy);
        let world = Arc::clone(&self.parts.world);
        let judging = tokio::task::spawn_blocking(move || {
            let ToolExplain { tool, arguments, session, .. } = params;
            let arguments = Value::Object(arguments);
            let call = ToolCall { tool: &tool, arguments: &arguments, cwd: None };
            let found = ToolFacts::look_up(&world, &policy.settings, call);
            judge_tool(&world, &policy, session.as_deref(), call, &found, None)
        });
        let interrupted = |_| ControlError::new(ControlCode::Internal, "the work was interrupted");
        let verdict = judging.await.map_err(interrupted)?;
        Ok(ToolExplained {
            decision: verdict.decision,
            message: verdict.message,
            always: verdict.always.iter().map(|pattern| escape::text(pattern)).collect(),
            trace: verdict.trace,
        })
    }
}
