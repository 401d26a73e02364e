//! `approve`: what Claude Code asks its `--permission-prompt-tool`, answered by the tool gate.

use super::{McpAgent, McpCallError, blocking};
use crate::hooks::{self, HookAgent};
use postern_client::Channel;
use postern_protocol::{
    AgentCall, Decision, Defaults, NoticeEvent, SessionKind, ToolCheckParams, ToolCheckResult,
};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Interval at which the client is asked whether it still wants an answer.
const LOOK: Duration = Duration::from_millis(500);

pub(super) async fn approve(
    agent: &Arc<McpAgent>,
    arguments: JsonObject,
    cancelled: CancellationToken,
) -> Result<CallToolResult, McpCallError> {
    let input = arguments.get("input").filter(|input| input.is_object()).cloned();
    let input = input
        .ok_or_else(|| McpCallError::Params("approve takes tool_name and input, an object".to_owned()))?;
    // The same as the hook's event, so that both name tools and arguments alike.
    let event = json!({
        "hook_event_name": "PermissionRequest",
        "tool_name": arguments.get("tool_name"),
        "tool_input": input.clone(),
    });
    let asked = hooks::parse_event(HookAgent::ClaudeCode, &event.to_string())
        .map_err(|error| McpCallError::Params(format!("approve takes tool_name and input: {error}")))?;
    let session = agent.session.clone();
    let params = ToolCheckParams {
        tool: asked.tool,
        server: asked.server,
        arguments: asked.arguments,
        session,
        session_kind: SessionKind::Name,
        cwd: asked.cwd,
        // Claude Code asks here for what its own rules ask about; a default must not answer for the user.
        defaults: Some(Defaults::Ask),
        rewrites: false,
    };
    let agent = Arc::clone(agent);
    let verdict = blocking(move || decide(&agent, &params, &cancelled)).await?;
    Ok(CallToolResult::success(vec![ContentBlock::text(answer(verdict, &input).to_string())]))
}

/// Returns `None` if it is allowed, else the reason. A host that went away and comes back is asked again.
fn decide(
    agent: &McpAgent,
    params: &ToolCheckParams,
    cancelled: &CancellationToken,
) -> Result<Option<String>, McpCallError> {
    let mut channel = agent.connect()?;
    loop {
        match verdict(&mut channel, params.clone(), cancelled) {
            Err(trouble) if trouble.may_come_back() && !cancelled.is_cancelled() => {
                channel.come_back(|| !cancelled.is_cancelled())?;
            }
            outcome => return outcome,
        }
    }
}

fn verdict(
    channel: &mut Channel,
    params: ToolCheckParams,
    cancelled: &CancellationToken,
) -> Result<Option<String>, McpCallError> {
    let told: ToolCheckResult = channel.call_typed(&AgentCall::ToolCheck(params))?;
    let why = |message: Option<String>| message.unwrap_or_else(|| "denied".to_owned());
    let check = match (told.decision, told.check_id) {
        (Decision::Allow, _) => return Ok(None),
        (Decision::Ask, Some(check)) => check,
        (Decision::Deny | Decision::Ask, _) => return Ok(Some(why(told.message))),
    };
    loop {
        if cancelled.is_cancelled() {
            return Ok(Some("cancelled".to_owned()));
        }
        let Some(notice) = channel.next_event(Some(LOOK))? else { continue };
        let NoticeEvent::ToolResolved(resolved) = notice.event else { continue };
        if resolved.check_id == check {
            let allowed = resolved.decision == Decision::Allow;
            return Ok((!allowed).then(|| why(resolved.message)));
        }
    }
}

/// Returns the answer in the shape that Claude Code reads.
fn answer(denied: Option<String>, input: &Value) -> Value {
    match denied {
        None => json!({"behavior": "allow", "updatedInput": input}),
        Some(message) => json!({"behavior": "deny", "message": message}),
    }
}
