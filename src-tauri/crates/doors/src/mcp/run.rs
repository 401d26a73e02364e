//! Tool `system_run`: progress, cancellation, an answer before the client gives up, and a result that a
//! program can read.

use super::jobs::{McpRunJob, McpRunStage};
use super::{McpAgent, McpCallError, Server, blocking, parse_call};
use postern_client::Channel;
use postern_host::start_thread;
use postern_protocol::{AgentCall, KillParams, Notice, NoticeEvent, Outcome, RunParams, RunResult, Signal};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use uuid::Uuid;

/// Interval at which the client is asked whether it still wants to know.
const LOOK: Duration = Duration::from_millis(500);

/// Runs a command until its end, until the client cancels it, or for as long as a client waits.
pub(super) async fn run_command(
    server: &Server,
    params: JsonObject,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResult, McpCallError> {
    let agent = &server.agent;
    let job = job_of(server, params)?;
    let request_id = job.run.request_id;
    let mut stage = job.stage.clone();
    stage.mark_changed();
    let mut teller =
        ProgressTeller { token: context.meta.get_progress_token(), peer: context.peer, steps: 0 };
    let mut deadline = Some(Instant::now() + agent.wait);
    let mut killed = false;
    loop {
        let late = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = stage.changed() => {
                changed.map_err(|_| McpCallError::Interrupted)?;
                let now = stage.borrow_and_update().clone();
                match now {
                    McpRunStage::Going { message, .. } => teller.report_progress(message).await,
                    McpRunStage::Ended(Ok(notice)) => return Ok(result(request_id, &job.run, &notice)),
                    McpRunStage::Ended(Err(problem)) => return Err(McpCallError::Params(problem)),
                }
            }
            () = late => {
                deadline = None;
                if !killed && server.jobs.detach(&job) {
                    return Ok(pending(request_id, &stage.borrow()));
                }
            }
            () = context.ct.cancelled(), if !killed => {
                killed = true;
                let agent = Arc::clone(agent);
                blocking(move || kill_run(&agent, request_id)).await?;
            }
        }
    }
}

/// Returns the run that this call joins, or begins.
fn job_of(server: &Server, mut params: JsonObject) -> Result<Arc<McpRunJob>, McpCallError> {
    let named = params.contains_key("requestId");
    params.entry("requestId").or_insert_with(|| json!(Uuid::new_v4()));
    params.insert("stream".to_owned(), Value::Bool(true));
    // A client that is gone waits for nothing.
    params.insert("cancelOnDisconnect".to_owned(), Value::Bool(true));
    if let Some(session) = &server.agent.session {
        params.insert("session".to_owned(), json!(session));
    }
    let AgentCall::Run(run) = parse_call("system.run", params)? else {
        return Err(McpCallError::Interrupted);
    };
    if let Some(job) = server.jobs.rejoin(&run, named.then_some(run.request_id)) {
        return Ok(job);
    }
    let (job, stage) = McpRunJob::begin_run(*run.clone());
    let agent = Arc::clone(&server.agent);
    start_thread("mcp", move || {
        let ended = until_the_end(&agent, &run, &stage);
        stage.send_replace(McpRunStage::Ended(ended.map(Box::new).map_err(|trouble| trouble.to_string())));
    })?;
    Ok(Arc::new(job))
}

struct ProgressTeller {
    token: Option<ProgressToken>,
    peer: Peer<RoleServer>,
    steps: u32,
}

impl ProgressTeller {
    async fn report_progress(&mut self, message: String) {
        let Some(token) = self.token.clone().filter(|_| !message.is_empty()) else { return };
        self.steps += 1;
        let step = ProgressNotificationParam::new(token, f64::from(self.steps)).with_message(message);
        if let Err(error) = self.peer.notify_progress(step).await {
            tracing::debug!(%error, "progress could not be sent");
        }
    }
}

fn kill_run(agent: &McpAgent, request_id: Uuid) -> Result<(), McpCallError> {
    agent.call_host(&AgentCall::Kill(KillParams { request_id, signal: Signal::sigterm() })).map(drop)
}

/// Sends the request and hears until its last event. A host that went away and comes back is asked again, under the same
/// number: nothing runs twice.
fn until_the_end(
    agent: &McpAgent,
    run: &RunParams,
    stage: &watch::Sender<McpRunStage>,
) -> Result<Notice, McpCallError> {
    let mut channel = agent.connect()?;
    loop {
        match follow_run(&mut channel, run.clone(), stage) {
            Err(trouble) if trouble.may_come_back() && !stage.is_closed() => {
                let message = "the connection to Postern is lost; trying again".to_owned();
                let runs = matches!(*stage.borrow(), McpRunStage::Going { runs: true, .. });
                stage.send_replace(McpRunStage::Going { message, runs });
                channel.come_back(|| !stage.is_closed())?;
            }
            outcome => return outcome,
        }
    }
}

