//! JSON-RPC 2.0, one message a line.

use crate::error::ErrorObject;
use crate::id::CallId;
use crate::mistake::RefusedMessage;
use serde::Serialize;
use serde_json::Value;

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// A call that wants an answer.
    Request(Request),
    /// An answer.
    Response(Response),
    /// Something told.
    Notification(Notification),
}

/// A call that wants an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Id that the answer carries.
    pub id: CallId,
    pub method: String,
    /// An object.
    pub params: Value,
}

/// Something told, without an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// Name of the notification.
    pub method: String,
    /// An object; an empty one where nothing stood there.
    pub params: Value,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The call's id; `None` if it could not be read.
    pub id: Option<CallId>,
    /// Result of the call.
    pub outcome: Result<Value, ErrorObject>,
}

/// A message as it stands on the wire; members that a kind does not have are left out.
#[derive(Serialize)]
struct WireLine<'a, P: Serialize> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a CallId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a P>,
}

/// A failed answer: its `id` stands there even where it is not known.
#[derive(Serialize)]
struct ErrorLine<'a> {
    jsonrpc: &'static str,
    id: Option<&'a CallId>,
    error: &'a ErrorObject,
}

/// Returns a call as a line, `\n` included.
pub fn request_line<P: Serialize>(id: &CallId, method: &str, params: &P) -> Vec<u8> {
    call_line(Some(id), method, params)
}

/// Returns a notification as a line, `\n` included.
pub fn notification_line<P: Serialize>(method: &str, params: &P) -> Vec<u8> {
    call_line(None, method, params)
}

fn call_line<P: Serialize>(id: Option<&CallId>, method: &str, params: &P) -> Vec<u8> {
    let (method, params) = (Some(method), Some(params));
    encode_line(&WireLine { jsonrpc: "2.0", id, method, params, result: None })
}

/// Returns a good answer as a line, `\n` included.
pub fn result_line<P: Serialize>(id: &CallId, result: &P) -> Vec<u8> {
    encode_line(&WireLine { jsonrpc: "2.0", id: Some(id), method: None, params: None, result: Some(result) })
}

/// Returns a failed answer as a line, `\n` included.
pub fn error_line(id: Option<&CallId>, error: &ErrorObject) -> Vec<u8> {
    encode_line(&ErrorLine { jsonrpc: "2.0", id, error })
}

impl RefusedMessage {
    /// Returns the answer to the message that was not taken, as a line.
    pub fn into_line(self) -> Vec<u8> {
        error_line(self.id.as_ref(), &self.mistake.into())
    }
}

impl Frame {
    /// Returns the message as a line, `\n` included.
    pub fn to_line(&self) -> Vec<u8> {
        match self {
            Self::Request(request) => request_line(&request.id, &request.method, &request.params),
            Self::Notification(told) => notification_line(&told.method, &told.params),
            Self::Response(Response { id, outcome: Err(error) }) => error_line(id.as_ref(), error),
            Self::Response(Response { id: Some(id), outcome: Ok(result) }) => result_line(id, result),
            Self::Response(Response { id: None, outcome: Ok(_) }) => {
                error_line(None, &ErrorObject::new(crate::ErrorCode::Internal, "an answer without an id"))
            }
        }
    }
}

/// Encodes a message as one line of JSON.
///
/// serde_json escapes `\n` within strings, so the only one is the last byte.
fn encode_line<T: Serialize>(message: &T) -> Vec<u8> {
    // Everything said is structs, texts, numbers and objects with text keys: none of these can fail to serialise.
    let mut bytes = serde_json::to_vec(message).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
