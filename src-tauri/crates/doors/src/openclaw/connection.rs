//! Connection: one line in, at most one line out.

use super::OpenclawShared;
use super::check::{check_exec, content};
use super::job::{OpenclawJobListener, OpenclawOutcome, OpenclawStage};
use super::message::{
    Exec, OpenclawDecision, OpenclawLine, OpenclawQuestion, OpenclawRefusal, decision_line, exec_line,
    stranger_line,
};
use super::proof::{Unproved, is_token};
use super::{relay, screen, work};
use crate::door::READER;
use postern_contract::Mode;
use postern_contract::methods::{GetStatus, Nothing};
use postern_host::start_thread;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Interest};
use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio::time::{Instant, interval, sleep_until, timeout};
use uuid::Uuid;

/// The longest line of a client, in bytes.
const LONGEST: u64 = 256_000;
/// Time that a client may take to send its line or to take its answer.
const PATIENCE: Duration = Duration::from_secs(15);
/// Time before a run is answered as going on.
///
/// OpenClaw gives up on a run after 20 s, on a decision after 15 s.
const RUN_WINDOW: Duration = Duration::from_secs(18);
const DECISION_WINDOW: Duration = Duration::from_millis(14_500);
/// Interval at which the client is probed.
const LOOK: Duration = Duration::from_millis(200);

/// Reason why the waiting for a job ended.
enum Over {
    Ended(Option<OpenclawOutcome>),
    Late,
    Gone,
}

pub(super) async fn serve_connection(shared: &Arc<OpenclawShared>, mut stream: UnixStream) {
    let began = Instant::now();
    let own = rustix::process::geteuid().as_raw();
    let is_own = stream.peer_cred().is_ok_and(|peer| peer.uid() == own);
    if !is_own {
        write_reply(&mut stream, &stranger_line()).await;
        return;
    }
    let mut line = String::new();
    let read = timeout(PATIENCE, BufReader::new((&mut stream).take(LONGEST)).read_line(&mut line)).await;
    // A line that is no message is closed upon in silence, as OpenClaw's own app does.
    let Ok(Ok(1..)) = read else { return };
    match serde_json::from_str(&line) {
        Ok(OpenclawLine::Request { token, id, request }) => {
            let answer = if is_token(&shared.token.to_text(), &token) {
                decision(shared, &stream, request, began).await
            } else {
                Some(OpenclawDecision::Deny)
            };
            if let Some(decision) = answer {
                write_reply(&mut stream, &decision_line(&id, decision)).await;
            }
        }
        Ok(OpenclawLine::Exec { id, nonce, ts, hmac, request_json }) => {
            let exec = proved(shared, (&nonce, ts, &request_json, &hmac));
            let answer = match exec {
                Ok(exec) => run_exec(shared, &stream, exec, began).await,
                Err(refusal) => Some(Err(refusal)),
            };
            if let Some(answer) = answer {
                write_reply(&mut stream, &exec_line(&id, &answer)).await;
            }
        }
        Err(_) => {}
    }
}

/// Returns the request in a line that is proved. Time, proof, nonce, JSON: in this order.
fn proved(shared: &OpenclawShared, line: (&str, i64, &str, &str)) -> Result<Exec, OpenclawRefusal> {
    let mut nonces = shared.nonces.lock();
    nonces.check_line(&shared.token.to_text(), line, crate::now_millis()).map_err(
        |unproved| match unproved {
            Unproved::Expired => OpenclawRefusal::invalid("expired request", "ttl"),
            Unproved::Forged => OpenclawRefusal::invalid("invalid auth", "hmac"),
            Unproved::Replayed => OpenclawRefusal::invalid("replayed request", "replay"),
        },
    )?;
    serde_json::from_str(line.2).map_err(|_| OpenclawRefusal::invalid("invalid payload", "json"))
}

/// Runs it, or says why not. `None` if nobody is there to be told.
async fn run_exec(
    shared: &Arc<OpenclawShared>,
    stream: &UnixStream,
    exec: Exec,
    began: Instant,
) -> Option<Result<super::message::OpenclawRunResult, OpenclawRefusal>> {
    if let Err(refusal) = check_exec(&exec, screen::may_record()) {
        return Some(Err(refusal));
    }
    let key = content(&exec);
    let Some((listener, sender)) = shared.jobs.join_or_begin(&key) else {
        return Some(Err(OpenclawRefusal::unavailable(
            "SYSTEM_RUN_DENIED: too many requests wait", "queue-full",
        )));
    };
    let request_id = listener.job.request;
    if let Some(sender) = sender
        && let Err(error) = begin_run(shared, exec, request_id, sender)
    {
        shared.jobs.forget(&key, &listener);
        return Some(Err(OpenclawRefusal::unavailable(
            format!("SYSTEM_RUN_DENIED: {error}"),
            "companion-unavailable",
        )));
    }
    match wait_for_end(&listener, stream, began + RUN_WINDOW).await {
        Over::Ended(Some(OpenclawOutcome::Exec(answer))) => {
            shared.jobs.forget(&key, &listener);
            Some(answer)
        }
        Over::Ended(_) => {
            shared.jobs.forget(&key, &listener);
            Some(Err(OpenclawRefusal::unavailable(
                "SYSTEM_RUN_DENIED: Postern is shutting down", "companion-unavailable",
            )))
        }
        Over::Late => {
            listener.job.bridge();
            Some(Err(pending_refusal(&listener.job.current_stage())))
        }
        Over::Gone => {
            if shared.jobs.leave_job(&key, listener) {
                let way = shared.way.clone();
                if let Err(error) = start_thread("openclaw", move || way.cancel_request(request_id)) {
                    tracing::warn!(%error, "what OpenClaw gave up on goes on");
                }
            }
            None
        }
    }
}

