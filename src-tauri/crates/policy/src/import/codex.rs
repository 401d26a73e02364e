//! Codex: `prefix_rule(pattern=["git", ["push", "fetch"]], decision="allow"|"prompt"|"forbidden")`, in Starlark.

use super::starlark::{StarlarkCall, StarlarkValue, parse_calls};
use super::{Becomes, ForeignEntry, LeftOut, Taking};
use crate::rule::{Effect, Pattern};
use postern_command::quote_argv;

/// The most commands that one rule's alternatives stand for.
const MOST: usize = 64;

pub(super) fn read_entries(text: &str, taking: &Taking) -> Vec<ForeignEntry> {
    let entry = |(written, call): (&str, Option<StarlarkCall>)| {
        let line = written.split_whitespace().collect::<Vec<_>>().join(" ");
        match call {
            Some(call) if call.name == "prefix_rule" => {
                let effect = effect(&call);
                ForeignEntry::new(line, effect.unwrap_or(Effect::Ask), becomes(&call, effect, taking))
            }
            _ => ForeignEntry::new(line, Effect::Ask, Err(LeftOut::NoRule)),
        }
    };
    parse_calls(text).map(entry).collect()
}

fn effect(call: &StarlarkCall) -> Option<Effect> {
    match call.argument("decision") {
        None => Some(Effect::Allow),
        Some(StarlarkValue::Text(decision)) => match decision.as_str() {
            "allow" => Some(Effect::Allow),
            "prompt" => Some(Effect::Ask),
            "forbidden" => Some(Effect::Deny),
            _ => None,
        },
        Some(_) => None,
    }
}

fn becomes(call: &StarlarkCall, effect: Option<Effect>, taking: &Taking) -> Result<Becomes, LeftOut> {
    let effect = effect.ok_or(LeftOut::NoRule)?;
    let Some(StarlarkValue::List(words)) = call.argument("pattern") else { return Err(LeftOut::NoRule) };
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    for word in words {
        let choices: Vec<&str> = match word {
            StarlarkValue::Text(text) => vec![text],
            StarlarkValue::List(all) => all.iter().filter_map(StarlarkValue::as_text).collect(),
            StarlarkValue::Other => return Err(LeftOut::NoRule),
        };
        let grown = commands.iter().flat_map(|command| {
            choices.iter().map(move |choice| command.iter().cloned().chain([(*choice).to_owned()]).collect())
        });
        commands = grown.take(MOST + 1).collect();
    }
    if commands.len() > MOST || commands.iter().any(Vec::is_empty) {
        return Err(LeftOut::Everything);
    }
    if effect == Effect::Allow && commands.iter().flatten().any(|word| word.contains(['*', '?'])) {
        return Err(LeftOut::NotPlain);
    }
    let patterns: Vec<Pattern> =
        commands.iter().map(|command| Pattern::Command(format!("{} *", quote_argv(command)))).collect();
    match effect {
        Effect::Allow | Effect::Deny => taking.make_rules(effect, patterns),
        Effect::Ask => taking.asking_all(&patterns),
    }
}
