//! A change to what may run, in one line: what `postern audit` and notifications say of it.

use super::rule::rule_sentence;
use crate::setting_keys::plain_key;
use crate::setting_values::setting_values;
use postern_command::escape::visible_text as escaped;
use postern_policy::{Rule, Settings, Source};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Largest number of characters of a value.
const SHOWN: usize = 80;
/// Members that repeat the name, or mean nothing to a person.
const UNSAID: [&str; 3] = ["id", "key", "sha256"];

/// Describes a change by the kind and the name of what changed, and its values in the record.
pub fn change(subject: &str, key: &str, before: Option<&Value>, after: Option<&Value>) -> String {
    let there = |value: &&Value| !value.is_null();
    let (before, after) = (before.filter(there), after.filter(there));
    let name = escaped(key);
    match subject {
        "agents" => agent(&name, before, after),
        "rules" => rule(&name, before, after),
        "settings" => setting(key, before.map(|row| &row["value"]), after.map(|row| &row["value"])),
        "skill_folders" => added_or_removed(&format!("skill folder {name}"), before, after),
        "skill_clis" => added_or_removed(&format!("skill {name}"), before, after),
        // Its text is in the values.
        "permissions" => format!("permissions.jsonc of {name} {}", done(before, after)),
        "hooks" => added_or_removed(&format!("hook of {name}"), before, after),
        "keys" => format!("{name} has a new key"),
        "secrets" => {
            let done = after.and_then(|row| row["secret"].as_str()).unwrap_or("changed");
            format!("secret of {name} {}", escaped(done))
        }
        other => added_or_removed(&format!("{} {name}", escaped(other)), before, after),
    }
}

/// Says what was done to a thing, then each member that differs.
fn added_or_removed(what: &str, before: Option<&Value>, after: Option<&Value>) -> String {
    let differs = after.map(|after| members(before.unwrap_or(&Value::Null), after));
    join(&format!("{what} {}", done(before, after)), &differs.unwrap_or_default())
}

fn done(before: Option<&Value>, after: Option<&Value>) -> &'static str {
    match (before, after) {
        (None, Some(_)) => "added",
        (Some(_), None) => "removed",
        (Some(_), Some(_)) | (None, None) => "changed",
    }
}

fn join(what: &str, parts: &[String]) -> String {
    if parts.is_empty() { what.to_owned() } else { format!("{what}: {}", parts.join("; ")) }
}

fn agent(name: &str, before: Option<&Value>, after: Option<&Value>) -> String {
    let what = format!("agent {name}");
    let Some(after) = after else { return format!("{what} removed") };
    let none = Value::Null;
    let differs = |was: &Value| -> Vec<String> {
        let settings = settings_changed(&was["settings"], &after["settings"]);
        let rest = ["name", "color", "icon", "uids"].map(|member| (member, &was[member], &after[member]));
        let rest = rest.into_iter().filter(|(_, was, is)| was != is);
        let rest =
            rest.map(|(member, was, is)| format!("{member} {} → {}", short_value(was), short_value(is)));
        let stopped = (was["denied_until"] != after["denied_until"]).then(|| {
            if after["denied_until"].is_null() { "no longer stopped" } else { "stopped for a while" }
                .to_owned()
        });
        settings.into_iter().chain(rest).chain(stopped).collect()
    };
    match before {
        Some(before) => join(&what, &differs(before)),
        None => join(&format!("{what} added"), &settings_changed(&none, &after["settings"])),
    }
}

/// Returns the settings of an agent that differ, as they are typed; those of a new agent from the defaults.
fn settings_changed(before: &Value, after: &Value) -> Vec<String> {
    let read = |value: &Value| serde_json::from_value::<Settings>(value.clone()).ok();
    let was = if before.is_null() { Some(Settings::default()) } else { read(before) };
    let (Some(was), Some(is)) = (was, read(after)) else { return members(before, after) };
    let pairs = setting_values(&was).into_iter().zip(setting_values(&is));
    let differs = pairs.filter(|(was, is)| was.1 != is.1);
    differs.map(|((key, was), (_, is))| format!("{key} {} → {}", escaped(&was), escaped(&is))).collect()
}