/// Starts the thread that sees a run through.
fn begin_run(
    shared: &Arc<OpenclawShared>,
    exec: Exec,
    request_id: Uuid,
    sender: watch::Sender<OpenclawStage>,
) -> std::io::Result<()> {
    let relayed = exec.approval_decision.filter(|_| shared.relay);
    let relaying = relayed.map(|decision| relay::relay_decision(shared, request_id, decision));
    let way = shared.way.clone();
    start_thread("openclaw", move || {
        work::run_job(&way, exec, request_id, &sender);
        drop(relaying);
    })
}

fn pending_refusal(stage: &OpenclawStage) -> OpenclawRefusal {
    match stage {
        OpenclawStage::Running | OpenclawStage::Ended(_) => OpenclawRefusal::unavailable(
            "SYSTEM_RUN_PENDING: it is still running; ask again with the same command to get its result",
            "still-running",
        ),
        OpenclawStage::Waiting => OpenclawRefusal::unavailable(
            "SYSTEM_RUN_PENDING: no answer yet, the question is still open; ask again with the same command to wait for it",
            "approval-pending",
        ),
    }
}

/// Returns a decision; `None` if nobody decided in time.
async fn decision(
    shared: &Arc<OpenclawShared>,
    stream: &UnixStream,
    question: OpenclawQuestion,
    began: Instant,
) -> Option<OpenclawDecision> {
    let key = format!("decision:{}", serde_json::to_string(&question).unwrap_or_default());
    let (listener, sender) = loop {
        let (listener, sender) = shared.jobs.take_or_begin(&key);
        if sender.is_some() || still_counts(shared, &listener.job.current_stage()).await {
            break (listener, sender);
        }
    };
    if let Some(sender) = sender {
        let shared = Arc::clone(shared);
        let decided = start_thread("openclaw", move || {
            work::decide(&shared.way, &question, &sender, || shared.host.policy_version());
        });
        if let Err(error) = decided {
            // Its listeners learn that nobody decided.
            tracing::warn!(%error, "OpenClaw gets no decision");
        }
    }
    match wait_for_end(&listener, stream, began + DECISION_WINDOW).await {
        Over::Ended(Some(OpenclawOutcome::Decision { decision, .. })) => decision,
        Over::Late => {
            shared.jobs.leave_decision(key, &listener);
            None
        }
        // With its last listener its question is withdrawn.
        Over::Ended(_) | Over::Gone => None,
    }
}

/// Returns false for an approval that nobody heard, and that may not be given any more: rules changed since, or nothing runs now.
async fn still_counts(shared: &OpenclawShared, stage: &OpenclawStage) -> bool {
    let OpenclawStage::Ended(OpenclawOutcome::Decision { decision: Some(decision), policy }) = stage else {
        return true;
    };
    if *decision == OpenclawDecision::Deny {
        return true;
    }
    let Ok(status) = shared.host.call_method::<GetStatus>(READER, &Nothing {}).await else { return false };
    let stopped = status.stopped.iter().any(|stopped| stopped.agent == shared.agent);
    status.mode == Mode::Listening && !stopped && shared.host.policy_version() == *policy
}

async fn wait_for_end(listener: &OpenclawJobListener, stream: &UnixStream, until: Instant) -> Over {
    tokio::select! {
        biased;
        ended = listener.job.wait_for_end() => Over::Ended(ended),
        () = sleep_until(until) => Over::Late,
        () = wait_until_gone(stream) => Over::Gone,
    }
}

/// Resolves when nobody reads any more. A client that only stopped writing is there: OpenClaw half-closes at once.
async fn wait_until_gone(stream: &UnixStream) {
    let mut looks = interval(LOOK);
    loop {
        looks.tick().await;
        match stream.ready(Interest::WRITABLE).await {
            Ok(ready) if ready.is_write_closed() => return,
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

async fn write_reply(stream: &mut UnixStream, line: &str) {
    // Who does not take it has gone.
    _ = timeout(PATIENCE, async {
        stream.write_all(line.as_bytes()).await?;
        stream.shutdown().await
    })
    .await;
}
