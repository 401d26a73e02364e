//! `tool.*`: source 4's procedures, with exactly its inputs and answers.

use super::{Answer, Control, Handle, gone};
use crate::ask::FaceId;
use postern_contract::methods::{
    Applied, ApproveTool, DenyTool, Nothing, PendingTools, ToolApprove, ToolDeny, ToolQuestions,
};

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