fn follow_run(
    channel: &mut Channel,
    run: RunParams,
    stage: &watch::Sender<McpRunStage>,
) -> Result<Notice, McpCallError> {
    let request_id = run.request_id;
    if let RunResult::Ended(notice) = channel.run(run)? {
        return Ok(*notice);
    }
    let (mut bytes, mut told) = (0_u64, 0_u64);
    loop {
        let Some(notice) = channel.next_event(Some(LOOK))? else {
            if stage.is_closed() {
                return Err(McpCallError::Interrupted);
            }
            continue;
        };
        if notice.request_id != request_id {
            continue;
        }
        if notice.event.is_end() {
            return Ok(notice);
        }
        let (message, runs) = match &notice.event {
            NoticeEvent::Pending(pending) => {
                let question = pending.question.as_ref().map(|code| format!(" to question {code}"));
                let question = question.unwrap_or_default();
                (format!("waits for the user's answer{question}, number {} in line", pending.position), false)
            }
            NoticeEvent::Started(_) => ("runs".to_owned(), true),
            NoticeEvent::Output(output) => {
                bytes += u64::try_from(output.data.len()).unwrap_or(u64::MAX);
                if bytes - told < 4096 && told > 0 {
                    continue;
                }
                told = bytes;
                (format!("runs; {bytes} bytes of output so far"), true)
            }
            NoticeEvent::Finished(_) | NoticeEvent::Denied(_) | NoticeEvent::ToolResolved(_) => continue,
        };
        stage.send_replace(McpRunStage::Going { message, runs });
    }
}

/// Returns the answer for a client before it gives up by itself: nothing has ended, and how to go on.
fn pending(id: Uuid, stage: &McpRunStage) -> CallToolResult {
    let (how, then) = match stage {
        McpRunStage::Going { runs: false, message } if message.is_empty() => {
            ("no answer yet", "go on waiting: nobody is asked twice")
        }
        McpRunStage::Going { runs: false, .. } => {
            ("no answer yet, a person can still give one", "go on waiting: nobody is asked twice")
        }
        McpRunStage::Going { runs: true, .. } | McpRunStage::Ended(_) => {
            ("it still runs", "hear its end: nothing runs twice")
        }
    };
    let told = match stage {
        McpRunStage::Going { message, .. } if !message.is_empty() => format!(" ({message})"),
        McpRunStage::Going { .. } | McpRunStage::Ended(_) => String::new(),
    };
    let message = format!("Pending: {how}{told}. Call system_run again with the same arguments to {then}.");
    let members = json!({"requestId": id, "state": "pending", "message": message});
    let mut result = CallToolResult::structured(members);
    result.content = vec![ContentBlock::text(message)];
    result
}

/// Returns the end as text for a model and as members for a program.
fn result(id: Uuid, run: &RunParams, notice: &Notice) -> CallToolResult {
    let mut members = serde_json::to_value(&notice.event).unwrap_or_default();
    if let Some(members) = members.as_object_mut() {
        members.insert("requestId".to_owned(), json!(id));
        let state = if matches!(notice.event, NoticeEvent::Denied(_)) { "denied" } else { "finished" };
        members.insert("state".to_owned(), json!(state));
    }
    let (text, failed) = match &notice.event {
        NoticeEvent::Finished(ran) => {
            let end = match (ran.outcome, ran.exit_code) {
                (Outcome::Exited, Some(code)) => format!("exit code {code}"),
                (outcome, _) => format!("{outcome:?}").to_lowercase(),
            };
            let said = ran.message.as_deref().unwrap_or_default();
            let cut = run.timeout_ms.zip(ran.timeout_ms).map(|(wanted, may)| {
                format!("It was let run for {may} ms, not the {wanted} ms that were asked for.")
            });
            let cut = cut.unwrap_or_default();
            let parts = [ran.stdout.as_str(), ran.stderr.as_str(), said, &cut, &end];
            let text: Vec<&str> =
                parts.into_iter().map(str::trim_end).filter(|part| !part.is_empty()).collect();
            (text.join("\n"), ran.outcome != Outcome::Exited)
        }
        NoticeEvent::Denied(denied) => {
            (format!("Denied ({}): {}", denied.reason.name(), denied.to_text()), true)
        }
        NoticeEvent::Pending(_)
        | NoticeEvent::Started(_)
        | NoticeEvent::Output(_)
        | NoticeEvent::ToolResolved(_) => (String::new(), true),
    };
    let mut result =
        if failed { CallToolResult::structured_error(members) } else { CallToolResult::structured(members) };
    result.content = vec![ContentBlock::text(text)];
    result
}
