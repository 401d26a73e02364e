//! VS Code: `chat.tools.terminal.autoApprove` of `settings.json`. `false` is a question there, also here.

use super::command::ForeignCommand;
use super::{Becomes, ForeignEntry, LeftOut, Taking, UnreadableFile, parse_document};
use crate::rule::Effect;
use serde_json::Value;

const SETTING: &str = "chat.tools.terminal.autoApprove";

pub(super) fn read_entries(text: &str, taking: &Taking) -> Result<Vec<ForeignEntry>, UnreadableFile> {
    let document = parse_document(text)?;
    let commands = document.get(SETTING).and_then(Value::as_object);
    let entry = |(written, value): (&String, &Value)| {
        let approves = match value {
            Value::Object(fields) => fields.get("approve").and_then(Value::as_bool),
            other => other.as_bool(),
        };
        let effect = if approves == Some(true) { Effect::Allow } else { Effect::Ask };
        let becomes = match approves {
            Some(_) => becomes(written, effect, taking),
            None => Err(LeftOut::NoRule),
        };
        ForeignEntry::new(written, effect, becomes)
    };
    Ok(commands.into_iter().flatten().map(entry).collect())
}

fn becomes(written: &str, effect: Effect, taking: &Taking) -> Result<Becomes, LeftOut> {
    let Some(regex) = written.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else {
        let is_regex = written.starts_with('/') && written.rsplit('/').next().is_some_and(is_flags);
        return if is_regex {
            Err(LeftOut::Regex)
        } else {
            taking.command(ForeignCommand::Prefix(written), effect)
        };
    };
    let words = regex.strip_prefix('^').ok_or(LeftOut::Regex)?;
    let (words, whole) = match (words.strip_suffix('$'), words.strip_suffix("\\b")) {
        (Some(words), _) => (words, true),
        (None, Some(words)) => (words, false),
        (None, None) => return Err(LeftOut::Regex),
    };
    if words.contains(|c: char| !(c.is_ascii_alphanumeric() || " -_/:=".contains(c))) {
        return Err(LeftOut::Regex);
    }
    taking.command(if whole { ForeignCommand::Exact(words) } else { ForeignCommand::Prefix(words) }, effect)
}

fn is_flags(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| "dgimsuvy".contains(c))
}
