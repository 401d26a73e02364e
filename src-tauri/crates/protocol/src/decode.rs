//! A line of bytes to a message, or a named mistake.

use crate::error::ErrorObject;
use crate::frame::{Frame, Notification, Request, Response};
use crate::id::Id;
use crate::json;
use crate::mistake::{Mistake, Refused};
use serde_json::{Map, Value};

/// Reads one line (with or without its `\n`) of at most `limit` bytes.
pub fn decode(line: &[u8], limit: usize) -> Result<Frame, Refused> {
    if line.len() > limit {
        return Err(Refused { id: None, mistake: Mistake::FrameTooLarge { limit } });
    }
    let text = std::str::from_utf8(line)
        .map_err(|error| Refused { id: None, mistake: Mistake::NotUtf8 { at: error.valid_up_to() } })?;
    let read = json::read(text);
    let id = read.id;
    read.value.and_then(message).map_err(|mistake| Refused { id, mistake })
}

/// Returns a JSON value to a message.
fn message(value: Value) -> Result<Frame, Mistake> {
    let mut members = match value {
        Value::Object(members) => members,
        Value::Array(_) => return Err(Mistake::Batch),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(Mistake::NotAnObject);
        }
    };
    if members.remove("jsonrpc").as_ref().and_then(Value::as_str) != Some("2.0") {
        return Err(Mistake::WrongVersion);
    }
    let frame = match members.remove("method") {
        Some(Value::String(method)) => call(method, &mut members)?,
        Some(_) => return Err(Mistake::NotAMessage),
        None => Frame::Response(answer(&mut members)?),
    };
    match members.into_iter().next() {
        Some((unknown, _)) => Err(Mistake::UnknownMember(unknown)),
        None => Ok(frame),
    }
}

fn call(method: String, members: &mut Map<String, Value>) -> Result<Frame, Mistake> {
    let params = members.remove("params").unwrap_or_else(|| Value::Object(Map::new()));
    let Some(id) = members.remove("id") else {
        return Ok(Frame::Notification(Notification { method, params }));
    };
    let id = Id::from_value(&id).ok_or(Mistake::BadId)?;
    if params.is_object() {
        Ok(Frame::Request(Request { id, method, params }))
    } else {
        Err(Mistake::ParamsNotAnObject)
    }
}

fn answer(members: &mut Map<String, Value>) -> Result<Response, Mistake> {
    let id = match members.remove("id") {
        Some(Value::Null) => None,
        Some(id) => Some(Id::from_value(&id).ok_or(Mistake::BadId)?),
        None => return Err(Mistake::NotAMessage),
    };
    match (members.remove("result"), members.remove("error")) {
        (Some(result), None) if id.is_some() => Ok(Response { id, outcome: Ok(result) }),
        (None, Some(error)) => {
            let error: ErrorObject =
                serde_json::from_value(error).map_err(|error| Mistake::of_shape(&error))?;
            Ok(Response { id, outcome: Err(error) })
        }
        _ => Err(Mistake::NotAMessage),
    }
}
