//! Reading the document: a mistake names its field.

use super::{Document, FieldError, OfAgent, OpenclawEntry, OpenclawSettings};
use crate::exec_approval::{field_error, not_json};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The name that OpenClaw has for its main agent, and the one that it had.
const MAIN: (&str, &str) = ("main", "default");

/// Reads a document of version 1. What is not looked at (`socket`, how entries were used, keys of later versions) may be
/// anything.
pub fn read_document(text: &str) -> Result<Document, FieldError> {
    let root: Value =
        serde_json::from_str(text).map_err(|error| field_error("the file", not_json(&error)))?;
    let Value::Object(root) = root else {
        return Err(field_error("the file", "not one object: { \"version\": 1, \"agents\": { … } }"));
    };
    match root.get("version") {
        Some(Value::Number(version)) if version.as_u64() == Some(1) => {}
        Some(other) => {
            return Err(field_error("version", format!("is 1 in what is understood here, not {other}")));
        }
        None => {
            return Err(field_error("version", "is missing: is this an approvals document of OpenClaw's?"));
        }
    }
    let mut document = Document {
        defaults: read_agent_settings("defaults", &read_object("defaults", root.get("defaults"))?)?,
        ..Document::default()
    };
    for (name, value) in read_object("agents", root.get("agents"))? {
        let field = format!("agents.{name}");
        let read = read_agent(&field, &read_object(&field, Some(&value))?)?;
        let (main, former) = MAIN;
        if name == former {
            let kept: &mut OfAgent = document.agents.entry(main.to_owned()).or_default();
            kept.said = kept.said.or_defaults(&read.said);
            kept.allowlist.extend(read.allowlist);
            kept.tools.extend(read.tools);
        } else if let Some(kept) = document.agents.get_mut(&name) {
            // Under its former name it came first.
            kept.said = read.said.or_defaults(&kept.said);
            kept.allowlist.extend(read.allowlist);
            kept.tools.extend(read.tools);
        } else {
            document.agents.insert(name, read);
        }
    }
    Ok(document)
}

fn read_object(field: &str, value: Option<&Value>) -> Result<Map<String, Value>, FieldError> {
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object.clone()),
        Some(other) => Err(field_error(field, format!("is an object, not {other}"))),
    }
}

fn read_list<'a>(field: &str, value: Option<&'a Value>) -> Result<&'a [Value], FieldError> {
    match value {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(other) => Err(field_error(field, format!("is a list, not {other}"))),
    }
}

fn read_agent(field: &str, from: &Map<String, Value>) -> Result<OfAgent, FieldError> {
    let allowlist = format!("{field}.allowlist");
    let entries = read_list(&allowlist, from.get("allowlist"))?.iter().enumerate();
    let tools = read_list(&format!("{field}.mcpTools"), from.get("mcpTools"))?.iter();
    let part = |tool: &Value, name: &str| tool[name].as_str().unwrap_or_default().to_owned();
    Ok(OfAgent {
        said: read_agent_settings(field, from)?,
        allowlist: entries
            .map(|(at, value)| read_entry(format!("{allowlist}[{at}]"), value))
            .collect::<Result<_, _>>()?,
        tools: tools.map(|tool| format!("{} {}", part(tool, "server"), part(tool, "tool"))).collect(),
    })
}

fn read_agent_settings(field: &str, from: &Map<String, Value>) -> Result<OpenclawSettings, FieldError> {
    Ok(OpenclawSettings {
        security: read_choice(field, from, "security", "\"deny\", \"allowlist\" or \"full\"")?,
        ask: read_choice(field, from, "ask", "\"off\", \"on-miss\" or \"always\"")?,
        fallback: read_choice(field, from, "askFallback", "\"deny\", \"allowlist\" or \"full\"")?,
        skills: read_choice(field, from, "autoAllowSkills", "true or false")?,
    })
}

fn read_choice<T: DeserializeOwned>(
    field: &str,
    from: &Map<String, Value>,
    name: &str,
    expected: &str,
) -> Result<Option<T>, FieldError> {
    let Some(value) = from.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    serde_json::from_value(value.clone())
        .map(Some)
        .map_err(|_| field_error(&format!("{field}.{name}"), format!("is {expected}, not {value}")))
}

fn read_entry(field: String, value: &Value) -> Result<OpenclawEntry, FieldError> {
    let text = |name: &str| match value.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(field_error(&format!("{field}.{name}"), format!("is a text, not {other}"))),
    };
    let pattern = match value {
        Value::String(pattern) => pattern.clone(),
        Value::Object(_) => {
            text("pattern")?.ok_or_else(|| field_error(&format!("{field}.pattern"), "is missing"))?
        }
        other => return Err(field_error(&field, format!("is an entry with a pattern, not {other}"))),
    };
    if pattern.trim().is_empty() {
        return Err(field_error(&format!("{field}.pattern"), "is blank"));
    }
    let (arguments, last_used) = (text("argPattern")?, text("lastUsedCommand")?);
    let generated = text("source")?.as_deref() == Some("allow-always");
    Ok(OpenclawEntry { pattern: pattern.trim().to_owned(), arguments, last_used, generated, field })
}
