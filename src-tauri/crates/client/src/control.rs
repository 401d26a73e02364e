//! The approvers' socket: what the person's own tools call.

use crate::error::{CallError, ConnectError, ConnectionLoss};
use crate::opening::{SocketOpening, read_key};
use crate::transport::Transport;
use postern_contract::methods::Method;
use postern_contract::{ApproverNotification, methods};
use postern_protocol::{
    CONTROL_SOCKET, CallId, Client, ControlWelcome, Frame, Notification, Response, Socket, SocketKey,
    request_line,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;

/// A connection to the control socket, authenticated both ways.
#[derive(Debug)]
pub struct Control {
    transport: Transport,
    next_id: i64,
    /// Notifications that arrived while a call waited for its answer.
    told: VecDeque<Notification>,
}

impl Control {
    /// Connects to the host of a data folder: `control.sock`, with the key in `control.key`.
    pub fn connect(data: &Path) -> Result<Self, ConnectError> {
        let socket = data.join(CONTROL_SOCKET);
        match socket.try_exists() {
            Ok(true) => {}
            Ok(false) => return Err(ConnectError::NothingListens { socket }),
            Err(error) => return Err(ConnectError::NotAllowed { socket, error }),
        }
        Self::connect_with(&socket, &read_key(&data.join("control.key"))?)
    }

    /// Connects to this socket with this key.
    pub fn connect_with(socket: &Path, key: &SocketKey) -> Result<Self, ConnectError> {
        let client = Client { name: "postern".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
        let opening = SocketOpening { kind: Socket::Control, socket, key, client, after: None };
        let (transport, _): (_, ControlWelcome) = opening.open()?;
        Ok(Self { transport, next_id: 2, told: VecDeque::new() })
    }

    /// Calls a method and waits for its answer. What is told before it is kept for [`Self::next_known_notification`].
    pub fn call_by_name<P: Serialize>(&mut self, method: &str, params: &P) -> Result<Value, CallError> {
        let id = CallId::Number(self.next_id);
        self.next_id += 1;
        self.transport.queue_line(&request_line(&id, method, params));
        self.transport.flush()?;
        loop {
            match self.transport.wait_for_frame(None)? {
                Some(Frame::Response(Response { id: Some(answered), outcome })) if answered == id => {
                    return outcome.map_err(CallError::Failed);
                }
                // An error without an id is about a message that the host could not read: the one that was sent last.
                Some(Frame::Response(Response { id: None, outcome: Err(error) })) => {
                    return Err(CallError::Failed(error));
                }
                Some(Frame::Notification(told)) => self.told.push_back(told),
                Some(Frame::Response(_) | Frame::Request(_)) | None => {}
            }
        }
    }

    /// Calls a method of the contract's list.
    pub fn call_method<M: Method>(&mut self, params: &M::Params) -> Result<M::Result, CallError> {
        let answer = self.call_by_name(M::NAME, params)?;
        serde_json::from_value(answer)
            .map_err(|error| CallError::OddAnswer { method: M::NAME.to_owned(), what: error.to_string() })
    }

    /// Watches the questions: gives those that wait, the rest comes by [`Self::next_known_notification`]. While this connection
    /// lives, a face of that kind is connected.
    pub fn watch_questions(&mut self, face: methods::ApproverKind) -> Result<methods::Questions, CallError> {
        self.call_method::<methods::WatchQuestions>(&methods::QuestionsWatch { face })
    }

    /// Returns the next notification; `None` if the time ran out first. No timeout waits always.
    pub fn next_notification(
        &mut self,
        timeout: Option<Duration>,
    ) -> Result<Option<Notification>, ConnectionLoss> {
        if let Some(told) = self.told.pop_front() {
            return Ok(Some(told));
        }
        match self.transport.wait_for_frame(timeout)? {
            Some(Frame::Notification(told)) => Ok(Some(told)),
            Some(Frame::Response(_) | Frame::Request(_)) | None => Ok(None),
        }
    }

    /// Returns the next thing told; `None` if the time ran out first, or where this version does not know
    /// it.
    pub fn next_known_notification(
        &mut self,
        timeout: Option<Duration>,
    ) -> Result<Option<ApproverNotification>, ConnectionLoss> {
        let told = self.next_notification(timeout)?;
        Ok(told.and_then(|told| serde_json::from_value(notification_value(told)).ok()))
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.transport.as_fd()
    }
}

/// Returns a notification in the form of [`Told`], whose kinds without content have no `params`.
fn notification_value(told: Notification) -> Value {
    let empty = told.params.as_object().is_some_and(serde_json::Map::is_empty);
    let mut value = serde_json::json!({ "method": told.method });
    if !empty {
        value["params"] = told.params;
    }
    value
}