fn rule(number: &str, before: Option<&Value>, after: Option<&Value>) -> String {
    let what = format!("rule {number}");
    let said = |row: &Value| rule_of(row).as_ref().map(rule_sentence);
    match (before, after) {
        (Some(row), None) => join(&format!("{what} removed"), said(row).as_slice()),
        (Some(was), Some(is)) => {
            let differs = match (said(was), said(is)) {
                (Some(was), Some(is)) if was != is => vec![format!("{was} → {is}")],
                _ => rule_details(was, is),
            };
            join(&format!("{what} changed"), &differs)
        }
        (None, Some(row)) => {
            let saved = match rule_of(row).map(|rule| rule.source) {
                Some(Source::Import) => " (imported)".to_owned(),
                Some(Source::Skill(name)) => format!(" (skill {})", escaped(&name)),
                Some(Source::Always) => " (Always)".to_owned(),
                _ => String::new(),
            };
            join(&format!("{what} added"), said(row).map(|said| said + &saved).as_slice())
        }
        (None, None) => format!("{what} changed"),
    }
}

/// Reads the members of a recorded rule that its sentence needs.
fn rule_of(row: &Value) -> Option<Rule> {
    fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
        serde_json::from_value(value.clone()).ok()
    }
    let flag = |name: &str| row[name] == 1 || row[name] == true;
    Some(Rule {
        agent: read(&row["agent"])?,
        args: read(&row["args"])?,
        allow_writes: flag("allow_writes"),
        broad: flag("broad"),
        confine: read(&row["confine"])?,
        folder: read(&row["folder"])?,
        input: read(&row["input"])?,
        origin: read(&row["origin"])?,
        source: read(&row["source"])?,
        lifetime: read(&row["lifetime"])?,
        ..Rule::new(read(&row["effect"])?, read(&row["pattern"])?)
    })
}

/// Names what a sentence about a rule does not say.
fn rule_details(before: &Value, after: &Value) -> Vec<String> {
    let names = [
        ("pin", "the program that it is bound to"),
        ("limits", "what it may do"),
        ("why", "its reason"),
        ("matches", "its examples"),
        ("misses", "its examples"),
    ];
    let differs = names.into_iter().filter(|(name, _)| before.get(name) != after.get(name));
    let mut words: Vec<String> = differs.map(|(_, words)| words.to_owned()).collect();
    words.dedup();
    words
}

fn setting(key: &str, before: Option<&Value>, after: Option<&Value>) -> String {
    let (was, is) = (before.unwrap_or(&Value::Null), after.unwrap_or(&Value::Null));
    match key.strip_prefix("door.") {
        Some("setup") => connected(was, is),
        Some("shell-path") => join("setup read the search path of your shell", &members(was, is)),
        Some("doors") => integrations(was, is),
        // The number of its token, in a row of them.
        Some(door) if is.is_number() => {
            let secret = door.strip_suffix("-secret").map(|name| (name, "secret"));
            let (name, what) = secret.unwrap_or((door, "token"));
            format!("integration {} has a new {what}", escaped(name))
        }
        Some(door) => added_or_removed(&format!("integration {}", escaped(door)), before, after),
        None => match (key, after) {
            ("gate.pause", Some(_)) => "all agents blocked".to_owned(),
            ("gate.pause", None) => "agents no longer blocked".to_owned(),
            ("host", _) => {
                let new = settings_changed(&was["newAgent"], &is["newAgent"]);
                let new = new.into_iter().map(|text| format!("of new agents {text}"));
                let rest = members(&without_new_agent(was), &without_new_agent(is));
                join("settings", &rest.into_iter().chain(new).collect::<Vec<_>>())
            }
            _ => added_or_removed(&format!("setting {}", escaped(key)), before, after),
        },
    }
}

/// Names the integrations that were enabled, disabled or changed, with their settings.
fn integrations(before: &Value, after: &Value) -> String {
    let empty = Map::new();
    let changed = after.as_object().unwrap_or(&empty).iter().filter_map(|(name, is)| {
        let was = &before[name];
        let done = match (was["enabled"] == true, is["enabled"] == true) {
            (false, true) => "enabled",
            (true, false) => "disabled",
            (true, true) if was != is => "changed",
            _ => return None,
        };
        let what = format!("integration {} {done}", escaped(name));
        let values = if done == "disabled" { Vec::new() } else { members(&was["values"], &is["values"]) };
        Some(join(&what, &values))
    });
    let changed: Vec<String> = changed.collect();
    if changed.is_empty() { "settings of integrations that are off".to_owned() } else { changed.join("; ") }
}

