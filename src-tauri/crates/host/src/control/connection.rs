//! Connection on the control socket, from hello to its end.

use super::Control;
use crate::ask::{ApproverGuard, FaceId, FaceKind};
use crate::gate::required;
use crate::socket::{Outbox, Reader, handshake, outbox, write};
use postern_contract::Told;
use postern_contract::methods::{self, ControlError, Method, QuestionsWatch, WatchQuestions, WatchRequests};
use postern_exec::peer::PinnedPeer;
use postern_protocol::{
    ControlWelcome, ErrorCode, ErrorObject, Frame, Key, Request, Socket, error_line, notification_line,
    result_line,
};
use postern_store::audit::{self, By};
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
struct Session {
    /// Guard: the approver is connected while this is held.
    guard: Option<ApproverGuard>,
    face: FaceId,
    /// The process at the other end.
    who: Arc<By>,
    questions: bool,
    requests: bool,
    /// The calls whose question it was told when it began to watch; the same event, still on its way, is not repeated.
    told_again: HashSet<String>,
}

/// Serves one connection until either side ends it.
pub(super) async fn serve(
    stream: UnixStream,
    control: Control,
    key: Key,
    closed: CancellationToken,
    peer: Option<PinnedPeer>,
) {
    let (incoming, outgoing) = stream.into_split();
    let gone = closed.child_token();
    let (out, lines) = outbox(gone.clone());
    let writer = tokio::spawn(write(outgoing, lines, out.clone()));
    tokio::select! {
        () = talk(Reader::new(incoming), &out, &control, &key, peer) => {}
        () = gone.cancelled() => {}
    }
    out.finish();
    drop(out);
    if timeout(LAST_WORDS, writer).await.is_err() {
        gone.cancel();
    }
}

/// Returns the peer as the author of a change. Its kind is known once it watches.
fn author(peer: &PinnedPeer) -> By {
    By {
        face: FaceKind::Terminal.name().to_owned(),
        name: None,
        user: Some(peer.peer.uid),
        pid: Some(peer.peer.pid),
        program: peer.program().map(|program| program.to_string_lossy().into_owned()),
    }
}

async fn talk<S: AsyncRead + Unpin>(
    mut reader: Reader<S>,
    out: &Outbox,
    control: &Control,
    key: &Key,
    peer: Option<PinnedPeer>,
) {
    let Some(proved) = handshake(&mut reader, out, Socket::Control, key).await else { return };
    out.push(result_line(&proved.id, &ControlWelcome { proof: proved.proof }).into());
    let face = control.parts.faces.visitor(FaceKind::Terminal);
    let who = Arc::new(peer.as_ref().map_or_else(|| control.parts.faces.who(face), author));
    let mut session =
        Session { guard: None, face, who, questions: false, requests: false, told_again: HashSet::new() };
    let mut told = control.parts.told.subscribe();
    loop {
        tokio::select! {
            read = reader.next() => {
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
                    Err(refused) => out.push(refused.line().into()),
                }
                // A reader that does not take its answers is not read either.
                out.ready().await;
            }
            heard = told.recv() => match heard {
                Ok(heard) => session.hear(&heard, out),
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
    control: &Control,
    session: &mut Session,
    told: &mut Receiver<Told>,
) {
    let Request { id, method, params } = request;
    // From here on nothing is missed: what happens while the lists are read is told behind them.
    if method == WatchQuestions::NAME || method == WatchRequests::NAME {
        if !session.watches() {
            *told = told.resubscribe();
        }
        session.watch(&method, &params, control);
    }
    let call = control.call(session.face, &method, params);
    let line = match audit::by(Arc::clone(&session.who), call).await {
        Ok(result) => result_line(&id, &result),
        Err(error) => error_line(Some(&id), &object(&error)),
    };
    out.push(line.into());
    if method == WatchQuestions::NAME && session.questions {
        // Sent again, as source 4 has it: a client that comes back can show what waits.
        for waiting in control.parts.gate.tools().await.unwrap_or_default() {
            out.push(line_of(&Told::ToolApprovalRequired(Box::new(required(&waiting)))).into());
            session.told_again.insert(waiting.approval_id);
        }
    }
}

impl Session {
    fn watches(&self) -> bool {
        self.questions || self.requests
    }

    /// Begins to watch. Params that are wrong are answered with an error by the method itself.
    fn watch(&mut self, method: &str, params: &Value, control: &Control) {
        if method == WatchRequests::NAME {
            self.requests = true;
            return;
        }
        let Ok(QuestionsWatch { face }) = serde_json::from_value(params.clone()) else { return };
        self.questions = true;
        let kind = match face {
            methods::FaceKind::Window => FaceKind::Window,
            methods::FaceKind::Terminal => FaceKind::Terminal,
            methods::FaceKind::Observer => {
                self.guard = None;
                return;
            }
        };
        let guard = control.parts.faces.enter(kind);
        self.face = guard.id();
        kind.name().clone_into(&mut Arc::make_mut(&mut self.who).face);
        self.guard = Some(guard);
    }

    fn hear(&mut self, told: &Told, out: &Outbox) {
        let wanted = match told {
            Told::ToolApprovalRequired(waiting) => {
                self.questions && !self.told_again.remove(&waiting.approval_id)
            }
            Told::ToolApprovalResolved(ended) => {
                self.told_again.remove(&ended.approval_id);
                self.questions
            }
            Told::QuestionOpened(_) | Told::QuestionChanged(_) | Told::QuestionClosed(_) => self.questions,
            Told::RequestChanged(_) => self.requests,
            Told::StatusChanged(_)
            | Told::AgentsChanged
            | Told::RulesChanged
            | Told::SkillsChanged
            | Told::PolicyWidened(_)
            | Told::Attention(_) => self.watches(),
        };
        if wanted {
            out.push(line_of(told).into());
        }
    }
}

/// Encodes a notification, whose JSON is `method` and `params` already.
fn line_of(told: &Told) -> Vec<u8> {
    let mut value = serde_json::to_value(told).unwrap_or_default();
    let params = value.get_mut("params").map_or_else(|| Value::Object(serde_json::Map::new()), Value::take);
    notification_line(value["method"].as_str().unwrap_or_default(), &params)
}

fn object(error: &ControlError) -> ErrorObject {
    match ErrorCode::from_name(error.code.name()) {
        Some(code) => ErrorObject::new(code, error.message.clone()),
        None => ErrorObject::named(error.code.name(), error.message.clone()),
    }
}
