//! Settings that an organization decides: by the names that an agent's settings have, over whatever the person set.

use crate::book::values;
use postern_policy::Settings;
use serde_json::{Map, Value};

/// Settings with these values put over them; the error says which cannot be.
pub(in crate::book) fn override_settings(
    settings: &Settings,
    decided: &Map<String, Value>,
) -> Result<Settings, String> {
    let mut all = object(settings);
    for (key, value) in decided {
        all.insert(key.clone(), value.clone());
    }
    let all: Settings =
        serde_json::from_value(Value::Object(all)).map_err(|error| format!("settings: {error}"))?;
    values::check_settings(&all).map_err(|error| format!("settings: {error}"))?;
    Ok(all)
}

/// Returns the part of `wanted` to keep: where the organization decides, the person's `own` setting from
/// before.
///
/// The error is a setting that the organization decides and that was to become another than it is `now`.
pub(super) fn keep_own(
    decided: &Map<String, Value>,
    now: &Settings,
    wanted: &Settings,
    own: &Settings,
) -> Result<Settings, String> {
    let (now, mut wanted, own) = (object(now), object(wanted), object(own));
    for key in decided.keys() {
        if wanted.get(key) != now.get(key) {
            return Err(key.clone());
        }
        if let Some(own) = own.get(key) {
            wanted.insert(key.clone(), own.clone());
        }
    }
    serde_json::from_value(Value::Object(wanted)).map_err(|error| error.to_string())
}

fn object(settings: &Settings) -> Map<String, Value> {
    // Settings are a struct: they become an object.
    match serde_json::to_value(settings) {
        Ok(Value::Object(all)) => all,
        Ok(_) | Err(_) => Map::new(),
    }
}
