//! Decides if a change lets more run; in doubt it does.

use crate::tables::settings::PAUSE;
use postern_policy::Class;
use serde_json::Value;

/// Settings of an agent that do not affect what may run.
const NEUTRAL: [&str; 5] =
    ["approvalTimeoutMs", "unattended", "outputCapBytes", "unreadable", "questionsPerMinute"];
/// Values of settings, from the narrowest to the widest.
const ORDERS: [(&str, &[&str]); 3] = [
    ("security", &["deny", "allowlist", "full"]),
    ("ask", &["always", "on-miss", "off"]),
    ("fallback", &["deny", "allowlist", "full"]),
];
/// Settings of a class of effects, strictest first.
const CLASS: &[&str] = &["deny", "ask", "allow"];

pub(super) fn widens(subject: &str, key: &str, before: Option<&Value>, after: Option<&Value>) -> bool {
    match (subject, before, after) {
        ("rules", before, after) => rule_widens(before, after),
        ("agents", Some(before), Some(after)) => agent_widens(before, after),
        ("settings", Some(before), Some(after)) if key == PAUSE => ends_sooner(before, after),
        ("settings", before, _) if key == PAUSE => before.is_some(),
        ("settings", Some(before), Some(after)) => setting(&before["value"], &after["value"]),
        (_, Some(before), Some(after)) => !is_part(before, after),
        (_, None, after) => after.is_some(),
        (_, Some(_), None) => false,
    }
}

fn rule_widens(before: Option<&Value>, after: Option<&Value>) -> bool {
    let allows = |rule: &Value| rule["effect"] == "allow";
    match (before, after) {
        (None, after) => after.is_some_and(allows),
        (Some(before), None) => !allows(before),
        (Some(before), Some(after)) => {
            // A rule's comment changes nothing.
            let said = ["why", "matches", "misses"];
            differs(before, after, |name| !said.contains(&name))
        }
    }
}

fn agent_widens(before: &Value, after: &Value) -> bool {
    let until = |agent: &Value| agent["denied_until"].as_i64();
    let sooner = until(before) > until(after);
    let uids = !is_part(&before["uids"], &after["uids"]);
    sooner || uids || settings(&before["settings"], &after["settings"])
}

fn settings(before: &Value, after: &Value) -> bool {
    differs(before, after, |name| {
        let (old, new) = (&before[name], &after[name]);
        if NEUTRAL.contains(&name) {
            return false;
        }
        let known = ORDERS.iter().find(|(known, _)| *known == name).map(|(_, order)| *order);
        if let Some(order) = known.or_else(|| Class::from_name(name).map(|_| CLASS)) {
            let rank = |value: &Value| order.iter().position(|word| value == word);
            return rank(new).is_none() || rank(new) > rank(old);
        }
        match (name, old.as_u64(), new.as_u64()) {
            // Another order finds other programs.
            ("searchPath", _, _) => true,
            // Without folders the agent may run anywhere; without a limit, for any time.
            ("folders", _, _) if new.as_array().is_some_and(Vec::is_empty) => true,
            _ if new.is_null() => true,
            (_, Some(old), Some(new)) => new > old,
            _ => !is_part(old, new),
        }
    })
}

/// Returns true if a pause was shortened; without an end it lasts until it is lifted.
fn ends_sooner(before: &Value, after: &Value) -> bool {
    let until = |row: &Value| row["value"]["until"].as_i64().unwrap_or(i64::MAX);
    until(after) < until(before)
}

/// Compares a host-wide setting or a door.
fn setting(before: &Value, after: &Value) -> bool {
    if before.get("newAgent").is_some() {
        let locked = before["denyWhenLocked"] == true && after["denyWhenLocked"] != true;
        return locked || settings(&before["newAgent"], &after["newAgent"]);
    }
    !is_part(before, after)
}

/// Returns true if a member differs in a way that matters.
fn differs(before: &Value, after: &Value, counts: impl Fn(&str) -> bool) -> bool {
    let names =
        |value: &Value| value.as_object().into_iter().flat_map(|all| all.keys().cloned()).collect::<Vec<_>>();
    let mut all = names(before);
    all.extend(names(after));
    all.iter().any(|name| before.get(name) != after.get(name) && counts(name))
}

/// Returns true if `after` only removes or switches off parts of `before`.
fn is_part(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (before, after) if before == after => true,
        (Value::Bool(true), Value::Bool(false)) | (_, Value::Null) => true,
        (Value::Array(before), Value::Array(after)) => after.iter().all(|one| before.contains(one)),
        (Value::Object(before), Value::Object(after)) => {
            after.iter().all(|(name, value)| before.get(name).is_some_and(|old| is_part(old, value)))
        }
        _ => false,
    }
}
