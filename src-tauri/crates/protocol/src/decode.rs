//! A line of bytes to a message, or a named mistake.

use crate::frame::{Frame, Notification, Request, Response};
use crate::id::CallId;
use crate::json;
use crate::mistake::{ProtocolError, RefusedMessage};
use crate::params::parse_members;
use serde_json::{Map, Value};

/// Reads one line (with or without its `\n`) of at most `limit` bytes.
pub fn decode(line: &[u8], limit: usize) -> Result<Frame, RefusedMessage> {
    if line.len() > limit {
        return Err(RefusedMessage { id: None, mistake: ProtocolError::FrameTooLarge { limit } });
    }
    let text = std::str::from_utf8(line).map_err(|error| RefusedMessage {
        id: None,
        mistake: ProtocolError::NotUtf8 { at: error.valid_up_to() },
    })?;
    let read = json::read_json(text);
    let id = read.id;
    read.value.and_then(message).map_err(|mistake| RefusedMessage { id, mistake })
}

/// Returns a JSON value to a message.
fn message(value: Value) -> Result<Frame, ProtocolError> {
    let mut members = match value {
        Value::Object(members) => members,
        Value::Array(_) => return Err(ProtocolError::Batch),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(ProtocolError::NotAnObject);
        }
    };
    if members.remove("jsonrpc").as_ref().and_then(Value::as_str) != Some("2.0") {
        return Err(ProtocolError::WrongVersion);
    }
    let frame = match members.remove("method") {
        Some(Value::String(method)) => parse_call(method, &mut members)?,
        Some(_) => return Err(ProtocolError::NotAMessage),
        None => Frame::Response(answer(&mut members)?),
    };
    match members.into_iter().next() {
        Some((unknown, _)) => Err(ProtocolError::UnknownMember(unknown)),
        None => Ok(frame),
    }
}

fn parse_call(method: String, members: &mut Map<String, Value>) -> Result<Frame, ProtocolError> {
    let params = members.remove("params").unwrap_or_else(|| Value::Object(Map::new()));
    let Some(id) = members.remove("id") else {
        return Ok(Frame::Notification(Notification { method, params }));
    };
    let id = CallId::from_value(&id).ok_or(ProtocolError::BadId)?;
    if params.is_object() {
        Ok(Frame::Request(Request { id, method, params }))
    } else {
        Err(ProtocolError::ParamsNotAnObject)
    }
}

fn answer(members: &mut Map<String, Value>) -> Result<Response, ProtocolError> {
    let id = match members.remove("id") {
        Some(Value::Null) => None,
        Some(id) => Some(CallId::from_value(&id).ok_or(ProtocolError::BadId)?),
        None => return Err(ProtocolError::NotAMessage),
    };
    match (members.remove("result"), members.remove("error")) {
        (Some(result), None) if id.is_some() => Ok(Response { id, outcome: Ok(result) }),
        (None, Some(error)) => Ok(Response { id, outcome: Err(parse_members(error)?) }),
        _ => Err(ProtocolError::NotAMessage),
    }
}
