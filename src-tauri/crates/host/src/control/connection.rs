//! Connection on the control socket, from hello to its end.

use super::HostControl;
use crate::ask::{ApproverGuard, ApproverId, ConnectedApproverKind};
use crate::gate::required;
use crate::socket::{Outbox, Reader, handshake, outbox, write_lines};
use postern_contract::ApproverNotification;
use postern_contract::methods::{self, ControlError, Method, QuestionsWatch, WatchQuestions, WatchRequests};
use postern_exec::peer::PinnedPeer;
use postern_protocol::{
    ControlWelcome, ErrorCode, ErrorObject, Frame, Request, Socket, SocketKey, error_line, notification_line,
    result_line,
};
use postern_store::audit::{self, ChangeAuthor};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncRead;
use tokio::net::UnixStream;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Time that unsent messages may take when the connection ends.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// State of a connection.
struct ControlSession {
    /// Guard: the approver is connected while this is held.
    guard: Option<ApproverGuard>,
    face: ApproverId,
    /// The process at the other end.
    who: Arc<ChangeAuthor>,
    questions: bool,
    requests: bool,
    /// The calls whose question it was told when it began to watch; the same event, still on its way, is not repeated.
    told_again: HashSet<String>,
}

/// Serves one connection until either side ends it.
pub(super) async fn serve_control(
    stream: UnixStream,
    control: HostControl,
    key: SocketKey,
    closed: CancellationToken,
    peer: Option<PinnedPeer>,
) {
    let (incoming, outgoing) = stream.into_split();
    let gone = closed.child_token();
    let (out, lines) = outbox(gone.clone());
    let writer = tokio::spawn(write_lines(outgoing, lines, out.clone()));
    tokio::select! {
        () = handle_messages(Reader::new(incoming), &out, &control, &key, peer) => {}
        () = gone.cancelled() => {}
    }
    out.finish();
    drop(out);
    if timeout(LAST_WORDS, writer).await.is_err() {
        gone.cancel();
    }
}

/// Returns the peer as the author of a change. Its kind is known once it watches.
fn author(peer: &PinnedPeer) -> ChangeAuthor {
    ChangeAuthor {
        face: ConnectedApproverKind::Terminal.name().to_owned(),
        name: None,
        user: Some(peer.peer.uid),
        pid: Some(peer.peer.pid),
        program: peer.program().map(|program| program.to_string_lossy().into_owned()),
    }
}

