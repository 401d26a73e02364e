//! Doing a job on the agent's own channel, as any client of that agent does. Blocking: it has a thread of its own.

use super::job::{OpenclawOutcome, OpenclawStage};
use super::message::{Exec, OpenclawDecision, OpenclawQuestion, OpenclawRefusal, OpenclawRunResult};
use postern_client::{Channel, ChannelOptions, ConnectError, read_key};
use postern_protocol::{
    AgentCall, Client, Decision as Gate, Defaults, DenyReason, ExecDenied, ExecFinished, KillParams,
    NoticeEvent, Outcome, RunParams, SessionKind, Signal, ToolCheckParams, ToolCheckResult, What,
};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::watch;
use uuid::Uuid;

/// Interval at which is looked whether somebody still waits for a decision.
const LOOK: Duration = Duration::from_millis(500);

/// An agent's channel, as its client needs it.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) socket: PathBuf,
    pub(super) key_file: PathBuf,
}

impl Way {
    fn connect(&self) -> Result<Channel, ConnectError> {
        let client = Client { name: "openclaw".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
        Channel::connect_with(
            &self.socket,
            &read_key(&self.key_file)?,
            ChannelOptions { client, after: None },
        )
    }

    /// Takes back a request that waits, or ends one that runs.
    pub(super) fn cancel_request(&self, request_id: Uuid) {
        let killed = self.connect().map(|mut channel| {
            channel.call_host(&AgentCall::Kill(KillParams { request_id, signal: Signal::sigterm() }))
        });
        if let Err(error) = killed {
            tracing::warn!(%error, "what OpenClaw gave up on goes on");
        }
    }
}

/// Runs a command and tells how far it is.
pub(super) fn run_job(way: &Way, exec: Exec, request_id: Uuid, stage: &watch::Sender<OpenclawStage>) {
    let ended = see_through(way, exec, request_id, stage).unwrap_or_else(|problem| {
        Err(OpenclawRefusal::unavailable(format!("SYSTEM_RUN_DENIED: {problem}"), "companion-unavailable"))
    });
    stage.send_replace(OpenclawStage::Ended(OpenclawOutcome::Exec(ended)));
}

fn see_through(
    way: &Way,
    exec: Exec,
    request_id: Uuid,
    stage: &watch::Sender<OpenclawStage>,
) -> Result<Result<OpenclawRunResult, OpenclawRefusal>, String> {
    let mut channel = way.connect().map_err(|error| error.to_string())?;
    let run = RunParams {
        cwd: exec.cwd,
        env: exec.env.unwrap_or_default(),
        timeout_ms: exec.timeout_ms.filter(|timeout| *timeout > 0),
        session: exec.session_key,
        session_kind: SessionKind::Id,
        ..RunParams::new(request_id, What::Command(exec.command))
    };
    if let Err(mistake) = run.check_limits() {
        return Ok(Err(OpenclawRefusal::invalid(mistake.to_string(), "invalid")));
    }
    channel.run(run).map_err(|error| error.to_string())?;
    for event in channel.events() {
        let notice = event.map_err(|gone| gone.to_string())?;
        if notice.request_id != request_id {
            continue;
        }
        match notice.event {
            NoticeEvent::Started(_) => {
                stage.send_replace(OpenclawStage::Running);
            }
            NoticeEvent::Finished(finished) => return Ok(Ok(run_result(finished))),
            NoticeEvent::Denied(denied) => return Ok(Err(refusal(&denied))),
            NoticeEvent::Pending(_) | NoticeEvent::Output(_) | NoticeEvent::ToolResolved(_) => {}
        }
    }
    Err("the connection to Postern ended".to_owned())
}

/// Asks for a decision alone, for as long as somebody waits for it. `version` is the number of the policy at the moment.
pub(super) fn decide(
    way: &Way,
    question: &OpenclawQuestion,
    stage: &watch::Sender<OpenclawStage>,
    version: impl Fn() -> u64,
) {
    let mut policy = version();
    let decision = ask_decision(way, question, || {
        policy = version();
        !stage.is_closed()
    });
    let decision = decision.unwrap_or_else(|problem| {
        tracing::warn!(problem, "OpenClaw's question could not be asked");
        None
    });
    stage.send_replace(OpenclawStage::Ended(OpenclawOutcome::Decision { decision, policy }));
}

/// Asks until there is an answer, or until nobody wants it any more. With its channel the question is withdrawn.
fn ask_decision(
    way: &Way,
    question: &OpenclawQuestion,
    mut is_wanted: impl FnMut() -> bool,
) -> Result<Option<OpenclawDecision>, String> {
    let mut channel = way.connect().map_err(|error| error.to_string())?;
    let mut arguments = Map::from_iter([("command".to_owned(), Value::String(question.command.clone()))]);
    if let Some(cwd) = &question.cwd {
        arguments.insert("cwd".to_owned(), Value::String(cwd.clone()));
    }
    let check = ToolCheckParams {
        tool: "shell_exec".to_owned(),
        server: None,
        arguments,
        session: question.session_key.clone(),
        session_kind: SessionKind::Id,
        cwd: None,
        // OpenClaw runs what it is allowed, and its user is asked by nobody else: a default must not answer for them.
        defaults: Some(Defaults::Ask),
        rewrites: false,
    };
    let told: ToolCheckResult =
        channel.call_typed(&AgentCall::ToolCheck(check)).map_err(|error| error.to_string())?;
    match told.decision {
        Gate::Allow => return Ok(Some(OpenclawDecision::AllowOnce)),
        Gate::Deny => return Ok(Some(OpenclawDecision::Deny)),
        Gate::Ask => {}
    }
    let id = told.check_id.ok_or("a question without a number")?;
    while is_wanted() {
        let Some(notice) = channel.next_event(Some(LOOK)).map_err(|gone| gone.to_string())? else { continue };
        if let NoticeEvent::ToolResolved(resolved) = notice.event
            && resolved.check_id == id
        {
            return Ok(Some(match resolved.decision {
                Gate::Allow => OpenclawDecision::AllowOnce,
                Gate::Ask | Gate::Deny => OpenclawDecision::Deny,
            }));
        }
    }
    Ok(None)
}

fn run_result(finished: ExecFinished) -> OpenclawRunResult {
    let text = |data: String, encoding: postern_protocol::Encoding| match encoding.decode(data) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    };
    let exited = finished.outcome == Outcome::Exited;
    OpenclawRunResult {
        exit_code: finished.exit_code,
        timed_out: finished.timed_out,
        success: exited && finished.exit_code == Some(0),
        stdout: text(finished.stdout, finished.stdout_encoding),
        stderr: text(finished.stderr, finished.stderr_encoding),
        error: finished.message,
    }
}

