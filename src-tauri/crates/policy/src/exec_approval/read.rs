//! Reading the JSON: a mistake names its field.

use super::{AllowlistEntry, ExecApproval, TIMEOUT_MS};
use crate::settings::{Ask, Fallback, Security};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Problem of a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct FieldError {
    /// The field: `execApproval.timeoutMs`.
    pub field: String,
    /// Problem, and what would be right.
    pub message: String,
}

const FIELDS: [&str; 5] = ["security", "ask", "timeoutMs", "askFallback", "allowlist"];
/// Fields of an entry about its use there, which are not imported.
const USE: [&str; 4] = ["id", "lastUsedAt", "lastUsedCommand", "lastResolvedPath"];

/// Reads the settings: a profile with `execApproval` in it, or the settings alone. What is left out is as it is there:
/// allowlist, on-miss, a minute, deny, nothing.
pub fn read_exec_approval(text: &str) -> Result<ExecApproval, FieldError> {
    let root: Value =
        serde_json::from_str(text).map_err(|error| field_error("the file", not_json(&error)))?;
    let Value::Object(root) = root else {
        return Err(field_error("the file", "not one object: { \"execApproval\": { … } }"));
    };
    match root.get("execApproval") {
        Some(Value::Object(settings)) => read_fields(settings),
        Some(_) => Err(field_error(
            "execApproval", "is an object with security, ask, timeoutMs, askFallback and allowlist",
        )),
        None if root.keys().any(|key| FIELDS.contains(&key.as_str())) => read_fields(&root),
        None => Err(field_error(
            "execApproval", "is missing: { \"execApproval\": { \"security\": \"allowlist\", … } }",
        )),
    }
}

/// Returns the problem of a field.
pub(crate) fn field_error(field: &str, message: impl Into<String>) -> FieldError {
    FieldError { field: field.to_owned(), message: message.into() }
}

/// Says where a text is not JSON.
pub(crate) fn not_json(error: &serde_json::Error) -> String {
    format!("not JSON (line {}, column {})", error.line(), error.column())
}

fn read_fields(settings: &Map<String, Value>) -> Result<ExecApproval, FieldError> {
    if let Some(unknown) = settings.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        let expected = FIELDS.join(", ");
        return Err(field_error(
            &format!("execApproval.{unknown}"),
            format!("is no setting; these are: {expected}"),
        ));
    }
    Ok(ExecApproval {
        security: read_choice(
            settings,
            "security",
            Security::Allowlist,
            "\"deny\", \"allowlist\" or \"full\"",
        )?,
        ask: read_choice(settings, "ask", Ask::OnMiss, "\"off\", \"on-miss\" or \"always\"")?,
        timeout_ms: read_timeout(settings)?,
        ask_fallback: read_choice(
            settings,
            "askFallback",
            Fallback::Deny,
            "\"deny\", \"allowlist\" or \"full\"",
        )?,
        allowlist: read_entries(settings.get("allowlist"))?,
    })
}

fn read_choice<T: DeserializeOwned>(
    settings: &Map<String, Value>,
    field: &str,
    default: T,
    expected: &str,
) -> Result<T, FieldError> {
    let Some(value) = settings.get(field) else { return Ok(default) };
    serde_json::from_value(value.clone())
        .map_err(|_| field_error(&format!("execApproval.{field}"), format!("is {expected}, not {value}")))
}

fn read_timeout(settings: &Map<String, Value>) -> Result<u64, FieldError> {
    let Some(value) = settings.get("timeoutMs") else { return Ok(TIMEOUT_MS) };
    value.as_u64().ok_or_else(|| {
        field_error("execApproval.timeoutMs", format!("is a whole number of milliseconds, not {value}"))
    })
}

fn read_entries(list: Option<&Value>) -> Result<Vec<AllowlistEntry>, FieldError> {
    match list {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => {
            list.iter().enumerate().map(|(at, value)| read_entry(at, value)).collect()
        }
        Some(other) => {
            Err(field_error("execApproval.allowlist", format!("is a list of entries, not {other}")))
        }
    }
}

fn read_entry(at: usize, value: &Value) -> Result<AllowlistEntry, FieldError> {
    let name = format!("execApproval.allowlist[{at}]");
    let Value::Object(entry) = value else {
        return Err(field_error(
            &name,
            format!("is an entry with a pattern ({{ \"pattern\": \"git **\" }}), not {value}"),
        ));
    };
    if let Some(unknown) = entry.keys().find(|key| *key != "pattern" && !USE.contains(&key.as_str())) {
        return Err(field_error(&format!("{name}.{unknown}"), "is not known; an entry has a pattern"));
    }
    match entry.get("pattern") {
        Some(Value::String(pattern)) => Ok(AllowlistEntry { pattern: pattern.clone() }),
        Some(other) => Err(field_error(&format!("{name}.pattern"), format!("is a text, not {other}"))),
        None => Err(field_error(&format!("{name}.pattern"), "is missing")),
    }
}
