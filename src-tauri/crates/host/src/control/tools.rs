//! `tool.*`: source 4's procedures, with exactly its inputs and answers.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use crate::clock::lasting;
use crate::gate::{AgentToolCall, RequestJudgment, World, judge_call};
use postern_command::escape;
use postern_contract::methods::{
    Applied, ApproveTool, DenyTool, ExplainTool, Nothing, PendingTools, ToolApprove, ToolDeny, ToolExplain,
    ToolExplained, ToolQuestions,
};
use postern_contract::{ShownRisk, render};
use postern_policy::Decision;
use postern_protocol::{SessionKind, ToolCheckParams};
use std::sync::Arc;

impl Handle<PendingTools> for HostControl {
    async fn handle(&self, _: ApproverId, _: Nothing) -> MethodResult<PendingTools> {
        Ok(ToolQuestions { tools: self.parts.gate.waiting_tools().await? })
    }
}

impl Handle<ApproveTool> for HostControl {
    async fn handle(&self, face: ApproverId, params: ToolApprove) -> MethodResult<ApproveTool> {
        Ok(Applied { applied: self.parts.gate.approve_tool(params, face).await? })
    }
}

impl Handle<DenyTool> for HostControl {
    async fn handle(&self, face: ApproverId, params: ToolDeny) -> MethodResult<DenyTool> {
        Ok(Applied { applied: self.parts.gate.deny_tool(params, face).await? })
    }
}

impl Handle<ExplainTool> for HostControl {
    async fn handle(&self, _: ApproverId, params: ToolExplain) -> MethodResult<ExplainTool> {
        let book = &self.parts.book;
        // By the file as it is, as a call would be judged.
        if book.reread_permissions_of(&params.agent).await? {
            self.rules_changed(Some(params.agent.clone())).await?;
        }
        let policy = Arc::clone(&book.require_agent(&params.agent)?.policy);
        let version = book.version();
        let agent = params.agent.clone();
        let judge = move |world: &World| {
            let ToolExplain { tool, arguments, session, .. } = params;
            let check = ToolCheckParams {
                tool,
                server: None,
                arguments,
                session,
                session_kind: SessionKind::Name,
                cwd: None,
                defaults: None,
                rewrites: false,
            };
            let judgement =
                judge_call(world, &policy, version, &Arc::new(AgentToolCall::new(check)), lasting());
            let always = judgement.patterns(world, &policy);
            (judgement, always)
        };
        let (judgement, always) = self.preview(&agent, judge).await;
        let always = always.iter().flatten().map(|pattern| escape::visible_text(pattern)).collect();
        Ok(match judgement {
            RequestJudgment::Judged(judged) => ToolExplained {
                decision: judged.verdict.decision,
                message: render::cause_sentence(&judged.verdict.cause),
                always,
                risk: render::shown_risk(&judged.verdict.risk),
                effects: render::effects(&judged.verdict.risk.effects),
                trace: render::shown_trace(&judged.verdict.trace),
            },
            RequestJudgment::Refused(denial) => ToolExplained {
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
