//! Session of an approver client, from its first message to its last.

use super::envelope::{
    self, ClientCall, ClientCallRefusal, ClientDecision, ClientRequest, Declare, Ends, Incoming, Resolve,
};
use futures_util::{SinkExt as _, StreamExt as _};
use postern_contract::methods::{
    AnswerQuestion, ControlError, GetQuestion, ListQuestions, Method, Nothing, QuestionRef,
};
use postern_contract::{Answer, AnswerParams, Answered, ApproverNotification, Closed, ClosedBy, Question};
use postern_host::{ApproverGuard, Handle, Host, HostControl};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;

const PING: Duration = Duration::from_secs(30);
/// Time that a client may be silent, pings included, or slow to take a message.
const SILENT: Duration = Duration::from_secs(75);
const SLOW: Duration = Duration::from_secs(10);
/// Messages that a client may send in a second.
const MESSAGES: u32 = 30;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ClientSessionEnd {
    /// The client went, or the door closed.
    Went,
    /// Silent or slow for too long.
    Silent,
    /// More messages than are permitted.
    Flooded,
}

/// A client and what it was shown.
pub(super) struct ClientSession<S> {
    pub(super) socket: WebSocketStream<S>,
    pub(super) ends: Ends,
    pub(super) host: Host,
    pub(super) face: ApproverGuard,
    /// Questions as sent to the client; an answer must match them.
    pub(super) shown: HashMap<String, Question>,
    /// The question that it answered last: news of it that were on their way are not for it.
    pub(super) answered: String,
}

impl<S: AsyncRead + AsyncWrite + Unpin> ClientSession<S> {
    /// Serves it until either side ends it. `first` is said before anything else.
    pub(super) async fn serve_until_end(
        mut self,
        first: Option<String>,
        closed: &CancellationToken,
    ) -> ClientSessionEnd {
        // Before the list is read, so that nothing is missed between.
        let mut told = self.host.subscribe_without_requests();
        let end = tokio::select! {
            end = self.exchange_messages(first, &mut told) => end,
            () = closed.cancelled() => ClientSessionEnd::Went,
        };
        // It may be gone already.
        _ = timeout(Duration::from_secs(1), self.socket.close(None)).await;
        end
    }

