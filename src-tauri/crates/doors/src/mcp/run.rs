//! `system_run`: progress while it waits and runs, cancellation, and a result that a program can read.

use super::{McpAgent, Trouble, blocking, read};
use postern_protocol::{Call, Event, KillParams, Notice, Outcome, RunParams, RunResult, Signal};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;
use uuid::Uuid;

/// Progress that may wait to be told: what is more is left out, because only the newest counts.
const UNTOLD: usize = 16;

/// Runs a command until its end, or until the client cancels it.
pub(super) async fn run(
    agent: &Arc<McpAgent>,
    mut params: JsonObject,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResult, Trouble> {
    let id = params.entry("requestId").or_insert_with(|| json!(Uuid::new_v4())).clone();
    params.insert("stream".to_owned(), Value::Bool(true));
    // A client that is gone waits for nothing.
    params.insert("cancelOnDisconnect".to_owned(), Value::Bool(true));
    if let Some(session) = &agent.session {
        params.insert("session".to_owned(), json!(session));
    }
    let call = read("system.run", params)?;
    let Call::Run(run) = call else { return Err(Trouble::Interrupted) };
    let request_id = run.request_id;
    let (progress, mut told) = mpsc::channel(UNTOLD);
    let working = Arc::clone(agent);
    let mut work = std::pin::pin!(blocking(move || until_the_end(&working, *run, &progress)));
    let mut teller = Teller { token: context.meta.get_progress_token(), peer: context.peer, steps: 0 };
    let mut killed = false;
    loop {
        tokio::select! {
            Some(message) = told.recv() => teller.tell(message).await,
            ended = &mut work => {
                // What was said on the way is told before the end that came with it.
                while let Ok(message) = told.try_recv() {
                    teller.tell(message).await;
                }
                return Ok(result(&id, &ended?));
            }
            () = context.ct.cancelled(), if !killed => {
                killed = true;
                let agent = Arc::clone(agent);
                blocking(move || kill(&agent, request_id)).await?;
            }
        }
    }
}

/// Tells progress to a client that asked for it.
struct Teller {
    token: Option<ProgressToken>,
    peer: Peer<RoleServer>,
    steps: u32,
}

impl Teller {
    async fn tell(&mut self, message: String) {
        let Some(token) = self.token.clone() else { return };
        self.steps += 1;
        let step = ProgressNotificationParam::new(token, f64::from(self.steps)).with_message(message);
        if let Err(error) = self.peer.notify_progress(step).await {
            tracing::debug!(%error, "progress could not be told");
        }
    }
}

fn kill(agent: &McpAgent, request_id: Uuid) -> Result<(), Trouble> {
    agent.ask(&Call::Kill(KillParams { request_id, signal: Signal::term() })).map(drop)
}

/// Sends the request and hears until its last event.
fn until_the_end(
    agent: &McpAgent,
    run: RunParams,
    progress: &mpsc::Sender<String>,
) -> Result<Notice, Trouble> {
    let mut channel = agent.connect()?;
    let request_id = run.request_id;
    if let RunResult::Ended(notice) = channel.run(run)? {
        return Ok(*notice);
    }
    let (mut bytes, mut told) = (0_u64, 0_u64);
    loop {
        // Without a limit of time there is always an event, or the end of the connection.
        let Some(notice) = channel.next_event(None)? else { continue };
        if notice.request_id != request_id {
            continue;
        }
        if notice.event.is_end() {
            return Ok(notice);
        }
        let message = match &notice.event {
            Event::Pending(pending) => {
                format!("waits for the person's answer, number {} in line", pending.position)
            }
            Event::Started(_) => "runs".to_owned(),
            Event::Output(output) => {
                bytes += u64::try_from(output.data.len()).unwrap_or(u64::MAX);
                if bytes - told < 4096 && told > 0 {
                    continue;
                }
                told = bytes;
                format!("runs; {bytes} bytes of output so far")
            }
            Event::Finished(_) | Event::Denied(_) | Event::ToolResolved(_) => continue,
        };
        // Nobody takes it fast enough: the next one says the same.
        drop(progress.try_send(message));
    }
}

/// The end as text for a model and as members for a program.
fn result(id: &Value, notice: &Notice) -> CallToolResult {
    let mut members = serde_json::to_value(&notice.event).unwrap_or_default();
    if let Some(members) = members.as_object_mut() {
        members.insert("requestId".to_owned(), id.clone());
        let state = if matches!(notice.event, Event::Denied(_)) { "denied" } else { "finished" };
        members.insert("state".to_owned(), json!(state));
    }
    let (text, failed) = match &notice.event {
        Event::Finished(ran) => {
            let end = match (ran.outcome, ran.exit_code) {
                (Outcome::Exited, Some(code)) => format!("exit code {code}"),
                (outcome, _) => format!("{outcome:?}").to_lowercase(),
            };
            let said = ran.message.as_deref().unwrap_or_default();
            let parts = [ran.stdout.as_str(), ran.stderr.as_str(), said, &end];
            let text: Vec<&str> =
                parts.into_iter().map(str::trim_end).filter(|part| !part.is_empty()).collect();
            (text.join("\n"), ran.outcome != Outcome::Exited)
        }
        Event::Denied(denied) => {
            let parts = [Some(denied.message.as_str()), denied.feedback.as_deref(), denied.advice.as_deref()];
            (format!("Denied. {}", parts.into_iter().flatten().collect::<Vec<_>>().join(" ")), true)
        }
        Event::Pending(_) | Event::Started(_) | Event::Output(_) | Event::ToolResolved(_) => {
            (String::new(), true)
        }
    };
    let mut result =
        if failed { CallToolResult::structured_error(members) } else { CallToolResult::structured(members) };
    result.content = vec![ContentBlock::text(text)];
    result
}