async fn handle_messages<S: AsyncRead + Unpin>(
    mut reader: Reader<S>,
    out: &Outbox,
    control: &HostControl,
    key: &SocketKey,
    peer: Option<PinnedPeer>,
) {
    let Some(proved) = handshake(&mut reader, out, Socket::Control, key).await else { return };
    out.push(result_line(&proved.id, &ControlWelcome { proof: proved.proof }).into());
    let face = control.parts.faces.visitor(ConnectedApproverKind::Terminal);
    let who = Arc::new(peer.as_ref().map_or_else(|| control.parts.faces.audit_author(face), author));
    let mut session = ControlSession {
        guard: None,
        face,
        who,
        questions: false,
        requests: false,
        told_again: HashSet::new(),
    };
    let mut told = control.parts.told.subscribe_without_requests();
    loop {
        tokio::select! {
            read = reader.next_frame() => {
                let Ok(Some(message)) = read else { return };
                // Another process that was handed the connection is not the one that was admitted.
                if peer.as_ref().is_some_and(|peer| !peer.is_same()) {
                    return tracing::warn!("a control connection was handed to another process");
                }
                match message {
                    Ok(Frame::Request(request)) => answer(request, out, control, &mut session, &mut told).await,
                    Ok(Frame::Notification(_) | Frame::Response(_)) => {
                        let error = ErrorObject::new(ErrorCode::InvalidRequest, "only calls are taken here");
                        out.push(error_line(None, &error).into());
                    }
                    Err(refused) => out.push(refused.into_line().into()),
                }
                // A reader that does not take its answers is not read either.
                out.wait_for_room().await;
            }
            heard = told.recv() => match heard {
                Ok(heard) => session.forward_notification(heard, out),
                // It missed something: cut off, it connects again and reads the lists again.
                Err(RecvError::Lagged(_)) if session.watches() => return,
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
        }
    }
}

async fn answer(
    request: Request,
    out: &Outbox,
    control: &HostControl,
    session: &mut ControlSession,
    told: &mut Receiver<ApproverNotification>,
) {
    let Request { id, method, params } = request;
    // From here on nothing is missed: what happens while the lists are read is told behind them.
    if method == WatchQuestions::NAME || method == WatchRequests::NAME {
        if !session.watches() {
            *told = control.parts.told.subscribe();
        }
        session.start_watching(&method, &params, control);
    }
    let call = control.call_by_name(session.face, &method, params);
    let line = match audit::with_author(Arc::clone(&session.who), call).await {
        Ok(result) => result_line(&id, &result),
        Err(error) => error_line(Some(&id), &object(&error)),
    };
    out.push(line.into());
    if method == WatchQuestions::NAME && session.questions {
        // Sent again, as source 4 has it: a client that comes back can show what waits.
        for waiting in control.parts.gate.waiting_tools().await.unwrap_or_default() {
            out.push(
                line_of(&ApproverNotification::ToolApprovalRequired(Box::new(required(&waiting)))).into(),
            );
            session.told_again.insert(waiting.approval_id);
        }
    }
}

impl ControlSession {
    fn watches(&self) -> bool {
        self.questions || self.requests
    }

    /// Begins to watch. Params that are wrong are answered with an error by the method itself.
    fn start_watching(&mut self, method: &str, params: &Value, control: &HostControl) {
        if method == WatchRequests::NAME {
            self.requests = true;
            return;
        }
        let Ok(QuestionsWatch { face }) = serde_json::from_value(params.clone()) else { return };
        self.questions = true;
        let kind = match face {
            methods::ApproverKind::Window => ConnectedApproverKind::Window,
            methods::ApproverKind::Terminal => ConnectedApproverKind::Terminal,
            methods::ApproverKind::Observer => {
                self.guard = None;
                return;
            }
        };
        let guard = control.parts.faces.connect(kind);
        self.face = guard.id();
        kind.name().clone_into(&mut Arc::make_mut(&mut self.who).face);
        self.guard = Some(guard);
    }

    fn forward_notification(&mut self, mut told: ApproverNotification, out: &Outbox) {
        let wanted = match &told {
            ApproverNotification::ToolApprovalRequired(waiting) => {
                self.questions && !self.told_again.remove(&waiting.approval_id)
            }
            ApproverNotification::ToolApprovalResolved(ended) => {
                self.told_again.remove(&ended.approval_id);
                self.questions
            }
            ApproverNotification::QuestionOpened(_)
            | ApproverNotification::QuestionChanged(_)
            | ApproverNotification::QuestionClosed(_) => self.questions,
            ApproverNotification::RequestChanged(_) => self.requests,
            ApproverNotification::StatusChanged(_)
            | ApproverNotification::AgentsChanged
            | ApproverNotification::RulesChanged
            | ApproverNotification::SkillsChanged
            | ApproverNotification::PolicyWidened(_)
            | ApproverNotification::Attention(_) => self.watches(),
        };
        if wanted {
            told.hide_secrets();
            out.push(line_of(&told).into());
        }
    }
}

/// Encodes a notification, whose JSON is `method` and `params` already.
fn line_of(told: &ApproverNotification) -> Vec<u8> {
    let mut value = serde_json::to_value(told).unwrap_or_default();
    let params = value.get_mut("params").map_or_else(|| Value::Object(serde_json::Map::new()), Value::take);
    notification_line(value["method"].as_str().unwrap_or_default(), &params)
}

fn object(error: &ControlError) -> ErrorObject {
    match ErrorCode::from_name(error.code.name()) {
        Some(code) => ErrorObject::new(code, error.message.clone()),
        None => ErrorObject::with_code_name(error.code.name(), error.message.clone()),
    }
}