    async fn exchange_messages(
        &mut self,
        first: Option<String>,
        told: &mut Receiver<ApproverNotification>,
    ) -> ClientSessionEnd {
        if let Some(first) = first
            && let Err(end) = self.send_text(first).await
        {
            return end;
        }
        if let Err(end) = self.show_waiting().await {
            return end;
        }
        let mut pings = interval(PING);
        let mut heard = Instant::now();
        let (mut second, mut messages) = (Instant::now(), 0);
        loop {
            let done = tokio::select! {
                news = told.recv() => self.on_notification(news).await,
                message = self.socket.next() => {
                    heard = Instant::now();
                    if second.elapsed() >= Duration::from_secs(1) {
                        (second, messages) = (Instant::now(), 0);
                    }
                    messages += 1;
                    if messages > MESSAGES { Err(ClientSessionEnd::Flooded) } else { self.handle_frame(message).await }
                }
                _ = pings.tick() => {
                    if heard.elapsed() > SILENT { Err(ClientSessionEnd::Silent) } else { self.send_message(Message::Ping(Vec::new().into())).await }
                }
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    /// Shows all waiting questions that were not shown as they are now; reports shown ones that no longer
    /// wait as resolved.
    async fn show_waiting(&mut self) -> Result<(), ClientSessionEnd> {
        let Ok(waiting) = self.call_host::<ListQuestions>(&Nothing {}).await else {
            return Err(ClientSessionEnd::Went);
        };
        let gone: Vec<String> = self
            .shown
            .keys()
            .filter(|id| waiting.questions.iter().all(|one| one.id != **id))
            .cloned()
            .collect();
        for id in gone {
            let closed = Closed { id, code: String::new(), how: ClosedBy::Resolved, face: None };
            self.closed(&closed).await?;
        }
        for question in waiting.questions {
            self.show_question(&question).await?;
        }
        Ok(())
    }

    async fn show_question(&mut self, question: &Question) -> Result<(), ClientSessionEnd> {
        let payload = envelope::payload(question);
        let same = |shown: &Question| shown.digest == question.digest && envelope::payload(shown) == payload;
        if self.answered == question.id || self.shown.get(&question.id).is_some_and(same) {
            return Ok(());
        }
        self.shown.insert(question.id.clone(), question.clone());
        self.send_text(self.ends.question(payload)).await
    }

    async fn closed(&mut self, closed: &Closed) -> Result<(), ClientSessionEnd> {
        // What this client answered itself was taken from the list when it did.
        if self.shown.remove(&closed.id).is_none() {
            return Ok(());
        }
        self.send_text(self.ends.resolved(closed)).await
    }

    async fn on_notification(
        &mut self,
        news: Result<ApproverNotification, RecvError>,
    ) -> Result<(), ClientSessionEnd> {
        match news {
            Ok(
                ApproverNotification::QuestionOpened(question)
                | ApproverNotification::QuestionChanged(question),
            ) if question.host.is_none() => self.show_question(&question).await,
            Ok(ApproverNotification::QuestionClosed(closed)) => self.closed(&closed).await,
            Ok(ApproverNotification::PolicyWidened(change)) => {
                self.send_text(self.ends.widened(&change)).await
            }
            Ok(_) => Ok(()),
            Err(RecvError::Lagged(_)) => self.show_waiting().await,
            Err(RecvError::Closed) => Err(ClientSessionEnd::Went),
        }
    }

    async fn handle_frame(
        &mut self,
        message: Option<Result<Message, tokio_tungstenite::tungstenite::Error>>,
    ) -> Result<(), ClientSessionEnd> {
        match message {
            Some(Ok(Message::Text(text))) => self.message(text.as_str()).await,
            Some(Ok(Message::Binary(_))) => {
                let refusal =
                    ClientCallRefusal::new("INVALID_REQUEST", "a message is one JSON text, not binary");
                self.send_text(self.ends.response("", Err(refusal))).await
            }
            // The library answers a ping.
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Ok(()),
            Some(Ok(Message::Close(_)) | Err(_)) | None => Err(ClientSessionEnd::Went),
        }
    }

    async fn message(&mut self, text: &str) -> Result<(), ClientSessionEnd> {
        let (request_id, outcome) = match self.parse_call(text) {
            Ok((id, wanted)) => (id, self.carry_out(wanted).await),
            Err((id, refusal)) => (id, Err(refusal)),
        };
        self.send_text(self.ends.response(&request_id, outcome)).await
    }

    /// Reads a call, or says what is wrong with it.
    fn parse_call(&self, text: &str) -> Result<(String, ClientRequest), (String, ClientCallRefusal)> {
        let invalid =
            |id: &str, what: String| (id.to_owned(), ClientCallRefusal::new("INVALID_REQUEST", what));
        let incoming: Incoming =
            serde_json::from_str(text).map_err(|error| invalid("", format!("not an envelope: {error}")))?;
        let id = incoming.payload["requestId"].as_str().unwrap_or_default().to_owned();
        if incoming.from.as_ref().is_some_and(|from| *from != self.ends.client) {
            return Err(invalid(&id, format!("from is this device's id, {}", self.ends.client)));
        }
        if incoming.to.as_ref().is_some_and(|to| *to != self.ends.hub) {
            return Err(invalid(&id, format!("to is the hub's id, {}", self.ends.hub)));
        }
        if incoming.action != "request" {
            return Err(invalid(&id, "the one action that a client sends is request".to_owned()));
        }
        let call: ClientCall = serde_json::from_value(incoming.payload).map_err(|error| {
            invalid(&id, format!("the payload of a request is requestId, method, params: {error}"))
        })?;
        let read = match call.method.as_str() {
            "resolveExecApproval" => {
                serde_json::from_value(call.params).map(ClientRequest::Resolve).map_err(|error| {
                    format!("params are approvalId and decision (allow-once, allow-always, deny): {error}")
                })
            }
            "declareShows" => serde_json::from_value(call.params)
                .map(ClientRequest::Declare)
                .map_err(|error| format!("params are shows, a list of parts: {error}")),
            other => {
                let what =
                    format!("there is no method {other:?}: there are resolveExecApproval and declareShows");
                return Err((id, ClientCallRefusal::new("METHOD_NOT_FOUND", what)));
            }
        };
        read.map(|wanted| (id.clone(), wanted))
            .map_err(|what| (id, ClientCallRefusal::new("INVALID_PARAMS", what)))
    }

    async fn carry_out(&mut self, wanted: ClientRequest) -> Result<Value, ClientCallRefusal> {
        match wanted {
            ClientRequest::Resolve(resolve) => self.resolve(resolve).await,
            ClientRequest::Declare(Declare { shows }) => {
                self.face.declare(shows.iter().copied());
                Ok(json!({"ok": true, "shows": shows}))
            }
        }
    }

    /// Answers a question as it was shown to this client.
    async fn resolve(&mut self, resolve: Resolve) -> Result<Value, ClientCallRefusal> {
        let id = resolve.approval_id;
        let Some(seen) = self.shown.get(&id).cloned() else { return Err(ClientCallRefusal::not_found()) };
        let reference = QuestionRef { question_id: id.clone() };
        let Ok(question) = self.call_host::<GetQuestion>(&reference).await else {
            return Err(ClientCallRefusal::not_found());
        };
        let (answer, proposal) = match resolve.decision {
            ClientDecision::AllowOnce => (Answer::Once, None),
            ClientDecision::AllowAlways => (Answer::Always, to_save(&seen, resolve.proposal.as_deref())?),
            ClientDecision::Deny => (Answer::Deny, None),
        };
        let requests = match resolve.all {
            None => Vec::new(),
            Some(all) if all == question.requests.len() => question.requests.clone(),
            Some(_) => {
                let now = question.requests.len();
                return Err(ClientCallRefusal::new(
                    "CONFLICT",
                    format!("it was asked {now} times by now; look again"),
                ));
            }
        };
        // Without an offer for the request's folder an *always* allows one run.
        let not_saved = seen.placed().err().filter(|_| answer == Answer::Always);
        let answer = if not_saved.is_some() { Answer::Once } else { answer };
        let params = AnswerParams { proposal, requests, ..AnswerParams::new(&id, seen.digest, answer) };
        match self.call_host::<AnswerQuestion>(&params).await {
            Ok(answered) if answered.applied => {
                self.shown.remove(&id);
                self.answered = id;
                let always = resolve.decision == ClientDecision::AllowAlways;
                let answered = Answered { not_saved: answered.not_saved.or(not_saved), ..answered };
                Ok(envelope::answered(&answered, always))
            }
            Ok(answered) => {
                let still = self.call_host::<GetQuestion>(&QuestionRef { question_id: id }).await.is_ok();
                let reason = answered.reason.unwrap_or_default();
                Err(if still {
                    ClientCallRefusal::new("CONFLICT", reason)
                } else {
                    ClientCallRefusal::not_found()
                })
            }
            Err(error) => Err(ClientCallRefusal::new("INTERNAL", error.message)),
        }
    }

    async fn call_host<M: Method>(&self, params: &M::Params) -> Result<M::Result, ControlError>
    where
        HostControl: Handle<M>,
    {
        self.host.call_method::<M>(self.face.id(), params).await
    }

    async fn send_text(&mut self, text: String) -> Result<(), ClientSessionEnd> {
        self.send_message(Message::Text(text.into())).await
    }

    async fn send_message(&mut self, message: Message) -> Result<(), ClientSessionEnd> {
        match timeout(SLOW, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(ClientSessionEnd::Went),
            Err(_) => Err(ClientSessionEnd::Silent),
        }
    }
}

/// Returns the id of the offer that an *allow-always* saves, or `None` if nothing can be saved.
fn to_save(seen: &Question, named: Option<&str>) -> Result<Option<String>, ClientCallRefusal> {
    let offer = envelope::offer_to_save(seen, named);
    match named.filter(|_| offer.is_none()) {
        Some(named) => Err(ClientCallRefusal::new(
            "INVALID_PARAMS",
            format!("proposal {named:?} is not among those shown"),
        )),
        None => Ok(offer.map(|offer| offer.id.clone())),
    }
}
