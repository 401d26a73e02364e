//! `tool.*`: source 4's procedures, with exactly its inputs and answers.

use super::{Answer, Control, Handle, gone};
use crate::ask::FaceId;
use crate::clock::lasting;
use crate::gate::{Call, Judgement, World, judge_call};
use postern_command::escape;
use postern_contract::methods::{
    Applied, ApproveTool, DenyTool, ExplainTool, Nothing, PendingTools, ToolApprove, ToolDeny, ToolExplain,
    ToolExplained, ToolQuestions,
};
use postern_contract::{ShownRisk, render};
use postern_policy::Decision;
use postern_protocol::ToolCheckParams;
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
        let version = book.version();
        let agent = params.agent.clone();
        let judge = move |world: &World| {
            let ToolExplain { tool, arguments, session, .. } = params;
            let check = ToolCheckParams {
                tool,
                server: None,
                arguments,
                session,
                cwd: None,
                defaults: None,
                rewrites: false,
            };
            let judgement = judge_call(world, &policy, version, &Arc::new(Call::new(check)), lasting());
            let always = judgement.patterns(world, &policy);
            (judgement, always)
        };
        let (judgement, always) = self.preview(&agent, judge).await;
        let always = always.iter().flatten().map(|pattern| escape::text(pattern)).collect();
        Ok(match judgement {
            Judgement::Judged(judged) => ToolExplained {
                decision: judged.verdict.decision,
                message: render::cause(&judged.verdict.cause),
                always,
                risk: render::risk(&judged.verdict.risk),
                effects: render::effects(&judged.verdict.risk.effects),
                trace: render::trace(&judged.verdict.trace),
            },
            Judgement::Refused(denial) => ToolExplained {
                decision: Decision::Deny,
                message: render::refusal(&denial.cause),
                always,
                risk: ShownRisk::unknown(),
                effects: Vec::new(),
                trace: Vec::new(),
            },
        })
    }
}