/// Returns a denial in OpenClaw's words, where it has some; with ours behind them.
fn refusal(denied: &ExecDenied) -> OpenclawRefusal {
    let told = |words: &str, reason: &str| {
        let feedback = denied.feedback.iter().map(|words| format!(": {words}"));
        OpenclawRefusal::unavailable(feedback.fold(words.to_owned(), |all, one| all + &one), reason)
    };
    match denied.reason {
        DenyReason::Policy => told("SYSTEM_RUN_DISABLED: security=deny", "security=deny"),
        DenyReason::User => told("SYSTEM_RUN_DENIED: user denied", "user-denied"),
        DenyReason::AllowlistMiss => told("SYSTEM_RUN_DENIED: allowlist miss", "allowlist-miss"),
        DenyReason::Expired | DenyReason::Cancelled | DenyReason::CannotPresent => {
            told("SYSTEM_RUN_DENIED: approval prompt closed without decision", "approval-cancelled")
        }
        DenyReason::CwdRefused => told(
            "Working directory does not exist, is inaccessible, or is not a directory.", "cwd-unavailable",
        ),
        DenyReason::Invalid | DenyReason::EnvRefused => {
            OpenclawRefusal::invalid(denied.message.clone(), "invalid")
        }
        DenyReason::Core
        | DenyReason::Denylist
        | DenyReason::NotFound
        | DenyReason::Drifted
        | DenyReason::QueueFull
        | DenyReason::RateLimited
        | DenyReason::NoAnswer
        | DenyReason::Paused
        | DenyReason::Restarted => OpenclawRefusal::unavailable(
            format!("SYSTEM_RUN_DENIED: {}", denied.to_text()),
            denied.reason.name(),
        ),
    }
}
