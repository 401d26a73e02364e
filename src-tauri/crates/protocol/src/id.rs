//! Ids of calls.

use crate::limits;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The id of a call, chosen by the caller.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum CallId {
    /// A whole number.
    Number(i64),
    /// A text of at most [`limits::ID`] bytes.
    Text(String),
}

impl CallId {
    /// Returns the id in a JSON value, where it is one.
    pub fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_i64().map(Self::Number),
            Value::String(text) if text.len() <= limits::ID => Some(Self::Text(text.clone())),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}