fn without_new_agent(settings: &Value) -> Value {
    let mut rest = settings.clone();
    if let Some(members) = rest.as_object_mut() {
        members.remove("newAgent");
    }
    rest
}

/// Names the agents that setup connected or disconnected.
fn connected(before: &Value, after: &Value) -> String {
    let empty = Map::new();
    let (old, new) = (before.as_object().unwrap_or(&empty), after.as_object().unwrap_or(&empty));
    let only = |these: &Map<String, Value>, those: &Map<String, Value>| -> Vec<String> {
        these.keys().filter(|kind| !those.contains_key(*kind)).map(|kind| escaped(kind)).collect()
    };
    let (added, gone) = (only(new, old), only(old, new));
    match (added.is_empty(), gone.is_empty()) {
        (false, _) => format!("setup connected {}", added.join(", ")),
        (true, false) => format!("setup disconnected {}", gone.join(", ")),
        (true, true) => {
            let differs = new.iter().filter(|(kind, value)| old.get(*kind) != Some(value));
            let kinds: Vec<String> = differs.map(|(kind, _)| escaped(kind)).collect();
            format!("setup noted what it imported for {}", kinds.join(", "))
        }
    }
}

/// Returns the members that differ, those of objects one level down.
fn members(before: &Value, after: &Value) -> Vec<String> {
    let empty = Map::new();
    let (old, new) = (before.as_object().unwrap_or(&empty), after.as_object().unwrap_or(&empty));
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let mut all = Vec::new();
    for name in names {
        if UNSAID.contains(&name.as_str()) || old.get(name) == new.get(name) {
            continue;
        }
        let said = escaped(&plain_key(name));
        match (old.get(name), new.get(name)) {
            (Some(old @ Value::Object(_)), Some(new @ Value::Object(_))) => all.extend(members(old, new)),
            (None, Some(new @ Value::Object(_))) => {
                let inner = members(&Value::Null, new);
                all.push(if inner.is_empty() { said } else { format!("{said} {}", inner.join(", ")) });
            }
            (None | Some(Value::Null), Some(Value::Null) | None) => {}
            (None, Some(new)) => all.push(format!("{said} {}", short_value(new))),
            (Some(old), new) => {
                let new = new.map_or_else(|| "none".to_owned(), short_value);
                all.push(format!("{said} {} → {new}", short_value(old)));
            }
        }
    }
    all
}

/// Returns a value without the signs of JSON.
fn short_value(value: &Value) -> String {
    let text = plain_value(value);
    if text.chars().count() <= SHOWN { text } else { text.chars().take(SHOWN).chain(['…']).collect() }
}

fn plain_value(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => escaped(text),
        Value::Array(values) if values.is_empty() => "none".to_owned(),
        Value::Array(values) => values.iter().map(plain_value).collect::<Vec<_>>().join(", "),
        Value::Object(members) => {
            let parts =
                members.iter().map(|(name, value)| format!("{} {}", escaped(name), plain_value(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::change;
    use serde_json::{Value, json};

    #[test]
    fn every_change_is_told_in_its_own_words() {
        for row in include_str!("changes.jsonl").lines() {
            let case: Value = serde_json::from_str(row).unwrap_or_else(|error| panic!("{row}: {error}"));
            let text = |name: &str| case[name].as_str().unwrap();
            let said = change(text("subject"), text("key"), case.get("before"), case.get("after"));
            assert_eq!(said, text("said"), "{row}");
        }
    }

    #[test]
    fn other_things_are_told_by_their_members() {
        let long = json!({"text": "x".repeat(200), "on": true, "list": ["a", "b"]});
        let told = change("managed", "managed", None, Some(&long));
        assert!(told.contains("list a, b; on on; text xxx") && told.ends_with('…'), "{told}");
    }
}
