//! Reading the document: a mistake names its field.

use super::{Document, Entry, FieldError, OfAgent, Said};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The name that OpenClaw has for its main agent, and the one that it had.
const MAIN: (&str, &str) = ("main", "default");

/// Reads a document of version 1. What is not looked at (`socket`, how entries were used, keys of later versions) may be
/// anything.
pub fn read(text: &str) -> Result<Document, FieldError> {
    let root: Value =
        serde_json::from_str(text).map_err(|error| wrong("the file", format!("is no JSON: {error}")))?;
    let Value::Object(root) = root else {
        return Err(wrong("the file", "is one object: { \"version\": 1, \"agents\": { … } }"));
    };
    match root.get("version") {
        Some(Value::Number(version)) if version.as_u64() == Some(1) => {}
        Some(other) => return Err(wrong("version", format!("is 1 in what is understood here, not {other}"))),
        None => return Err(wrong("version", "is missing: is this an approvals document of OpenClaw's?")),
    }
    let mut document = Document {
        defaults: said("defaults", &object("defaults", root.get("defaults"))?)?,
        ..Document::default()
    };
    for (name, value) in object("agents", root.get("agents"))? {
        let field = format!("agents.{name}");
        let read = agent(&field, &object(&field, Some(&value))?)?;
        let (main, former) = MAIN;
        if name == former {
            let kept: &mut OfAgent = document.agents.entry(main.to_owned()).or_default();
            kept.said = kept.said.or(&read.said);
            kept.allowlist.extend(read.allowlist);
            kept.tools.extend(read.tools);
        } else if let Some(kept) = document.agents.get_mut(&name) {
            // Under its former name it came first.
            kept.said = read.said.or(&kept.said);
            kept.allowlist.extend(read.allowlist);
            kept.tools.extend(read.tools);
        } else {
            document.agents.insert(name, read);
        }
    }
    Ok(document)
}

fn wrong(field: &str, message: impl Into<String>) -> FieldError {
    FieldError { field: field.to_owned(), message: message.into() }
}

fn object(field: &str, value: Option<&Value>) -> Result<Map<String, Value>, FieldError> {
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object.clone()),
        Some(other) => Err(wrong(field, format!("is an object, not {other}"))),
    }
}

fn list<'a>(field: &str, value: Option<&'a Value>) -> Result<&'a [Value], FieldError> {
    match value {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(other) => Err(wrong(field, format!("is a list, not {other}"))),
    }
}

fn agent(field: &str, from: &Map<String, Value>) -> Result<OfAgent, FieldError> {
    let allowlist = format!("{field}.allowlist");
    let entries = list(&allowlist, from.get("allowlist"))?.iter().enumerate();
    let tools = list(&format!("{field}.mcpTools"), from.get("mcpTools"))?.iter();
    let part = |tool: &Value, name: &str| tool[name].as_str().unwrap_or_default().to_owned();
    Ok(OfAgent {
        said: said(field, from)?,
        allowlist: entries
            .map(|(at, value)| entry(format!("{allowlist}[{at}]"), value))
            .collect::<Result<_, _>>()?,
        tools: tools.map(|tool| format!("{} {}", part(tool, "server"), part(tool, "tool"))).collect(),
    })
}

fn said(field: &str, from: &Map<String, Value>) -> Result<Said, FieldError> {
    Ok(Said {
        security: choice(field, from, "security", "\"deny\", \"allowlist\" or \"full\"")?,
        ask: choice(field, from, "ask", "\"off\", \"on-miss\" or \"always\"")?,
        fallback: choice(field, from, "askFallback", "\"deny\", \"allowlist\" or \"full\"")?,
        skills: choice(field, from, "autoAllowSkills", "true or false")?,
    })
}

fn choice<T: DeserializeOwned>(
    field: &str,
    from: &Map<String, Value>,
    name: &str,
    expected: &str,
) -> Result<Option<T>, FieldError> {
    let Some(value) = from.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    serde_json::from_value(value.clone())
        .map(Some)
        .map_err(|_| wrong(&format!("{field}.{name}"), format!("is {expected}, not {value}")))
}

fn entry(field: String, value: &Value) -> Result<Entry, FieldError> {
    let text = |name: &str| match value.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong(&format!("{field}.{name}"), format!("is a text, not {other}"))),
    };
    let pattern = match value {
        Value::String(pattern) => pattern.clone(),
        Value::Object(_) => {
            text("pattern")?.ok_or_else(|| wrong(&format!("{field}.pattern"), "is missing"))?
        }
        other => return Err(wrong(&field, format!("is an entry with a pattern, not {other}"))),
    };
    if pattern.trim().is_empty() {
        return Err(wrong(&format!("{field}.pattern"), "is blank"));
    }
    let (arguments, last_used) = (text("argPattern")?, text("lastUsedCommand")?);
    let generated = text("source")?.as_deref() == Some("allow-always");
    Ok(Entry { pattern: pattern.trim().to_owned(), arguments, last_used, generated, field })
}
